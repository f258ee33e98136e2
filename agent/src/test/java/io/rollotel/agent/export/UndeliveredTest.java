package io.rollotel.agent.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.agent.log.Stderr;
import io.rollotel.traces.otlp.PartialSuccess;
import java.io.File;
import java.net.ConnectException;
import java.util.List;
import org.junit.jupiter.api.Test;

class UndeliveredTest {

  private final Undelivered undelivered =
      new Undelivered(
          new OwnSpanFile(
              new File("own.jsonl"),
              () -> {
                throw new IllegalStateException("nothing is written here");
              },
              false,
              List::of));

  @Test
  void rejections_areToldOnceWhateverTheirMessages() {
    undelivered.destination("http://127.0.0.1:3");
    try (Stderr stderr = new Stderr()) {
      for (int i = 1; i <= 3; i++) {
        undelivered.tellRejected(new PartialSuccess(1, "span " + i + " is too large"));
      }
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .endsWith("which are lost (first: span 1 is too large)");
    }
  }

  @Test
  void collectorThatTookTheRunOver_isNotBlamedForTheFailureOfTheOneBefore() {
    undelivered.destination("http://127.0.0.1:1");
    undelivered.failed(new ConnectException("Connection refused"));
    undelivered.destination("http://127.0.0.1:2");
    try (Stderr stderr = new Stderr()) {
      undelivered.tellAtEnd(
          3, /* isElsewhere= */ false, /* isOfAnother= */ true, /* isReplayed= */ false);
      assertThat(stderr.lines())
          .singleElement()
          .asString()
          .contains("3 spans were not delivered to http://127.0.0.1:1 (java.net.ConnectException");
    }
  }
}
