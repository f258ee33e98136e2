/**
 * What a finished run's traces file says: where the time went.
 *
 * <p>Start with {@link io.rollotel.traces.report.RunReport}.
 */
@NullMarked
package io.rollotel.traces.report;

import org.jspecify.annotations.NullMarked;
