package com.example;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import scala.Tuple2;

/**
 * Words that are counted, joined and summed up, in Spark's local mode: by lambdas in RDDs and typed
 * datasets, by a function in SQL and by generated code. Whole numbers only, so that the same amount
 * always gives the same lines.
 */
public final class Job {

  private static final int PARTITIONS = 4;

  private Job() {}

  /** Takes the number of words; with 0 the session alone is started. */
  public static void main(String[] arguments) {
    long words = Long.parseLong(arguments[0]);
    SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .appName("job")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", PARTITIONS)
            .getOrCreate();
    if (words > 0) {
      countByPairs(spark, words).forEach(System.out::println);
      joinWithPrices(spark, words).forEach(System.out::println);
      rank(spark, words).forEach(System.out::println);
    }
    spark.stop();
  }

  /** The classic: pairs, reduced by key. */
  static List<String> countByPairs(SparkSession spark, long words) {
    List<Integer> partitions = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      partitions.add(i);
    }
    return new JavaSparkContext(spark.sparkContext())
        .parallelize(partitions, PARTITIONS)
        .flatMap(partition -> wordsOf(partition, words))
        .mapToPair(word -> new Tuple2<>(word, 1L))
        .reduceByKey(Long::sum)
        .sortByKey()
        .map(count -> "count " + count._1() + " " + count._2())
        .collect();
  }

  /** One partition's share of the words. */
  static Iterator<String> wordsOf(int partition, long words) {
    List<String> share = new ArrayList<>();
    for (long i = partition; i < words; i += PARTITIONS) {
      share.add(word(i));
    }
    return share.iterator();
  }

  /** A typed dataset, grouped and joined. */
  static List<String> joinWithPrices(SparkSession spark, long words) {
    Dataset<Row> counts =
        spark
            .range(0, words, 1, PARTITIONS)
            .map((MapFunction<Long, String>) Job::word, Encoders.STRING())
            .mapPartitions(
                (MapPartitionsFunction<String, String>) Job::upperCase, Encoders.STRING())
            .toDF("word")
            .groupBy("word")
            .count();
    Dataset<Row> prices =
        spark
            .range(0, 50, 1, 1)
            .selectExpr("upper(concat('word', id)) as word", "id * 7 % 31 as price");
    return counts
        .join(prices, "word")
        .selectExpr("concat('sold ', word, ' ', count * price) as line")
        .orderBy("line")
        .as(Encoders.STRING())
        .collectAsList();
  }

  static Iterator<String> upperCase(Iterator<String> words) {
    List<String> upper = new ArrayList<>();
    words.forEachRemaining(word -> upper.add(word.toUpperCase()));
    return upper.iterator();
  }

  /** SQL with a function of ours and a window. */
  static List<String> rank(SparkSession spark, long words) {
    spark.udf().register("word", (UDF1<Long, String>) Job::word, DataTypes.StringType);
    spark.range(0, words, 1, PARTITIONS).createOrReplaceTempView("numbers");
    return spark
        .sql(
            "select word, total, rank() over (partition by length(word) order by total desc,"
                + " word) as place from"
                + " (select word(id) as word, sum(id % 1000) as total from numbers group by 1)")
        .filter(functions.col("place").leq(5))
        .orderBy("place", "word")
        .map(
            (MapFunction<Row, String>)
                row -> "place " + row.getInt(2) + " " + row.getString(0) + " " + row.getLong(1),
            Encoders.STRING())
        .collectAsList();
  }

  static String word(long number) {
    return "word" + number * number % 97;
  }
}
