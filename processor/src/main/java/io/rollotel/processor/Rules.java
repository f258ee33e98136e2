package io.rollotel.processor;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/** All rules for annotated methods, one method each. CONTRIBUTING.md says what a new rule needs. */
final class Rules {

  private final List<Function<AnnotatedMethod, Stream<Violation>>> ofCode;
  private final List<Function<AnnotatedMethod, Stream<Violation>>> ofDeclaration;

  Rules(Types types, Elements elements, Carriers carriers) {
    CarrierRules carrier = new CarrierRules(types, elements, carriers);
    AttributeRules attribute = new AttributeRules(types, elements);
    WrittenMapRule written = new WrittenMapRule(types, elements, carriers);
    FutureRule future = new FutureRule(types);
    ofDeclaration =
        List.of(
            MethodRules::hasBody,
            MethodRules::isNotNative,
            MethodRules::isNoPhaseOfItself,
            MethodRules::spanNameIsOne,
            CarrierRules::oneMetaInfo,
            carrier::metaInfoIsMap,
            AttributeRules::keyIsOne,
            attribute::typeCanBeRecorded);
    ofCode =
        List.of(
            carrier::payloadCanBeRead,
            carrier::dispatchHasCarrier,
            carrier::carrierIsNotGeneric,
            carrier::carrierIsNotHidden,
            carrier::tracedHasCarrier,
            written::mapTakesTheContext,
            future::endIsSeen,
            AttributeRules::methodIsTraced,
            CarrierRules::metaInfoIsUsed,
            MethodRules::optionsHaveASpan);
  }

  Stream<Violation> violations(AnnotatedMethod method) {
    Stream<Violation> found = ofDeclaration.stream().flatMap(rule -> rule.apply(method));
    return method.hasCode()
        ? Stream.concat(found, ofCode.stream().flatMap(rule -> rule.apply(method)))
        : found; // that error already says that nothing is traced
  }
}
