/**
 * The current span's ids in the log events of Logback and Log4j 2: {@link
 * io.rollotel.agent.correlation.LogLibraries} weaves them with the first use of tracing.
 */
@NullMarked
package io.rollotel.agent.correlation;

import org.jspecify.annotations.NullMarked;
