package io.ray.api;

import io.ray.api.id.ActorId;

/** Stands for Ray's class in tests. */
public interface BaseActorHandle {

  ActorId getId();
}
