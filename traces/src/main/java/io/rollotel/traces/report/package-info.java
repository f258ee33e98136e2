/**
 * Reports for users and programs: text for a terminal, and JSON.
 *
 * <p>{@link io.rollotel.traces.report.RunReport} reads traces files and reports on one of their
 * runs, as {@link io.rollotel.traces.report.ReportOptions} say. {@link
 * io.rollotel.traces.report.ReportContents} has the contents of a report, which the page shows as
 * well. {@link io.rollotel.traces.report.ComparisonReport} reports on two runs. {@link
 * io.rollotel.traces.report.ReportSchema} is the JSON schema of both.
 */
@NullMarked
package io.rollotel.traces.report;

import org.jspecify.annotations.NullMarked;
