// SPDX-License-Identifier: Apache-2.0
// The model's figures as records, and which source counts where several know.
#include <gtest/gtest.h>

#include "profiler/capture/capture_builder.h"
#include "profiler/memory/traffic.h"
#include "tests/support/op_lab.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

TEST(TrafficSources, RecordsOfTheModelAddUpToIt) {
  const auto capture = tests::sample_capture();
  const TrafficModel model = model_traffic(*capture);
  ASSERT_TRUE(model.known) << model.unknown_reason;
  const TrafficSource source = modelled_traffic(*capture, model);
  EXPECT_EQ(source.links.front().outer, "DRAM");
  EXPECT_EQ(source.link_between("DRAM", "L3"), 0u);
  EXPECT_EQ(source.link_between("DRAM", "L1"), source.links.size());
  for (const OpRecord& op : capture->ops()) {
    EXPECT_EQ(source.of(op.id).empty(), op.view);
    for (uint32_t l = 0; l < model.links.size() && !op.view; ++l) {
      const TrafficRecord* sum = source.of(op.id, l);
      ASSERT_NE(sum, nullptr);
      EXPECT_DOUBLE_EQ(sum->total_bytes(), model.op_levels[op.id][l].total());
      EXPECT_DOUBLE_EQ(sum->error_band, model.error_band[l] * (sum->near_capacity ? 2 : 1));
      double parts = 0;
      for (const TrafficRecord& r : source.of(op.id)) {
        if (r.link == l && r.tensor != kNoTensor) parts += r.total_bytes();
      }
      EXPECT_NEAR(parts, sum->total_bytes(), 1e-9 * parts);
    }
  }
}

TEST(TrafficSources, WithoutAProbeNothingIsKnownAndNothingIsZero) {
  CaptureBuilder b = tests::sample_builder();
  b.machine().probed_at.clear();
  const auto capture = *b.finish();
  const TrafficSources sources(capture, model_traffic(*capture));
  for (const TrafficRecord& r : sources.modelled().records) EXPECT_FALSE(r.known());
  EXPECT_NE(sources.modelled().method.find("tensortide probe"), std::string::npos);
  EXPECT_FALSE(sources.best(tests::SampleOps::conv, "DRAM").known());
}

TEST(TrafficSources, MeasuredComesBeforeSimulatedBeforeModelled) {
  const auto plain = tests::sample_capture();
  const auto add = [](const Capture& c, Origin origin, double bytes) {
    TrafficSource s;
    s.origin = origin;
    s.links = {{"DRAM", "L3", 1e6}};
    s.records = {{.op = 0, .link = 0, .read_bytes = bytes, .written_bytes = 0}, {.op = 1, .link = 0}};
    return *CaptureBuilder::with_traffic(c, s);
  };
  const auto best = [](const std::shared_ptr<const Capture>& c, OpId op, const char* outer) {
    const TrafficSources sources(c, model_traffic(*c));
    const KnownTraffic k = sources.best(op, outer);
    return k.known() ? k.record->read_bytes : -1;
  };
  const double modelled = best(plain, 0, "DRAM");
  EXPECT_GT(modelled, 0);
  const auto simulated = add(*plain, Origin::simulated, 7), both = add(*simulated, Origin::measured, 9);
  EXPECT_EQ(best(simulated, 0, "DRAM"), 7);
  EXPECT_EQ(best(both, 0, "DRAM"), 9);
  EXPECT_EQ(best(both, 1, "DRAM"), best(plain, 1, "DRAM")) << "an op that was not simulated keeps its model";
  EXPECT_EQ(best(both, 0, "L3"), best(plain, 0, "L3"));
  EXPECT_EQ(best(both, 0, "tape"), -1);
  EXPECT_EQ(TrafficSources().best(0, "DRAM").known(), false);
}

}  // namespace
}  // namespace profiler
