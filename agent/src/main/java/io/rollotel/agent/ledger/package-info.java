/**
 * What became of the annotated methods of this JVM and of their spans: {@link
 * io.rollotel.agent.ledger.Ledger} counts, {@link io.rollotel.agent.ledger.ExitReport} says it at
 * the end of the JVM or when {@code doctor} asks.
 */
@NullMarked
package io.rollotel.agent.ledger;

import org.jspecify.annotations.NullMarked;
