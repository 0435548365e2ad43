// SPDX-License-Identifier: Apache-2.0
// The alias table against CUPTI's own tables of all chips: a renamed counter, or a set that no longer fits into one
// pass, fails here, without a GPU.
#include "profiler/cupti/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/profiler/cupti/records.h"

namespace profiler::cupti {
namespace {

class Metrics : public testing::Test {
 protected:
  void SetUp() override {
    if (real_cupti() == nullptr || !real_cupti()->no_counters.empty())
      GTEST_SKIP() << "no CUPTI with libnvperf on this machine";
  }
  static MetricChoice choice(const std::string& chip, CounterSet set = CounterSet::traffic) {
    auto chosen = choose_metrics(real_cupti()->api, chip, nullptr, set);
    EXPECT_TRUE(chosen.ok()) << chip << ": " << (chosen ? "" : chosen.error().message);
    return chosen ? *std::move(chosen) : MetricChoice{};
  }
  static bool has(const MetricChoice& c, const char* key) {
    return std::ranges::find(c.metrics, key, &ChosenMetric::key) != c.metrics.end();
  }
};

TEST_F(Metrics, HopperHasAllOfThemInOnePass) {
  const MetricChoice c = choice("GH100");
  EXPECT_EQ(c.passes, 1u);
  EXPECT_EQ(c.metrics.size(), metric_specs(CounterSet::traffic).size());
  EXPECT_TRUE(c.missing.empty()) << c.missing.front();
  EXPECT_FALSE(c.config_image.empty());
}

TEST_F(Metrics, HitRatesOfHopperFitIntoOnePassToo) {
  const MetricChoice c = choice("GH100", CounterSet::hit_rates);
  EXPECT_EQ(c.passes, 1u);
  EXPECT_TRUE(c.missing.empty()) << c.missing.front();
  EXPECT_TRUE(has(c, "l2_hit_ratio") && has(c, "l1_hit_ratio"));
}

TEST_F(Metrics, HopperIsSampledForAllOfThemAtOnce) {
  const MetricChoice c = choice("GH100", CounterSet::samples);
  EXPECT_EQ(c.passes, 1u);
  EXPECT_TRUE(c.missing.empty()) << c.missing.front();
  EXPECT_EQ(c.metrics.size(), metric_specs(CounterSet::samples).size());
  const auto tensor = std::ranges::find(c.metrics, "tensor_active_ratio", &ChosenMetric::key);
  ASSERT_NE(tensor, c.metrics.end());
  EXPECT_EQ(tensor->source, "sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed")
      << "the counter that is made for sampling comes first";
}

/// Those that sampling knows: all since Turing. What a chip lacks is left out, never the rest.
TEST_F(Metrics, EveryChipIsSampledForWhatItHas) {
  const auto chips = supported_chips(real_cupti()->api);
  ASSERT_TRUE(chips.ok());
  const std::set<std::string> without_dram{"GA10B", "GB10B", "GB20B"};
  for (const std::string& chip : *chips) {
    if (chip.starts_with("GV")) continue;  // CUDA 13 no longer runs there
    const MetricChoice c = choice(chip, CounterSet::samples);
    EXPECT_EQ(c.passes, 1u) << chip;
    EXPECT_TRUE(has(c, "sm_active_ratio") && has(c, "sm_clock_hz")) << chip;
    EXPECT_EQ(has(c, "dram_read_bytes") && has(c, "dram_written_bytes"), !without_dram.contains(chip)) << chip;
  }
}

TEST_F(Metrics, EveryChipGivesWhatItHasInOnePass) {
  const auto chips = supported_chips(real_cupti()->api);
  ASSERT_TRUE(chips.ok());
  EXPECT_GE(chips->size(), 20u);
  // integrated GPUs have no memory of their own
  const std::set<std::string> without_dram{"GA10B", "GB10B", "GB20B"};
  for (const std::string& chip : *chips) {
    if (chip < "TU" && chip.starts_with("GV")) continue;  // CUDA 13 no longer runs there
    const MetricChoice c = choice(chip);
    EXPECT_EQ(c.passes, 1u) << chip;
    EXPECT_TRUE(has(c, "time_ns")) << chip;
    EXPECT_TRUE(has(c, "l2_read_bytes") && has(c, "l2_written_bytes")) << chip;
    EXPECT_EQ(has(c, "dram_read_bytes") && has(c, "dram_written_bytes"), !without_dram.contains(chip)) << chip;
  }
}

TEST_F(Metrics, ChipsThatRenamedDramAreKnownByTheirNames) {
  const MetricChoice c = choice("GB202");
  const auto read = std::ranges::find(c.metrics, "dram_read_bytes", &ChosenMetric::key);
  ASSERT_NE(read, c.metrics.end());
  EXPECT_EQ(read->source, "dram__bytes_op_read.sum");
}

TEST_F(Metrics, AnUnknownChipIsRefusedByName) {
  const auto refused = choose_metrics(real_cupti()->api, "GX999", nullptr, CounterSet::traffic);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("no counters for chip \"GX999\""), std::string::npos)
      << refused.error().message;
}

TEST(MetricSpecs, KeysEndInTheirUnitAndAreUnique) {
  for (const CounterSet set : {CounterSet::traffic, CounterSet::hit_rates, CounterSet::samples}) {
    std::set<std::string_view> keys;
    for (const MetricSpec& spec : metric_specs(set)) {
      EXPECT_TRUE(keys.insert(spec.key).second) << spec.key;
      const bool unit = spec.key.ends_with("_bytes") || spec.key.ends_with("_ns") || spec.key.ends_with("_ratio") ||
                        spec.key.ends_with("_hz") || spec.key.ends_with("_cycles");
      EXPECT_TRUE(unit) << spec.key;
      EXPECT_FALSE(spec.names.empty());
    }
  }
}

}  // namespace
}  // namespace profiler::cupti
