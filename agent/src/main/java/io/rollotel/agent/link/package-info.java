/**
 * What happens when the JVM links a woven method: {@link io.rollotel.agent.link.CallSiteLinker}
 * finds carriers and attributes among the arguments and binds everything constant.
 *
 * <p>Loaded once for each copy of the OpenTelemetry API.
 */
@NullMarked
package io.rollotel.agent.link;

import org.jspecify.annotations.NullMarked;
