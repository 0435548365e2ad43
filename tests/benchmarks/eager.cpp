// SPDX-License-Identifier: Apache-2.0
// What one tiny op costs beside its 16 additions: replayed from a plan, built anew in eager steps,
// and computed by variables, with and without recording for gradients.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "benchmarks.h"
#include "engine/base/clock.h"
#include "engine/cpu/backend.h"
#include "engine/eager/variable.h"
#include "engine/ops/ops.h"

namespace benchmarks {
namespace {

constexpr int kOps = 1000;
constexpr int kRounds = 501;
constexpr double kGoalEagerNs = 200, kGoalRecordingNs = 400;

const engine::TensorType kType = engine::TensorType::contiguous(engine::DType::float32, {16});
const engine::Fill kFill{engine::Fill::Kind::uniform, 0, 1};

/// x + y + y + ...
void chain(engine::GraphBuilder& builder) {
  engine::ValueId x = builder.input("x", kType, kFill);
  const engine::ValueId y = builder.input("y", kType, kFill);
  for (int i = 0; i < kOps; ++i) x = engine::ops::add(builder, x, y);
  builder.mark_output(x);
}

template <class Work>
double ns_per_op(const Work& work) {
  const int64_t begin = engine::now_ns();
  work();
  return static_cast<double>(engine::now_ns() - begin) / kOps;
}

/// Nanoseconds per op, round by round. Recording includes letting the tape go.
struct Samples {
  std::vector<double> replay, step, eager, recording, backward;
};

engine::Result<void> measure(engine::Backend& backend, Samples& samples) {
  engine::GraphBuilder builder;
  chain(builder);
  auto plan = engine::Plan::make(std::make_shared<const engine::Graph>(*builder.finish()), backend);
  if (!plan) return plan.error();
  engine::EagerSession session(backend);
  const engine::Variable start = make_variable(session, kType, kFill), y = make_variable(session, kType, kFill);
  const engine::Variable leaf = make_variable(session, kType, kFill, /*requires_grad=*/true);
  for (int round = 0; round < kRounds; ++round) {
    samples.replay.push_back(ns_per_op([&] { (*plan)->run_step(0, nullptr); }));
    engine::Result<void> done;
    samples.step.push_back(ns_per_op([&] { done = session.run_step(0, chain); }));
    if (!done) return done;
    engine::Variable x = start;
    samples.eager.push_back(ns_per_op([&] {
      for (int i = 0; i < kOps; ++i) x = x + y;
    }));
    if (!x.ok()) return x.error();
    samples.recording.push_back(ns_per_op([&] {
      x = leaf;
      for (int i = 0; i < kOps; ++i) x = x + y;
      x = {};
    }));
    x = leaf;
    for (int i = 0; i < kOps; ++i) x = x + y;
    const engine::Variable loss = x.sum();
    samples.backward.push_back(ns_per_op([&] { done = loss.backward(); }));
    if (!done) return done;
    leaf.zero_grad();
  }
  return {};
}

void print(const char* what, const std::vector<double>& ns, const char* goal = "") {
  fmt::print("  {:44} {:7.1f} ns/op (lowest {:.1f}){}\n", what, median(ns), *std::ranges::min_element(ns), goal);
}

}  // namespace

int eager() {
  auto backend = engine::cpu::make_backend(1);
  if (!backend) {
    fmt::print(stderr, "{}\n", backend.error().message);
    return 3;
  }
  Samples samples;
  if (auto measured = measure(**backend, samples); !measured) {
    fmt::print(stderr, "{}\n", measured.error().message);
    return 3;
  }
  fmt::print("one addition of 16 floats, median of {} rounds of {} ops on the CPU, one thread\n", kRounds, kOps);
  print("plan replay", samples.replay);
  print("eager step: built and run anew", samples.step);
  print("eager", samples.eager, " (goal: at most 200)");
  print("eager, recording for gradients", samples.recording, " (goal: at most 400)");
  print("backward of that tape (which needs no op)", samples.backward);
  return median(samples.eager) <= kGoalEagerNs && median(samples.recording) <= kGoalRecordingNs ? 0 : 1;
}

}  // namespace benchmarks
