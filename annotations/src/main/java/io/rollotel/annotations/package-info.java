/**
 * What users write on worker methods: {@link io.rollotel.annotations.Register} on the worker's
 * side, {@link io.rollotel.annotations.Dispatch} on the sender's, {@link
 * io.rollotel.annotations.MetaInfoCarrier} on the payload, {@link io.rollotel.annotations.Phase} on
 * what fetches and stores it.
 */
package io.rollotel.annotations;
