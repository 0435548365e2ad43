// SPDX-License-Identifier: Apache-2.0
// Modelled against simulated and measured bytes: told of when they are far apart and matter, silent else; and what a
// step is made of.
#include "profiler/analysis/bytes_apart.h"

#include <gtest/gtest.h>

#include "profiler/analysis/known_bytes.h"
#include "profiler/analysis/step_shares.h"
#include "tests/support/op_lab.h"

namespace profiler {
namespace {

using tests::OpLab;
constexpr double kModelled =
    3.0 * 64 * (1 << 20);  ///< of a stream over 64 MiB arrays: the lines of the store are fetched first

/// Two streams that no cache holds, and what another origin says of their DRAM bytes.
std::shared_ptr<const Analyzed> lab(Origin origin, double first, double second, const std::string& note = {}) {
  OpLab net;
  for (int i = 0; i < 2; ++i) net.op("relu", {net.tensor(64 << 20)}, {net.tensor(64 << 20)}, 1e6, 1e6 * (i + 1));
  TrafficSource s;
  s.origin = origin;
  s.links = {{"DRAM", "L3", 32 << 20}};
  s.op_notes = {note, note};
  s.records = {{.op = 0, .link = 0, .read_bytes = first, .written_bytes = 0},
               {.op = 1, .link = 0, .read_bytes = second, .written_bytes = 0}};
  const auto capture = CaptureBuilder::with_traffic(*net.finish(), s);
  EXPECT_TRUE(capture.ok()) << (capture.ok() ? "" : capture.error().message);
  return capture.ok() ? analyze(*capture) : nullptr;
}

const std::vector<OpId> kBoth{0, 1};

TEST(BytesApart, TellsWhichCountsAndWhy) {
  const auto analyzed = lab(Origin::simulated, 10 * kModelled, 1.1 * kModelled,
                            "accesses modelled: tiles as libraries make them, sizes assumed (it ran oneDNN)");
  ASSERT_DOUBLE_EQ(known_bytes(*analyzed, Origin::modelled, 0, "DRAM"), kModelled);
  const auto found = bytes_apart(*analyzed, kBoth, "DRAM");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->preferred, Origin::simulated);
  EXPECT_EQ(found->apart, 1u);
  EXPECT_EQ(found->ops, 2u);
  EXPECT_EQ(found->worst, 0u);
  EXPECT_DOUBLE_EQ(found->preferred_bytes, 11.1 * kModelled);
  EXPECT_DOUBLE_EQ(found->modelled_bytes, 2 * kModelled);
  EXPECT_EQ(bytes_apart_words(*analyzed->capture, std::span(&*found, 1)),
            "Simulated and modelled bytes are more than 2x apart at DRAM for 1 of 2 ops (net/relu0: 2.01 GB and 201 "
            "MB). The simulated ones count: they follow each access through the caches; the order of some accesses "
            "(loops of libraries, indices) is assumed.");
  const std::vector<OpId> one{0};
  const std::string of_one = bytes_apart_words(*analyzed->capture, bytes_apart(*analyzed, one));
  EXPECT_TRUE(of_one.starts_with(
      "Simulated and modelled bytes are more than 2x apart at DRAM (2.01 GB and 201 MB). The simulated ones count"))
      << of_one;
  BytesApart nearer = *found;
  nearer.outer = "L2", nearer.apart = 2;
  const std::string both = bytes_apart_words(*analyzed->capture, std::vector{*found, nearer});
  EXPECT_NE(both.find("at DRAM for 1 of 2 ops (net/relu0: 2.01 GB and 201 MB) and at L2 for 2 (most for net/relu0: "
                      "2.01 GB and 201 MB). The"),
            std::string::npos)
      << both;
  EXPECT_EQ(bytes_apart_words(*analyzed->capture, {}), "");
  EXPECT_EQ(bytes_apart(*analyzed, kBoth).size(), 1u) << "the other links are known in one way only";
}

TEST(BytesApart, MeasuredBytesCountBecauseTheyWereCounted) {
  const auto analyzed = lab(Origin::measured, kModelled / 3, kModelled);
  const auto found = bytes_apart(*analyzed, kBoth, "DRAM");
  ASSERT_TRUE(found.has_value());
  const std::string words = bytes_apart_words(*analyzed->capture, std::span(&*found, 1));
  EXPECT_TRUE(words.starts_with("Measured and modelled bytes") &&
              words.ends_with("The measured ones count: the processor counted them."))
      << words;
}

TEST(BytesApart, IsSilentWhereTheyAgreeOrDoNotMatter) {
  EXPECT_FALSE(bytes_apart(*lab(Origin::simulated, 1.9 * kModelled, 0.6 * kModelled), kBoth, "DRAM").has_value());
  OpLab net;
  net.op("relu", {net.tensor(1 << 20)}, {net.tensor(1 << 20)}, 1e6, 1e6);
  const auto plain = analyze(net.finish());
  const std::vector<OpId> one{0};
  EXPECT_TRUE(bytes_apart(*plain, one).empty()) << "modelled alone";
  // 0 against a million bytes is apart in any case; but not where a step moves a thousand times that.
  OpLab two;
  two.op("relu", {two.tensor(1 << 20)}, {two.tensor(1 << 20)}, 1e6, 1e6);
  two.op("relu", {two.tensor(512 << 20)}, {two.tensor(512 << 20)}, 1e6, 1e6);
  TrafficSource s;
  s.origin = Origin::simulated;
  s.links = {{"DRAM", "L3", 32 << 20}};
  s.records = {{.op = 0, .link = 0, .read_bytes = 1e7, .written_bytes = 0},
               {.op = 1, .link = 0, .read_bytes = 1.5e9, .written_bytes = 0}};
  const auto analyzed = analyze(*CaptureBuilder::with_traffic(*two.finish(), s));
  EXPECT_FALSE(bytes_apart(*analyzed, kBoth, "DRAM").has_value());
  EXPECT_TRUE(bytes_apart(*analyzed, one, "DRAM").has_value()) << "of the op alone it matters";
}

TEST(BytesApart, TheSizeThatModelledBytesHangOnIsNamed) {
  const auto analyzed = lab(Origin::simulated, 1, 1);
  EXPECT_EQ(last_cache_words(analyzed->model), "the 32 MiB of L3 that the system claims")
      << "no reading of the probe said otherwise";
  EXPECT_NE(analyzed->model.method.find("L3 32 MiB as the system claims"), std::string::npos) << analyzed->model.method;
  OpLab smaller;
  smaller.op("relu", {smaller.tensor(1 << 20)}, {smaller.tensor(1 << 20)}, 1e6, 1e6);
  auto& levels = smaller.builder().machine().levels;
  levels[levels.size() - 2].specified_size_bytes = 480 << 20;
  const TrafficModel seen = analyze(smaller.finish())->model;
  EXPECT_EQ(last_cache_words(seen), "the 32 MiB of L3 that the probe saw");
  EXPECT_EQ(seen.method.find("L3 32 MiB as"), std::string::npos) << seen.method;
  TrafficModel unknown = analyzed->model;
  unknown.known = false;
  EXPECT_EQ(last_cache_words(unknown), "");
}

TEST(StepParts, AddUpToTheStep) {
  OpLab net;
  net.op("relu", {net.tensor(1 << 20)}, {net.tensor(1 << 20)}, 1e6, 1e6);
  net.op("relu", {net.tensor(1 << 20)}, {net.tensor(1 << 20)}, 1e6, 3e6, 0.1);
  const auto capture = net.finish();
  StepParts parts = step_parts(*analyze(capture));
  ASSERT_TRUE(parts.known());
  EXPECT_DOUBLE_EQ(parts.ops_ns, 4e6);
  EXPECT_DOUBLE_EQ(parts.step_ns, parts.ops_ns + parts.between_ns + parts.rest_ns);
  EXPECT_FALSE(parts.has_rest());
  EXPECT_EQ(step_parts_words(parts), "4.00 ms in ops (medians, summed) + 0 ns between ops");
  parts = {.step_ns = 7e6, .ops_ns = 2.8e6, .between_ns = 1.4e3, .rest_ns = 4.1986e6};
  EXPECT_EQ(step_parts_words(parts),
            "2.80 ms in ops (medians, summed) + 1.40 µs between ops + 4.20 ms unexplained "
            "(step-to-step variation)");
  parts = {.step_ns = 7e6, .ops_ns = 8e6, .between_ns = 0, .rest_ns = -1e6};
  EXPECT_EQ(step_parts_words(parts),
            "8.00 ms in ops (medians, summed) + 0 ns between ops - 1.00 ms unexplained "
            "(step-to-step variation)");
}

TEST(StepParts, AreUnknownWhereTimesOverlapOrThereAreNone) {
  OpLab net;
  net.op("relu", {net.tensor(1 << 20)}, {net.tensor(1 << 20)}, 1e6, 1e6);
  net.builder().run().source = "trace of another tool";
  EXPECT_FALSE(step_parts(*analyze(net.finish())).known());
  EXPECT_EQ(step_parts_words(step_parts(*analyze(OpLab().finish()))), "");
}

}  // namespace
}  // namespace profiler
