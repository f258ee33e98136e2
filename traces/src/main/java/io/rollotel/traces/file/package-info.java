/** The traces file. */
@NullMarked
package io.rollotel.traces.file;

import org.jspecify.annotations.NullMarked;
