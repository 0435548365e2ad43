// SPDX-License-Identifier: Apache-2.0
// Reuse distances of a net of three ops by hand; op sequences that are alike and that are not; shares of work; chains.
#include "profiler/analysis/reuse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "profiler/analysis/dependent_work.h"
#include "profiler/analysis/on_chip.h"
#include "profiler/analysis/op_sequence.h"
#include "profiler/analysis/process_memory.h"
#include "profiler/analysis/work_shares.h"
#include "profiler/capture/capture_builder.h"
#include "profiler/capture/resident_series.h"
#include "tests/support/op_lab.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

/// a = f(x, w); b = g(a, v); c = h(b, w). Sizes: x 10, w 100, a 20, v 1000, b 30, c 40 bytes.
struct ThreeOps {
  CaptureBuilder builder;
  TensorId x, w, a, v, b, c;

  TensorId tensor(const char* name, int64_t bytes, bool persistent) {
    TensorRecord t;
    t.name = builder.intern(name), t.dtype = engine::DType::int8, t.shape = {bytes}, t.strides = {1};
    t.size_bytes = bytes, t.persistent = persistent;
    t.role = persistent ? Role::weight : Role::activation;
    return builder.add_tensor(t);
  }
  void op(const char* name, std::vector<TensorId> in, TensorId out) {
    std::vector<OperandRecord> operands;
    for (const TensorId id : in) operands.push_back({.tensor = id, .read_bytes = 1});
    operands.push_back({.tensor = out, .role = Role::activation, .output = true, .written_bytes = 1});
    OpRecord record;
    record.name = builder.intern(name), record.type = builder.intern("matmul"), record.flops = 2;
    builder.add_op(record, operands);
  }
  ThreeOps() {
    x = tensor("x", 10, true), w = tensor("w", 100, true), a = tensor("a", 20, false);
    v = tensor("v", 1000, true), b = tensor("b", 30, false), c = tensor("c", 40, false);
    op("f", {x, w}, a), op("g", {a, v}, b), op("h", {b, w}, c);
  }
};

std::vector<double> distances(const std::vector<BufferReuse>& all, TensorId id) {
  for (const BufferReuse& reuse : all)
    if (reuse.tensor == id) return reuse.distances;
  return {-1};
}

TEST(OnChip, BytesOffTheChipOfThreeOpsByHand) {
  ThreeOps net;
  const OnChipCurve curve = on_chip_curve(**net.builder.finish());
  ASSERT_FALSE(curve.points.empty());
  EXPECT_EQ(curve.points.front().on_chip_bytes, 0);
  EXPECT_EQ(curve.at(0), 9) << "each of nine operands has one byte";
  EXPECT_EQ(curve.at(199), 9);
  EXPECT_EQ(curve.at(200), 8) << "w, from h of the step before to f";
  EXPECT_EQ(curve.at(1159), 8);
  EXPECT_EQ(curve.at(1160), 6) << "a is written and read on the chip";
  EXPECT_EQ(curve.at(1190), 4) << "so is b";
  EXPECT_EQ(curve.at(1200), 1) << "x, v and w stay; c leaves";
  EXPECT_EQ(curve.at(1e12), 1);
  EXPECT_EQ(curve.input_bytes, 0);
  EXPECT_EQ(curve.output_bytes, 1);
  EXPECT_EQ(curve.weight_bytes, 10 + 100 + 1000);
}

/// Ops on buffers of any size, each operand of which has one byte.
struct Buffers {
  CaptureBuilder builder;

  TensorId tensor(int64_t bytes, bool persistent) {
    TensorRecord t;
    t.name = builder.intern("t"), t.dtype = engine::DType::int8, t.shape = {bytes}, t.strides = {1};
    t.size_bytes = bytes, t.persistent = persistent;
    t.role = persistent ? Role::weight : Role::activation;
    return builder.add_tensor(t);
  }
  void op(const std::vector<TensorId>& in, const std::vector<TensorId>& out) {
    std::vector<OperandRecord> operands;
    for (const TensorId id : in) operands.push_back({.tensor = id, .read_bytes = 1});
    for (const TensorId id : out) operands.push_back({.tensor = id, .output = true, .written_bytes = 1});
    OpRecord record;
    record.name = builder.intern("op " + std::to_string(builder.so_far().ops().size()));
    record.type = builder.intern("matmul");
    builder.add_op(record, operands);
  }
};

/// A buffer written, read near by and read far away is read from off chip in the end: so it was written there, once.
TEST(OnChip, WhatIsWrittenReadNearAndReadFarLeavesOnce) {
  Buffers net;
  const TensorId x = net.tensor(1, true), v = net.tensor(100, true), a = net.tensor(10, false),
                 b = net.tensor(1, false), c = net.tensor(1, false), d = net.tensor(1, false);
  net.op({x}, {a}), net.op({a}, {b}), net.op({v}, {c}), net.op({a}, {d});
  const OnChipCurve curve = on_chip_curve(**net.builder.finish());
  EXPECT_EQ(curve.at(0), 8);
  EXPECT_EQ(curve.at(11), 8);
  EXPECT_EQ(curve.at(12), 7) << "the near read of a, among x, a and b; a still leaves before the far one";
  EXPECT_EQ(curve.at(112), 7);
  EXPECT_EQ(curve.at(113), 5) << "a, among a, b, v, c and d: neither written nor read off chip";
  EXPECT_EQ(curve.at(114), 3) << "x and v stay; b, c and d leave";
}

/// Bytes over the edge of a memory that keeps whole buffers, evicts the least recently used and writes back what is
/// dirty: of the third step, when all is as in any step.
double moved_by_write_back(const Capture& capture, double memory) {
  struct State {
    bool on_chip = false, dirty = false;
    int64_t last = -1;  // op of its last use
  };
  std::vector<State> states(capture.tensors().size());
  std::vector<OpId> last_use(capture.tensors().size(), 0);
  std::vector<bool> last_writes(capture.tensors().size(), false);
  for (const OperandRecord& o : capture.operands()) last_use[o.tensor] = o.op, last_writes[o.tensor] = o.output;
  double moved = 0;
  int64_t now = 0;
  for (int step = 0; step < 3; ++step) {
    if (step == 2) moved = 0;
    for (const OpRecord& op : capture.ops()) {
      std::set<TensorId> reads, writes, touched;
      for (const OperandRecord& o : capture.operands(op)) (o.output ? writes : reads).insert(o.tensor);
      touched.insert(reads.begin(), reads.end()), touched.insert(writes.begin(), writes.end());
      const std::vector<State> before = states;
      for (const TensorId id : touched) states[id].last = now;
      const auto fits = [&](int64_t last) {  // all that was used since then, with this op's
        double bytes = 0;
        for (size_t i = 0; i < states.size(); ++i)
          if (states[i].last >= last) bytes += static_cast<double>(capture.tensors()[i].size_bytes);
        return bytes <= memory;
      };
      for (TensorId id = 0; id < states.size(); ++id) {
        State& s = states[id];
        if (!s.on_chip || fits(before[id].last)) continue;
        const bool read_out = !capture.tensors()[id].persistent && op.id > last_use[id] && !last_writes[id];
        moved += s.dirty && !read_out ? 1 : 0;
        s.on_chip = s.dirty = false;
      }
      for (const TensorId id : reads) moved += states[id].on_chip ? 0 : 1;
      for (const TensorId id : touched) states[id].on_chip = true;
      for (const TensorId id : writes) states[id].dirty = true;
      ++now;
    }
    for (const TensorRecord& t : capture.tensors()) {
      State& s = states[t.id];
      if (t.persistent) continue;
      moved += s.dirty && last_writes[t.id] ? 1 : 0;  // nobody reads it any more: it leaves
      s.on_chip = s.dirty = false;                    // its place stays taken until others push it out, as in reuse.h
    }
  }
  return moved;
}

TEST(OnChip, AgreesWithASimulatedMemoryThatWritesBack) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    Buffers net;
    std::vector<TensorId> all;
    for (int i = 0; i < 8; ++i) all.push_back(net.tensor(1 + static_cast<int64_t>(random() % 50), i % 2 == 0));
    for (int i = 0; i < 12; ++i) {
      std::set<TensorId> in, out;
      for (int k = 0; k < 2; ++k) in.insert(all[random() % all.size()]);
      out.insert(all[random() % all.size()]);
      net.op({in.begin(), in.end()}, {out.begin(), out.end()});
    }
    const auto capture = *net.builder.finish();
    const OnChipCurve curve = on_chip_curve(*capture);
    for (const OnChipPoint& point : curve.points) {
      for (const double size : {point.on_chip_bytes, point.on_chip_bytes + 0.5})
        EXPECT_EQ(curve.at(size), moved_by_write_back(*capture, size)) << "round " << round << ", " << size << " B";
    }
  }
}

TEST(OnChip, InputsComeInEveryStepAndUpdatedWeightsStay) {
  CaptureBuilder builder;
  const auto tensor = [&](const char* name, Role role, bool persistent) {
    TensorRecord t;
    t.name = builder.intern(name), t.dtype = engine::DType::int8, t.shape = {8}, t.strides = {1};
    t.size_bytes = 8, t.persistent = persistent, t.role = role;
    return builder.add_tensor(t);
  };
  const TensorId x = tensor("x", Role::input, true), w = tensor("w", Role::weight, true),
                 y = tensor("y", Role::activation, false);
  const auto op = [&](const char* name, std::vector<OperandRecord> operands) {
    OpRecord record;
    record.name = builder.intern(name), record.type = builder.intern("matmul");
    builder.add_op(record, operands);
  };
  op("f", {{.tensor = x, .read_bytes = 8},
           {.tensor = w, .read_bytes = 8},
           {.tensor = y, .output = true, .written_bytes = 8}});
  op("update", {{.tensor = w, .read_bytes = 8},
                {.tensor = x, .read_bytes = 8},
                {.tensor = w, .output = true, .written_bytes = 8}});
  const OnChipCurve curve = on_chip_curve(**builder.finish());
  EXPECT_EQ(curve.at(0), 48);
  EXPECT_EQ(curve.at(1e9), 16) << "x once, and y, which nobody reads";
  EXPECT_EQ(curve.input_bytes, 8);
  EXPECT_EQ(curve.output_bytes, 8);
  double before = 1e300;
  for (const OnChipPoint& point : curve.points) {
    EXPECT_LE(point.off_chip_bytes, before);
    before = point.off_chip_bytes;
  }
}

TEST(ProcessMemory, WhatHasNoOwnerIsTheRest) {
  CaptureBuilder builder;
  EXPECT_FALSE(process_memory(builder.so_far()).known());
  builder.run().persistent_bytes = 500, builder.run().arena_bytes = 200, builder.run().workspace_bytes = 50;
  const auto add = [&](std::string_view name, std::vector<double> bytes) {
    builder.add_counter({.name = builder.intern(name),
                         .group = builder.intern(kProcessMemoryGroup),
                         .unit = builder.intern("B"),
                         .time_ns = {1, 2},
                         .value = std::move(bytes)});
  };
  add(kResidentName, {400, 1000});
  add(kResidentFilesName, {90, 100});
  const ProcessMemory memory = process_memory(builder.so_far());
  EXPECT_EQ(memory.resident_bytes, 1000) << "at the end";
  EXPECT_EQ(memory.unaccounted_bytes, 1000 - 500 - 200 - 50 - 100);
  EXPECT_EQ(memory.persistent_bytes + memory.arena_bytes + memory.workspace_bytes + memory.files_bytes +
                memory.unaccounted_bytes,
            memory.resident_bytes);
}

TEST(Reuse, DistancesOfThreeOpsByHand) {
  ThreeOps net;
  const auto all = buffer_reuse(**net.builder.finish());
  ASSERT_EQ(all.size(), 6u);
  // w: from h of the step before to f: b, w, c, x, a. From f to h: all but nothing: x, w, a, v, b, c.
  EXPECT_EQ(distances(all, net.w), (std::vector<double>{30 + 100 + 40 + 10 + 20, 10 + 100 + 20 + 1000 + 30 + 40}));
  EXPECT_EQ(distances(all, net.a), (std::vector<double>{10 + 100 + 20 + 1000 + 30}));
  EXPECT_EQ(distances(all, net.b), (std::vector<double>{20 + 1000 + 30 + 100 + 40}));
  EXPECT_EQ(distances(all, net.x), (std::vector<double>{1200})) << "all buffers, from step to step";
  EXPECT_EQ(distances(all, net.v), (std::vector<double>{1200}));
  EXPECT_EQ(distances(all, net.c), (std::vector<double>{})) << "written, and not read again";
}

TEST(Reuse, StreamsAreBuffersBeyondTheLastCache) {
  ThreeOps net;
  for (const auto& [name, size] : {std::pair("L1", 250), std::pair("L2", 1180)}) {
    MemoryLevel level;
    level.name = name, level.specified_size_bytes = level.effective_size_bytes = size;
    net.builder.machine().levels.push_back(level);
  }
  const auto analyzed = analyze(*net.builder.finish());
  const auto sentences = reuse_sentences(*analyzed);
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_EQ(sentences[0], "1 of 6 buffers is used once and not again.");
  EXPECT_EQ(sentences[1].substr(0, 35), "3 buffers (1.04 kB) stream: each re") << "x, v and b";
  const Table table = reuse_table(*analyzed);
  ASSERT_EQ(table.columns.size(), 10u);
  for (const auto& row : table.rows) {
    if (std::get<std::string>(row[0]) != "w") continue;
    EXPECT_EQ(std::get<double>(row[7]), 1) << "200 bytes are in L1";
    EXPECT_EQ(std::get<double>(row[8]), 0);
    EXPECT_EQ(std::get<double>(row[9]), 1) << "1200 bytes are beyond";
  }
}

TEST(Sequence, OfAPlanIsTheSameInEachStep) {
  const auto analyzed = analyze(tests::sample_capture());
  const auto sequences = op_sequences(*analyzed->capture);
  ASSERT_EQ(sequences.size(), 3u);
  for (const StepSequence& s : sequences) EXPECT_TRUE(s.same);
  EXPECT_EQ(sequence_sentences(*analyzed).front(), "All 3 recorded steps ran the same 15 ops in the same order.");
}

TEST(Sequence, NamesTheFirstOpThatDiffers) {
  ThreeOps net;
  const TrackId track = net.builder.track(TrackKind::host_thread, "main", "Host");
  const std::vector<std::vector<OpId>> steps{{0, 1, 2}, {0, 1, 2}, {0, 2, 1}, {0, 1}};
  int64_t at = 0;
  for (uint32_t s = 0; s < steps.size(); ++s) {
    net.builder.add_step({.index = s, .start_ns = at, .duration_ns = 100});
    for (size_t i = 0; i < steps[s].size(); ++i) {
      net.builder.add_activity({.start_ns = at + static_cast<int64_t>(10 * i),
                                .duration_ns = 10,
                                .name = net.builder.so_far().ops()[steps[s][i]].name,
                                .op = steps[s][i],
                                .step = s,
                                .track = track,
                                .kind = ActivityKind::op});
    }
    at += 100;
  }
  const auto analyzed = analyze(*net.builder.finish());
  const auto found = op_sequences(*analyzed->capture);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_TRUE(found[1].same);
  EXPECT_FALSE(found[2].same);
  EXPECT_EQ(found[2].apart_at, 1u);
  EXPECT_FALSE(found[3].same) << "an op is missing at the end";
  EXPECT_EQ(sequence_sentences(*analyzed).front(),
            "2 of 4 recorded steps ran the 3 ops of the first one in the same order; 2 ran others.");
}

TEST(WorkShares, ActivationsAreWhatForwardOpsWrite) {
  ThreeOps net;
  EXPECT_EQ(activation_count(**net.builder.finish()), 20 + 30 + 40);
  CaptureBuilder trace;
  trace.run().source = "trace";
  EXPECT_TRUE(std::isnan(activation_count(**trace.finish())));
}

TEST(WorkShares, MatrixProductsOfTheSample) {
  const auto analyzed = analyze(tests::sample_capture());
  double matrix = 0, all = 0;
  for (const OpRecord& op : analyzed->capture->ops()) {
    if (op.view) continue;
    const std::string_view type = analyzed->capture->name(op.type);
    all += op.flops;
    if (type.find("conv2d") != std::string_view::npos || type == "linear" || type == "matmul") matrix += op.flops;
  }
  const MatrixShare share = matrix_share(*analyzed);
  EXPECT_DOUBLE_EQ(share.flops, matrix);
  EXPECT_DOUBLE_EQ(share.flops_ratio, matrix / all);
}

/// A fused convolution of 1000 FLOPs by its definition that computes 250, and a ReLU's 16 behind it.
TEST(WorkShares, FilteredConvolutionsCountWhatTheyCompute) {
  tests::OpLab lab;
  const OpId op = lab.op("conv2d+relu", {lab.tensor(64)}, {lab.tensor(64)}, 266);
  const auto add = [&](const char* type, double flops) {
    FusedMemberRecord member;
    member.op = op, member.type = lab.builder().intern(type), member.flops = flops;
    lab.builder().add_fused_member(member);
  };
  add("conv2d", 1000), add("relu", 16);
  const MatrixShare share = matrix_share(*analyze(lab.finish()));
  EXPECT_EQ(share.flops, 250);
  EXPECT_EQ(share.flops_ratio, 250.0 / 266);
}

/// 1000 multiply-adds in a row on 8 elements in 2 us: 2 ns each, 4e9 per second.
TEST(DependentWork, TimeOfEachAndOperationsPerSecond) {
  CaptureBuilder b;
  b.run().threads = 1;
  TensorRecord y;
  y.name = b.intern("y"), y.shape = {8}, y.strides = {1}, y.size_bytes = 32;
  const TensorId id = b.add_tensor(y);
  OpRecord record;
  record.name = b.intern("chains/multiply_add_chain"), record.type = b.intern("multiply_add_chain");
  record.flops = 16000;
  const OpId op = b.add_op(record, {{.tensor = id, .output = true, .written_bytes = 32}});
  b.set_attributes(op, {{"rounds", int64_t{1000}}});
  const TrackId track = b.track(TrackKind::host_thread, "main", "Host");
  for (uint32_t s = 0; s < 3; ++s) {
    b.add_step({.index = s, .start_ns = s * 5000, .duration_ns = 2000});
    b.add_activity({.start_ns = s * 5000,
                    .duration_ns = 2000,
                    .name = record.name,
                    .op = op,
                    .step = s,
                    .track = track,
                    .kind = ActivityKind::op});
  }
  const auto analyzed = analyze(*b.finish());
  const auto work = dependent_work(*analyzed);
  ASSERT_EQ(work.size(), 1u);
  EXPECT_DOUBLE_EQ(work[0].each_ns, 2);
  EXPECT_DOUBLE_EQ(work[0].per_s, 4e9);
  EXPECT_EQ(latency_table(*analyzed).rows.size(), 1u);
  EXPECT_TRUE(dependent_work(*analyze(tests::sample_capture())).empty());
}

}  // namespace
}  // namespace profiler
