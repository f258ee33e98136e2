package io.rollotel.traces.spans;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers different texts in the order of first use. */
public final class StringTable implements Serializable {

  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<String> texts = new ArrayList<>();

  StringTable() {}

  /** With the numbers that the other has so far. */
  StringTable(StringTable of) {
    numbers.putAll(of.numbers);
    texts.addAll(of.texts);
  }

  int number(String text) {
    Integer known = numbers.get(text);
    if (known != null) {
      return known;
    }
    numbers.put(text, texts.size());
    texts.add(text);
    return texts.size() - 1;
  }

  /** The text's number, -1 if it never occurred. */
  public int find(String text) {
    return numbers.getOrDefault(text, -1);
  }

  public String text(int number) {
    return texts.get(number);
  }

  public int size() {
    return texts.size();
  }
}
