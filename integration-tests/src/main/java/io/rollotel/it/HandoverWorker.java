package io.rollotel.it;

import io.rollotel.annotations.Register;
import io.rollotel.annotations.SpanAttribute;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Every way in which work gets to another thread. Each is a situation: a traced call that hands a
 * traced call over. In the pools, threads made by one situation serve the next.
 */
@SuppressWarnings("roll-otel:no-carrier")
public final class HandoverWorker {

  private static final ExecutorService FIXED = Executors.newFixedThreadPool(2);
  private static final ScheduledExecutorService SCHEDULED = Executors.newScheduledThreadPool(2);
  private static final ForkJoinPool FORK_JOIN = new ForkJoinPool(3);

  /** One object for all its runs. */
  private static final Runnable SHARED = HandoverWorker::inShared;

  private static final CountDownLatch SHARED_DONE = new CountDownLatch(2);

  private HandoverWorker() {}

  /** Something that throws whatever it likes. */
  private interface Situation {
    void run() throws Exception;
  }

  /** Runs all situations of this JDK. */
  public static void main(String[] arguments) throws Exception {
    Map<String, Situation> situations = new TreeMap<>();
    executors(situations);
    forkJoin(situations);
    futures(situations);
    threads(situations);
    if (Runtime.version().feature() >= 21) {
      virtualThreads(situations);
    }
    try {
      for (Map.Entry<String, Situation> entry : situations.entrySet()) {
        situation(entry.getKey(), Payload.traced(), entry.getValue());
      }
      FIXED.submit(() -> inside("after, on a thread of the pool")).get();
    } finally {
      FIXED.shutdown();
      SCHEDULED.shutdown();
      FORK_JOIN.shutdown();
    }
  }

  @Register(trace = true)
  private static void situation(
      @SpanAttribute("situation") String name, Payload payload, Situation situation)
      throws Exception {
    situation.run();
  }

  @Register(trace = true)
  private static int inside(@SpanAttribute("where") String where) {
    return where.length();
  }

  private static void inShared() {
    inside("in a shared lambda");
    SHARED_DONE.countDown();
  }

  /** Waits for what has no future. */
  private static final class Done extends CountDownLatch implements Runnable {

    private final String where;

    Done(String where) {
      super(1);
      this.where = where;
    }

    @Override
    public void run() {
      inside(where);
      countDown();
    }
  }

  private static void executors(Map<String, Situation> situations) {
    situations.put(
        "execute, object",
        () -> {
          Done done = new Done("object");
          FIXED.execute(done);
          done.await();
        });
    situations.put(
        "execute, one lambda twice",
        () -> {
          FIXED.execute(SHARED);
          FIXED.execute(SHARED);
          SHARED_DONE.await();
        });
    situations.put("submit, callable", () -> FIXED.submit(() -> inside("callable")).get());
    situations.put(
        "submit, runnable",
        () -> {
          Runnable task = () -> inside("runnable");
          FIXED.submit(task).get();
        });
    situations.put(
        "invokeAll",
        () -> {
          Collection<Callable<Integer>> tasks =
              List.of(() -> inside("first"), () -> inside("second"));
          FIXED.invokeAll(tasks);
        });
    situations.put("invokeAny", () -> FIXED.invokeAny(List.of(() -> inside("any"))));
    situations.put(
        "completion service",
        () -> {
          ExecutorCompletionService<Integer> service = new ExecutorCompletionService<>(FIXED);
          service.submit(() -> inside("completion"));
          service.take().get();
        });
    situations.put(
        "schedule",
        () -> SCHEDULED.schedule(() -> inside("scheduled"), 1, TimeUnit.MILLISECONDS).get());
    situations.put(
        "caller runs",
        () -> {
          ThreadPoolExecutor full =
              new ThreadPoolExecutor(
                  1,
                  1,
                  1,
                  TimeUnit.SECONDS,
                  new ArrayBlockingQueue<>(1),
                  new ThreadPoolExecutor.CallerRunsPolicy());
          CountDownLatch free = new CountDownLatch(1);
          Future<Boolean> busy = full.submit(() -> free.await(10, TimeUnit.MINUTES));
          Future<Integer> queued = full.submit(() -> inside("queued"));
          full.submit(() -> inside("by the caller")).get();
          free.countDown();
          busy.get();
          queued.get();
          full.shutdown();
        });
    situations.put(
        "priority queue of comparable tasks",
        () -> {
          ThreadPoolExecutor sorted =
              new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new PriorityBlockingQueue<>());
          List<Job> jobs = List.of(new Job(2), new Job(1), new Job(3));
          jobs.forEach(sorted::execute);
          sorted.shutdown();
          sorted.awaitTermination(10, TimeUnit.MINUTES);
        });
  }

  private static final class Job implements Runnable, Comparable<Job> {
    private final int rank;

    Job(int rank) {
      this.rank = rank;
    }

    @Override
    public void run() {
      inside("job " + rank);
    }

    @Override
    public int compareTo(Job other) {
      return Integer.compare(rank, other.rank);
    }
  }

  private static void forkJoin(Map<String, Situation> situations) {
    situations.put("fork join, submit", () -> FORK_JOIN.submit(() -> inside("submitted")).get());
    situations.put(
        "fork join, execute",
        () -> {
          Done done = new Done("executed");
          FORK_JOIN.execute(done);
          done.await();
        });
    situations.put("fork join, invoke", () -> FORK_JOIN.invoke(new Halves(0, 4)));
    situations.put(
        "parallel stream",
        () -> IntStream.range(0, 8).parallel().forEach(number -> inside("element " + number)));
    situations.put(
        "parallel stream in a pool",
        () ->
            FORK_JOIN
                .submit(
                    () ->
                        IntStream.range(0, 8)
                            .parallel()
                            .forEach(number -> inside("element " + number)))
                .get());
  }

  private static final class Halves extends RecursiveTask<Integer> {
    private static final long serialVersionUID = 1;
    private final int from;
    private final int to;

    Halves(int from, int to) {
      this.from = from;
      this.to = to;
    }

    @Override
    protected Integer compute() {
      if (to - from == 1) {
        return inside("leaf " + from);
      }
      Halves left = new Halves(from, (from + to) / 2);
      Halves right = new Halves((from + to) / 2, to);
      left.fork();
      return right.invoke() + left.join();
    }
  }

  private static void futures(Map<String, Situation> situations) {
    situations.put(
        "supplyAsync", () -> CompletableFuture.supplyAsync(() -> inside("supplied")).join());
    situations.put(
        "runAsync in a pool", () -> CompletableFuture.runAsync(() -> inside("run"), FIXED).join());
    situations.put(
        "async stages, completed from outside",
        () -> {
          CompletableFuture<String> source = new CompletableFuture<>();
          CompletableFuture<Integer> last =
              source
                  .thenApplyAsync(HandoverWorker::inside)
                  .thenCombineAsync(
                      source.thenApplyAsync(text -> inside("other")), Integer::sum, FIXED)
                  .thenComposeAsync(
                      sum -> CompletableFuture.completedFuture(inside("composed")), FIXED)
                  .handleAsync((sum, thrown) -> inside("handled"));
          COMPLETERS.execute(() -> source.complete("applied"));
          last.join();
        });
    situations.put(
        "delayed executor",
        () ->
            CompletableFuture.supplyAsync(
                    () -> inside("delayed"),
                    CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS))
                .join());
    situations.put(
        "executor of one's own",
        () ->
            CompletableFuture.supplyAsync(() -> inside("own"), OwnExecutor::execute)
                .thenApplyAsync(length -> inside("own again"), OwnExecutor::execute)
                .join());
  }

  /** Created before anything was traced, so its tasks belong to no span. */
  private static final ExecutorService COMPLETERS =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
          });

  private static final class OwnExecutor {
    static void execute(Runnable task) {
      new Thread(task).start();
    }
  }

  private static void threads(Map<String, Situation> situations) {
    situations.put(
        "thread",
        () -> {
          Thread thread = new Thread(() -> inside("thread"));
          thread.start();
          thread.join();
        });
    situations.put(
        "thread, subclass",
        () -> {
          Thread thread =
              new Thread() {
                @Override
                public void run() {
                  inside("subclass");
                }
              };
          thread.start();
          thread.join();
        });
    situations.put(
        "thread with a future task",
        () -> {
          FutureTask<Integer> task = new FutureTask<>(() -> inside("future task"));
          new Thread(task).start();
          task.get();
        });
    situations.put(
        "future task with code around its work",
        () -> {
          CountDownLatch after = new CountDownLatch(1);
          FutureTask<Integer> task =
              new FutureTask<>(() -> inside("the work")) {
                @Override
                public void run() {
                  inside("before the work");
                  super.run();
                  after.countDown();
                }

                @Override
                protected void done() {
                  inside("done");
                }
              };
          FIXED.execute(task);
          after.await();
        });
    situations.put(
        "future task of somebody else",
        () -> {
          Callable<Integer> work = new Named();
          FutureTask<Integer> task = new FutureTask<>(work);
          if (!task.toString().endsWith(" task = named]")) {
            throw new IllegalStateException(task.toString());
          }
          FIXED.submit(task).get();
        });
    situations.put(
        "timer: not followed",
        () -> {
          Timer timer = new Timer(true);
          Done done = new Done("timer");
          timer.schedule(
              new TimerTask() {
                @Override
                public void run() {
                  done.run();
                }
              },
              1);
          done.await();
          timer.cancel();
        });
    situations.put(
        "periodic: not followed",
        () -> {
          periodic(SCHEDULED, true);
          periodic(SCHEDULED, false);
        });
    Object pool = ForkJoinPool.commonPool();
    if (pool instanceof ScheduledExecutorService scheduling) { // since Java 25
      situations.put(
          "fork join, schedule",
          () -> {
            scheduling.schedule(() -> inside("delayed call"), 1, TimeUnit.MILLISECONDS).get();
            Runnable run = () -> inside("delayed run");
            scheduling.schedule(run, 1, TimeUnit.MILLISECONDS).get();
          });
      situations.put(
          "fork join, periodic: not followed",
          () -> {
            periodic(scheduling, true);
            periodic(scheduling, false);
          });
    }
  }

  private static void periodic(ScheduledExecutorService pool, boolean isRate)
      throws InterruptedException {
    CountDownLatch rounds = new CountDownLatch(3);
    Runnable task =
        () -> {
          inside("periodic");
          rounds.countDown();
        };
    var periodic =
        isRate
            ? pool.scheduleAtFixedRate(task, 0, 1, TimeUnit.MILLISECONDS)
            : pool.scheduleWithFixedDelay(task, 0, 1, TimeUnit.MILLISECONDS);
    rounds.await();
    periodic.cancel(false);
  }

  /** Its task shows it. */
  private static final class Named implements Callable<Integer> {

    @Override
    public Integer call() {
      return inside("named");
    }

    @Override
    public String toString() {
      return "named";
    }
  }

  /** By reflection: this is compiled for Java 17. */
  private static void virtualThreads(Map<String, Situation> situations) {
    situations.put(
        "virtual thread",
        () -> {
          Runnable task = () -> inside("virtual");
          Thread thread =
              (Thread)
                  Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
          thread.join();
        });
    situations.put(
        "virtual thread per task",
        () -> {
          ExecutorService perTask =
              (ExecutorService)
                  Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
          List<Callable<Integer>> tasks = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            String where = "per task " + i;
            tasks.add(() -> inside(where));
          }
          perTask.invokeAll(tasks);
          perTask.shutdown();
        });
  }
}
