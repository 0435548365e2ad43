// SPDX-License-Identifier: Apache-2.0
// Recording on the null device: everything a capture promises, with a file, without, stopped,
// killed, and on a full disk.
#include "profiler/record/recorder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <set>
#include <thread>

#include "engine/base/thread_team.h"
#include "engine/cpu/backend.h"
#include "engine/null/backend.h"
#include "engine/ops/ops.h"
#include "engine/workloads/llm.h"
#include "profiler/capture/resident_series.h"
#include "profiler/store/capture_file.h"
#include "tests/support/capture_difference.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;
using tests::TemporaryFolder;

/// A training step of a small MLP.
class Recorder : public testing::Test {
 protected:
  Recorder() {
    const engine::Workload* mlp = *engine::find_workload("mlp");
    request_.arguments = *engine::resolve(*mlp, {{"batch", "4"}, {"mode", "training"}});
    request_.graph = std::make_shared<const engine::Graph>(*engine::build_graph(*mlp, request_.arguments));
    request_.backend = backend_.get();
    request_.workload = mlp->name;
    request_.title = mlp->title;
    request_.command = "tensortide run mlp";
    request_.product_version = "1.2.3";
    request_.warmup_steps = 1;
    request_.steps = 3;
  }
  engine::Result<std::shared_ptr<const Capture>> record_now() {
    return record(
        request_, [this](const RecordProgress& p) { seen_.push_back(p); }, stop_);
  }

  std::unique_ptr<engine::Backend> backend_ = engine::null::make_backend();
  RecordRequest request_;
  std::atomic<bool> stop_ = false;
  std::vector<RecordProgress> seen_;
};

/// The same step, appended and run op by op.
class EagerRecorder : public Recorder {
 protected:
  EagerRecorder() {
    request_.build = [arguments = request_.arguments](engine::GraphBuilder& builder) {
      (*engine::find_workload("mlp"))->build(builder, arguments);
    };
  }
};

TEST_F(Recorder, MeasuresRoofsBeforeTheFirstStepAndAfterTheLast) {
  const TemporaryFolder folder;
  Machine machine;
  machine.probed_at = "2026-11-22T05:00:00+00:00";
  machine.bandwidth = {{"DRAM", AccessMix::read, backend_->threads(), {100e9, 100e9, 100e9, 5}, 0}};
  request_.machine = machine;
  request_.output = folder / "r.tide";
  std::vector<size_t> steps_before;
  request_.measure_beside = [&] {
    steps_before.push_back(seen_.empty() ? 0 : static_cast<size_t>(seen_.back().step));
    const double rate = steps_before.size() == 1 ? 50e9 : 51e9;
    return std::vector<BandwidthRoof>{{"DRAM", AccessMix::read, backend_->threads(), {rate, rate, rate, 5}, 0}};
  };
  const auto capture = record_now();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_EQ(steps_before, (std::vector<size_t>{0, 3}));
  const auto opened = open_capture(folder / "r.tide");
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  for (const Capture* c : {capture->get(), opened->get()}) {
    ASSERT_EQ(c->machine().beside.size(), 1u);
    EXPECT_EQ(c->machine().beside[0].before.median, 50e9);
    EXPECT_EQ(c->machine().beside[0].after.median, 51e9) << "the file is closed with what was measured last";
    EXPECT_DOUBLE_EQ(c->machine().bandwidth_roof("DRAM", AccessMix::read, backend_->threads())->bytes_per_s.median,
                     50.5e9);
  }
  request_.measure_beside = nullptr;
  EXPECT_TRUE((*record_now())->machine().beside.empty());
}

TEST_F(Recorder, SaysHowManyThreadsSharedEachOp) {
  auto cpu = engine::cpu::make_backend(2);
  ASSERT_TRUE(cpu.ok()) << cpu.error().message;
  engine::forget_teams();
  if ((*cpu)->threads() < 2 || engine::largest_team() == 0)
    GTEST_SKIP() << "no second thread, or none that can be seen";
  const engine::Workload* ladder = *engine::find_workload("ladder");
  request_.arguments = *engine::resolve(*ladder, {{"product", "matmul"}, {"size", "192"}});
  request_.graph = std::make_shared<const engine::Graph>(*engine::build_graph(*ladder, request_.arguments));
  request_.backend = cpu->get();
  const TemporaryFolder folder;
  request_.output = folder / "r.tide";
  const auto capture = record_now();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  int alone = 0, shared = 0;
  for (const OpRecord& op : (*capture)->ops()) {
    const std::string_view kernel = (*capture)->name(op.kernel);
    if (kernel.starts_with("own ladder")) {
      EXPECT_EQ(op.threads, 1) << kernel;
    }
    EXPECT_TRUE(op.threads == 1 || op.threads == 2) << kernel << " " << op.threads;
    ++(op.threads == 1 ? alone : shared);
  }
  EXPECT_GE(alone, 5) << "the loops and the packed product";
  EXPECT_GE(shared, 1) << "the last rung";
  const auto opened = open_capture(folder / "r.tide");
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(tests::difference(**capture, **opened), "");
  request_.backend = backend_.get();
  request_.output.clear();
  const auto nothing_ran = record_now();
  ASSERT_TRUE(nothing_ran.ok());
  EXPECT_EQ((*nothing_ran)->ops()[0].threads, 0) << "on the null device";
}

TEST_F(EagerRecorder, CapturesTheSameOpsAndSaysSo) {
  const auto eager = record_now();
  ASSERT_TRUE(eager.ok()) << eager.error().message;
  request_.build = nullptr;
  const auto planned = record_now();
  ASSERT_TRUE(planned.ok());
  const Capture &a = **eager, &b = **planned;
  EXPECT_EQ(a.run().arguments.at("graph"), "eager");
  EXPECT_FALSE(b.run().arguments.contains("graph"));
  ASSERT_EQ(a.ops().size(), b.ops().size());
  size_t ran = 0;
  for (const OpRecord& op : a.ops()) {
    EXPECT_EQ(a.name(op.name), b.name(b.ops()[op.id].name));
    EXPECT_EQ(op.flops, b.ops()[op.id].flops);
    EXPECT_EQ(a.activities_of(op.id).size(), b.activities_of(op.id).size());
    ran += op.view ? 0 : 1;
  }
  EXPECT_GT(ran, 5u);
  // The pool's blocks: every tensor in its own bytes while it lives, within what the pool took.
  const auto& tensors = a.tensors();
  for (const TensorRecord& t : tensors) {
    if (t.persistent || t.alias_of != kNoTensor) continue;
    EXPECT_LE(t.offset_bytes + t.size_bytes, a.run().arena_bytes);
    EXPECT_GE(t.size_bytes, request_.graph->value(t.id).type.span_bytes());
    for (const TensorRecord& other : tensors) {
      if (other.id <= t.id || other.persistent || other.alias_of != kNoTensor) continue;
      if (other.first_op > t.last_op || other.last_op < t.first_op) continue;
      EXPECT_TRUE(other.offset_bytes >= t.offset_bytes + t.size_bytes ||
                  t.offset_bytes >= other.offset_bytes + other.size_bytes)
          << a.name(t.name) << " and " << a.name(other.name);
    }
  }
  EXPECT_EQ(a.run().persistent_bytes, b.run().persistent_bytes);
}

TEST_F(EagerRecorder, AStepOfOtherOpsIsRefusedInWords) {
  int step = 0;
  request_.build = [&, build = request_.build](engine::GraphBuilder& builder) {
    build(builder);
    if (++step == 3) engine::ops::relu(builder, builder.graph().outputs()[0]);
  };
  const auto result = record_now();
  ASSERT_FALSE(result.ok());
  for (const char* word : {"step 2", "relu", "depends on data"})
    EXPECT_NE(result.error().message.find(word), std::string::npos) << result.error().message;
}

TEST_F(Recorder, CaptureSaysWhatWasRun) {
  const auto result = record_now();
  ASSERT_TRUE(result.ok()) << result.error().message;
  const Capture& c = **result;
  EXPECT_EQ(c.run().workload, "mlp");
  EXPECT_EQ(c.run().arguments, request_.arguments);
  EXPECT_EQ(c.run().device, "null");
  EXPECT_EQ(c.run().parameter_count, request_.graph->parameter_count());
  EXPECT_GT(c.run().arena_bytes, 0);
  EXPECT_TRUE(c.run().complete);
  EXPECT_EQ(c.run().created_at.size(), 25u) << c.run().created_at;
  ASSERT_EQ(c.ops().size(), request_.graph->nodes().size());
  std::set<NameId> names;
  double flops = 0;
  for (const OpRecord& op : c.ops()) {
    const engine::Node& node = request_.graph->node(op.id);
    const engine::Cost cost = request_.graph->cost(node);
    names.insert(op.name);
    flops += op.flops;
    EXPECT_EQ(c.name(op.type), node.op->name);
    EXPECT_EQ(op.view, node.op->view != nullptr);
    ASSERT_EQ(op.operand_count, node.inputs.size() + node.outputs.size());
    for (size_t i = 0; i < node.inputs.size(); ++i) EXPECT_EQ(c.operands(op)[i].read_bytes, cost.read_bytes[i]);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const OperandRecord& out = c.operands(op)[node.inputs.size() + i];
      EXPECT_EQ(out.written_bytes, cost.written_bytes[i]);
      EXPECT_EQ(out.tensor, node.outputs[i]);
      EXPECT_TRUE(out.output);
    }
  }
  EXPECT_EQ(names.size(), c.ops().size());
  EXPECT_DOUBLE_EQ(flops, request_.graph->flops());
  for (const TensorRecord& t : c.tensors()) {
    const engine::Value& value = request_.graph->value(t.id);
    EXPECT_EQ(c.name(t.name), value.name);
    EXPECT_EQ(t.shape, value.type.shape);
    EXPECT_EQ(t.role, value.role);
    if (!t.persistent && t.alias_of == kNoTensor) {
      EXPECT_LE(t.offset_bytes + t.size_bytes, c.run().arena_bytes);
      EXPECT_LE(t.first_op, t.last_op);
    }
  }
}

/// Which experts tokens share is not known before a run: that is said where there are several tokens.
TEST_F(Recorder, SaysWhatBytesOfExpertsAssume) {
  const auto model = *engine::language_workload(
      R"({"model_type": "mixtral", "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, )"
      R"("num_key_value_heads": 1, "intermediate_size": 32, "vocab_size": 16, "num_local_experts": 3, )"
      R"("num_experts_per_tok": 2})",
      "tiny");
  for (const char* batch : {"1", "2"}) {
    request_.arguments = *engine::resolve(model, {{"batch", batch}, {"context", "4"}});
    request_.graph = std::make_shared<const engine::Graph>(*engine::build_graph(model, request_.arguments));
    const auto capture = record_now();
    ASSERT_TRUE(capture.ok()) << capture.error().message;
    const auto& notes = (*capture)->honesty().notes;
    EXPECT_EQ(std::ranges::count_if(notes, [](const std::string& n) { return n.starts_with("Experts: "); }),
              *batch == '2' ? 1 : 0);
  }
}

TEST_F(Recorder, StepsAndOpsNest) {
  const auto result = record_now();
  ASSERT_TRUE(result.ok()) << result.error().message;
  const Capture& c = **result;
  ASSERT_EQ(c.steps().size(), 7u);  // one warm-up, three pairs
  EXPECT_TRUE(c.steps()[0].warmup);
  int traced = 0;
  int64_t last_end = 0;
  for (const StepRecord& step : c.steps()) {
    EXPECT_GE(step.start_ns, last_end);
    EXPECT_GT(step.duration_ns, 0);
    last_end = step.start_ns + step.duration_ns;
    traced += step.traced && !step.warmup;
  }
  EXPECT_EQ(traced, 3);
  const ActivityColumns& a = c.activities();
  size_t ops = 0, layers = 0;
  std::vector<size_t> open;
  const auto end = [&a](size_t i) { return a.start_ns[i] + a.duration_ns[i]; };
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.track[i] != 0) continue;
    while (!open.empty() && end(open.back()) <= a.start_ns[i]) open.pop_back();
    if (!open.empty()) {
      EXPECT_LE(end(i), end(open.back())) << c.name(a.name[i]) << " sticks out of " << c.name(a.name[open.back()]);
    }
    if (a.kind[i] == ActivityKind::op) {
      ++ops;
      EXPECT_TRUE(c.steps()[a.step[i]].traced);
      EXPECT_EQ(a.name[i], c.ops()[a.op[i]].name);
    }
    layers += a.kind[i] == ActivityKind::layer;
    if (a.duration_ns[i] > 0) open.push_back(i);
  }
  size_t runnable = 0;
  for (const OpRecord& op : c.ops()) {
    runnable += !op.view;
    EXPECT_EQ(c.activities_of(op.id).size(), op.view ? 0u : 4u);
  }
  EXPECT_EQ(ops, 4 * runnable);
  EXPECT_GT(layers, 0u);
  EXPECT_GT(std::count(a.kind.begin(), a.kind.end(), ActivityKind::overhead), 0)
      << "the collector's own work is not shown";
}

TEST_F(Recorder, SaysWhatProfilingCost) {
  request_.steps = 25;
  const auto result = record_now();
  ASSERT_TRUE(result.ok()) << result.error().message;
  const Honesty& honesty = (*result)->honesty();
  EXPECT_TRUE(std::isfinite(honesty.cost_ratio));
  EXPECT_GE(honesty.cost_noise_ratio, 0);
  EXPECT_GT(honesty.cost_bound_ratio, 0);
  EXPECT_TRUE(std::isfinite(honesty.clock_drift_ratio));
  EXPECT_EQ(honesty.dropped_records, 0);
  EXPECT_FALSE(honesty.notes.empty());
  request_.measure_cost = false;
  const auto unmeasured = record_now();
  ASSERT_TRUE(unmeasured.ok());
  EXPECT_TRUE(std::isnan((*unmeasured)->honesty().cost_ratio));
  for (const StepRecord& step : (*unmeasured)->steps()) EXPECT_TRUE(step.traced);
}

TEST_F(Recorder, FileHoldsTheSameCapture) {
  const TemporaryFolder folder;
  request_.output = folder / "r.tide";
  request_.steps = 40;
  const auto result = record_now();
  ASSERT_TRUE(result.ok()) << result.error().message;
  const auto back = open_capture(request_.output);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(tests::difference(**result, **back), "");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST_F(Recorder, ReportsThePlanOnceAndEveryStepOnce) {
  const auto capture = record_now();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  size_t steps = 0;
  std::vector<PlannedStep> plans;
  for (const RecordProgress& p : seen_) {
    steps += static_cast<size_t>(p.recent_steps);
    if (p.planned) plans.push_back(*p.planned);
  }
  EXPECT_EQ(steps, (*capture)->steps().size());
  ASSERT_EQ(plans.size(), 1U);
  double flops = 0, bytes = 0;
  for (const OpRecord& op : (*capture)->ops()) flops += op.flops;
  for (const OperandRecord& o : (*capture)->operands()) bytes += static_cast<double>(o.read_bytes + o.written_bytes);
  EXPECT_DOUBLE_EQ(plans[0].flops, flops);
  EXPECT_DOUBLE_EQ(plans[0].operand_bytes, bytes);
  EXPECT_GT(plans[0].memory_bytes, 0);
}

TEST_F(Recorder, ReportsProgress) {
  ASSERT_TRUE(record_now().ok());
  ASSERT_GE(seen_.size(), 5u);
  EXPECT_EQ(seen_.front().stage, "planning");
  EXPECT_TRUE(std::isnan(seen_.front().last_step_ns));
  EXPECT_EQ(seen_.back().stage, "writing");
  EXPECT_EQ(seen_.back().fraction, 1);
  EXPECT_EQ(seen_.back().step, 3);
  EXPECT_GT(seen_.back().last_step_ns, 0);
  for (size_t i = 1; i < seen_.size(); ++i) EXPECT_GE(seen_[i].fraction, seen_[i - 1].fraction);
}

TEST_F(Recorder, OneStepHasNoSpreadAndThatIsSaidOnce) {
  const auto notes_with = [](const Capture& capture, const char* words) {
    return std::ranges::count_if(capture.honesty().notes,
                                 [&](const std::string& note) { return note.find(words) != std::string::npos; });
  };
  request_.steps = 1;
  const auto one = record_now();
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_EQ(notes_with(**one, "One step was timed: its spread is unknown."), 1);
  EXPECT_EQ(notes_with(**one, "The steps vary"), 0);
  request_.steps = 3;
  const auto three = record_now();
  ASSERT_TRUE(three.ok()) << three.error().message;
  EXPECT_EQ(notes_with(**three, "its spread is unknown"), 0);
}

TEST_F(Recorder, StoppedRunKeepsWhatItHas) {
  const TemporaryFolder folder;
  request_.output = folder / "r.tide";
  request_.steps = 1000;
  request_.measure_cost = false;
  int ran = 0;  // one is warm-up
  request_.health = [&] {
    stop_ = ++ran == 3;
    return engine::Result<void>();
  };
  const auto result = record_now();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_FALSE((*result)->run().complete);
  EXPECT_EQ((*result)->run().incomplete_reason, "stopped after 2 measured steps");
  const auto back = open_capture(request_.output);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(tests::difference(**result, **back), "");
}

TEST_F(Recorder, StoppedBeforeTheFirstStepLeavesNothing) {
  const TemporaryFolder folder;
  request_.output = folder / "r.tide";
  stop_ = true;
  const auto result = record_now();
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("stopped before the first measured step"), std::string::npos);
  EXPECT_EQ(folder.entries(), 0u);
}

TEST_F(Recorder, StoppedBeforeTheFirstStepLeavesAnOlderCaptureAsItWas) {
  const TemporaryFolder folder;
  request_.output = folder / "r.tide";
  const auto older = record_now();
  ASSERT_TRUE(older.ok()) << older.error().message;
  request_.warmup_steps = 3;
  const auto stopped = record(
      request_, [this](const RecordProgress& p) { stop_ = p.stage == "warming up"; }, stop_);
  ASSERT_FALSE(stopped.ok());
  const auto back = open_capture(request_.output);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(tests::difference(**older, **back), "");
  EXPECT_EQ(folder.entries(), 1u);
  stop_ = false;
  const auto newer = record_now();
  ASSERT_TRUE(newer.ok()) << newer.error().message;
  EXPECT_EQ(tests::difference(**newer, **open_capture(request_.output)), "");
}

TEST_F(Recorder, UnwritableOutputIsRefusedAtOnce) {
  const TemporaryFolder folder;
  request_.output = folder.path();
  const auto result = record_now();
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("is a directory"), std::string::npos);
  EXPECT_EQ(seen_.size(), 1u) << "it was planned first";
}

/// Starts record_child, which records without end (its own process: OpenMP's threads do not survive
/// a fork).
pid_t start_child(const fs::path& output, const std::string& size_limit) {
  const std::string program = TENSORTIDE_RECORD_CHILD;
  const pid_t child = fork();
  if (child == 0) {
    execl(program.c_str(), program.c_str(), output.c_str(), size_limit.c_str(), nullptr);
    _exit(127);
  }
  return child;
}

TEST_F(Recorder, KilledRunOpens) {
  const TemporaryFolder folder;
  const fs::path output = folder / "r.tide";
  const pid_t child = start_child(output, "0");
  size_t steps = 0;  // until it has committed its first measured steps; the watcher reads the file as it grows
  for (int i = 0; i < 2000 && steps < 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const auto live = open_capture(output);
    if (live) steps = (*live)->steps().size();
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself with " << WEXITSTATUS(status);
  const auto back = open_capture(output);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_FALSE((*back)->run().complete);
  EXPECT_NE((*back)->run().incomplete_reason.find("without series over time such as the loss"), std::string::npos)
      << (*back)->run().incomplete_reason;
  EXPECT_TRUE(std::isnan((*back)->honesty().cost_ratio));
  ASSERT_GE((*back)->steps().size(), 2u);
  for (const OpRecord& op : (*back)->ops()) {
    EXPECT_GE((*back)->activities_of(op.id).size(), op.view ? 0u : 1u);
  }
}

TEST_F(Recorder, FullDiskNamesTheFileAndKeepsTheSteps) {
  const TemporaryFolder folder;
  const fs::path output = folder / "r.tide";
  int status = 0;
  waitpid(start_child(output, "2000000"), &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42) << "see record_child.cpp";
  const auto back = open_capture(output);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_FALSE((*back)->run().complete);
  EXPECT_GE((*back)->steps().size(), 2u);
}

/// What is read and kept when the steps have ended is not memory of theirs.
TEST_F(Recorder, LooksAtItsMemoryBeforeItReadsAnything) {
  const auto cpu = *engine::cpu::make_backend(1);
  request_.backend = cpu.get();
  constexpr size_t kBytes = size_t{64} << 20;
  std::vector<char> grown;
  const auto capture = record(
      request_,
      [&](const RecordProgress& p) {
        if (p.stage == "writing" && grown.empty()) grown.assign(kBytes, 1);
      },
      stop_);
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  ASSERT_EQ(grown.size(), kBytes) << "nothing was reported";
  for (const CounterSeries& series : (*capture)->counters()) {
    if ((*capture)->name(series.name) != kResidentName || series.value.size() < 2) continue;
    EXPECT_LT(series.value.back() - series.value[series.value.size() - 2], kBytes / 2.0);
  }
}

}  // namespace
}  // namespace profiler
