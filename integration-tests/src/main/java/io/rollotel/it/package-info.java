/** Programs that the tests run in JVMs of their own, with and without the agent. */
@NullMarked
package io.rollotel.it;

import org.jspecify.annotations.NullMarked;
