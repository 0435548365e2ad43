// SPDX-License-Identifier: Apache-2.0
// Modelled traffic against hand counts: streams, reuse that fits and does not, arena addresses,
// matrix products.
#include "profiler/memory/traffic_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/op_lab.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

using tests::OpLab;
constexpr double kMiB = OpLab::kMiB;
// Links of the lab machine.
constexpr size_t kDram = 0, kL3 = 1, kL2 = 2, kCore = 3;

TEST(TrafficModel, NamesLinksFromDramInwards) {
  OpLab lab;
  lab.op("copy", {lab.tensor(64)}, {lab.tensor(64)});
  const TrafficModel m = model_traffic(*lab.finish());
  ASSERT_TRUE(m.known);
  EXPECT_EQ(m.links, (std::vector<std::string>{"DRAM", "L3", "L2", "L1"}));
  EXPECT_EQ(m.inner, (std::vector<std::string>{"L3", "L2", "L1", "core"}));
  EXPECT_EQ(m.capacity_bytes[kDram], 32 * kMiB) << "one L3 serves both threads";
  EXPECT_EQ(m.capacity_bytes[kL3], 2 * kMiB) << "each thread has an L2";
  EXPECT_EQ(m.shared, (std::vector<bool>{true, true, false, false}));
}

TEST(TrafficModel, AnOpOnOneThreadHasTheCachesOfOneCore) {
  const auto l3_read = [](int threads, const char* kernel) {
    OpLab lab;  // 1.5 MiB: fits the L2 of both cores, not that of one
    const OpId op = lab.op("relu", {lab.tensor(OpLab::kMiB)}, {lab.tensor(OpLab::kMiB / 2)}, 0, 1e6, 0, "net", kernel);
    if (threads > 0) lab.builder().set_threads(op, threads);
    const TrafficModel m = model_traffic(*lab.finish());
    EXPECT_EQ(m.capacity_bytes[kL3], 2 * kMiB) << "of the run";
    EXPECT_EQ(m.op_capacity_bytes[op][kL3], threads == 1 || std::string_view(kernel) != "lab" ? kMiB : 2 * kMiB);
    EXPECT_EQ(m.op_capacity_bytes[op][kDram], 32 * kMiB) << "one thread has all of a shared cache";
    return m.op_levels[op][kL3].read_total();
  };
  EXPECT_EQ(l3_read(2, "lab"), 0);
  EXPECT_EQ(l3_read(0, "lab"), 0) << "of an older capture nothing is known but the run's threads";
  EXPECT_EQ(l3_read(1, "lab"), 1.5 * kMiB);
  EXPECT_EQ(l3_read(0, "own loop, one thread"), 1.5 * kMiB) << "and what the kernel's name says";
}

TEST(TrafficModel, WeightsOfStatesAreReadInEveryStepWhereTheyDoNotStay) {
  OpLab lab;  // r: 4 MiB, four times an L2 of one core
  const int64_t steps = 8, batch = 1, hidden = 512, r_bytes = 4 * hidden * hidden * 4,
                x_bytes = steps * batch * hidden * 4;
  const auto x = lab.tensor(x_bytes, {.shape = {steps, batch, hidden}}),
             y = lab.tensor(x_bytes, {.shape = {steps, batch, hidden}});
  const auto w = lab.tensor(r_bytes, {.shape = {1, 4 * hidden, hidden}}),
             r = lab.tensor(r_bytes, {.shape = {1, 4 * hidden, hidden}});
  const OpId op = lab.op("lstm", {x, w, r}, {y}, 2.0 * steps * batch * 8 * hidden * hidden);
  const auto capture = lab.finish();
  const TrafficModel m = model_traffic(*capture);
  const auto read = [&](TensorId tensor, size_t link) {
    for (uint32_t i = capture->ops()[op].first_operand;
         i < capture->ops()[op].first_operand + capture->ops()[op].operand_count; ++i) {
      if (capture->operands()[i].tensor == tensor) return m.operand_levels[i][link].read;
    }
    return -1.0;
  };
  for (const size_t link : {kL3, kL2, kCore}) EXPECT_GE(read(r, link), 8.0 * r_bytes) << m.links[link];
  EXPECT_EQ(read(r, kDram), 0) << "it stays in L3 from step to step";
}

TEST(TrafficModel, TriadMovesThreeReadsAndOneWrite) {
  OpLab lab;
  const int64_t n = 256 * OpLab::kMiB;
  lab.op("scaled_add", {lab.tensor(n), lab.tensor(n)}, {lab.tensor(n)}, 2.0 * n / 4);
  const TrafficModel m = model_traffic(*lab.finish());
  for (const size_t link : {kDram, kL3, kL2}) {
    EXPECT_DOUBLE_EQ(m.op_levels[0][link].read_total(), 3.0 * n) << m.links[link];
    EXPECT_DOUBLE_EQ(m.op_levels[0][link].written_total(), 1.0 * n) << m.links[link];
    EXPECT_DOUBLE_EQ(m.op_levels[0][link].write_allocate, 1.0 * n) << m.links[link];
    EXPECT_FALSE(m.op_levels[0][link].near_capacity);
  }
  EXPECT_DOUBLE_EQ(m.op_levels[0][kCore].read_total(), 2.0 * n) << "the core names two reads and a write";
  EXPECT_DOUBLE_EQ(m.op_levels[0][kCore].written_total(), 1.0 * n);
}

TEST(TrafficModel, NonTemporalStoresSaveTheFill) {
  OpLab lab;
  const int64_t n = 256 * OpLab::kMiB;
  const auto x = lab.tensor(n), y = lab.tensor(n);
  lab.op("copy", {x}, {y}, 0, 1e6, 0, "net", "own copy (AVX-512, non-temporal stores)");
  const TrafficModel m = model_traffic(*lab.finish());
  for (const size_t link : {kDram, kL3, kL2}) {
    EXPECT_DOUBLE_EQ(m.op_levels[0][link].read_total(), 1.0 * n);
    EXPECT_DOUBLE_EQ(m.op_levels[0][link].written_total(), 1.0 * n);
    EXPECT_DOUBLE_EQ(m.op_levels[0][link].write_allocate, 0);
  }
}

TEST(TrafficModel, SecondPassOverAWarmCacheMovesNothingFromDram) {
  OpLab lab;
  const int64_t n = 4 * OpLab::kMiB;  // 12 MiB: in the 32 MiB L3, beyond both L2s
  lab.op("scaled_add", {lab.tensor(n), lab.tensor(n)}, {lab.tensor(n)});
  const TrafficModel m = model_traffic(*lab.finish());
  EXPECT_DOUBLE_EQ(m.op_levels[0][kDram].total(), 0);
  EXPECT_DOUBLE_EQ(m.op_levels[0][kL3].read_total(), 3.0 * n);
  EXPECT_DOUBLE_EQ(m.op_levels[0][kL3].written_total(), 1.0 * n);
}

TEST(TrafficModel, ChainOfLoadsFetchesALinePerLoadWhereItsLinesExceedACache) {
  constexpr int64_t kLoads = 1 << 20;
  for (const auto& [bytes, missing] : {std::pair{int64_t{16} << 10, kCore}, std::pair{48 * OpLab::kMiB / 1024, kL2},
                                       std::pair{8 * OpLab::kMiB, kL3}}) {
    OpLab lab;  // 48 KiB exceed the L1 of the one core it runs on, not those of both
    lab.op("pointer_chase", {lab.tensor(bytes)}, {lab.tensor(4)});
    lab.builder().set_attributes(0, {{"accesses", kLoads}});
    const TrafficModel m = model_traffic(*lab.finish());
    EXPECT_DOUBLE_EQ(m.op_levels[0][kCore].read_total(), 4.0 * kLoads);
    for (size_t link = 0; link < kCore; ++link) {
      EXPECT_DOUBLE_EQ(m.operand_levels[0][link].read, link < missing ? 0.0 : 64.0 * kLoads) << bytes << m.links[link];
    }
  }
  OpLab few;  // a tenth of its lines are come by: they fit
  few.op("pointer_chase", {few.tensor(200 * OpLab::kMiB)}, {few.tensor(4)});
  few.builder().set_attributes(0, {{"accesses", 20 * OpLab::kMiB / 64}});
  const TrafficModel m = model_traffic(*few.finish());
  EXPECT_DOUBLE_EQ(m.operand_levels[0][kDram].read, 0);
  EXPECT_DOUBLE_EQ(m.op_footprint_bytes[0], 20.0 * OpLab::kMiB + 4);
}

TEST(TrafficModel, RoundTripMovesItsBytesTwice) {
  const int64_t n = 256 * OpLab::kMiB;
  for (const bool streams : {false, true}) {
    OpLab lab;
    lab.op("round_trip", {lab.tensor(n)}, {lab.tensor(n)}, 0, 1e6, 0, "net",
           streams ? "own copy there and back (AVX3, one thread, non-temporal stores)"
                   : "own copy there and back (AVX3, one thread)");
    const TrafficModel m = model_traffic(*lab.finish());
    const double fills = streams ? 0 : 2.0 * n;
    EXPECT_DOUBLE_EQ(m.op_levels[0][kDram].read_total(), 2.0 * n + fills)
        << "there and back, each with a fill unless it stores past the caches";
    EXPECT_DOUBLE_EQ(m.op_levels[0][kDram].written_total(), 2.0 * n);
    EXPECT_DOUBLE_EQ(m.op_levels[0][kDram].write_allocate, fills);
    EXPECT_DOUBLE_EQ(m.op_levels[0][kCore].total(), 4.0 * n);
  }
}

TEST(TrafficModel, TensorSharedByTwoOpsIsReusedWhenItFits) {
  OpLab lab;
  const int64_t big = 100 * OpLab::kMiB, small = 4 * OpLab::kMiB;
  const auto x = lab.tensor(big), y = lab.tensor(small), z = lab.tensor(small);
  lab.op("relu", {y}, {z});
  lab.op("relu", {z}, {y});  // directly after: z is warm, y still is
  lab.op("sum", {x}, {});    // flushes
  const TrafficModel m = model_traffic(*lab.finish());
  EXPECT_DOUBLE_EQ(m.op_levels[0][kDram].read_total(), 2.0 * small) << "y and the fill of z: flushed by the sum before";
  EXPECT_DOUBLE_EQ(m.op_levels[1][kDram].read_total(), 0);
  EXPECT_DOUBLE_EQ(m.op_levels[0][kDram].written_total() + m.op_levels[1][kDram].written_total(), 2.0 * small)
      << "y and z leave dirty once per step";
  EXPECT_DOUBLE_EQ(m.op_levels[2][kDram].read_total(), 1.0 * big);
}

TEST(TrafficModel, TensorSharedByTwoOpsIsReadAgainWhenItDoesNotFit) {
  OpLab lab;
  const int64_t n = 100 * OpLab::kMiB;
  const auto x = lab.tensor(n), y = lab.tensor(n), z = lab.tensor(n);
  lab.op("relu", {x}, {y});
  lab.op("relu", {y}, {z});
  const TrafficModel m = model_traffic(*lab.finish());
  for (const OpId op : {0u, 1u}) {
    EXPECT_DOUBLE_EQ(m.op_levels[op][kDram].read_total(), 2.0 * n);
    EXPECT_DOUBLE_EQ(m.op_levels[op][kDram].written_total(), 1.0 * n);
  }
}

TEST(TrafficModel, OutputWrittenBesideALongStreamIsPartlyEvicted) {
  // Op 0 walks 100 MiB of x while it writes 4 MiB of y; op 1 reads y and writes 4 MiB of z. At the
  // part q of y the distance is (1 - q) 100 + 4 q + 4 MiB; it is within 32 MiB from q = 3/4 on.
  OpLab lab;
  const auto x = lab.tensor(100 * OpLab::kMiB), y = lab.tensor(4 * OpLab::kMiB), z = lab.tensor(4 * OpLab::kMiB);
  lab.op("sum", {x}, {y});
  const auto second = lab.op("relu", {y}, {z});
  const auto capture = lab.finish();
  const TrafficModel m = model_traffic(*capture);
  const auto& op = capture->ops()[second];
  EXPECT_NEAR(m.operand_levels[op.first_operand][kDram].read, 3 * kMiB, 1);
}

TEST(TrafficModel, TwoTensorsOnOneArenaAddressShareTheirLines) {
  // a -> t, t -> b, then u (on t's bytes) <- b: the store into u finds t's lines in the cache and
  // fetches nothing.
  const auto reads_of_third = [](bool same_address) {
    CaptureBuilder b;
    b.machine() = tests::sample_builder().machine();  // L3 worth 4 MiB
    b.run().device = "cpu";
    b.run().threads = 2;
    const int64_t n = OpLab::kMiB;
    const auto tensor = [&](int64_t offset, OpId first, OpId last, bool persistent) {
      TensorRecord t;
      t.name = b.intern("t");
      t.size_bytes = n;
      t.offset_bytes = offset;
      t.first_op = first;
      t.last_op = last;
      t.persistent = persistent;
      return b.add_tensor(t);
    };
    const TensorId flush = [&] {
      TensorRecord t;
      t.name = b.intern("flush");
      t.size_bytes = 64 * OpLab::kMiB;
      t.persistent = true;
      return b.add_tensor(t);
    }();
    const TensorId a = tensor(0, 0, 0, true), t = tensor(0, 1, 2, false), c = tensor(n, 2, 3, false);
    const TensorId u = tensor(same_address ? 0 : 2 * n, 3, 3, false);
    const auto op = [&](TensorId from, TensorId to) {
      OpRecord r;
      r.name = b.intern(fmt::format("op{}", b.so_far().ops().size()));
      r.type = r.layer = r.kernel = r.name;
      std::vector<OperandRecord> operands{{kNoOp, from, Role::activation, false, from == flush ? 64 * n : n, 0}};
      if (to != kNoTensor) operands.push_back({kNoOp, to, Role::activation, true, 0, n});
      b.add_op(r, operands);
    };
    op(flush, kNoTensor);
    op(a, t);
    op(t, c);
    op(c, u);
    const auto capture = b.finish();
    EXPECT_TRUE(capture.ok());
    return model_traffic(**capture).op_levels[3][kDram].read_total();
  };
  EXPECT_DOUBLE_EQ(reads_of_third(false), 1.0 * OpLab::kMiB) << "u's own lines are cold: a write-allocate";
  EXPECT_DOUBLE_EQ(reads_of_third(true), 0);
}

TEST(TrafficModel, ViewReadsItsRootsBytes) {
  OpLab lab;
  const int64_t n = 4 * OpLab::kMiB;
  const auto flush = lab.tensor(100 * OpLab::kMiB), root = lab.tensor(n);
  const auto view = lab.tensor(n, {.alias_of = root});
  lab.op("sum", {flush}, {});
  lab.op("sum", {root}, {});
  lab.op("reshape", {root}, {view}, 0, 0);
  const auto last = lab.op("sum", {view}, {});
  const TrafficModel m = model_traffic(*lab.finish());
  EXPECT_DOUBLE_EQ(m.op_levels[1][kDram].read_total(), 1.0 * n);
  EXPECT_DOUBLE_EQ(m.op_levels[2][kDram].total(), 0) << "the view op itself moves nothing";
  EXPECT_DOUBLE_EQ(m.op_levels[last][kDram].read_total(), 0) << "the view's bytes are the root's, just read";
}

TEST(TrafficModel, BatchNormWalksItsInputTwice) {
  OpLab lab;
  const int64_t n = 100 * OpLab::kMiB;
  lab.op("batch_norm_training", {lab.tensor(n), lab.tensor(256)}, {lab.tensor(n)});
  const TrafficModel m = model_traffic(*lab.finish());
  EXPECT_NEAR(m.op_levels[0][kDram].read_total(), 3.0 * n, 1024) << "x twice and the fill of y";
  EXPECT_NEAR(m.op_levels[0][kDram].written_total(), 1.0 * n, 1024);
}

TEST(TrafficModel, GemmReReadsAtTheLowerBoundOfTheLevelsItExceeds) {
  OpLab lab;
  const int64_t n = 1024, bytes = n * n * 4;  // 12 MiB in all: in L3, beyond L2 and L1
  lab.op("matmul", {lab.tensor(bytes, {.shape = {n, n}}), lab.tensor(bytes, {.shape = {n, n}})},
         {lab.tensor(bytes, {.shape = {n, n}})}, 2.0 * n * n * n);
  const auto capture = lab.finish();
  const TrafficModel m = model_traffic(*capture);
  const auto bound = [&](double capacity) { return 2.0 * n * n * n / std::sqrt(capacity / 4) * 4; };
  EXPECT_DOUBLE_EQ(m.op_levels[0][kDram].total(), 0);
  // + the fill of C; each thread has its own L2, so the bound is that of one
  EXPECT_NEAR(m.op_levels[0][kL3].read_total(), bound(1 << 20) + static_cast<double>(bytes), 1);
  EXPECT_NEAR(m.op_levels[0][kL2].read_total(), bound(32 << 10) + static_cast<double>(bytes), 1);
  EXPECT_NEAR(m.op_levels[0][kCore].read_total(), bound(16 * 32), 1) << "16 registers of 256 bits";
  EXPECT_NEAR(m.operand_levels[0][kL2].read, m.operand_levels[1][kL2].read, 1) << "square: both operands alike";
}

TEST(TrafficModel, MatrixVectorProductReadsTheMatrixOnce) {
  OpLab lab;
  const int64_t n = 8192;
  const auto w = lab.tensor(n * n * 4, {.role = engine::Role::weight, .shape = {n, n}});
  lab.op("matmul", {lab.tensor(n * 4), w}, {lab.tensor(n * 4)}, 2.0 * n * n);
  const TrafficModel m = model_traffic(*lab.finish());
  EXPECT_NEAR(m.op_levels[0][kDram].read[static_cast<size_t>(engine::Role::weight)], 4.0 * n * n, 1);
  EXPECT_LT(m.op_levels[0][kDram].read[static_cast<size_t>(engine::Role::activation)], 8.0 * n + 1);
}

TEST(TrafficModel, WorkingSetNearACapacityIsFlagged) {
  OpLab lab;
  lab.op("sum", {lab.tensor(30 * OpLab::kMiB)}, {});
  const TrafficModel m = model_traffic(*lab.finish());
  EXPECT_TRUE(m.op_levels[0][kDram].near_capacity) << "30 MiB against 32 MiB";
  EXPECT_FALSE(m.op_levels[0][kL3].near_capacity);
}

TEST(TrafficModel, OperandsAddUpToOpsAtEveryLink) {
  const auto capture = tests::sample_capture();
  const TrafficModel m = model_traffic(*capture);
  for (size_t link = 0; link < m.links.size(); ++link) {
    double ops = 0, operands = 0;
    for (const auto& op : m.op_levels) ops += op[link].total();
    for (const auto& operand : m.operand_levels) operands += operand[link].read + operand[link].written;
    EXPECT_NEAR(ops, operands, 1e-6 * ops);
    EXPECT_GT(ops, 0);
  }
}

TEST(TrafficModel, UnprobedMachineHasUnknownBytesAndSaysWhatHelps) {
  OpLab lab;
  lab.builder().machine().probed_at.clear();
  lab.builder().machine().levels.clear();
  lab.op("copy", {lab.tensor(64)}, {lab.tensor(64)});
  const TrafficModel m = model_traffic(*lab.finish());
  EXPECT_FALSE(m.known);
  EXPECT_TRUE(std::isnan(m.op_levels[0][0].total()));
  EXPECT_NE(m.unknown_reason.find("tensortide probe"), std::string::npos);
  EXPECT_EQ(m.links, (std::vector<std::string>{"DRAM", "L3", "L2", "L1"})) << "names as the system claims them";
}

TEST(TrafficModel, MissingEffectiveSizeIsUnknownToo) {
  OpLab lab;
  lab.builder().machine().levels[2].effective_size_bytes = 0;
  lab.op("copy", {lab.tensor(64)}, {lab.tensor(64)});
  const TrafficModel m = model_traffic(*lab.finish());
  EXPECT_FALSE(m.known);
  EXPECT_NE(m.unknown_reason.find("L3"), std::string::npos);
}

TEST(TrafficModel, MethodNamesPolicySizesAndBand) {
  const TrafficModel m = model_traffic(*tests::sample_capture());
  for (const char* words : {"LRU", "Write-allocate", "L3 4 MiB", "2 threads", "20 %", "steady state"}) {
    EXPECT_NE(m.method.find(words), std::string::npos) << words << " in: " << m.method;
  }
}

TEST(TrafficModel, WinogradsWeightsAreThoseThatWereTransformed) {
  const int64_t channels = 1024, w_bytes = channels * channels * 9 * 4, x_bytes = channels * 4 * 4 * 4;  // W: 36 MiB
  const auto dram_of = [&](const char* kernel, const char* graph) {
    OpLab lab;
    const auto x = lab.tensor(x_bytes, {.shape = {1, channels, 4, 4}}),
               y = lab.tensor(x_bytes, {.shape = {1, channels, 4, 4}}),
               w = lab.tensor(w_bytes, {.role = engine::Role::weight, .shape = {channels, channels, 3, 3}});
    const OpId op = lab.op("conv2d", {x, w}, {y}, 1e6, 1e6, 0, "net", kernel);
    lab.builder().run().arguments["graph"] = graph;
    const TrafficModel m = model_traffic(*lab.finish());
    EXPECT_GE(m.op_footprint_bytes[op], static_cast<double>(w_bytes));
    return m.op_levels[op][kDram];
  };
  const auto read_of = [](const TrafficModel::OpLevel& l) { return l.read[static_cast<size_t>(engine::Role::weight)]; };
  const auto written_of = [](const TrafficModel::OpLevel& l) {
    return l.written[static_cast<size_t>(engine::Role::weight)];
  };
  constexpr auto* kWinograd = "own gemm by Winograd's F(4x4, 3x3) (AVX3)";
  const auto direct = dram_of("own gemm (AVX3)", "planned"), prepared = dram_of(kWinograd, "planned"),
             each_step = dram_of(kWinograd, "eager");
  const auto w = static_cast<double>(w_bytes), u = 4 * w;
  EXPECT_NEAR(read_of(direct), w, 0.01 * w);
  EXPECT_EQ(written_of(direct), 0);
  EXPECT_NEAR(read_of(prepared), u, 0.01 * u);
  EXPECT_EQ(written_of(prepared), 0) << "they were made before the first step";
  EXPECT_NEAR(read_of(each_step), w + 2 * u, 0.1 * u)
      << "the graph's, lines that are about to be written, and those made";
  EXPECT_NEAR(written_of(each_step), u, 0.01 * u);
}

}  // namespace
}  // namespace profiler
