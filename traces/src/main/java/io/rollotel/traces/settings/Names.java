package io.rollotel.traces.settings;

import java.util.ArrayList;
import java.util.List;

/** Names with commas between them. */
final class Names extends Parser<List<String>> {

  Names() {
    super("names with commas between them");
  }

  @Override
  List<String> parse(String text) {
    List<String> names = new ArrayList<>();
    for (String name : text.split(",", -1)) {
      if (!name.isBlank()) {
        names.add(name.trim());
      }
    }
    return List.copyOf(names);
  }

  @Override
  String shown(List<String> value) {
    return String.join(",", value);
  }
}
