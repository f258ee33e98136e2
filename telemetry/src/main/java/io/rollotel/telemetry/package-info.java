/** What users call. */
@NullMarked
package io.rollotel.telemetry;

import org.jspecify.annotations.NullMarked;
