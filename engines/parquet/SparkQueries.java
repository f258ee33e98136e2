import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Runs queries on a Parquet file with Spark, in its local mode: the file as a view named spans. Then
 * writes the file anew, as Spark does, with columns in another order and without some.
 */
public class SparkQueries {

  /** Takes the Parquet file, the directory of the new one, and files with a query each. */
  public static void main(String[] arguments) throws Exception {
    SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.shuffle.partitions", 1)
            .getOrCreate();
    spark.read().parquet(arguments[0]).createOrReplaceTempView("spans");
    for (int i = 2; i < arguments.length; i++) {
      System.out.println("query");
      for (Row row : spark.sql(Files.readString(Path.of(arguments[i]))).collectAsList()) {
        System.out.println(row.mkString("|"));
      }
    }
    spark
        .sql(
            "SELECT resource_attributes, links, events, attributes, status_code, kind, trace_state,"
                + " end_time_unix_nano, start_time_unix_nano, start_time, name, parent_span_id,"
                + " scope_name, trace_id, span_id FROM spans")
        .write()
        .parquet(arguments[1]);
    spark.stop();
  }
}
