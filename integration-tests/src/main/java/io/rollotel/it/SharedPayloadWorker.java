package io.rollotel.it;

import io.rollotel.annotations.Dispatch;
import io.rollotel.annotations.MetaInfoCarrier;
import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Three threads send one payload again and again, while a fourth serialises it and receives it. */
public final class SharedPayloadWorker {

  private static final int SENDERS = 3;
  private static final int RECEIPTS = 500;

  private final Shipment shipment;

  /** For a map that is not thread-safe: what an RPC library would do. */
  private final boolean guarded;

  private final CountDownLatch sent = new CountDownLatch(SENDERS);
  private volatile boolean over;
  private volatile long dispatches;

  private SharedPayloadWorker(Map<String, Object> metaInfo, boolean guarded) {
    shipment = new Shipment(metaInfo);
    this.guarded = guarded;
  }

  /** Each kind of map; an exception anywhere ends the program. */
  public static void main(String[] arguments) throws Exception {
    new SharedPayloadWorker(new ConcurrentHashMap<>(), false).run("ConcurrentHashMap");
    new SharedPayloadWorker(Collections.synchronizedMap(new HashMap<>()), false)
        .run("synchronized HashMap");
    new SharedPayloadWorker(new HashMap<>(), true).run("guarded HashMap");
  }

  private void run(String map) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(SENDERS + 1);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < SENDERS; i++) {
        all.add(threads.submit(() -> sender(Payload.traced(), map)));
      }
      all.add(
          threads.submit(
              () -> {
                try {
                  sent.await();
                  for (int i = 0; i < RECEIPTS; i++) {
                    receive(copy(), map);
                  }
                } finally {
                  over = true;
                }
                return null;
              }));
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      threads.shutdown();
    }
    System.out.println(map + " sent more often than received " + (dispatches > RECEIPTS));
  }

  @Register(trace = true)
  private void sender(Payload parent, @SpanAttribute("map") String map) {
    for (int i = 0; !over; i++) {
      if (guarded) {
        synchronized (shipment) {
          send(shipment);
        }
      } else {
        send(shipment);
      }
      if (i == 0) {
        sent.countDown();
      }
    }
  }

  @Dispatch
  @SuppressWarnings("NonAtomicVolatileUpdate") // about how often is enough
  private void send(Shipment payload) {
    dispatches++;
  }

  @Register(trace = true)
  private void receive(Shipment payload, @SpanAttribute("map") String map) {}

  private Shipment copy() throws IOException, ClassNotFoundException {
    ByteArrayOutputStream wire = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(wire)) {
      if (guarded) {
        synchronized (shipment) {
          out.writeObject(shipment);
        }
      } else {
        out.writeObject(shipment);
      }
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(wire.toByteArray()))) {
      return (Shipment) in.readObject();
    }
  }

  /** Travels by Java serialisation. */
  private static final class Shipment implements MetaInfoCarrier, Serializable {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // those that are given are
    private final Map<String, Object> metaInfo;

    Shipment(Map<String, Object> metaInfo) {
      this.metaInfo = metaInfo;
      metaInfo.put("batch", "0".repeat(1000));
    }

    @Override
    public Map<String, Object> metaInfo() {
      return metaInfo;
    }
  }
}
