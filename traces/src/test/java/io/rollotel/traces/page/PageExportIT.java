package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables as CSV and a trace as JSON, in a real browser. */
class PageExportIT extends BrowserTest {

  @BeforeEach
  void keepDownloads() throws IOException {
    browser.downloadTo(Files.createDirectory(dir.resolve("downloads")));
  }

  private void open(Planted planted) throws IOException {
    browser.open(PlantedRun.page(planted, ReportOptions.latestRun()), dir.resolve("page.html"));
  }

  private String csv(String run, String name) throws IOException {
    browser.run("document.querySelector('[data-csv=\"' + arguments[0] + '\"]').click()", name);
    return browser
        .downloaded(dir.resolve("downloads").resolve(run + "-" + name + ".csv"))
        .replace("\r\n", "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          steps         | 13 | label,start_ns,steps,took_ns,generate_ns,train_ns | 7,0,1,100000000,60000000,30000000
          slowest-steps | 13 | label,start_ns,steps,took_ns,generate_ns,train_ns | 7,0,1,100000000,60000000,30000000
          calls         | 5 | path,calls,total_ns,itself_ns,work_ns,errors | pipeline_step > generate > worker.generate,24,888000000,888000000,888000000,1
          spans         | 5 | name,count,total_ns,self_ns,mean_ns,p50_ns,p95_ns,p99_ns,max_ns,errors | train,12,360000000,360000000,30000000,30000000,30000000,30000000,30000000,0
          workers       | 4 | service,instance,rank,host,pid,driver,spans,busy_ns,work_ns,step_wall_ns,step_busy_ns,critical_path_ns | actor,actor1,1
          stragglers    | 2 | name,times,cost_ns,last_worker,last_worker_times,last_worker_cost_ns,worst_cost_ns | worker.generate,12,456000000,actor actor1 · rank 1,12,456000000,38000000
          errors        | 2 | times,seen_above,name,worker,reason | 1,0,worker.generate,actor actor1 · rank 1,out of memory
          slowest-spans | 11 | name,took_ns,start_ns,worker | generate,60000000,
          """)
  void table_isCsvWithAllRowsAndExactTimes(String name, int lines, String heads, String row)
      throws Exception {
    open(PlantedRun.steps());
    String csv = csv("planted", name);
    assertThat(csv.lines()).hasSize(lines).startsWith(heads);
    assertThat(csv).contains("\n" + row);
    browser.assertNoComplaints();
  }

  @Test
  void trace_isCsv() throws Exception {
    open(PlantedRun.steps());
    browser.run("app.trace.open(app.report.steps.bars[4].item)");
    assertThat(csv("planted", "trace"))
        .isEqualTo(
            """
            depth,name,process,host,start_ns,took_ns,error,on_critical_path,open,spans
            0,pipeline_step,driver driver,a,0,100000000,false,true,false,1
            1,generate,driver driver,a,0,60000000,false,true,false,1
            2,worker.generate,actor actor1 · rank 1,b,2000000,56000000,true,true,false,1
            2,worker.generate,actor actor0 · rank 0,a,2000000,18000000,false,false,false,1
            1,train,driver driver,a,60000000,30000000,false,true,false,1
            """);
    browser.assertNoComplaints();
  }

  @Test
  void hostileTexts_areQuotedAndNoFormulas() throws Exception {
    Planted planted = new Planted("../run/<id>");
    planted.span(1, 0, "=cmd|' /C calc'!A0", "@d@a", 0, 100, "failure", "say \"no\",\nplease");
    open(planted);
    assertThat(csv("_run_id_", "spans")).contains("\n'=cmd|' /C calc'!A0,1,");
    assertThat(csv("_run_id_", "errors")).contains(",\"say \"\"no\"\",\nplease\"\n");
    browser.assertNoComplaints();
  }

  @Test
  void trace_isJsonThatAReportReads() throws Exception {
    open(PlantedRun.steps());
    browser.run("app.trace.open(app.report.steps.bars[4].item)");
    browser.click("#trace-json");
    String json =
        browser.downloaded(
            dir.resolve("downloads").resolve("planted-trace-" + "0".repeat(31) + "5.json"));
    Path traces = Files.createDirectories(dir.resolve("again").resolve("traces"));
    Files.writeString(traces.resolve("trace.jsonl"), json);
    browser.open(
        HtmlPage.read(List.of(dir.resolve("again")), ReportOptions.latestRun()),
        dir.resolve("again.html"));
    assertThat(browser.text("#overview"))
        .contains("Run planted", "took 100 ms", "1 trace", "5 spans", "3 processes", "1 error");
    browser.click("#next-error");
    browser.await("!document.getElementById('details').hidden");
    assertThat(browser.text("#details"))
        .contains("out of memory", "actor actor1 · rank 1", "0".repeat(31) + "5");
    browser.run("app.timeline.find({ text: 'an <b>attribute</b> of step 4' })");
    browser.await("document.querySelector('.lanes').dataset.found === '1'");
    browser.assertNoComplaints();
  }
}
