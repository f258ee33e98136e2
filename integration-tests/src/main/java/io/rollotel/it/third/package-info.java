/** Payloads of a third party, whose declaring types its users do not see. */
@NullMarked
package io.rollotel.it.third;

import org.jspecify.annotations.NullMarked;
