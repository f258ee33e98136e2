/**
 * What became of the annotated methods of this JVM and of their spans: {@link
 * io.rollotel.agent.ledger.Ledger} counts, {@link io.rollotel.agent.ledger.ExitReport} reports the
 * result when the JVM ends or {@code doctor} asks.
 */
@NullMarked
package io.rollotel.agent.ledger;

import org.jspecify.annotations.NullMarked;
