package io.rollotel.traces.partition;

import io.rollotel.traces.otlp.CallJoins;
import io.rollotel.traces.otlp.SeenSpans;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The valid contents of a cache: its manifest, and the files that the manifest describes. They are
 * rebuilt if the cache is damaged, or does not suit the files that are to be read. One thread may
 * change them; in between, any thread may read.
 */
final class CacheContents {

  private final Path dir;
  private final PartitionOptions options;

  // Recreated with the cache.
  private Manifest manifest;
  private PartitionFiles files;
  private ResourceTable resources;
  private PartitionFiles moved;

  /**
   * Opens the contents of a directory.
   *
   * @throws IOException if it cannot be read, or written
   */
  CacheContents(Path dir, PartitionOptions options) throws IOException {
    this.dir = dir;
    this.options = options;
    Manifest known = Manifest.read(dir);
    this.manifest = known == null ? new Manifest(PartitionOptions.FEWEST) : known;
    this.files = files(manifest);
    this.moved = Moves.files(dir, new long[manifest.partitions]);
    this.resources = new ResourceTable();
    if (known == null && Manifest.isIn(dir)) {
      options.notes().accept(dir + " has another version or is damaged: it is rebuilt");
    }
    load(known);
  }

  private PartitionFiles files(Manifest of) {
    List<Path> paths = new ArrayList<>(PartitionFiles.names(dir, "p", of.partitions));
    paths.add(dir.resolve("joins"));
    return new PartitionFiles(paths, of.lengths);
  }

  /** Loads what the last manifest describes; what was written after it is cut off. */
  void reload() throws IOException {
    load(Manifest.read(dir));
  }

  /** Loads the valid contents according to the manifest; nothing if there is none. */
  private void load(@Nullable Manifest known) throws IOException {
    if (known == null) {
      begin(options.partitions() == 0 ? PartitionOptions.FEWEST : options.partitions());
      return;
    }
    manifest = known;
    files = files(known);
    long[] movedLengths = known.movedLengths;
    moved = Moves.files(dir, movedLengths == null ? new long[known.partitions] : movedLengths);
    try {
      files.cut();
      moved.cut();
      resources = ResourceTable.read(dir.resolve("resources"), known.resourcesLength);
    } catch (DamagedException e) {
      options.notes().accept(dir + " is damaged: it is rebuilt");
      begin(known.partitions);
    }
  }

  /** Begins an empty cache. */
  private void begin(int partitions) throws IOException {
    CacheDir.empty(dir);
    manifest = new Manifest(partitions);
    files = files(manifest);
    moved = Moves.files(dir, new long[partitions]);
    resources = ResourceTable.read(dir.resolve("resources"), 0);
  }

  /** Uses the files found as sources, in a cache with enough partitions. */
  void settle(FoundFiles found) throws IOException {
    int wanted = options.partitions();
    long spans = found.estimatedSpans(manifest);
    if (manifest.sources.isEmpty() && manifest.deadSpans == 0) {
      begin(wanted == 0 ? PartitionOptions.partitionsFor(spans) : wanted);
    } else if (wanted != 0 && wanted != manifest.partitions) {
      options.notes().accept(dir + " has a different number of partitions: it is rebuilt");
      begin(wanted);
    } else if (wanted == 0 && PartitionOptions.areTooFew(manifest.partitions, spans)) {
      options.notes().accept(dir + " has become too large for its partitions: it is rebuilt");
      begin(PartitionOptions.partitionsFor(spans));
    }
    found.match(manifest);
    long alive = manifest.spans();
    if (manifest.deadSpans > alive && manifest.deadSpans > 0) {
      options
          .notes()
          .accept(dir + " holds more data of deleted files than of others: it is rebuilt");
      begin(manifest.partitions);
      found.match(manifest);
    }
  }

  /** The joins of calls, by the spans of files that are still there. */
  CallJoins joins(LiveSources live) throws IOException {
    CallJoins read = new CallJoins();
    if (files.isEmpty(manifest.partitions)) {
      return read;
    }
    SeenSpans seen = new SeenSpans();
    try (BlockReader reader = new BlockReader(resources.all(), null);
        FileChannel channel = files.open(manifest.partitions)) {
      for (PartitionFiles.Place place : live.ordered(files.places(manifest.partitions, channel))) {
        reader.load(channel, place);
        reader.read(
            (source, traceId) -> live.isLive(source),
            span -> {
              if (seen.add(span.traceId(), span.spanId())) {
                read.see(span);
              }
            });
      }
    }
    return read;
  }

  /** Writes the spans of moved traces and then the manifest, unless they are still valid. */
  void move(CallJoins joins, LiveSources live, Tuning tuning) throws IOException {
    if (manifest.movedLengths == null) {
      moved = Moves.make(dir, files, manifest.partitions, resources, joins, live, tuning);
      manifest.movedLengths = moved.lengths();
      manifest.resourcesLength = resources.flush();
      manifest.write(dir);
    }
  }

  Manifest manifest() {
    return manifest;
  }

  int partitions() {
    return manifest.partitions;
  }

  /** The spans of each partition, and last the spans that name calls to be joined. */
  PartitionFiles files() {
    return files;
  }

  /** The spans of each partition whose own traces lie in others. */
  PartitionFiles moved() {
    return moved;
  }

  ResourceTable resources() {
    return resources;
  }
}
