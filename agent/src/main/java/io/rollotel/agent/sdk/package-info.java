/**
 * The agent's SDK on one copy of the OpenTelemetry API. {@link io.rollotel.agent.sdk.SdkTracing} is
 * its interface to the agent; {@code SdkBuilder} builds it from the user's settings, {@code
 * SdkCustomizers} from the application's code; {@code CompatibilityCheck} finds out whether it
 * fits.
 *
 * <p>Loaded once for each copy of the OpenTelemetry API.
 */
@NullMarked
package io.rollotel.agent.sdk;

import org.jspecify.annotations.NullMarked;
