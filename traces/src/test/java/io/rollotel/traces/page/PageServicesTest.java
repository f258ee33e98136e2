package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** What a page of services has of their requests. */
class PageServicesTest {

  private static Map<?, ?> requests(Planted planted) throws IOException {
    PageReader page = new PageReader(PlantedRun.page(planted, ReportOptions.latestRun()));
    return (Map<?, ?>) page.report.get("requests");
  }

  private static List<?> rows(Map<?, ?> of, String key) {
    return (List<?>) of.get(key);
  }

  private static long number(Object of, String key) {
    return ((Number) ((Map<?, ?>) of).get(key)).longValue();
  }

  private static long sum(Object of, String key) {
    return rows((Map<?, ?>) of, key).stream().mapToLong(n -> ((Number) n).longValue()).sum();
  }

  private static String text(Object call, List<?> services) {
    return ((Map<?, ?>) services.get((int) number(call, "from"))).get("service")
        + " > "
        + ((Map<?, ?>) services.get((int) number(call, "to"))).get("service")
        + " "
        + number(call, "count")
        + " "
        + number(call, "errors");
  }

  @Test
  void requestsOfServices_haveRatesOverTimeWhichAddUp() throws IOException {
    Map<?, ?> requests = requests(PlantedServices.shop());
    Object orders = rows(requests, "roots").get(0);
    assertThat(number(orders, "count")).isEqualTo(200);
    assertThat(number(orders, "errors")).isEqualTo(10);
    assertThat(number(orders, "p95")).isEqualTo(210 * PlantedRun.MS);
    assertThat(sum(orders, "begun")).isEqualTo(200);
    assertThat(sum(orders, "failed")).isEqualTo(10);
    assertThat(sum(rows(requests, "roots").get(1), "begun")).isEqualTo(50);
    assertThat(sum(requests.get("others"), "begun")).isZero();
  }

  @Test
  void calls_nameTheirServicesByTheirPlaces() throws IOException {
    Map<?, ?> requests = requests(PlantedServices.shop());
    List<?> services = rows(requests, "services");
    assertThat(services)
        .extracting(one -> ((Map<?, ?>) one).get("service").toString())
        .containsExactly("gateway", "store", "auth", "shop", "index");
    assertThat(rows(requests, "calls").stream().map(call -> text(call, services)))
        .containsExactly(
            "gateway > shop 200 0",
            "shop > auth 200 0",
            "shop > store 200 10",
            "gateway > index 50 0",
            "store > store 20 0");
  }

  @Test
  void slowAndFailedTraces_areListedTheSlowestFirst() throws IOException {
    Map<?, ?> requests = requests(PlantedServices.shop());
    List<?> traces = rows(requests, "traces");
    assertThat(traces.get(0))
        .as("item, name, nanos, failed, errors, start, reason")
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .satisfies(
            row -> {
              assertThat(((Number) row.get(2)).longValue()).isEqualTo(220 * PlantedRun.MS);
              assertThat(((Number) row.get(3)).intValue()).isEqualTo(1);
              assertThat(((Number) row.get(4)).intValue()).as("store and gateway").isEqualTo(2);
              assertThat(rows(requests, "reasons").get(((Number) row.get(6)).intValue()))
                  .isEqualTo("502");
            });
    assertThat(traces)
        .as("20 slow orders, of which one failed, 9 failed ones, 20 searches")
        .hasSize(49);
  }

  @Test
  void manyNamesAndServices_arePartlyListedAndCounted() throws IOException {
    Planted planted = new Planted().inUnitsOf(PlantedRun.MS);
    for (int i = 1; i <= 500; i++) {
      String service = "s" + (char) ('a' + i % 26) + (char) ('a' + i / 26);
      long root = planted.span(i, 0, "GET /" + i + "x".repeat(10_000), "web@a", i, i + 9);
      planted.span(i, root, "get", service + "y".repeat(10_000) + "@b", i + 1, i + 8);
    }
    Map<?, ?> requests = requests(planted);
    assertThat(rows(requests, "roots")).hasSize(50);
    assertThat(number(requests, "rootsLeftOut")).isEqualTo(450);
    assertThat(sum(requests.get("others"), "begun")).isEqualTo(450);
    assertThat(rows(requests, "services")).hasSize(60);
    assertThat(rows(requests, "calls")).hasSize(59);
    assertThat(number(requests, "callsLeftOut") + 59)
        .isEqualTo(number(requests, "servicesLeftOut") + 59);
  }

  @Test
  void runWithSteps_hasNone() throws IOException {
    assertThat(requests(PlantedRun.steps())).isNull();
  }
}
