/**
 * Policy-gradient training of a cart-pole over several JVMs: one driver, several workers, Java RMI
 * between them.
 *
 * <p>{@link io.rollotel.examples.cartpole.Driver} is the program. The code that a user of roll-otel
 * writes is in three places: the annotations on {@code PolicyWorker} (the worker's side) and on
 * {@code WorkerStub} (the sender's side), the {@code meta_info} of {@code DataProto} (the payload),
 * and the spans of the pipeline in {@code Training}.
 */
@NullMarked
package io.rollotel.examples.cartpole;

import org.jspecify.annotations.NullMarked;
