// SPDX-License-Identifier: Apache-2.0
// The fusion ledger: what is spared, from where, what it is predicted and found to gain, and what the world may not
// contain.
#include "profiler/analysis/fusion_ledger.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

using engine::FusionOutcome;
using tests::SampleOps;

TensorId output_of(const Capture& c, OpId op) {
  for (const OperandRecord& o : c.operands(c.ops()[op])) {
    if (o.output) return o.tensor;
  }
  return kNoTensor;
}

constexpr int64_t kActivation = int64_t{16} * 32 * 64 * 64 * 4;

/// The sample, with the pairs conv -> relu and relu -> pool.
CaptureBuilder with_pairs(FusionOutcome first) {
  CaptureBuilder builder = tests::sample_builder();
  const Capture& c = builder.so_far();
  const auto pair = [&](OpId from, OpId to, FusionOutcome outcome) {
    builder.add_fusion_pair(
        {from, to, c.ops()[from].name, c.ops()[to].name, output_of(c, from), kActivation, kActivation, outcome});
  };
  pair(SampleOps::conv, SampleOps::relu, first);
  pair(SampleOps::relu, SampleOps::pool, FusionOutcome::reduction);
  return builder;
}

std::shared_ptr<const Analyzed> analyzed(CaptureBuilder builder) {
  auto capture = builder.finish();
  EXPECT_TRUE(capture.ok()) << (capture ? "" : capture.error().message);
  return analyze(*std::move(capture));
}

TEST(FusionLedger, PredictsFromTheBandwidthOfTheLevelThatHoldsTheValue) {
  const auto a = analyzed(with_pairs(FusionOutcome::possible));
  const FusionLedger ledger = fusion_ledger(*a);
  ASSERT_EQ(ledger.rows.size(), 2u);
  const FusionLedgerRow& row = ledger.rows[0];
  EXPECT_EQ(row.level, "DRAM") << "8 MiB do not fit the 4 MiB the last cache is worth";
  EXPECT_EQ(row.spared_bytes, 2 * kActivation);
  EXPECT_EQ(row.dispatches, 1);
  const Machine& machine = a->capture->machine();
  const auto bandwidth = machine.bandwidth_for("DRAM", kActivation, kActivation, a->capture->run().threads);
  ASSERT_TRUE(bandwidth.has_value());
  EXPECT_NEAR(row.predicted_ns, 2.0 * kActivation / *bandwidth * 1e9 + machine.fork_join_ns, 1);
  EXPECT_TRUE(std::isnan(ledger.rows[1].predicted_ns)) << "a reduction reads it: nothing to gain";
  EXPECT_EQ(ledger.rows[1].spared_bytes, 0);
  EXPECT_EQ(ledger.possible_bytes, 2 * kActivation);
  EXPECT_EQ(ledger.spared_bytes, 0);
  EXPECT_TRUE(ledger.groups.empty());
  ASSERT_EQ(ledger.findings.size(), 2u);
  EXPECT_NE(ledger.findings[0].find("1 of 2 pairs could be fused"), std::string::npos) << ledger.findings[0];
  const Table table = fusion_table(*a);
  EXPECT_EQ(std::get<std::string>(table.rows[0][5]), "possible");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[1].back())) << "unknown is unknown";
}

TEST(FusionLedger, WhatWasObtainedIsTheDifferenceOfTwoCaptures) {
  const auto off = analyzed(with_pairs(FusionOutcome::possible));
  CaptureBuilder builder = tests::sample_builder();
  const Capture& c = builder.so_far();
  const NameId conv = c.ops()[SampleOps::conv].name, relu = c.ops()[SampleOps::relu].name;
  builder.add_fused_member({SampleOps::relu, conv, c.ops()[SampleOps::conv].type, 1});
  builder.add_fused_member({SampleOps::relu, relu, c.ops()[SampleOps::relu].type, 1});
  builder.add_fusion_pair({SampleOps::relu, SampleOps::relu, conv, relu, output_of(c, SampleOps::conv), kActivation,
                           kActivation, FusionOutcome::fused});
  builder.run().arguments["fuse"] = "on";
  const auto on = analyzed(std::move(builder));
  EXPECT_TRUE(check_fusion_partner(*on->capture, *off->capture).ok());
  EXPECT_FALSE(check_fusion_partner(*off->capture, *off->capture).ok());
  for (const auto& [self, other] : {std::pair(on, off), std::pair(off, on)}) {
    const FusionLedger ledger = fusion_ledger(*self, other.get());
    ASSERT_EQ(ledger.groups.size(), 1u);
    const double conv_ns = off->times[SampleOps::conv].ns.median, relu_ns = off->times[SampleOps::relu].ns.median;
    EXPECT_DOUBLE_EQ(ledger.groups[0].unfused_ns, conv_ns + relu_ns);
    EXPECT_DOUBLE_EQ(ledger.groups[0].obtained_ns(), conv_ns);  // the op of the fused capture takes relu's time here
    EXPECT_EQ(ledger.groups[0].spared_bytes, 2 * kActivation);
    EXPECT_GT(ledger.groups[0].predicted_ns, 0);
  }
  EXPECT_TRUE(std::isnan(fusion_ledger(*on).groups[0].obtained_ns())) << "without another capture nothing is known";
}

TEST(FusionLedger, ImpossibleRecordsAreRefused) {
  const auto refuse = [](FusionPairRecord pair, const char* words) {
    CaptureBuilder builder = tests::sample_builder();
    builder.add_fusion_pair(pair);
    const auto capture = builder.finish();
    ASSERT_FALSE(capture.ok());
    EXPECT_NE(capture.error().message.find(words), std::string::npos) << capture.error().message;
  };
  refuse({0, 1, 0, 0, 9999, 1, 1, FusionOutcome::possible}, "does not exist");
  refuse({0, 1, 0, 0, 0, -1, 1, FusionOutcome::possible}, "negative");
  refuse({0, 1, 0, 0, 0, 1, 1, FusionOutcome::fused}, "are inside one op");
  CaptureBuilder builder = tests::sample_builder();
  builder.add_fused_member({3, 0, 0, 1});
  builder.add_fused_member({1, 0, 0, 1});
  EXPECT_FALSE(builder.finish().ok()) << "members out of order";
}

}  // namespace
}  // namespace profiler
