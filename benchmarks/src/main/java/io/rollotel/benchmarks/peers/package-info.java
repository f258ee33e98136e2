/** Whole programs, traced by hand, by us and by other agents, in one run: {@code Race} is first. */
@NullMarked
package io.rollotel.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
