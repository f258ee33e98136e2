package io.rollotel.processor;

import javax.tools.Diagnostic;

/**
 * The rules for annotated methods. Each message ends with the rule's code, which also turns a
 * warning off: {@code @SuppressWarnings("roll-otel:<code>")}, or for a project {@code
 * -Aroll.otel.off=<code>}.
 */
enum Rule {
  NO_BODY("no-body", Diagnostic.Kind.ERROR),
  NATIVE("native", Diagnostic.Kind.ERROR),
  SPAN_NAME("span-name", Diagnostic.Kind.ERROR),
  TWO_META_INFO("two-meta-info", Diagnostic.Kind.ERROR),
  META_INFO_TYPE("meta-info-type", Diagnostic.Kind.ERROR),
  PAYLOAD_GETTER("payload-getter", Diagnostic.Kind.ERROR),
  DISPATCH_WITHOUT_CARRIER("dispatch-without-carrier", Diagnostic.Kind.ERROR),
  ATTRIBUTE_KEY("attribute-key", Diagnostic.Kind.ERROR),
  ATTRIBUTE_TYPE("attribute-type", Diagnostic.Kind.ERROR),
  PHASE_OF_ITSELF("phase-of-itself", Diagnostic.Kind.ERROR),

  NO_CARRIER("no-carrier", Diagnostic.Kind.WARNING),
  GENERIC_CARRIER("generic-carrier", Diagnostic.Kind.WARNING),
  HIDDEN_CARRIER("hidden-carrier", Diagnostic.Kind.WARNING),
  DISPATCH_MAP("dispatch-map", Diagnostic.Kind.WARNING),
  FUTURE_END("future-end", Diagnostic.Kind.WARNING),
  SAME_SPAN_NAME("same-span-name", Diagnostic.Kind.WARNING),
  OVERRIDE("override", Diagnostic.Kind.WARNING),
  ATTRIBUTE_UNTRACED("attribute-untraced", Diagnostic.Kind.WARNING),
  META_INFO_UNUSED("meta-info-unused", Diagnostic.Kind.WARNING),
  REGISTER_UNTRACED("register-untraced", Diagnostic.Kind.WARNING);

  private final String code;
  private final Diagnostic.Kind kind;

  Rule(String code, Diagnostic.Kind kind) {
    this.code = "roll-otel:" + code;
    this.kind = kind;
  }

  /** Its name in {@code @SuppressWarnings}. */
  String code() {
    return code;
  }

  boolean isWarning() {
    return kind == Diagnostic.Kind.WARNING;
  }
}
