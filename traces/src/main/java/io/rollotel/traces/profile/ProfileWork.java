package io.rollotel.traces.profile;

import io.rollotel.traces.analysis.RunAnalysis;
import io.rollotel.traces.analysis.RunWork;

/** Joins the spans of each part of a run with the recordings, which are in this JVM. */
final class ProfileWork implements RunWork<ProfileWork.Found> {

  private static final long serialVersionUID = 1;

  /** What to search for. */
  enum Kind {
    /** The data of a report. */
    ROWS,
    /** The data for finding causes: few runs have any. */
    WHOLE_SPANS
  }

  /** What was found. */
  static final class Found {
    final ProfileParts path;
    final ProfileParts names;
    final ProfileParts whole;

    /** Whether a span states its thread. */
    boolean areThreadsKnown;

    private Found(Stacks stacks) {
      this.path = new ProfileParts(stacks);
      this.names = new ProfileParts(stacks);
      this.whole = new ProfileParts(stacks);
    }
  }

  private final transient RecordedProcesses recorded;
  private final Kind kind;

  ProfileWork(RecordedProcesses recorded, Kind kind) {
    this.recorded = recorded;
    this.kind = kind;
  }

  @Override
  public Found none() {
    return new Found(recorded.stacks);
  }

  @Override
  public Found of(RunAnalysis part) {
    Found found = none();
    found.areThreadsKnown = part.spans().threads().areKnown();
    SpanProfile spans = new SpanProfile(part, recorded);
    switch (kind) {
      case ROWS -> {
        spans.addPath(span -> true, found.path);
        spans.addNames(span -> true, found.names);
      }
      case WHOLE_SPANS -> spans.addWhole(found.whole);
    }
    return found;
  }

  @Override
  public void add(Found all, Found made) {
    all.path.add(made.path);
    all.names.add(made.names);
    all.whole.add(made.whole);
    all.areThreadsKnown |= made.areThreadsKnown;
  }
}
