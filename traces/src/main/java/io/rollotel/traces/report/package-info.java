/**
 * Reports for people and for programs: text for a terminal, and JSON.
 *
 * <p>{@link io.rollotel.traces.report.RunReport} reads traces files and reports on one of their
 * runs, as {@link io.rollotel.traces.report.ReportOptions} say. {@link
 * io.rollotel.traces.report.ReportContents} is what a report says, which the page shows as well.
 * {@link io.rollotel.traces.report.ComparisonReport} reports on two runs. {@link
 * io.rollotel.traces.report.ReportSchema} says what the JSON of both may hold.
 */
@NullMarked
package io.rollotel.traces.report;

import org.jspecify.annotations.NullMarked;
