/**
 * Ray's runtime for Java: the calls of its woven classes to {@code RayHook} become spans, and the
 * context travels with Ray's calls. {@link io.rollotel.agent.ray.RayCalls} handles the hook's
 * calls. The agent uses Ray's classes only by reflection, because it is built without them.
 */
@NullMarked
package io.rollotel.agent.ray;

import org.jspecify.annotations.NullMarked;
