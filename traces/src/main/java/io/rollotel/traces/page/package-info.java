/**
 * The report as a page for a browser.
 *
 * <p>{@link io.rollotel.traces.page.HtmlPage} writes a file that needs nothing else. {@link
 * io.rollotel.traces.page.LiveReport} serves the page of a run that has not ended.
 */
@NullMarked
package io.rollotel.traces.page;

import org.jspecify.annotations.NullMarked;
