/**
 * The compile-time check of {@code io.rollotel.annotations}: {@link
 * io.rollotel.processor.RegisterProcessor} is the entry point; {@code Rules} lists the rules.
 */
@NullMarked
package io.rollotel.processor;

import org.jspecify.annotations.NullMarked;
