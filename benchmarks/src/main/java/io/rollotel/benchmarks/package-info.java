/** Benchmarks, to be run by {@code benchmarks/jmh}: they need the agent on their command line. */
@NullMarked
package io.rollotel.benchmarks;

import org.jspecify.annotations.NullMarked;
