/**
 * The annotations: {@link io.rollotel.annotations.Register} for worker methods, {@link
 * io.rollotel.annotations.Dispatch} for senders, {@link io.rollotel.annotations.MetaInfoCarrier}
 * for payloads, and {@link io.rollotel.annotations.Phase} for methods that fetch or store payloads.
 */
package io.rollotel.annotations;
