// SPDX-License-Identifier: Apache-2.0
// The published table without a run: impossible cells, gaps, rankings, curves, and that our FLOPs are those of our
// workloads.
#include "profiler/sweep/published.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/graph/graph.h"
#include "engine/workloads/workload.h"

namespace profiler {
namespace {

const ReferenceCell& cell(std::string_view network, std::string_view tool, std::string_view platform, int threads) {
  for (const ReferenceCell& c : shi2016_table7())
    if (c.network == network && c.tool == tool && c.platform == platform && c.threads == threads) return c;
  ADD_FAILURE() << network << tool << platform << threads;
  return shi2016_table7().front();
}

constexpr const char* kDesktop = "desktop_cpu_i7-3820";

/// Graphs of our presets: matrix multiplications and convolutions of a step, and parameters.
TEST(Published, NetworksAreThoseOfOurWorkloads) {
  for (const PublishedNetwork& n : shi2016_facts().networks) {
    const auto workload = engine::find_workload(n.workload);
    ASSERT_TRUE(workload.ok());
    const auto preset = std::ranges::find((*workload)->presets, n.preset, &engine::Preset::name);
    ASSERT_NE(preset, (*workload)->presets.end());
    engine::Arguments arguments;
    for (const engine::Parameter& p : (*workload)->parameters) arguments[p.name] = p.default_value;
    for (const auto& [key, value] : preset->arguments) arguments[key] = value;
    for (const auto& [key, value] : arguments) {
      const bool is_free =
          std::ranges::find(shi2016_facts().free_arguments, key) != shi2016_facts().free_arguments.end();
      const auto fixed = n.arguments.find(key);
      EXPECT_NE(is_free, fixed != n.arguments.end()) << n.name << ": " << key << " is listed once, as fixed or as free";
      if (fixed != n.arguments.end()) {
        EXPECT_EQ(fixed->second, value) << n.name << ": " << key;
      }
    }
    if (n.workload == "lstm") arguments["steps"] = "unrolled";  // its products one by one
    const auto graph = engine::build_graph(**workload, arguments);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    double flops = 0;
    for (const engine::Node& node : graph->nodes())
      if (node.op->matrix_product) flops += graph->cost(node).flops;
    EXPECT_DOUBLE_EQ(flops, n.product_flops) << n.name;
    EXPECT_DOUBLE_EQ(static_cast<double>(graph->parameter_count()), n.weights) << n.name;
  }
}

TEST(Published, CellsAboveThePeakAreImpossible) {
  size_t impossible = 0;
  for (const ReferenceCell& c : shi2016_table7()) {
    impossible += c.quality == CellQuality::impossible;
    if (c.quality != CellQuality::uncertain) {
      EXPECT_EQ(c.quality == CellQuality::impossible, c.peak_ratio() > 1);
    }
  }
  EXPECT_EQ(impossible, 7u);
  EXPECT_NEAR(cell("LSTM", "CNTK", kDesktop, 1).peak_ratio(), 88.55 / 0.186 / 60.8, 0.01);
  EXPECT_NEAR(cell("AlexNet-S", "MXNet", "gpu_gtx980", 0).peak_ratio(), 105.6 / 0.020 / 4980, 0.001);
  const ReferenceCell& caffe = cell("AlexNet-S", "Caffe", kDesktop, 1);
  EXPECT_NEAR(caffe.peak_ratio(), 105.6 / 1.606 / 60.8, 0.001);
  EXPECT_NE(caffe.why.find("108 %"), std::string::npos) << caffe.why;
  EXPECT_NE(caffe.why.find("OPENBLAS_NUM_THREADS"), std::string::npos) << caffe.why;
  EXPECT_EQ(cell("AlexNet-S", "Caffe", kDesktop, 4).quality, CellQuality::good);
}

TEST(Published, GapsHaveTheReasonThatIsKnown) {
  EXPECT_NE(cell("LSTM", "MXNet", kDesktop, 1).why.find("cuDNN"), std::string::npos);
  const ReferenceCell& unknown = cell("ResNet-50", "CNTK", kDesktop, 1);
  EXPECT_EQ(unknown.quality, CellQuality::dash);
  EXPECT_NE(unknown.why.find("not known"), std::string::npos) << unknown.why;
  EXPECT_EQ(cell("AlexNet-R", "TF", kDesktop, 1).quality, CellQuality::lost);
}

TEST(Published, RepairedCellsKeepWhatWasRead) {
  const ReferenceCell& c = cell("FCN-S", "Caffe", kDesktop, 1);
  EXPECT_EQ(c.raw, "1324");
  EXPECT_TRUE(c.repaired);
  EXPECT_FALSE(cell("FCN-S", "Caffe", kDesktop, 2).repaired);
  EXPECT_EQ(cell("FCN-S", "Caffe", kDesktop, 8).raw, "15444");
}

TEST(Published, AllFourteenMismatchesStayOutOfRankings) {
  ASSERT_EQ(shi2016_facts().mismatches.size(), 14u);
  for (const PublishedMismatch& m : shi2016_facts().mismatches) {
    for (const PublishedColumn& column : published_columns()) {
      for (const RankedCell& r : published_ranking(m.network, column)) {
        if (r.cell->tool != m.tool) continue;
        EXPECT_EQ(r.place, 0) << m.network << m.tool;
        if (r.cell->has_time()) {
          EXPECT_NE(r.cell->why.find(m.what), std::string::npos) << r.cell->why;
        }
      }
    }
  }
}

TEST(Published, RankingsArePlacesAmongGoodCells) {
  const PublishedColumn gtx{shi2016_facts().platform("gpu_gtx1080"), 0};
  const auto ranked = published_ranking("FCN-S", gtx);
  ASSERT_EQ(ranked.size(), 5u);
  EXPECT_EQ(ranked[0].cell->tool, "Caffe");
  EXPECT_EQ(ranked[0].place, 1);
  EXPECT_DOUBLE_EQ(ranked[1].ratio, ranked[1].cell->seconds / 0.030);
  EXPECT_EQ(ranked[3].place, 0);
  const auto gaps = published_ranking("LSTM", gtx);
  EXPECT_EQ(gaps.back().cell->tool, "Caffe");
  EXPECT_EQ(gaps.back().cell->quality, CellQuality::dash);
}

TEST(Published, CurvesCompareAToolWithItself) {
  ASSERT_EQ(published_columns().size(), 13u);
  for (const PublishedCurve& curve : published_curves("FCN-S")) {
    for (size_t i = 0; i < curve.cells.size(); ++i) {
      const double gain = curve.speed_up(i);
      const ReferenceCell& here = *curve.cells[i];
      const bool readable = here.quality == CellQuality::good || here.quality == CellQuality::mismatch;
      EXPECT_EQ(std::isnan(gain), !readable);
      if (readable) {
        EXPECT_DOUBLE_EQ(gain, curve.cells[0]->seconds / here.seconds);
      }
    }
  }
  const Table table = published_threads_table("FCN-S");
  EXPECT_EQ(table.rows.size(), 50u);
  size_t zones = 0;
  for (const auto& row : table.rows) zones += std::get<std::string>(row[7]) == "hyper-threads";
  EXPECT_EQ(zones, 10u);  // 8 threads on 4 cores, 32 on 16
}

TEST(Published, EveryTableHasItsRows) {
  for (const PublishedTable& t : kPublishedTables) {
    for (const char* network : {"", "FCN-S", "LSTM"}) {
      const Table table = t.make(network, {});
      EXPECT_FALSE(table.rows.empty()) << t.name;
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << t.name;
    }
  }
  EXPECT_EQ(published_grid_table("").rows.size(), 455u);
  EXPECT_EQ(published_picture_table("").rows.size(), 35u);
  EXPECT_EQ(published_mismatches_table("").rows.size(), 14u);
}

TEST(Published, TimesOfOursAreLaidBeside) {
  Sweep sweep;
  sweep.request.workload = "mlp";
  sweep.request.fixed = {"--preset", "fcn-s"};
  sweep.request.axes = {{"threads", {"1", "2"}}};
  for (const double ns : {8e8, 5e8}) {
    SweepPoint point;
    point.outcome = PointOutcome::measured;
    point.samples.push_back({.round = 0, .step_ns = ns, .steps = 5});
    point.found.samples = 64;
    point.found.flops = 4e10;
    sweep.points.push_back(point);
  }
  const std::vector<OwnTime> own = own_times(sweep);
  ASSERT_EQ(own.size(), 2u);
  EXPECT_EQ(own[1].threads, 2);
  const Table table = published_threads_table("FCN-S", own);
  ASSERT_EQ(table.rows.size(), 52u);
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows.back()[5]), 1.6);
  EXPECT_EQ(published_grid_table("LSTM", own).rows.size(), 65u) << "ours are of another network";
  sweep.request.fixed.insert(sweep.request.fixed.end(), {"--set", "hidden=16"});
  EXPECT_TRUE(own_times(sweep).empty());
}

TEST(Published, OwnTimesAreComparedWithTheirOwnDevice) {
  const std::vector<OwnTime> own{{"FCN-S", "null", 1, 1e9},  {"FCN-S", "cpu", 1, 8e8},  {"FCN-S", "cpu", 2, 5e8},
                                 {"FCN-S", "sim:0", 2, 1e8}, {"FCN-S", "cuda", 0, 1e7}, {"FCN-R", "cpu", 2, 1e8}};
  EXPECT_DOUBLE_EQ(own_speed_up(own, own[1]), 1);
  EXPECT_DOUBLE_EQ(own_speed_up(own, own[2]), 1.6) << "not against the null device";
  EXPECT_TRUE(std::isnan(own_speed_up(own, own[3]))) << "nothing with one thread";
  EXPECT_TRUE(std::isnan(own_speed_up(own, own[4])));
  EXPECT_TRUE(std::isnan(own_speed_up(own, own[5]))) << "another network";
}

}  // namespace
}  // namespace profiler
