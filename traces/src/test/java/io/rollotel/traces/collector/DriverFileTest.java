package io.rollotel.traces.collector;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.collector.Rendezvous.Collector;
import io.rollotel.traces.file.RunBytes;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver's files go away under it. */
class DriverFileTest {

  private static final Collector FIRST =
      new Collector(URI.create("http://127.0.0.1:1"), "a", null, URI.create("http://127.0.0.1:14"));
  private static final Collector NEXT =
      new Collector(URI.create("http://127.0.0.1:2"), "b", null, URI.create("http://127.0.0.1:24"));

  private static final RunBytes.Terms TERMS = new RunBytes.Terms(5, null);

  private final List<String> said = new ArrayList<>();
  private @TempDir Path directory;
  private Path folder;
  private DriverFile driver;

  @BeforeEach
  void becomeTheDriver() {
    folder = directory.resolve("traces");
    driver = file();
    assertThat(driver.tryLock()).isTrue();
    driver.publish("run", TERMS, FIRST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"all", ".driver", ".driver.lock"})
  void filesGone_areMadeAgainAndNobodyElseBecomesTheDriver(String what) throws IOException {
    takeAway(what);
    driver.keep();
    driver.keep();

    DriverFile other = file();
    assertThat(other.collector()).isEqualTo(FIRST);
    assertThat(other.runId()).isEqualTo("run");
    assertThat(other.terms()).isEqualTo(TERMS);
    assertThat(other.tryLock()).isFalse();
    assertThat(other.isHeldByAnother()).isTrue();
    assertThat(said).hasSize(what.equals(".driver") ? 0 : 1);

    driver.close();
    assertThat(folder.resolve(".driver")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"all", ".driver.lock"})
  void anotherHasBecomeTheDriverMeanwhile_staysThat(String what) throws IOException {
    takeAway(what);
    DriverFile next = file();
    assertThat(next.tryLock()).isTrue();
    next.publish("next", TERMS, NEXT);

    driver.keep();
    driver.keep();
    driver.publish("run", TERMS, FIRST);

    assertThat(driver.isLocked()).as("a driver for those who know it").isTrue();
    assertThat(file().collector()).isEqualTo(NEXT);
    assertThat(said).filteredOn(line -> line.contains("another process collects")).hasSize(1);
    driver.close();
    assertThat(file().collector()).as("its address is not ours to delete").isEqualTo(NEXT);
    next.close();
  }

  @Test
  void endedAfterItsFilesWereReplaced_leavesTheOthersAddress() throws IOException {
    takeAway("all");
    DriverFile next = file();
    assertThat(next.tryLock()).isTrue();
    next.publish("next", TERMS, NEXT);
    driver.close(); // before its next look
    assertThat(file().collector()).isEqualTo(NEXT);
    next.close();
  }

  @Test
  void twoDriversInOneProcess_leaveTheFirstItsLockForOtherProcesses() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(file().tryLock()).isFalse();
    }
    collectGarbage();
    assertThat(lockOfAnotherProcess()).as("whether another process gets it").isFalse();
    driver.close();
  }

  @Test
  void noPlaceForTheFiles_isTriedAgain() throws IOException {
    takeAway("all");
    Files.createFile(folder);
    driver.keep();
    Files.delete(folder);
    driver.keep();
    assertThat(file().collector()).isEqualTo(FIRST);
    driver.close();
  }

  @Test
  void lockOfAForeignPartOfTheProcess_isLeftToIt() throws Exception {
    Path file = directory.resolve("lock");
    try (FileChannel foreign =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      foreign.lock();
      for (int i = 0; i < 3; i++) {
        DriverLock lock = new DriverLock(file, said::add);
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.isHeldByAnother()).isTrue();
      }
      collectGarbage();
      assertThat(lockOfAnotherProcess(file)).as("whether another process gets it").isFalse();
    }
    DriverLock next = new DriverLock(file, said::add);
    assertThat(next.tryLock()).isTrue();
    assertThat(lockOfAnotherProcess(file)).isFalse();
    next.unlock();
    assertThat(lockOfAnotherProcess(file)).isTrue();
    assertThat(said).isEmpty();
  }

  /** Returns when the channels that nobody refers to are closed. */
  private void collectGarbage() throws Exception {
    AtomicBoolean isCleaned = new AtomicBoolean();
    Cleaner.create().register(new Object(), () -> isCleaned.set(true));
    for (int i = 0; i < 200 && !isCleaned.get(); i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(isCleaned).isTrue();
    Thread.sleep(100); // the JDK's own cleaner has a thread of its own
  }

  private boolean lockOfAnotherProcess() throws Exception {
    return lockOfAnotherProcess(folder.resolve(".driver.lock"));
  }

  private static boolean lockOfAnotherProcess(Path file) throws Exception {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                LockTaker.class.getName(),
                file.toString())
            .inheritIO()
            .start();
    return other.waitFor() == 0;
  }

  /** Ends with 0 if it gets the lock. */
  static final class LockTaker {

    private LockTaker() {}

    public static void main(String[] arguments) throws IOException {
      try (FileChannel file = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE)) {
        System.exit(file.tryLock() == null ? 1 : 0);
      }
    }
  }

  @Test
  void folderThatCannotBeWritten_isSaidOnceUntilItCanBeAgain() throws IOException {
    for (int time = 1; time <= 2; time++) {
      Files.move(folder, directory.resolve("away" + time));
      Files.writeString(folder, "a file");
      driver.publish("run", TERMS, null);
      driver.publish("run", TERMS, FIRST);

      assertThat(said).filteredOn(line -> line.contains("ROLL_OTEL_OUTPUT_DIR")).hasSize(time);

      Files.delete(folder);
      Files.createDirectory(folder);
      driver.publish("run", TERMS, FIRST);
      assertThat(file().collector()).isEqualTo(FIRST);
    }
  }

  private void takeAway(String what) throws IOException {
    if (what.equals("all")) {
      Files.move(folder, directory.resolve("away"));
    } else {
      Files.delete(folder.resolve(what));
    }
  }

  private DriverFile file() {
    return new DriverFile(folder.toFile(), said::add, said::add);
  }
}
