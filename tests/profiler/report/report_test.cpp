// SPDX-License-Identifier: Apache-2.0
// What a report says equals what the analyses say, of captures that are whole, empty, foreign, or cut off.
#include "profiler/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "profiler/analysis/tables/summary.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/report/record.h"
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
  EXPECT_EQ(ids, (std::vector<std::string>{"machine", "charts", "ops", "findings", "origins", "command"}))
      << "the page order";
  EXPECT_TRUE(std::ranges::count(report.charts, "roofline") == 1 && std::ranges::count(report.charts, "memory") == 1);
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
  EXPECT_EQ(report.charts, std::vector<std::string>{"timeline"}) << "nothing else could draw anything";
  const std::string html = profiler::report_html(report, {});
  EXPECT_NE(html.find("Not drawn: Traffic"), std::string::npos);
  EXPECT_EQ(html.find("nan"), std::string::npos);
}

TEST(ReportTest, RoofsOfLowConfidenceAreAWarning) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.machine().unfinished = {"DRAM read, 2 threads"};
  const std::string why = profiler::roofs_weakness(builder.machine());
  ASSERT_FALSE(why.empty());
  const Report report = report_of(std::move(builder));
  EXPECT_EQ(std::ranges::count(report.warnings, why), 1);
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
  EXPECT_EQ(report_of(std::move(builder)).warnings.size(), 2u);
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
  EXPECT_EQ(report.charts, std::vector<std::string>{"sweep"});
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
  EXPECT_EQ(report.warnings.size(), 1u);
}

}  // namespace
