/**
 * The compile-time check of {@code io.rollotel.annotations}: {@link
 * io.rollotel.processor.RegisterProcessor} is the entrance, {@code Rules} the contents.
 */
@NullMarked
package io.rollotel.processor;

import org.jspecify.annotations.NullMarked;
