// SPDX-License-Identifier: Apache-2.0
// Collectives of traces whose figures can be counted by hand: exposed time, bandwidths, skew, findings.
#include "profiler/analysis/gpu/collectives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/capture/capture_builder.h"

namespace profiler {
namespace {

constexpr int64_t kUs = 1000;

/// Kernels of several ranks with a GPU each; times in microseconds.
class Lab {
 public:
  explicit Lab(uint32_t ranks, int64_t step_us = 1000, uint32_t steps = 1) {
    b_.run().source = "PyTorch";
    std::vector<StepRecord> all;
    for (uint32_t s = 0; s < steps; ++s) all.push_back({s, s * step_us * kUs, step_us * kUs});
    for (const StepRecord& step : all) b_.add_step(step);
    for (uint32_t r = 0; r < ranks; ++r) {
      const std::string name = "rank " + std::to_string(r);
      streams_.push_back(
          {b_.track(TrackKind::stream, "stream 7", name), b_.track(TrackKind::stream, "stream 9", name)});
      if (ranks > 1) b_.add_rank({b_.intern(name), all, {streams_[r][0], streams_[r][1]}});
    }
  }
  void compute(uint32_t rank, int64_t at, int64_t us, uint32_t step = 0) {
    b_.add_kernel(activity("gemm", rank, 0, at, us, step), {.place = {0, 1, 7}});
  }
  void collective(uint32_t rank, const char* operation, int64_t bytes, int64_t at, int64_t us, uint32_t step = 0,
                  int32_t size = 4) {
    Activity a = activity("ncclDevKernel_AllReduce_Sum_f32_RING_LL", rank, 1, at, us, step);
    a.correlation = ++correlation_;
    b_.add_kernel(a, {.place = {0, 1, 9}});
    if (operation == nullptr) return;
    CollectiveRecord r{.correlation = a.correlation, .operation = b_.intern(operation)};
    r.group = b_.intern("0"), r.ranks = b_.intern("[0, 1, 2, 3]"), r.group_size = size;
    r.in_bytes = r.out_bytes = bytes;
    b_.add_collective(r);
  }
  std::shared_ptr<const Capture> finish() { return *b_.finish(); }

 private:
  Activity activity(const char* name, uint32_t rank, size_t stream, int64_t at, int64_t us, uint32_t step) {
    Activity a;
    a.name = b_.intern(name);
    a.track = streams_[rank][stream];
    a.start_ns = at * kUs, a.duration_ns = us * kUs;
    a.step = step;
    return a;
  }
  CaptureBuilder b_;
  std::vector<std::array<TrackId, 2>> streams_;
  uint64_t correlation_ = 0;
};

TEST(Collectives, NamesOfTracesAndKernels) {
  const std::pair<const char*, CollectiveKind> names[] = {
      {"allreduce", CollectiveKind::all_reduce},
      {"_allgather_base", CollectiveKind::all_gather},
      {"all_gather_into_tensor_coalesced", CollectiveKind::all_gather},
      {"_reduce_scatter_base", CollectiveKind::reduce_scatter},
      {"all_to_allv", CollectiveKind::all_to_all},
      {"alltoallv", CollectiveKind::all_to_all},
      {"ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long)", CollectiveKind::broadcast},
      {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", CollectiveKind::point_to_point},
      {"recv", CollectiveKind::point_to_point},
      {"ncclDevKernel_Reduce_Sum_f32", CollectiveKind::reduce},
      {"gather", CollectiveKind::gather},
      {"scatter", CollectiveKind::scatter},
      {"barrier", CollectiveKind::barrier},
      {"void mscclKernel<x>(int)", CollectiveKind::unknown}};
  for (const auto& [name, kind] : names) EXPECT_EQ(collective_kind(name), kind) << name;
}

TEST(Collectives, FactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::all_reduce, 4), 1.5);
  for (const CollectiveKind kind :
       {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_to_all})
    EXPECT_DOUBLE_EQ(bus_factor(kind, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::broadcast, -1), 1);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::reduce, 8), 1);
  EXPECT_TRUE(std::isnan(bus_factor(CollectiveKind::all_reduce, -1)));
  EXPECT_TRUE(std::isnan(bus_factor(CollectiveKind::barrier, 4)));
}

TEST(Collectives, ExposedTimeAndBandwidths) {
  Lab lab(1);
  lab.compute(0, 0, 100);
  lab.collective(0, "allreduce", 6'000'000, 50, 100);   // 50 of 100 us exposed
  lab.collective(0, "allreduce", 2'000'000, 400, 100);  // all of it
  lab.collective(0, nullptr, 0, 600, 10);
  const auto capture = lab.finish();
  const Collectives all = collectives(*capture);
  ASSERT_EQ(all.rows.size(), 2u) << "a kernel without a record has a row of its own: its group is unknown";
  const CollectiveRow& r = all.rows[0];
  EXPECT_EQ(r.operation, "allreduce");
  EXPECT_EQ(r.count, 2);
  EXPECT_DOUBLE_EQ(r.time_ns, 200'000);
  EXPECT_DOUBLE_EQ(r.exposed_ns, 150'000);
  EXPECT_DOUBLE_EQ(r.bytes, 8e6);
  EXPECT_DOUBLE_EQ(r.algorithm_bytes_per_s, 40e9);
  EXPECT_DOUBLE_EQ(r.bus_bytes_per_s, 60e9);
  EXPECT_TRUE(std::isnan(r.skew_ns));
  EXPECT_EQ(all.rows[1].sized, 0);
  EXPECT_TRUE(std::isnan(all.rows[1].bytes));
  EXPECT_TRUE(std::isnan(all.rows[1].bus_bytes_per_s));
  const Table table = communication_table(*capture, all);
  for (const char* key :
       {"collective", "count", "bytes", "time_ns", "exposed_ns", "algorithm_bytes_per_s", "bus_bytes_per_s"}) {
    EXPECT_EQ(std::ranges::count(table.columns, key, &Column::key), 1) << key;
  }
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[1][4])) << "unknown bytes are null";
  const auto sentences = communication_sentences(*capture, all);
  ASSERT_EQ(sentences.size(), 3u);
  EXPECT_NE(sentences[1].find("bytes of 1 of 3 calls are unknown"), std::string::npos) << sentences[1];
  EXPECT_NE(sentences[2].find("one rank"), std::string::npos) << sentences[2];
}

TEST(Collectives, OneSidedSizesFollowFromTheRanks) {
  CaptureBuilder b;
  Activity a;
  a.name = b.intern("ncclDevKernel_AllGather_RING_LL");
  a.track = b.track(TrackKind::stream, "stream 9", "GPU 0");
  a.duration_ns = 1000;
  for (uint64_t i = 1; i <= 2; ++i) {
    a.correlation = i, a.start_ns = static_cast<int64_t>(10'000 * i);
    b.add_kernel(a, {.place = {0, 1, 9}});
    CollectiveRecord r{.correlation = i, .operation = b.intern(i == 1 ? "_allgather_base" : "_reduce_scatter_base")};
    (i == 1 ? r.in_bytes : r.out_bytes) = 1000;
    r.group_size = 8;
    b.add_collective(r);
  }
  const Collectives all = collectives(**b.finish());
  ASSERT_EQ(all.calls.size(), 2u);
  EXPECT_DOUBLE_EQ(all.calls[0].bytes, 8000);
  EXPECT_DOUBLE_EQ(all.calls[1].bytes, 8000);
}

TEST(Collectives, RanksAreComparedCallByCall) {
  Lab lab(2, 1000, 2);
  for (uint32_t step = 0; step < 2; ++step) {
    const int64_t from = step * 1000;
    lab.collective(0, "allreduce", 1'000'000, from + 100, 300, step);
    lab.collective(1, "allreduce", 1'000'000, from + 350, 50, step);  // 250 us late
  }
  const auto capture = lab.finish();
  const Collectives all = collectives(*capture);
  EXPECT_EQ(all.compared, 4);
  ASSERT_EQ(all.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(all.rows[0].skew_ns, 250'000);
  EXPECT_DOUBLE_EQ(all.rows[0].wait_ns, 500'000);
  EXPECT_DOUBLE_EQ(all.rows[1].wait_ns, 0);
  const auto list = findings(*analyze(capture));
  const auto straggler = std::ranges::find(list, "straggler", &RunFinding::rule);
  ASSERT_NE(straggler, list.end());
  EXPECT_NE(straggler->sentence.find("rank 1 arrives last at 2 of 2"), std::string::npos) << straggler->sentence;
  EXPECT_DOUBLE_EQ(straggler->gain_ns, 250'000);
}

TEST(Collectives, ClocksThatDisagreeAndCutWindowsCompareNothing) {
  Lab apart(2);
  apart.collective(0, "allreduce", 1000, 0, 50);
  apart.collective(1, "allreduce", 1000, 500, 50);
  const auto capture = apart.finish();
  const Collectives all = collectives(*capture);
  EXPECT_EQ(all.contradicted, 2);
  EXPECT_TRUE(std::isnan(all.rows[0].skew_ns));
  EXPECT_NE(communication_sentences(*capture, all).back().find("clocks"), std::string::npos);
  Lab cut(2);
  cut.collective(0, "allreduce", 1000, 0, 50);
  cut.collective(0, "allreduce", 1000, 100, 50);
  cut.collective(1, "allreduce", 1000, 100, 50);
  EXPECT_EQ(collectives(*cut.finish()).compared, 0) << "which of the two it was is not known";
}

TEST(Collectives, ManySmallOnesAreAFinding) {
  Lab lab(1, 5000);
  lab.collective(0, "allreduce", 100'000'000, 0, 1000);
  for (int i = 0; i < 30; ++i) lab.collective(0, "allreduce", 10'000, 1000 + 60 * i, 50);
  const auto list = findings(*analyze(lab.finish()));
  const auto small = std::ranges::find(list, "small-collectives", &RunFinding::rule);
  ASSERT_NE(small, list.end());
  EXPECT_NE(small->sentence.find("30 small allreduce calls"), std::string::npos) << small->sentence;
  EXPECT_NEAR(small->gain_ns, 30 * (50'000 - 100), 1);
  Lab few(1, 5000);
  few.collective(0, "allreduce", 100'000'000, 0, 1000);
  for (int i = 0; i < 5; ++i) few.collective(0, "allreduce", 10'000, 1000 + 60 * i, 50);
  EXPECT_EQ(std::ranges::count(findings(*analyze(few.finish())), "small-collectives", &RunFinding::rule), 0);
}

}  // namespace
}  // namespace profiler
