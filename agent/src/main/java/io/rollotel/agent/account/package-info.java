/**
 * The account of what was declared, woven and called, drawn up at exit or when somebody asks.
 *
 * <p>Start with {@link io.rollotel.agent.account.Statement}. Nothing of it is loaded before.
 */
@NullMarked
package io.rollotel.agent.account;

import org.jspecify.annotations.NullMarked;
