package io.rollotel.agent.ledger;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The ledger in words: a summary, then a line for each method that is missing, and why. */
final class LedgerStatement {

  /** It is for people to read. */
  private static final int MOST_LINES = 20;

  private LedgerStatement() {}

  /** Each method is in one of these once, by its key. */
  private static final class Sorted {
    final Map<String, String> failed = new TreeMap<>();
    final Map<String, String> absent = new TreeMap<>();
    final Map<String, String> neverLoaded = new TreeMap<>();
    final Map<String, String> neverCalled = new TreeMap<>();
    final Map<String, String> withoutContext = new TreeMap<>();
    final Map<String, String> suppressing = new TreeMap<>();
    int woven;
  }

  static List<String> lines(Ledger ledger, DeclaredMethods declared) {
    Sorted sorted = new Sorted();
    Set<String> loaded = new HashSet<>();
    for (Ledger.Entry entry : ledger.methods()) {
      loaded.add(classOf(entry.key()));
      sort(entry, sorted);
    }
    for (String key : declared.declared()) {
      if (ledger.method(key) == null) {
        sortUnseen(key, ledger, loaded, sorted);
      }
    }
    Set<String> failed = new HashSet<>();
    sorted.failed.keySet().forEach(key -> failed.add(classOf(key)));
    // For a class without an index, only its name is known.
    ledger
        .failedClasses()
        .forEach(
            (className, reason) -> {
              if (!failed.contains(className)) {
                sorted.failed.put(className, reason);
              }
            });
    List<String> lines = new ArrayList<>();
    lines.add(summary(ledger, sorted));
    tell("failed: ", sorted.failed, lines);
    tell("absent: ", sorted.absent, lines);
    tell("never loaded: ", sorted.neverLoaded, lines);
    tell("never called: ", sorted.neverCalled, lines);
    tell("no span: ", sorted.withoutContext, lines);
    tell("suppressed: ", sorted.suppressing, lines);
    tellRest(ledger, declared, lines);
    return lines;
  }

  private static void sort(Ledger.Entry entry, Sorted sorted) {
    @Nullable String failure = entry.failure();
    if (failure != null) {
      sorted.failed.put(entry.key(), failure);
    } else if (entry.isWoven()) {
      sorted.woven++;
      if (entry.isSuppressing()) {
        sorted.suppressing.put(entry.key(), "@Register without trace = true");
      }
      if (!entry.isCalled()) {
        sorted.neverCalled.put(entry.key(), "");
      } else if (entry.withoutContext() > 0) {
        String calls = Ledger.number(entry.withoutContext()) + " calls, ";
        sorted.withoutContext.put(
            entry.key(),
            entry.isRecorded()
                ? calls + "since they brought no context; the others have spans"
                : calls + "all suppressed, since none brought a context: " + Ledger.CURE);
      }
    }
  }

  private static void sortUnseen(String key, Ledger ledger, Set<String> loaded, Sorted sorted) {
    String className = classOf(key);
    String failure = ledger.failedClasses().get(className);
    if (failure != null) {
      sorted.failed.put(key, failure);
    } else if (loaded.contains(className)) {
      sorted.absent.put(
          key, "its class was loaded without it: the index is from another build, recompile");
    } else {
      sorted.neverLoaded.put(key, "");
    }
  }

  private static String classOf(String key) {
    return key.substring(0, key.indexOf('\t'));
  }

  private static String summary(Ledger ledger, Sorted sorted) {
    int missing = sorted.failed.size() + sorted.absent.size() + sorted.neverLoaded.size();
    return "declared "
        + Ledger.number(missing + sorted.woven)
        + ", woven "
        + Ledger.number(sorted.woven)
        + ", failed "
        + Ledger.number(sorted.failed.size() + sorted.absent.size())
        + ", never loaded "
        + Ledger.number(sorted.neverLoaded.size())
        + ", never called "
        + Ledger.number(sorted.neverCalled.size())
        + "; "
        + ledger.spans();
  }

  private static void tell(String what, Map<String, String> methods, List<String> lines) {
    int told = 0;
    for (Map.Entry<String, String> method : methods.entrySet()) {
      if (told++ == MOST_LINES) {
        lines.add(what + "and " + Ledger.number(methods.size() - MOST_LINES) + " more");
        return;
      }
      String reason = method.getValue();
      lines.add(what + readable(method.getKey()) + (reason.isEmpty() ? "" : ": " + reason));
    }
  }

  private static void tellRest(Ledger ledger, DeclaredMethods declared, List<String> lines) {
    if (ledger.methods().isEmpty() && ledger.failedClasses().isEmpty()) {
      lines.add(
          "no class was loaded that has a method with @Register or @Dispatch (are they"
              + " io.rollotel.annotations.Register and .Dispatch?) or that ROLL_OTEL_METHODS names");
    }
    lines.addAll(ledger.untracedClasses());
    int unindexed = ledger.unindexed().count();
    if (unindexed > 0) {
      lines.add(
          "compiled without the processor: "
              + ledger.unindexed().first()
              + (unindexed > 1 ? " and " + Ledger.number(unindexed - 1) + " more" : "")
              + "; what is declared there and was not loaded is unknown");
    }
    if (!declared.unread().isEmpty()) {
      lines.add(
          "what is declared there and was not loaded is unknown: "
              + String.join(", ", declared.unread()));
    }
  }

  /** {@code com.acme.Worker.train(DataProto, int)}; the name of a class is left unchanged. */
  static String readable(String key) {
    String[] parts = key.split("\t", -1);
    if (parts.length != 3) {
      return key;
    }
    StringBuilder text = new StringBuilder(parts[0]).append('.').append(parts[1]).append('(');
    String descriptor = parts[2];
    int at = 1;
    while (at < descriptor.length() && descriptor.charAt(at) != ')') {
      int start = at;
      while (descriptor.charAt(at) == '[') {
        at++;
      }
      int dimensions = at - start;
      if (descriptor.charAt(at) == 'L') {
        int end = descriptor.indexOf(';', at);
        String name = descriptor.substring(at + 1, end);
        at = end + 1;
        text.append(name.substring(name.lastIndexOf('/') + 1));
      } else {
        text.append(primitive(descriptor.charAt(at++)));
      }
      text.append("[]".repeat(dimensions));
      text.append(descriptor.charAt(at) == ')' ? "" : ", ");
    }
    return text.append(')').toString();
  }

  private static String primitive(char letter) {
    return switch (letter) {
      case 'Z' -> "boolean";
      case 'B' -> "byte";
      case 'C' -> "char";
      case 'D' -> "double";
      case 'F' -> "float";
      case 'I' -> "int";
      case 'J' -> "long";
      default -> "short";
    };
  }
}
