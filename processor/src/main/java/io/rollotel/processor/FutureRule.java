package io.rollotel.processor;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/** Results that are there before the work is done. */
final class FutureRule {

  /** Declared to return one of these, a span ends on completion: the agent's {@code Weaver}. */
  static final Set<String> FUTURES =
      Set.of(
          "java.util.concurrent.CompletionStage",
          "java.util.concurrent.CompletableFuture",
          "com.google.common.util.concurrent.ListenableFuture");

  private static final List<String> FUTURE_LIKE =
      List.of(
          "java.util.concurrent.Future",
          "java.util.concurrent.CompletionStage",
          "java.util.concurrent.Flow.Publisher",
          "org.reactivestreams.Publisher",
          "io.reactivex.rxjava3.core.Single",
          "io.reactivex.rxjava3.core.Maybe",
          "io.reactivex.rxjava3.core.Completable",
          "io.reactivex.rxjava3.core.Observable",
          "io.vertx.core.Future",
          "io.smallrye.mutiny.Uni",
          "kotlinx.coroutines.Job",
          "scala.concurrent.Future");

  private final Types types;
  private final List<TypeMirror> futureLike;

  FutureRule(Types types, Elements elements) {
    this.types = types;
    futureLike =
        FUTURE_LIKE.stream()
            .flatMap(name -> Stream.ofNullable(elements.getTypeElement(name)))
            .map(type -> types.erasure(type.asType()))
            .toList();
  }

  Stream<Violation> endIsSeen(AnnotatedMethod method) {
    TypeMirror returned = types.erasure(method.element().getReturnType());
    if (!method.isTraced() || returned.getKind() != TypeKind.DECLARED) {
      return Stream.empty();
    }
    TypeElement type = Carriers.typeElement((DeclaredType) returned);
    if (FUTURES.contains(type.getQualifiedName().toString())
        || futureLike.stream().noneMatch(future -> types.isSubtype(returned, future))) {
      return Stream.empty();
    }
    return Stream.of(
        Violation.of(
            Rule.FUTURE_END,
            method.element(),
            method.register(),
            "The span of "
                + method.name()
                + " ends when it returns, not when its "
                + type.getSimpleName()
                + " completes: the agent sees the end of CompletionStage, CompletableFuture and"
                + " Guava's ListenableFuture, declared as just these. Declare one of them."));
  }
}
