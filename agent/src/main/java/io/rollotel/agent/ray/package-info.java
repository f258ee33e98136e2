/**
 * Ray's runtime for Java: what its woven classes tell {@code RayHook} becomes spans, and the
 * context travels with its calls. {@link io.rollotel.agent.ray.RayCalls} stands behind the hook.
 * Ray's classes are asked by reflection alone: the agent is built without them.
 */
@NullMarked
package io.rollotel.agent.ray;

import org.jspecify.annotations.NullMarked;
