package io.rollotel.processor;

import java.util.Set;
import java.util.stream.Stream;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Types;

/** The rule for results that are returned before the work is done. */
final class FutureRule {

  /** Declared to return one of these, a span ends on completion: the agent's {@code Weaver}. */
  static final Set<String> FUTURES =
      Set.of(
          "java.util.concurrent.CompletionStage",
          "java.util.concurrent.CompletableFuture",
          "com.google.common.util.concurrent.ListenableFuture");

  /** Compares names, because looking up a missing type makes the compiler search all modules. */
  static final Set<String> FUTURE_LIKE =
      Set.of(
          "java.util.concurrent.Future",
          "java.util.concurrent.CompletionStage",
          "java.util.concurrent.Flow.Publisher",
          "org.reactivestreams.Publisher",
          "io.reactivex.Single",
          "io.reactivex.Maybe",
          "io.reactivex.Completable",
          "io.reactivex.Observable",
          "io.reactivex.rxjava3.core.Single",
          "io.reactivex.rxjava3.core.Maybe",
          "io.reactivex.rxjava3.core.Completable",
          "io.reactivex.rxjava3.core.Observable",
          "io.vertx.core.Future",
          "io.smallrye.mutiny.Uni",
          "kotlinx.coroutines.Job",
          "kotlinx.coroutines.flow.Flow",
          "scala.concurrent.Future");

  private final Types types;

  FutureRule(Types types) {
    this.types = types;
  }

  Stream<Violation> endIsSeen(AnnotatedMethod method) {
    TypeMirror returned = types.erasure(method.element().getReturnType());
    if (!(method.isTraced() || method.phase() != null) || returned.getKind() != TypeKind.DECLARED) {
      return Stream.empty();
    }
    TypeElement type = Carriers.typeElement((DeclaredType) returned);
    if (FUTURES.contains(type.getQualifiedName().toString()) || !isFutureLike(returned)) {
      return Stream.empty();
    }
    return Stream.of(
        Violation.of(
            Rule.FUTURE_END,
            method.element(),
            method.isTraced() ? method.register() : method.phase(),
            "The span of "
                + method.name()
                + " ends when it returns, not when its "
                + type.getSimpleName()
                + " completes: the agent sees the end of CompletionStage, CompletableFuture and"
                + " Guava's ListenableFuture, if the method declares exactly that type. Declare"
                + " one of them."));
  }

  private boolean isFutureLike(TypeMirror type) {
    return type.getKind() == TypeKind.DECLARED
        && (FUTURE_LIKE.contains(
                Carriers.typeElement((DeclaredType) type).getQualifiedName().toString())
            || types.directSupertypes(type).stream().anyMatch(this::isFutureLike));
  }
}
