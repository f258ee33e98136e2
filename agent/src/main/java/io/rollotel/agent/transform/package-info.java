/**
 * Which classes change, and how they get their own bytes back: {@link
 * io.rollotel.agent.transform.AnnotatedClassTransformer} looks at each class that is loaded, {@link
 * io.rollotel.agent.transform.ResettableTransformers} remembers what changed.
 */
@NullMarked
package io.rollotel.agent.transform;

import org.jspecify.annotations.NullMarked;
