package io.rollotel.traces.page;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.otlp.Span;
import org.jspecify.annotations.Nullable;

/** A run of services whose figures the tests of the page know. */
final class PlantedServices {

  static final int ORDERS = 200;

  private PlantedServices() {}

  /**
   * In 20 seconds 200 orders and 50 searches come to the gateway. The i-th order takes 20 + i ms
   * and asks the shop, which asks auth and the store; the store replicates each tenth to another
   * process of its own. Each twentieth order fails, since the store does. A search asks the index.
   */
  static Planted shop() {
    Planted planted = new Planted().inUnitsOf(PlantedRun.MS);
    for (int i = 1; i <= ORDERS; i++) {
      order(planted, i, 100L * (i - 1));
    }
    for (int i = 1; i <= 50; i++) {
      long at = 400L * (i - 1) + 7;
      long root =
          planted.span(1000 + i, 0, "GET /search", "gateway@a", at, at + 12, "kind", Span.SERVER);
      planted.span(1000 + i, root, "query", "index@c", at + 2, at + 11, "kind", Span.SERVER);
    }
    return planted;
  }

  private static void order(Planted planted, int i, long at) {
    boolean isFailed = i % 20 == 0;
    long end = at + 20 + i;
    long root = span(planted, i, 0, "POST /order", "gateway@a", at, end, isFailed ? "502" : null);
    long client =
        planted.span(i, root, "POST shop", "gateway@a", at + 1, end - 1, "kind", Span.CLIENT);
    long shop = span(planted, i, client, "order", "shop@b", at + 2, end - 2, null);
    span(planted, i, shop, "check", "auth@b", at + 3, at + 6, null);
    long store =
        span(
            planted,
            i,
            shop,
            "insert",
            "store0@c",
            at + 7,
            end - 3,
            isFailed ? "deadlock of transaction " + i : null);
    if (i % 10 == 0) {
      span(planted, i, store, "replicate", "store1@d", at + 8, end - 4, null);
    }
  }

  private static long span(
      Planted planted,
      long trace,
      long parent,
      String name,
      String process,
      long start,
      long end,
      @Nullable String failure) {
    return failure == null
        ? planted.span(trace, parent, name, process, start, end, "kind", Span.SERVER)
        : planted.span(
            trace, parent, name, process, start, end, "kind", Span.SERVER, "failure", failure);
  }
}
