// SPDX-License-Identifier: Apache-2.0
// The closed forms of a systolic array against the golden reports of SCALE-Sim, and against a small array run cycle by
// cycle. Source: scalesim-project/SCALE-Sim, commit 1d62b68 (MIT),
// test/general/golden_trace_{user_os,user_ws,user_is,calc}/{COMPUTE,DETAILED_ACCESS}_REPORT.csv, made with
// configs/scale.cfg (32 x 32), topologies/GEMM_mnk/test_mnk_input.csv and topologies/conv_nets/alexnet_part.csv.
#include "profiler/predict/systolic_array.h"

#include <gtest/gtest.h>

#include <vector>

namespace profiler {
namespace {

struct Golden {
  const char* report;
  Dataflow dataflow;
  int64_t m, n, k;
  double total_cycles, stall_cycles, input_reads, weight_reads, output_writes, mapping_percent;
};
const Golden kGolden[] = {
    {"user_os", Dataflow::output_stationary, 256, 128, 256, 52447, 42272, 262144, 262144, 34816, 100},
    {"user_ws", Dataflow::weight_stationary, 256, 128, 256, 52447, 41248, 262144, 32768, 262144, 100},
    {"user_is", Dataflow::input_stationary, 256, 128, 256, 19984, 5777, 65536, 262144, 262144, 100},
    // AlexNet's first layer: 224 x 224 x 3 with 96 filters of 11 x 11, stride 4; it counts 55 x 55 windows.
    {"calc", Dataflow::weight_stationary, 55 * 55, 96, 11 * 11 * 3, 112283, 0, 3294225, 34848, 3484800, 94.53125},
};

TEST(SystolicArray, EqualsScaleSimsGoldenReports) {
  for (const Golden& g : kGolden) {
    const auto work = systolic_work({.rows = 32, .columns = 32, .dataflow = g.dataflow}, g.m, g.n, g.k);
    ASSERT_TRUE(work) << g.report;
    EXPECT_EQ(work->cycles, g.total_cycles - g.stall_cycles + 1)
        << g.report
        << ": its total is the number of the last cycle, counted from zero, and holds the cycles its memories were "
           "late";
    EXPECT_EQ(work->input_reads, g.input_reads) << g.report;
    EXPECT_EQ(work->weight_reads, g.weight_reads) << g.report;
    EXPECT_DOUBLE_EQ(100 * work->mapped_ratio, g.mapping_percent) << g.report;
    // scalesim/compute/systolic_compute_os.py line 403 adds the rows and columns of the array to the writes once per
    // fold; no word is written by that: its own OFMAP_DRAM report has m n = 32768.
    const double counted_twice = g.dataflow == Dataflow::output_stationary ? work->folds * (32 + 32) : 0;
    EXPECT_EQ(work->output_writes + counted_twice, g.output_writes) << g.report;
  }
  const auto first =
      systolic_work({.rows = 32, .columns = 32, .dataflow = Dataflow::weight_stationary}, 55 * 55, 96, 363);
  EXPECT_DOUBLE_EQ(100 * first->used_ratio * first->cycles / (first->cycles - 1), 91.68309650614964)
      << "its \"Overall Util %\" is of one cycle fewer";
}

/// An output-stationary array, register by register: inputs enter from the left, row i after i cycles, weights from
/// above, column j after j. Returns the cycles until the last multiply-add, and the products in `out` (rows x columns).
int64_t run_one_fold(int64_t rows, int64_t columns, int64_t k, std::vector<double>& out) {
  const auto input = [](int64_t i, int64_t t) { return static_cast<double>(3 * i + t + 1); };
  const auto weight = [](int64_t t, int64_t j) { return static_cast<double>(t - 2 * j + 5); };
  const auto at = [&](int64_t i, int64_t j) { return static_cast<size_t>(i * columns + j); };
  std::vector<double> right(out.size()), down(out.size());
  int64_t done = 0, cycle = 0;
  for (; done < rows * columns * k; ++cycle) {
    for (int64_t i = rows - 1; i >= 0; --i) {
      for (int64_t j = columns - 1; j >= 0;
           --j) {  // from the far corner, so that a neighbour still holds the last cycle's word
        const int64_t t = cycle - i - j;
        right[at(i, j)] = j > 0 ? right[at(i, j - 1)] : (t >= 0 && t < k ? input(i, t) : 0);
        down[at(i, j)] = i > 0 ? down[at(i - 1, j)] : (t >= 0 && t < k ? weight(t, j) : 0);
        if (t >= 0 && t < k) out[at(i, j)] += right[at(i, j)] * down[at(i, j)], ++done;
      }
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (int64_t t = 0; t < k; ++t) sum += input(i, t) * weight(t, j);
      EXPECT_EQ(out[at(i, j)], sum) << i << ", " << j;
    }
  }
  return cycle;
}

TEST(SystolicArray, CyclesOfAnArrayThatIsRun) {
  for (const int64_t k : {1, 2, 7, 30}) {
    std::vector<double> out(12);
    const int64_t cycles = run_one_fold(4, 3, k, out);
    const SystolicArray array{.rows = 4, .columns = 3, .dataflow = Dataflow::output_stationary};
    EXPECT_EQ(systolic_work(array, 4, 3, k)->cycles, static_cast<double>(cycles));
    EXPECT_EQ(systolic_work(array, 13, 7, k)->cycles, static_cast<double>(12 * cycles)) << "4 x 3 folds";
  }
}

TEST(SystolicArray, PartsOfTheArrayAreIdleAtTheEdges) {
  const auto work = systolic_work({.rows = 128, .columns = 128, .dataflow = Dataflow::weight_stationary}, 1, 129, 128);
  EXPECT_EQ(work->folds, 2);
  EXPECT_DOUBLE_EQ(work->mapped_ratio, 129.0 / 256);
  EXPECT_LT(work->used_ratio, 0.01) << "one row of inputs does not pay for loading the weights";
}

TEST(SystolicArray, RefusesWhatIsNoArrayAndNoProduct) {
  for (const SystolicArray& array : {SystolicArray{0, 4}, SystolicArray{4, -1}, SystolicArray{int64_t{1} << 40, 4}}) {
    const auto work = systolic_work(array, 1, 1, 1);
    ASSERT_FALSE(work);
    EXPECT_NE(work.error().message.find("1048576 a side"), std::string::npos) << work.error().message;
  }
  EXPECT_FALSE(systolic_work({4, 4}, 1, 0, 1));
  EXPECT_GT(systolic_work({1, 1}, int64_t{1} << 62, int64_t{1} << 62, 1)->cycles, 1e37)
      << "counted in doubles, nothing wraps";
}

TEST(SystolicArray, DataflowsByName) {
  for (const Dataflow d : {Dataflow::output_stationary, Dataflow::weight_stationary, Dataflow::input_stationary})
    EXPECT_EQ(parse_dataflow(name(d)), d);
  EXPECT_FALSE(parse_dataflow("rs"));
}

}  // namespace
}  // namespace profiler
