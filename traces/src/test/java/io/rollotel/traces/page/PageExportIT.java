package io.rollotel.traces.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.rollotel.traces.kit.Planted;
import io.rollotel.traces.report.ReportOptions;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

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
          steps         | 13 | label,start_ns,steps,took_ns,generate_ns,train_ns,phases_not_listed_ns,unattributed_ns | 7,0,1,100000000,60000000,30000000,0,10000000
          slowest-steps | 13 | label,start_ns,steps,took_ns,generate_ns,train_ns,phases_not_listed_ns,unattributed_ns | 7,0,1,100000000,60000000,30000000,0,10000000
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

  @ParameterizedTest
  @ValueSource(strings = {"steps", "distribution", "steps-side-by-side"})
  void canvas_isAPictureOfItsColours(String name) throws Exception {
    browser.open(
        PageAgainstIT.page(PageAgainstIT.run(12, 4, 2, 60), PageAgainstIT.run(12, 4, 2, 20)),
        dir.resolve("page.html"));
    BufferedImage picture = ImageIO.read(picture(name, "png").toFile());
    assertThat(picture.getWidth()).isGreaterThan(300);
    assertThat(colors(picture)).as("paper, axis and bars").hasSizeGreaterThan(3);
    browser.assertNoComplaints();
  }

  @Test
  void trace_isSvgOfItsRows() throws Exception {
    Planted planted = new Planted();
    planted.span(1, 0, "a <b>&\"name\" \u202e", "web@a", 0, 100);
    planted.span(1, 1, "below", "web@a", 20, 60, "failure", "no");
    open(planted);
    browser.run("app.trace.open(0)");
    Document svg =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(picture("trace", "svg").toFile());
    NodeList texts = svg.getElementsByTagName("text");
    assertThat(IntStream.range(0, texts.getLength()).mapToObj(i -> texts.item(i).getTextContent()))
        .containsExactly("a <b>&\"name\" \ufffd", "100 ns", "▲ below", "40 ns");
    browser.assertNoComplaints();
  }

  private Path picture(String name, String type) {
    browser.run("document.querySelector('[data-picture=\"' + arguments[0] + '\"]').click()", name);
    Path file = dir.resolve("downloads").resolve("planted-" + name + "." + type);
    browser.awaitDownload(file);
    return file;
  }

  private static Set<Integer> colors(BufferedImage picture) {
    return Arrays.stream(
            picture.getRGB(
                0, 0, picture.getWidth(), picture.getHeight(), null, 0, picture.getWidth()))
        .boxed()
        .collect(Collectors.toSet());
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
