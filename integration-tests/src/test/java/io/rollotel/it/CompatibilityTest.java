package io.rollotel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every row of docs/compatibility.md names tests, or is proven by those above, and they exist. */
class CompatibilityTest {

  /** {@code `ClassIT.method`}, {@code `ClassIT`}, or {@code `.method`} of the class named last. */
  private static final Pattern TEST = Pattern.compile("`(\\w+(?:IT|Test))?(?:\\.(\\w+))?`");

  private static final Pattern END_OF_CELL = Pattern.compile("(?<!\\\\)\\|");

  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new TreeMap<>();
    for (String module :
        List.of(
            "agent", "processor", "telemetry", "traces", "parquet", "spark", "integration-tests")) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src/test/java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
        }
      }
    }
    return sources;
  }

  /** The last cells of the rows of tables whose last column is that of the tests. */
  private static List<String> cells() throws IOException {
    List<String> cells = new ArrayList<>();
    String header = "";
    for (String line : Files.readAllLines(Path.of("../docs/compatibility.md"))) {
      if (!line.startsWith("|")) {
        header = "";
        continue;
      }
      String[] row = END_OF_CELL.split(line, -1);
      String last = row[row.length - 2].strip();
      if (header.isEmpty()) {
        header = last;
      } else if (header.equals("test") && !last.matches("-+")) {
        cells.add(last);
      }
    }
    return cells;
  }

  @Test
  void everyRow_namesTestsThatExist() throws IOException {
    Map<String, String> sources = sources();
    List<String> unproven = new ArrayList<>();
    List<String> cells = cells();
    for (String cell : cells) {
      boolean isProven = cell.startsWith("the same");
      String type = "";
      for (Matcher named = TEST.matcher(cell); named.find(); ) {
        type = named.group(1) == null ? type : named.group(1);
        String method = named.group(2);
        String wanted = method == null ? "class " + type : "void " + method + "(";
        isProven |= named.group(1) != null || method != null;
        if (isProven && !sources.getOrDefault(type, "").contains(wanted)) {
          unproven.add(named.group() + " of " + type);
        }
      }
      if (!isProven) {
        unproven.add(cell);
      }
    }
    assertThat(unproven).as("rows whose tests do not exist").isEmpty();
    assertThat(cells).hasSizeGreaterThan(300);
  }
}
