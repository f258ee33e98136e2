/**
 * The context follows work into other threads: {@link io.rollotel.agent.threads.TaskThreads} weaves
 * the JDK's executors and threads with the first use of tracing, {@code TaskContexts} keeps the
 * context of each task.
 */
@NullMarked
package io.rollotel.agent.threads;

import org.jspecify.annotations.NullMarked;
