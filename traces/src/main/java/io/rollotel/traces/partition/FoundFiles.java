package io.rollotel.traces.partition;

import io.rollotel.traces.file.GzipStream;
import io.rollotel.traces.file.TracesReader;
import io.rollotel.traces.otlp.UnreadableLine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The files that are in the directories now, matched with the known ones. */
final class FoundFiles {

  /** Used instead of a size, for pipes and devices. */
  static final long NO_FILE = -1;

  private record Found(Path path, int dir, Source.Look look) {}

  private final List<Found> all = new ArrayList<>();
  private final List<List<UnreadableLine>> unreadable = new ArrayList<>();
  private boolean isChanged;

  private FoundFiles() {}

  /**
   * Lists directories, or files.
   *
   * @throws java.nio.file.NoSuchFileException if a path does not exist
   * @throws IOException if a directory cannot be read
   */
  static FoundFiles in(List<Path> dirs) throws IOException {
    FoundFiles found = new FoundFiles();
    for (int dir = 0; dir < dirs.size(); dir++) {
      List<UnreadableLine> ofDir = new ArrayList<>();
      for (Path path : TracesReader.files(dirs.get(dir), ofDir::add)) {
        found.all.add(new Found(path, dir, look(path)));
      }
      found.unreadable.add(ofDir);
    }
    return found;
  }

  private static Source.Look look(Path path) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
      return new Source.Look(
          attributes.isRegularFile() ? attributes.size() : NO_FILE,
          attributes.lastModifiedTime().toMillis(),
          attributes.fileKey() == null ? "" : attributes.fileKey().toString());
    } catch (IOException gone) {
      return new Source.Look(0, 0, "");
    }
  }

  /** The subdirectories that could not be listed, by directory. */
  List<List<UnreadableLine>> unreadable() {
    return unreadable;
  }

  /** How many spans they have, roughly. */
  long estimatedSpans() {
    return textBytes() / PartitionOptions.SPAN_BYTES;
  }

  /** The same; more if the spans that were read of these files before are shorter than usual. */
  long estimatedSpans(Manifest known) {
    long knownBytes = 0;
    for (Source source : known.sources) {
      knownBytes += textBytes(source.path, source.look.size());
    }
    double bySpans = knownBytes <= 0 ? 0 : (double) known.spans() / knownBytes * textBytes();
    return Math.max(estimatedSpans(), (long) bySpans);
  }

  private long textBytes() {
    return all.stream().mapToLong(found -> textBytes(found.path, found.look.size())).sum();
  }

  private static long textBytes(Path path, long size) {
    return size * (Source.isPacked(path) ? PartitionOptions.GZIP_RATIO : 1);
  }

  /**
   * Replaces the sources of the manifest by these files. A file that has grown, or was renamed or
   * compressed, is still the same; the data of all others are obsolete.
   */
  void match(Manifest manifest) {
    @Nullable Source[] matched = new Source[all.size()];
    Set<Source> free = new HashSet<>(manifest.sources);
    Map<Object, Deque<Source>> byPath = new HashMap<>();
    Map<Object, Deque<Source>> byKey = new HashMap<>();
    for (Source source : manifest.sources) {
      byPath.computeIfAbsent(source.path, path -> new ArrayDeque<>()).add(source);
      byKey.computeIfAbsent(source.look.fileKey(), key -> new ArrayDeque<>()).add(source);
    }
    for (int i = 0; i < matched.length; i++) {
      matched[i] = take(free, byPath.get(all.get(i).path), all.get(i));
    }
    for (int i = 0; i < matched.length; i++) {
      Found found = all.get(i);
      if (matched[i] == null && !found.look.fileKey().isEmpty()) {
        matched[i] = take(free, byKey.get(found.look.fileKey()), found);
      }
    }
    for (int i = 0; i < matched.length; i++) {
      if (matched[i] == null && !free.isEmpty()) {
        matched[i] = compressed(free, all.get(i));
      }
    }
    isChanged |= !free.isEmpty();
    for (Source gone : free) {
      manifest.deadSpans += gone.spans();
    }
    manifest.sources.clear();
    for (int i = 0; i < matched.length; i++) {
      Found found = all.get(i);
      Source source = matched[i];
      isChanged |= source == null || source.rank != i || !source.path.equals(found.path);
      if (source == null) {
        source = new Source(manifest.nextSource++, found.path, found.look);
      } else if (!source.look.equals(found.look) || !source.isFinished) {
        source.look = found.look;
        source.beginRead();
      }
      source.path = found.path;
      source.isPacked = Source.isPacked(found.path);
      source.dir = found.dir;
      source.rank = i;
      manifest.sources.add(source);
    }
  }

  /** Whether there are other files than before, or in another order. */
  boolean isChanged() {
    return isChanged;
  }

  private static @Nullable Source take(
      Set<Source> free, @Nullable Deque<Source> candidates, Found found) {
    if (candidates == null) {
      return null;
    }
    for (Source source : candidates) {
      if (free.contains(source) && isSame(source, found)) {
        free.remove(source);
        return source;
      }
    }
    return null;
  }

  /** Whether it can be the same file; opening it checks that it begins with the same bytes. */
  private static boolean isSame(Source source, Found found) {
    if (source.isReplaced
        || found.look.size() == NO_FILE
        || source.isPacked != Source.isPacked(found.path)) {
      return false;
    }
    // Another mount or host uses another number for the same file.
    boolean isSamePlace =
        source.path.equals(found.path) || source.look.fileKey().equals(found.look.fileKey());
    return isSamePlace
        && (source.isPacked
            ? source.look.size() == found.look.size()
                && source.look.modifiedMillis() == found.look.modifiedMillis()
            : source.end() <= found.look.size());
  }

  /** The file whose compressed form this is, if any. */
  private static @Nullable Source compressed(Set<Source> free, Found found) {
    if (!Source.isGzip(found.path) || found.look.size() == NO_FILE) {
      return null;
    }
    Head head = null;
    for (Source source : free) {
      if (source.isPacked
          || source.isReplaced
          || !source.isReadFromBegin()
          || !Objects.equals(source.path.getParent(), found.path.getParent())) {
        continue;
      }
      if (head == null) {
        head = head(found.path);
      }
      if (head != null && source.hasHead(head)) {
        free.remove(source);
        return source;
      }
    }
    return null;
  }

  private static @Nullable Head head(Path gzip) {
    try (InputStream in = new GzipStream(Files.newInputStream(gzip), 8 << 10)) {
      return Head.of(in);
    } catch (IOException unreadable) {
      return null;
    }
  }
}
