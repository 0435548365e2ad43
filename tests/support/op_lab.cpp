// SPDX-License-Identifier: Apache-2.0
// Builds the closed-form captures.
#include "tests/support/op_lab.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "profiler/capture/facts_from_name.h"

namespace tests {
namespace {

using profiler::AccessMix;
using profiler::Measured;

Measured known(double value) { return {value, 0.98 * value, 1.02 * value, 5}; }

void describe_machine(profiler::Machine& m, int threads) {
  m.info.model = "Lab CPU";
  m.info.cores = m.info.hardware_threads = threads;
  m.info.vector_bits = 256;
  m.info.caches = {{"L1d", 32 << 10, 64, 8, 1}, {"L2", 1 << 20, 64, 16, 1}, {"L3", 64 << 20, 64, 16, threads}};
  m.info.memory_bytes = int64_t{64} << 30;
  m.compute.push_back({engine::DType::float32, threads, known(100e9 * threads), "lab"});
  struct Level {
    const char* name;
    double bytes_per_s, latency_ns;
    int64_t effective;
    int shared_by;
  };
  for (const Level& l :
       {Level{"L1", 1000e9, 1, 32 << 10, 1}, Level{"L2", 400e9, 5, 1 << 20, 1},
        Level{"L3", 80e9, 25, 32 << 20, threads}, Level{"DRAM", 20e9, 100, int64_t{64} << 30, threads}}) {
    // Roofs name bytes without fills: a mix that writes the share w moves (1 + w) times as much.
    const bool core = std::string_view(l.name) == "L1";
    for (const auto& [mix, written] : {std::pair{AccessMix::read, 0.0}, std::pair{AccessMix::triad, 1.0 / 3},
                                       std::pair{AccessMix::copy, 0.5}, std::pair{AccessMix::write, 1.0}}) {
      m.bandwidth.push_back({l.name, mix, threads, known(l.bytes_per_s / (core ? 1 : 1 + written)), l.effective});
    }
    m.levels.push_back({l.name, l.effective, l.effective, 64, l.shared_by, known(l.latency_ns), ""});
  }
  m.probed_at = "2026-01-01T00:00:00+00:00";
  m.timer_ns = 10;
  m.fork_join_ns = 2000;
}

}  // namespace

OpLab::OpLab(int threads) {
  describe_machine(builder_.machine(), threads);
  builder_.run().workload = "lab";
  builder_.run().device = "cpu";
  builder_.run().threads = threads;
}

profiler::TensorId OpLab::tensor(int64_t size_bytes, const Options& options) {
  profiler::TensorRecord t;
  t.name = builder_.intern(fmt::format("t{}", tensors_.size()));
  t.shape = options.shape.empty() ? std::vector<int64_t>{size_bytes / 4} : options.shape;
  t.strides = options.strides.empty() ? std::vector<int64_t>{1} : options.strides;
  t.dtype = options.dtype;
  if (options.strides.empty() && t.shape.size() > 1) {
    t.strides.assign(t.shape.size(), 1);
    for (size_t i = t.shape.size(); i-- > 1;) t.strides[i - 1] = t.strides[i] * t.shape[i];
  }
  t.role = options.role;
  t.persistent = options.persistent;
  t.alias_of = options.alias_of;
  t.size_bytes = size_bytes;
  t.offset_bytes = next_offset_;  // nothing is reused, so the lifetime does not matter
  next_offset_ += size_bytes;
  t.id = builder_.add_tensor(t);
  tensors_.push_back(t);
  return t.id;
}

profiler::OpId OpLab::op(const std::string& type, const std::vector<profiler::TensorId>& reads,
                         const std::vector<profiler::TensorId>& writes, double flops, double time_ns, double jitter,
                         const std::string& layer, const std::string& kernel) {
  profiler::OpRecord op;
  op.name = builder_.intern(fmt::format("{}/{}{}", layer, type, timed_.size()));
  op.type = builder_.intern(type);
  op.layer = builder_.intern(layer);
  op.kernel = builder_.intern(time_ns > 0 ? kernel : "view");
  op.view = !(time_ns > 0);
  op.flops = flops;
  std::vector<profiler::OperandRecord> operands;
  for (const auto t : reads)
    operands.push_back({profiler::kNoOp, t, tensors_[t].role, false, op.view ? 0 : tensors_[t].size_bytes, 0});
  for (const auto t : writes)
    operands.push_back({profiler::kNoOp, t, tensors_[t].role, true, 0, op.view ? 0 : tensors_[t].size_bytes});
  const profiler::OpId id = builder_.add_op(op, operands);
  builder_.set_facts(id, profiler::facts_from_name(builder_.so_far().name(op.kernel)));
  timed_.push_back({id, time_ns, jitter});
  return id;
}

std::shared_ptr<const profiler::Capture> OpLab::finish() {
  int64_t now = 1000;
  for (uint32_t step = 0; step < 7; ++step) {
    const bool warmup = step == 0, traced = step != 1;
    const int64_t begin = now;
    for (const Timed& t : timed_) {
      const double wobble = 1 + t.jitter * (static_cast<double>(step) - 4) / 2;
      const auto duration = static_cast<int64_t>(t.time_ns * (warmup ? 10 : wobble));
      profiler::Activity a;
      a.start_ns = now;
      a.duration_ns = duration;
      a.op = t.op;
      a.step = step;
      if (traced && t.time_ns > 0) builder_.add_activity(a);
      now += duration;
    }
    builder_.add_step({step, begin, now - begin, traced, warmup});
  }
  if (builder_.so_far().tracks().empty()) builder_.add_track({});
  auto capture = builder_.finish();
  EXPECT_TRUE(capture.ok()) << (capture.ok() ? "" : capture.error().message);
  return capture.ok() ? *capture : nullptr;
}

}  // namespace tests
