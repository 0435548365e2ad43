// SPDX-License-Identifier: Apache-2.0
// What a report says equals what the analyses say, of captures that are whole, empty, foreign, or cut off.
#include "profiler/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/report/html_text.h"
#include "profiler/report/record.h"
#include "profiler/report/section_catalog.h"
#include "profiler/report/words.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_sweep.h"

namespace {

using profiler::Report;
using profiler::ReportFact;

const ReportFact* find_fact(const Report& report, const std::string& key) {
  for (const auto& answer : report.answers) {
    for (const ReportFact& fact : answer.facts) {
      if (fact.key == key) return &fact;
    }
  }
  return nullptr;
}

std::vector<std::string> chart_keys(const Report& report) {
  std::vector<std::string> keys;
  for (const Report::Chart& chart : report.charts) keys.push_back(chart.key);
  return keys;
}

/// How often the pages say it, as a reader counts.
size_t times_in(const std::string& html, const std::string& words) {
  size_t found = 0;
  for (size_t at = html.find(words); at != std::string::npos; at = html.find(words, at + words.size())) ++found;
  return found;
}

Report report_of(profiler::CaptureBuilder builder) {
  auto capture = builder.finish();
  CHECK(capture.ok());
  return profiler::capture_report(*profiler::analyze(*capture), "r.tide");
}

TEST(ReportTest, FourAnswersWithTheFiguresOfTheSummary) {
  const auto analyzed = profiler::analyze(tests::sample_capture());
  const profiler::Summary s = profiler::summary(*analyzed);
  const Report report = profiler::capture_report(*analyzed, "r.tide");
  ASSERT_EQ(report.answers.size(), 4u);
  EXPECT_EQ(report.answers[0].question, "How long?");
  EXPECT_EQ(report.answers[3].question, "What should I change?");
  for (const auto& [key, value] : {std::pair{"step_ns", s.step_ns.median},
                                   {"samples_per_s", s.samples_per_s},
                                   {"untimed_ratio", s.untimed_ratio},
                                   {"step_flop_per_s", s.flop_per_s},
                                   {"dram_bytes", s.dram_bytes},
                                   {"compulsory_bytes", s.compulsory_bytes},
                                   {"amplification_ratio", s.amplification}}) {
    const ReportFact* fact = find_fact(report, key);
    ASSERT_NE(fact, nullptr) << key;
    EXPECT_EQ(fact->value, value) << key;
  }
  EXPECT_EQ(find_fact(report, "dram_bytes")->origin, profiler::Origin::modelled);
  EXPECT_EQ(find_fact(report, "compulsory_bytes")->origin, profiler::Origin::exact);
  EXPECT_EQ(report.answers[1].sentences.front(), s.sentence);
  std::vector<std::string> ids;
  for (const auto& section : report.sections) ids.push_back(section.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"charts", "ops", "findings", "reasons", "quality", "machine", "origins",
                                           "names", "command"}))
      << "the page order";
  EXPECT_FALSE(report.charts.empty());
  EXPECT_LE(report.charts.size(), 3u);
  EXPECT_TRUE(report.lead.has_value());
}

TEST(ReportTest, TimesOfAnEmulatedGpuAreEmulatedAndHaveNoRate) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().device = "emu:0";
  const Report report = report_of(std::move(builder));
  const ReportFact* step = find_fact(report, "step_ns");
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->origin, profiler::Origin::emulated);
  EXPECT_EQ(find_fact(report, "step_flop_per_s"), nullptr);
  EXPECT_NE(profiler::to_json(profiler::record_of(*tests::sample_capture())).find("\"step_ns_origin\":\"measured\""),
            std::string::npos);
  profiler::ReportRecord record;
  record.device = "emu:0";
  EXPECT_NE(profiler::to_json(record).find("\"step_ns_origin\":\"emulated\""), std::string::npos)
      << profiler::to_json(record);
}

TEST(ReportTest, BytesReservedAreNamedApartFromThoseAlive) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().persistent_bytes = 4096;
  const Report report = report_of(std::move(builder));
  size_t named = 0;
  for (const auto& section : report.sections) {
    for (const auto& block : section.blocks) {
      const auto* facts = std::get_if<profiler::ReportFacts>(&block);
      if (facts == nullptr) continue;
      for (const ReportFact& fact : facts->facts) {
        EXPECT_NE(fact.label, "Lives across steps")
            << "the Memory view sums the tensors' own bytes; these are as placed";
        named += fact.label == "Reserved across steps" ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(named, 1u);
}

TEST(ReportTest, ACaptureWithoutAnythingSaysSo) {
  const Report report = report_of(profiler::CaptureBuilder());
  ASSERT_EQ(report.answers.size(), 4u);
  for (const auto& answer : report.answers) EXPECT_FALSE(answer.headline.empty()) << answer.question;
  EXPECT_EQ(report.answers[0].headline, "Unknown");
  EXPECT_EQ(chart_keys(report), std::vector<std::string>{"timeline"}) << "nothing else could draw anything";
  const std::string html = profiler::report_html(report, {});
  EXPECT_NE(html.find("Not drawn: Traffic"), std::string::npos);
  EXPECT_EQ(html.find("nan"), std::string::npos);
}

TEST(ReportTest, RoofsOfLowConfidenceAreOneBadgeAndOneSentence) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.machine().unfinished = {"DRAM read, 2 threads"};
  ASSERT_FALSE(profiler::roofs_weakness(builder.machine()).empty());
  const Report report = report_of(std::move(builder));
  ASSERT_EQ(report.doubts.size(), 1u);
  EXPECT_EQ(profiler::badge_words(report), "Low confidence: " + report.doubts.front().reason);
  const std::string html = profiler::report_html(report, {});
  EXPECT_EQ(times_in(html, "class=\"badge\""), 1u);
  EXPECT_EQ(times_in(html, report.doubts.front().detail), 1u) << "the doubt has one place";
}

TEST(ReportTest, AnUnprobedMachineLeavesDashesWithReasons) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.machine() = {};
  const Report report = report_of(std::move(builder));
  const ReportFact* dram = find_fact(report, "dram_bytes");
  ASSERT_NE(dram, nullptr);
  EXPECT_TRUE(std::isnan(dram->value));
  EXPECT_EQ(shown(*dram), "–");
  EXPECT_NE(dram->note.find("probe"), std::string::npos) << dram->note;
  EXPECT_TRUE(report.answers[2].headline.starts_with("At least")) << report.answers[2].headline;
}

TEST(ReportTest, ATraceOfAnotherToolIsNotRunAgainAndNamesNoFolders) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().source = "PyTorch (Kineto) trace";
  builder.run().command = "tensortide import '/home/Jane Secret Doe/traces/a b.json' -o b.tide";
  const Report report = report_of(std::move(builder));
  EXPECT_EQ(report.record.kind, "trace");
  const std::string html = profiler::report_html(report, {});
  EXPECT_EQ(html.find("Secret"), std::string::npos);
  EXPECT_NE(html.find("tensortide import 'a b.json' -o b.tide"), std::string::npos);
  EXPECT_EQ(html.find("tensortide rerun"), std::string::npos);
}

TEST(ReportTest, WarnsOfWhatMakesFiguresWorthLess) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().complete = false;
  builder.run().incomplete_reason = "cancelled";
  builder.honesty().foreign_load_ratio = 0.4;  // which did nothing to its steps
  builder.honesty().dropped_records = 3;
  const Report report = report_of(std::move(builder));
  EXPECT_EQ(report.doubts.size(), 2u);
  EXPECT_EQ(profiler::badge_words(report), "Low confidence: the run ended early (and 1 other reason)");
}

TEST(ReportTest, TextsThatXmlCannotHoldDoNotBreakThePage) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().title =
      std::string("<b>&\"'\x01\xff\xc3(\xed\xa0\x80") + std::string(1, '\0') + "</title><script>x</script>";
  const std::string html = profiler::report_html(report_of(std::move(builder)), {});
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_NE(html.find("&lt;b&gt;&amp;&quot;"), std::string::npos);
  EXPECT_EQ(html.find('\x01'), std::string::npos);
  EXPECT_EQ(html.find('\0'), std::string::npos);
  EXPECT_EQ(html.find("\xff"), std::string::npos);
  EXPECT_EQ(html.find("\xed\xa0\x80"), std::string::npos);
}

TEST(ReportTest, ASweepAnswersTheFourQuestions) {
  const Report report = profiler::sweep_report(*tests::sample_sweep(true), "s.tide");
  ASSERT_EQ(report.answers.size(), 4u);
  EXPECT_NE(report.answers[0].headline.find("per step"), std::string::npos);
  EXPECT_NE(report.answers[3].headline.find("batch="), std::string::npos) << report.answers[3].headline;
  EXPECT_EQ(chart_keys(report), std::vector<std::string>{"sweep"});
  EXPECT_TRUE(
      report.record.command.starts_with("tensortide sweep mlp --axis dtype=f32,bf16 --axis batch=1,2,4,8,16,32"))
      << report.record.command;
  EXPECT_NE(profiler::report_html(report, {}).find("out of memory"), std::string::npos);
}

TEST(ReportTest, TheFastestAndTheSlowestStepOfASweepAreNoNoisyOnes) {
  profiler::Sweep sweep = *tests::sample_sweep(false);
  const Report quiet = profiler::sweep_report(sweep, "s.tide");
  EXPECT_EQ(quiet.answers[0].headline, "1.00 ms to 4.00 ms per step");
  EXPECT_TRUE(quiet.answers[0].sentences.empty());
  sweep.points[1].found.step_ns = 105e6;
  for (profiler::SweepSample& sample : sweep.points[1].samples) sample.step_ns = 105e6 * (1 + sample.round);
  const Report disturbed = profiler::sweep_report(sweep, "s.tide");
  EXPECT_EQ(disturbed.answers[0].headline, "1.00 ms to 4.00 ms per step");
  EXPECT_EQ(disturbed.answers[0].sentences, std::vector<std::string>{"1 noisy point is left out of this."});
}

TEST(ReportTest, ASweepOfNoisyPointsGivesNoAdvice) {
  profiler::Sweep sweep = *tests::sample_sweep(true);
  size_t ran = 0;
  for (profiler::SweepPoint& point : sweep.points) {
    ran += point.samples.empty() ? 0 : 1;
    for (profiler::SweepSample& sample : point.samples) sample.step_ns *= 1 + sample.round;
  }
  const Report report = profiler::sweep_report(sweep, "s.tide");
  EXPECT_EQ(report.answers[1].headline, "Unknown");
  EXPECT_EQ(report.answers[3].headline, "Measure again on a quiet machine");
  const std::string all = std::to_string(ran);
  EXPECT_EQ(report.answers[3].sentences,
            std::vector<std::string>{all + " of the " + all + " points that ran are noisy: the best one is unknown."});
}

TEST(ReportTest, ASweepWithoutPointsSaysSo) {
  profiler::Sweep sweep;
  sweep.request.workload = "mlp";
  sweep.request.axes = {{"batch", {"1", "2"}}};
  sweep.points.resize(2);
  const Report report = profiler::sweep_report(sweep, "s.tide");
  EXPECT_EQ(report.answers[0].headline, "Unknown");
  EXPECT_EQ(report.doubts.size(), 1u);
}

TEST(ReportTest, AdviceIsGivenOnce) {
  const auto analyzed = profiler::analyze(tests::sample_capture());
  const auto found = profiler::findings(*analyzed);
  const auto timed = std::ranges::find_if(found, [](const auto& f) { return !(f.saved_bytes > 0); });
  ASSERT_NE(timed, found.end()) << "the sample has something to advise";
  const std::string html = profiler::report_html(profiler::capture_report(*analyzed, "r.tide"), {});
  EXPECT_EQ(times_in(html, timed->advice), 1u) << timed->advice;
  const profiler::ReportChoice alone(std::vector<std::string>{"findings"});
  EXPECT_EQ(times_in(profiler::report_html(profiler::capture_report(*analyzed, "r.tide", alone), {}), timed->advice),
            1u)
      << "without page 1 the findings have it";
}

TEST(ReportTest, HasTheChosenSectionsAlone) {
  const auto analyzed = profiler::analyze(tests::sample_capture());
  const Report report = profiler::capture_report(*analyzed, "r.tide", std::vector<std::string>{"memory", "ops"});
  ASSERT_EQ(report.sections.size(), 2u);
  EXPECT_EQ(report.sections[0].id, "charts");
  EXPECT_EQ(report.sections[1].id, "ops");
  EXPECT_EQ(chart_keys(report), std::vector<std::string>{"memory"});
  EXPECT_TRUE(report.answers.empty());
  EXPECT_FALSE(report.lead.has_value());
}

TEST(ReportSections, AreParsedAndRefusedWithTheirNames) {
  const auto keys = profiler::parse_sections("ops,answers,ops");
  ASSERT_TRUE(keys);
  EXPECT_EQ(*keys, (std::vector<std::string>{"ops", "answers"}));
  const auto all = profiler::parse_sections("all");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), profiler::report_sections().size());
  for (const profiler::ReportKind kind : {profiler::ReportKind::capture, profiler::ReportKind::sweep})
    EXPECT_TRUE(profiler::check_choice(kind, *all));
  for (const char* wrong : {"opps", "", "ops,", "ops, machine", "<b>"}) {
    const auto refused = profiler::parse_sections(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().kind, engine::ErrorKind::usage);
    for (const profiler::ReportSectionEntry& entry : profiler::report_sections())
      EXPECT_NE(refused.error().message.find(entry.key), std::string::npos) << entry.key;
  }
  const auto of_sweep = profiler::check_choice(profiler::ReportKind::sweep, std::vector<std::string>{"roofline"});
  ASSERT_FALSE(of_sweep);
  EXPECT_EQ(of_sweep.error().kind, engine::ErrorKind::usage);
  EXPECT_NE(of_sweep.error().message.find("points"), std::string::npos) << of_sweep.error().message;
}

TEST(ReportSections, EachOfTheCatalogIsMadeForItsKinds) {
  const auto analyzed = profiler::analyze(tests::sample_capture());
  const auto sweep = tests::sample_sweep(true);
  for (const profiler::ReportSectionEntry& entry : profiler::report_sections()) {
    const profiler::ReportChoice choice(std::vector<std::string>{entry.key});
    const auto expect = [&](const Report& report) {
      const bool there = entry.first_page ? report.answers.size() == 4
                         : entry.chart()  ? report.charts.size() == 1
                                          : report.sections.size() == 1;
      EXPECT_TRUE(there || std::string(entry.key) == "names") << entry.key << " of " << profiler::name(report.kind);
    };
    if (entry.of(profiler::ReportKind::capture)) expect(profiler::capture_report(*analyzed, "r.tide", choice));
    if (entry.of(profiler::ReportKind::sweep)) expect(profiler::sweep_report(*sweep, "s.tide", choice));
    if (!entry.of(profiler::ReportKind::comparison)) continue;
    const profiler::CompareSide before = profiler::side_of("a.tide", analyzed),
                                after = profiler::side_of("b.tide", analyzed);
    expect(profiler::comparison_report(profiler::compare(before, after), before, after, choice));
  }
}

TEST(ReportTest, NamesAreShortenedInTablesAndWholeInTheAppendix) {
  EXPECT_EQ(profiler::short_name("void at::native::vectorized<4, Add<float, float>>(int, Add<float, float>)", 20),
            "vectorized");
  EXPECT_EQ(profiler::short_name("relu", 20), "relu");
  const std::string op =
      profiler::short_name("aten::cudnn_convolution [32,256,14,14] [1024,256,1,1] float (backward)", 40);
  EXPECT_TRUE(op.starts_with("aten::cudnn_convolution") && op.ends_with("(backward)")) << op;
  const std::string umlauts = "ä-very-long-näme-of-an-öp-that-nobody-would-read-to-its-end";
  EXPECT_EQ(profiler::short_name(umlauts, 20).substr(0, 2), "ä");
  EXPECT_LT(profiler::short_name(umlauts, 20).size(), 26u);
  profiler::ReportTable table{.title = "t", .table = {}, .rest = {}, .text_limit = 12};
  table.table.name = "t";
  table.table.columns = {{"op", "Op", profiler::Quantity::text, profiler::Origin::exact, ""}};
  table.table.rows = {{std::string("<b>a name that is long</b>")}, {std::string("short")}};
  EXPECT_TRUE(profiler::shown_cell(table, 0, 0).shortened);
  EXPECT_FALSE(profiler::shown_cell(table, 1, 0).shortened);
  const std::string html = profiler::table_html(table);
  EXPECT_NE(html.find("title=\"&lt;b&gt;a name that is long&lt;/b&gt;\""), std::string::npos) << html;
  Report report;
  report.sections.push_back({.id = "ops", .title = "Ops", .blocks = {table}});
  profiler::SectionInput in;
  in.report = &report;
  const profiler::ReportSection names = profiler::names_section(in);
  ASSERT_EQ(names.blocks.size(), 1u);
  EXPECT_EQ(std::get<profiler::ReportTable>(names.blocks[0]).table.rows.size(), 1u);
}

TEST(ReportHtml, TablesSortByRanksWithoutScripts) {
  profiler::ReportTable table{.title = "Times", .table = {}, .rest = {}};
  table.table.name = "times";
  table.table.columns = {{"op", "Op", profiler::Quantity::text, profiler::Origin::exact, ""},
                         {"time_ns", "Time", profiler::Quantity::duration_ns, profiler::Origin::measured, ""}};
  table.table.rows = {{std::string("b"), 1.0}, {std::string("a"), 3.0}, {std::string("c"), {}}};
  const std::string html = profiler::table_html(table);
  EXPECT_NE(html.find("<tr style=\"--0:1;--1:1\">"), std::string::npos) << html;  // b: second by name and by time
  EXPECT_NE(html.find("<tr style=\"--0:0;--1:0\">"), std::string::npos) << html;  // a: first by both
  EXPECT_NE(html.find("<tr style=\"--0:2;--1:2\">"), std::string::npos) << html;  // c: unknown is last
  EXPECT_NE(html.find("aria-label=\"Sort by Time, largest first\""), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  const std::string page = profiler::report_html(Report(), {});
  EXPECT_NE(page.find(".d15:checked~.scroll tbody tr{order:var(--15)}"), std::string::npos) << "rules for 16 columns";
}

TEST(ReportTest, AComparisonAnswersTheFourQuestions) {
  const auto run = profiler::analyze(tests::sample_capture());
  const profiler::CompareSide before = profiler::side_of("a.tide", run), after = profiler::side_of("b<i>.tide", run);
  const profiler::Comparison c = profiler::compare(before, after);
  const Report report = profiler::comparison_report(c, before, after);
  EXPECT_EQ(report.kind, profiler::ReportKind::comparison);
  ASSERT_EQ(report.answers.size(), 4u);
  EXPECT_NE(report.answers[0].headline.find("→"), std::string::npos) << report.answers[0].headline;
  ASSERT_TRUE(report.lead.has_value());
  EXPECT_EQ(report.lead->bars.front().label, "whole step");
  EXPECT_EQ(report.lead->bars.front().before, c.total.before_ns);
  const std::string html = profiler::report_html(report, {});
  EXPECT_EQ(html.find("<i>"), std::string::npos);
  EXPECT_NE(html.find("id=\"changes\""), std::string::npos);
}

}  // namespace
