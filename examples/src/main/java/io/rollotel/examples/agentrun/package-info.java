/**
 * An agent that solves sliding puzzles, episode after episode, and learns how greedily to search.
 *
 * <p>{@link io.rollotel.examples.agentrun.AgentRun} is the program. It contains the code that a
 * user of roll-otel writes: a run for each episode, a step for each stretch of the search, a record
 * for each step that names its trace; and on {@code Search} the annotation and the worker's reward.
 */
@NullMarked
package io.rollotel.examples.agentrun;

import org.jspecify.annotations.NullMarked;
