// SPDX-License-Identifier: Apache-2.0
// The loader's lanes of one process and of several ranks.
#include "profiler/analysis/base/pipeline.h"

#include <gtest/gtest.h>

#include "profiler/base/lane_names.h"
#include "profiler/capture/capture_builder.h"

namespace profiler {
namespace {

/// Ranks that read and wait in each of 4 steps; rank r's clock is an hour ahead of that of rank r - 1, and it reads r
/// ms longer.
std::shared_ptr<const Capture> loading_ranks(uint32_t ranks) {
  constexpr int64_t kStep = 10'000'000, kHour = int64_t{3600} * 1'000'000'000;
  CaptureBuilder builder;
  builder.run().workload = builder.run().title = "loading";
  builder.run().source = "Tensortide";
  for (uint32_t s = 0; s < 4; ++s) builder.add_step({s, s * kStep, kStep, true, s == 0});
  for (uint32_t r = 0; r < ranks; ++r) {
    const std::string group =
        (ranks > 1 ? "rank " + std::to_string(r) + " · " : std::string()) + std::string(kLoaderGroup);
    const TrackId read = builder.track(TrackKind::host_thread, std::string(kReadLane), group),
                  wait = builder.track(TrackKind::host_thread, std::string(kWaitLane), group);
    RankRecord rank{.name = builder.intern("rank " + std::to_string(r)), .steps = {}, .tracks = {read, wait}};
    for (uint32_t s = 0; s < 4; ++s) {
      const int64_t begin = r * kHour + s * kStep;
      rank.steps.push_back({s, begin, kStep, true, s == 0});
      for (const auto& [track, ns] :
           {std::pair(read, int64_t{6'000'000} + r * 1'000'000), std::pair(wait, int64_t{2'000'000})}) {
        Activity a;
        a.start_ns = begin + 1000, a.duration_ns = ns, a.track = track, a.kind = ActivityKind::range, a.step = s,
        a.name = builder.intern("load");
        builder.add_activity(a);
      }
    }
    if (ranks > 1) builder.add_rank(std::move(rank));
  }
  const auto capture = builder.finish();
  EXPECT_TRUE(capture.ok());
  return *capture;
}

TEST(Pipeline, LanesOfRanksStandUnderOneNameEachWithinItsOwnSteps) {
  for (const uint32_t ranks : {1u, 2u, 3u}) {
    const Pipeline p = pipeline(*loading_ranks(ranks));
    ASSERT_EQ(p.lanes.size(), 3u) << ranks;
    const auto read = std::ranges::find(p.lanes, kReadLane, &PipelineLane::name);
    ASSERT_NE(read, p.lanes.end());
    EXPECT_EQ(read->batches, 3 * static_cast<int64_t>(ranks)) << "the warm-up of no rank counts";
    EXPECT_DOUBLE_EQ(read->busy_ns, 6e6 + 0.5e6 * (ranks - 1)) << ranks;
    EXPECT_DOUBLE_EQ(p.step_ns, 10e6);
    EXPECT_DOUBLE_EQ(p.wait_ns, 2e6);
  }
}

TEST(Pipeline, OnlyTheLoadersGroupIsOne) {
  EXPECT_TRUE(is_loader_group("Loader"));
  EXPECT_TRUE(is_loader_group("rank 12 · Loader"));
  for (const char* other : {"", "loader", "Loader 2", "DataLoader", "my Loader", " · "})
    EXPECT_FALSE(is_loader_group(other)) << other;
}

}  // namespace
}  // namespace profiler
