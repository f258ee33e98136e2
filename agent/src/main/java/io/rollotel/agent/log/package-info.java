/** What the libraries below {@code inner/} log to: {@link io.rollotel.agent.log.LibraryLogger}. */
@NullMarked
package io.rollotel.agent.log;

import org.jspecify.annotations.NullMarked;
