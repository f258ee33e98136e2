package io.rollotel.agent.export;

import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.rollotel.agent.export.NotTakenException.Kind;
import io.rollotel.agent.log.AgentLog;
import io.rollotel.traces.otlp.PartialSuccess;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Several endpoints; a request must be accepted by one of them. The one that accepted the last is
 * tried first, even if one before it in the list is back: live spans would have to wait for that
 * trial, again and again if the endpoint comes and goes.
 */
final class EndpointList {

  private final List<OtlpEndpoint> members;

  /** The index of the endpoint to try first. */
  private final AtomicInteger working;

  EndpointList(List<OtlpEndpoint> members, AtomicInteger working) {
    this.members = List.copyOf(members);
    this.working = working;
  }

  /**
   * Sends a request to the first endpoint that accepts it. If none does, tries all of them again
   * after a growing pause.
   *
   * @param retry null to try each of them once
   * @return the part that the endpoint rejected although it accepted the request
   * @throws IOException if none accepts it; the message names each endpoint with its reason
   */
  PartialSuccess send(byte[] request, long deadlineNanos, @Nullable RetryPolicy retry)
      throws IOException {
    for (int attempt = 1; ; ) {
      NotTakenException failure;
      try {
        return ask(request, deadlineNanos);
      } catch (NotTakenException e) {
        failure = e;
      }
      attempt++;
      if (failure.kind() != Kind.PASSING
          || retry == null
          || attempt > retry.getMaxAttempts()
          || !OtlpEndpoint.pause(retry, attempt, deadlineNanos)) {
        throw failure;
      }
    }
  }

  /** Tries each of them once, until one has accepted the request. */
  private PartialSuccess ask(byte[] request, long deadlineNanos) throws NotTakenException {
    int first = working.get();
    StringBuilder reasons = new StringBuilder();
    boolean isPassing = false;
    boolean isMissing = false;
    for (int i = 0; i < members.size(); i++) {
      int number = (first + i) % members.size();
      OtlpEndpoint member = members.get(number);
      long nowNanos = System.nanoTime();
      long leftNanos = deadlineNanos - nowNanos;
      if (leftNanos <= 0) {
        // An endpoint that was not tried may accept it another time.
        isPassing = true;
        reasons.append(reasons.length() == 0 ? "" : "; ").append(member);
        reasons.append(": there was no time left to ask it");
        break;
      }
      try {
        // Each gets a share of the remaining time, so that one that never answers leaves time for
        // the others.
        PartialSuccess partial =
            member.send(request, nowNanos + leftNanos / (members.size() - i), null);
        if (number != first) {
          working.compareAndSet(first, number);
          AgentLog.warnOnce(reasons + ": requests go to " + member + " while that accepts them");
        }
        return partial;
      } catch (IOException e) {
        Kind kind = e instanceof NotTakenException refusal ? refusal.kind() : Kind.PASSING;
        isPassing |= kind == Kind.PASSING;
        isMissing |= kind == Kind.MISSING_MODULE;
        String reason = Undelivered.reason(e);
        reasons.append(reasons.length() == 0 ? "" : "; ").append(member);
        reasons.append(": ").append(reason.isEmpty() ? "no answer" : reason);
      }
    }
    Kind last = isMissing ? Kind.MISSING_MODULE : Kind.REFUSED; // one may not have been asked
    throw new NotTakenException(isPassing ? Kind.PASSING : last, reasons.toString());
  }

  void close() {
    members.forEach(OtlpEndpoint::close);
  }

  @Override
  public String toString() {
    return members.stream().map(OtlpEndpoint::toString).collect(Collectors.joining(","));
  }
}
