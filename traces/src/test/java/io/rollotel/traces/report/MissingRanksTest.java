package io.rollotel.traces.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.analysis.OpenSpans;
import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Resource;
import io.rollotel.traces.recording.OpenSpan;
import io.rollotel.traces.recording.Recording;
import io.rollotel.traces.spans.TracedProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ranks of which the files have nothing. */
class MissingRanksTest {

  private static TracedProcess worker(String service, String cluster, String rank, String size) {
    Map<String, Object> attributes = new LinkedHashMap<>();
    attributes.put("service.name", service);
    attributes.put("service.instance.id", service + rank);
    attributes.put("roll.rank", rank);
    attributes.put("roll.world_size", size);
    attributes.put("roll.cluster_name", cluster);
    Resource resource = new Resource(attributes);
    return new TracedProcess(TracedProcess.key(resource), resource);
  }

  private static List<String> words(List<TracedProcess> processes) {
    return MissingRanks.of(processes).stream().map(ranks -> ranks.inWords(3)).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "0 1 2 3, 4, ''",
    "0 1 2 3 3, 4, ''", // one was replaced
    "0 1 2 3, 8, 4 of 8 ranks of actor have no span in these files: 4 to 7",
    "0 1 3, 4, 1 of 4 ranks of actor has no span in these files: 2",
    "2 5 6 9, 10, '6 of 10 ranks of actor have no span in these files: 0, 1, 3, 4, 7, 8'",
    "1 3 5 7, 8, '4 of 8 ranks of actor have no span in these files: 0, 2, 4, ...'",
    "0, 1, ''",
    "0 1, '', ''",
    "0 1, many, ''",
    "0 1, 2000000000, ''",
    "a b, 4, ''",
  })
  void ranksWithoutASpan_areNamed(String ranks, String worldSize, String words) {
    List<TracedProcess> processes = new ArrayList<>();
    for (String rank : ranks.split(" ")) {
      processes.add(worker("actor", "actor", rank, worldSize));
    }
    assertThat(words(processes))
        .isEqualTo(
            words.isEmpty()
                ? List.of()
                : List.of(words + "; they wrote elsewhere, or do not trace"));
  }

  /** In a run that is active, the first call of a worker may take long. */
  @ParameterizedTest
  @CsvSource({"false, 1", "true, 0"})
  void rankWhoseOnlySpanIsOpen_isNotMissing(boolean isRecorded, int missing) {
    Planted planted = new Planted().ofWorldSize(2);
    long root = planted.span(1, 0, "pipeline_step", "driver", 0, 100);
    planted.span(1, root, "train", "w0", 10, 90);
    OpenSpan open = planted.open(1, 7, root, "train", 10);
    List<Recording> recordings =
        isRecorded ? List.of(planted.recording("w1", true, 100, open)) : List.of();
    assertThat(PlantedContents.of(planted.analysisOf(), new OpenSpans(recordings)).missingRanks())
        .hasSize(missing);
  }

  @Test
  void clusters_areCountedByThemselvesAndServicesAreNot() {
    List<TracedProcess> processes =
        List.of(
            worker("actor-0", "", "0", "2"),
            worker("actor-1", "", "1", "2"),
            worker("critic", "critic", "0", "2"),
            worker("driver", "", "", ""));
    assertThat(words(processes))
        .containsExactly(
            "1 of 2 ranks of critic has no span in these files: 1; they wrote elsewhere, or do not"
                + " trace");
  }
}
