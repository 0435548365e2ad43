// SPDX-License-Identifier: Apache-2.0
// What is said where a roof is missing, or passed.
#include "profiler/analysis/roof_words.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profiler/analysis/base/time_origin.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/machine/roofs_trust.h"
#include "tests/profiler/analysis/verdict/verdict_ops.h"

namespace profiler {
namespace {

/// Three triads: at a part of the time that DRAM's roof demands, twice and half as fast again, and well below it.
/// `change`: of the capture.
template <class Change>
std::shared_ptr<const Analyzed> triads(const Change& change) {
  OpLab lab;
  add_triad(lab, kTriadNs / 2);
  add_triad(lab, kTriadNs / 1.15);
  add_triad(lab, kTriadNs / 0.8);
  change(lab.builder());
  return analyze(lab.finish());
}

void contains(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST(AboveRoof, SaysWhichOpsPassDramsRoofAndThatNobodyKnowsWhy) {
  const auto analyzed = triads([](CaptureBuilder&) {});
  const AboveRoof above = above_roof_ops(*analyzed);
  EXPECT_EQ(above.level, "DRAM");
  EXPECT_EQ(above.ops, 2u);
  EXPECT_EQ(above.of, 3u);
  EXPECT_EQ(above.worst, 0u);
  EXPECT_NEAR(above.bytes_per_s, 40e9, 1e8);
  EXPECT_NEAR(above.roof_bytes_per_s, 20e9, 1e8);
  EXPECT_EQ(above.served, 0u);
  EXPECT_EQ(above.in_band, 1u) << "15 % are within the model's band";
  const std::string words = above_roof_words(*analyzed);
  contains(words, "DRAM traffic (modelled bytes, measured time) is above its measured roof in 2 of 3 ops (most in ");
  contains(words, ": 40.0 GB/s, the roof of 2 threads at 25 % writes is 20.0 GB/s)");
  const Table roofs = roofs_table(*analyzed);
  EXPECT_EQ(std::get<std::string>(roofs.rows.back()[0]), "DRAM 20.0 GB/s, 2 threads at 25 % writes");
  contains(words, "caches may have served part of those bytes in 1 of them, within the model's error band");
  contains(words, "in 1 of them caches served more than modelled, or the roof was measured too low");
  contains(words, "imulate");
}

/// The triads with so many of their bytes simulated to come from DRAM.
std::shared_ptr<const Analyzed> simulated_triads(double part) {
  return triads([part](CaptureBuilder& builder) {
    TrafficSource source;
    source.origin = Origin::simulated;
    source.links = {{"DRAM", "L3", 32 << 20}};
    for (const OpId op : {0, 1, 2})
      source.records.push_back({.op = op,
                                .link = 0,
                                .read_bytes = part * kTriadBytes,
                                .written_bytes = 0,
                                .write_allocate_bytes = 0,
                                .error_band = 0.05});
    builder.add_traffic(source);
  });
}

TEST(AboveRoof, SimulatedBytesThatAreAboveItTooClearTheCaches) {
  const auto analyzed = simulated_triads(1.2);
  EXPECT_EQ(above_roof_ops(*analyzed).confirmed, 2u);
  const std::string words = above_roof_words(*analyzed);
  contains(words, "measured or simulated bytes exceed it too, in all of them: the roof was measured too low");
  EXPECT_EQ(words.find("caches"), std::string::npos) << words;
}

TEST(AboveRoof, SimulatedBytesTellWhatCachesServed) {
  const auto analyzed = simulated_triads(0.3);
  EXPECT_EQ(above_roof_ops(*analyzed).served, 2u);
  const std::string words = above_roof_words(*analyzed);
  contains(words, "caches served part of those bytes in all of them; measured or simulated bytes are below the roof");
  EXPECT_EQ(words.find("--collect"), std::string::npos) << words;
}

TEST(AboveRoof, AWeakRoofIsSaid) {
  const auto analyzed = triads([](CaptureBuilder& builder) { builder.machine().foreign_load_ratio = 0.5; });
  contains(above_roof_words(*analyzed), "in 1 of them the roof has low confidence, or caches served more");
}

TEST(AboveRoof, NothingIsSaidBelowIt) {
  OpLab lab;
  add_triad(lab, kTriadNs / 0.9);
  const auto analyzed = analyze(lab.finish());
  EXPECT_EQ(above_roof_ops(*analyzed).of, 1u);
  EXPECT_EQ(above_roof_words(*analyzed), "");
}

TEST(NoRoofs, TheReasonAndWhatMakesThemAvailable) {
  const auto words = [](const auto& change) {
    OpLab lab;
    add_triad(lab, kTriadNs);
    change(lab.builder());
    return no_roofs_words(*lab.finish());
  };
  EXPECT_EQ(words([](CaptureBuilder&) {}), "");
  contains(words([](CaptureBuilder& b) { b.machine() = Machine{}; }), "Run `tensortide probe`, then record again");
  EXPECT_EQ(words([](CaptureBuilder& b) { b.run().source = "kineto"; }), "") << "this machine's, as the user said";
  contains(words([](CaptureBuilder& b) { b.run().source = "kineto", b.machine() = Machine{}; }), "an imported trace");
  contains(words([](CaptureBuilder& b) { b.run().device = "null"; }), "the device null computes nothing");
  contains(words([](CaptureBuilder& b) { b.run().device = "sim:1"; }), "the ops ran on device sim:1");
  contains(words([](CaptureBuilder& b) { b.run().threads = 7; }),
           "measured for 2 threads, and the ops ran on 7. Measure the roofs with that number");
  contains(words([](CaptureBuilder& b) {
             std::erase_if(b.machine().compute, [](const ComputeRoof& roof) { return roof.threads != 1; });
             for (BandwidthRoof& roof : b.machine().bandwidth) roof.threads = 1;
             if (b.machine().compute.empty())
               b.machine().compute.push_back({engine::DType::float32, 1, {1e9, 1e9, 1e9, 5}, "lab"});
             b.run().threads = 7;
           }),
           "measured for 1 thread, and the ops ran on 7");
  contains(words([](CaptureBuilder& b) {
             b.run().threads = 7;
             b.machine().unfinished = {"L2 read, 7 threads"};
           }),
           "the probe ran out of time before it measured those of 7 threads. Run `tensortide probe`, then");
}

TEST(UnboundedOps, AMissingRoofIsNamedWithItsReasonAndNoShareIsShown) {
  const auto run = [](bool unfinished) {
    OpLab lab;
    add_triad(lab, kTriadNs);
    add_gemm(lab, kGemmNs);
    std::erase_if(lab.builder().machine().bandwidth, [](const BandwidthRoof& roof) { return roof.level != "L1"; });
    if (unfinished) lab.builder().machine().unfinished = {"L2 read, 2 threads"};
    return analyze(lab.finish());
  };
  const auto cut = run(true);
  contains(unbounded_words(*cut),
           "the probe ran out of time before it measured DRAM bandwidth at 2 threads: run `tensortide probe`, then "
           "record again");
  contains(all(cut->verdicts[0]), "the probe ran out of time before it measured DRAM bandwidth");
  EXPECT_EQ(unbounded_words(*cut).find("--threads"), std::string::npos) << "all cores are measured always";
  EXPECT_TRUE(std::isnan(summary(*cut).roof_ratio)) << "no op has a known roof, so the step has none";
  const auto other = run(false);
  contains(unbounded_words(*other), "measure the roofs with that number of threads");
  OpLab whole;
  add_gemm(whole, kGemmNs * 2);
  const auto known = analyze(whole.finish());
  EXPECT_EQ(unbounded_words(*known), "");
  EXPECT_NEAR(summary(*known).roof_ratio, 0.5, 0.05);
}

TEST(UnboundedOps, AnEmulatedOrNullDeviceIsNotSentToTheProbe) {
  for (const char* device : {"emu:0", "null"}) {
    OpLab lab;
    add_triad(lab, kTriadNs);
    lab.builder().run().device = device;
    lab.builder().machine() = Machine{};
    const auto analyzed = analyze(lab.finish());
    for (const std::string& text : {unbounded_words(*analyzed), analyzed->model.unknown_reason,
                                    no_rates_words(*analyzed->capture), all(analyzed->step)}) {
      EXPECT_FALSE(text.empty()) << device;
      EXPECT_EQ(text.find("probe"), std::string::npos) << device << ": " << text;
    }
  }
}

}  // namespace
}  // namespace profiler
