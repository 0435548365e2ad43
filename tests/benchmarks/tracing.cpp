// SPDX-License-Identifier: Apache-2.0
// What tracing one op costs: a plan of many tiny ops on the null device (which computes nothing),
// with the real collector and without, in turn; then the read-out that turns stamps into
// activities.
#include <fmt/format.h>

#include <memory>

#include "benchmarks.h"
#include "engine/base/clock.h"
#include "engine/null/backend.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "profiler/capture/activity.h"
#include "profiler/record/engine_collector.h"

namespace benchmarks {
namespace {

constexpr int kOps = 10'000;
constexpr int kRounds = 301;
constexpr double kGoalNs = 50;
constexpr size_t kGoalBytes = 40;

/// A chain of kOps ReLUs over 16 floats.
std::shared_ptr<const engine::Graph> chain() {
  engine::GraphBuilder builder;
  engine::ValueId x = builder.input("x", engine::TensorType::contiguous(engine::DType::float32, {16}), {});
  for (int i = 0; i < kOps; ++i) x = engine::ops::relu(builder, x);
  builder.mark_output(x);
  auto graph = builder.finish();
  CHECK(graph.ok());
  return std::make_shared<const engine::Graph>(std::move(*graph));
}

double ns_per_op(engine::Plan& plan, engine::Observer* observer) {
  const int64_t begin = engine::now_ns();
  plan.run_step(0, observer);
  return static_cast<double>(engine::now_ns() - begin) / kOps;
}

/// Nanoseconds per op to convert what the collector noted into 40-byte activities.
double read_out_ns(const profiler::EngineCollector& collector, const engine::TickClock& clock,
                   std::vector<profiler::Activity>& activities) {
  activities.clear();
  const int64_t begin = engine::now_ns();
  for (const profiler::RawOp& raw : collector.ops()) {
    const int64_t start = clock.to_ns(raw.begin_ticks);
    activities.push_back(
        {.start_ns = start, .duration_ns = clock.to_ns(raw.end_ticks) - start, .op = raw.op, .step = raw.step});
  }
  return static_cast<double>(engine::now_ns() - begin) / static_cast<double>(collector.ops().size());
}

}  // namespace

int tracing() {
  const auto backend = engine::null::make_backend();
  auto plan = engine::Plan::make(chain(), *backend);
  if (!plan) {
    fmt::print(stderr, "{}\n", plan.error().message);
    return 3;
  }
  profiler::EngineCollector collector(kOps);
  engine::TickClock clock;
  std::vector<profiler::Activity> activities;
  activities.reserve(kOps);
  std::vector<double> untraced, traced, extra, read_out;
  for (int round = 0; round < kRounds; ++round) {
    collector.clear();
    untraced.push_back(ns_per_op(**plan, nullptr));
    traced.push_back(ns_per_op(**plan, &collector));
    extra.push_back(traced.back() - untraced.back());
    clock.refresh();
    read_out.push_back(read_out_ns(collector, clock, activities));
  }
  CHECK(collector.dropped() == 0 && activities.size() == kOps);

  const double cost = median(extra), later = median(read_out);
  constexpr size_t kBytes = std::max(sizeof(profiler::RawOp), sizeof(profiler::Activity));
  fmt::print("tracing one op, median of {} rounds of {} ops on the null device\n", kRounds, kOps);
  fmt::print("  untraced                    {:6.1f} ns/op\n  traced                      {:6.1f} ns/op\n",
             median(untraced), median(traced));
  fmt::print("  cost while the op runs      {:6.1f} ns/op (goal: at most {:.0f})\n", cost, kGoalNs);
  fmt::print("  read-out between steps      {:6.1f} ns/op\n", later);
  fmt::print("  memory                      {:4} B/op while running, {} B/op kept (goal: at most {})\n",
             sizeof(profiler::RawOp), sizeof(profiler::Activity), kGoalBytes);
  return cost <= kGoalNs && kBytes <= kGoalBytes ? 0 : 1;
}

}  // namespace benchmarks
