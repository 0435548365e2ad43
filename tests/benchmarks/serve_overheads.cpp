// SPDX-License-Identifier: Apache-2.0
// Cases of what stands beside the computing: dispatch of tiny ops, tracing; and of the hardware itself.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/base/clock.h"
#include "engine/eager/variable.h"
#include "engine/kernels/core/parallel.h"
#include "engine/null/backend.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "profiler/record/engine_collector.h"
#include "profiler/record/probe_kernels.h"
#include "serve_cases.h"

namespace benchmarks {
namespace {

constexpr int kOps = 1000;
const engine::TensorType kTiny = engine::TensorType::contiguous(engine::DType::float32, {16});
const engine::Fill kFill{engine::Fill::Kind::uniform, 0, 1};

/// Nanoseconds per op of a pass over kOps ops.
Timed per_op(std::function<void()> pass, std::string note) {
  Timed timed = repeated(std::move(pass), std::move(note));
  return {[whole = timed.ns_per_run](int64_t repeats) { return whole(repeats) / kOps; }, timed.note};
}

engine::Result<engine::Graph> additions() {
  engine::GraphBuilder builder;
  engine::ValueId x = builder.input("x", kTiny, kFill);
  const engine::ValueId y = builder.input("y", kTiny, kFill);
  for (int i = 0; i < kOps; ++i) x = engine::ops::add(builder, x, y);
  builder.mark_output(x);
  return builder.finish();
}

engine::Result<Timed> replay(engine::Backend& backend) {
  auto graph = additions();
  if (!graph) return graph.error();
  auto timed = timed_plan(std::move(*graph), backend);
  if (!timed) return timed.error();
  return Timed{[whole = timed->ns_per_run](int64_t repeats) { return whole(repeats) / kOps; }, "plan replay"};
}

Timed eager(engine::Backend& backend, bool recording) {
  struct State {
    explicit State(engine::Backend& device) : session(device) {}
    engine::EagerSession session;
    engine::Variable x, y;
  };
  const auto state = std::make_shared<State>(backend);
  state->x = make_variable(state->session, kTiny, kFill, recording);
  state->y = make_variable(state->session, kTiny, kFill);
  return per_op(
      [state] {
        engine::Variable x = state->x;
        for (int i = 0; i < kOps; ++i) x = x + state->y;
        CHECK(x.ok());
      },
      recording ? "variables, recorded for gradients; letting go of the tape is in it" : "variables");
}

engine::Result<Timed> trace(bool on) {
  struct State {
    std::unique_ptr<engine::Backend> backend = engine::null::make_backend();
    std::unique_ptr<engine::Plan> plan;
    profiler::EngineCollector collector{kOps};
    std::vector<std::unique_ptr<engine::PreparedOp>> bare;  ///< as many ops, outside of any plan
    double pass_ns(engine::Observer* observer) {
      collector.clear();
      const int64_t begin = engine::now_ns();
      plan->run_step(0, observer);
      return static_cast<double>(engine::now_ns() - begin) / kOps;
    }
    double bare_ns() const {
      const int64_t begin = engine::now_ns();
      for (const auto& op : bare) op->run();
      return static_cast<double>(engine::now_ns() - begin) / kOps;
    }
  };
  const auto state = std::make_shared<State>();
  auto graph = additions();
  if (!graph) return graph.error();
  auto plan = engine::Plan::make(std::make_shared<const engine::Graph>(std::move(*graph)), *state->backend);
  if (!plan) return plan.error();
  state->plan = std::move(*plan);
  for (const engine::Node& node : state->plan->graph().nodes()) {
    auto op = state->backend->prepare({node, {&node.attributes, {}, {}}, nullptr, {}});
    if (!op) return op.error();
    state->bare.push_back(std::move(*op));
  }
  return Timed{
      [state, on](int64_t repeats) {
        double ns = 0;
        for (int64_t i = 0; i < repeats; ++i) {
          const double untraced = state->pass_ns(nullptr);
          ns += on ? state->pass_ns(&state->collector) - untraced : untraced - state->bare_ns();
        }
        return ns / static_cast<double>(repeats);
      },
      on ? "traced less untraced, null device" : "untraced less the same ops called without a plan, null device"};
}

/// 10^6 multiply-adds on each thread, in registers: time per 10^6 of all threads together.
Timed peak(int threads) {
  const profiler::probe::Loops loops = profiler::probe::best_loops();
  const int64_t rounds = 2'000'000 / loops.flops_per_round_f32;
  const double share = 2e6 / static_cast<double>(rounds * loops.flops_per_round_f32) / threads;
  return {[=](int64_t repeats) {
            const int64_t begin = engine::now_ns();
            engine::run_on_each_thread(threads, [&](int, int) {
              volatile double sink = loops.multiply_add_f32(rounds * repeats);
              (void)sink;
            });
            return static_cast<double>(engine::now_ns() - begin) / static_cast<double>(repeats) * share;
          },
          std::string("register multiply-adds, ") + loops.target};
}

Timed copy(int threads, int64_t bytes) {
  const profiler::probe::Loops loops = profiler::probe::best_loops();
  const int64_t count = bytes / 4 / profiler::probe::kChunk * profiler::probe::kChunk;
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  const auto make = [&] {
    constexpr size_t kPage = 2 << 20;
    const size_t size = (static_cast<size_t>(count) * 4 + kPage - 1) / kPage * kPage;
    std::shared_ptr<float> block(static_cast<float*>(std::aligned_alloc(kPage, size)), Free());
    CHECK(block != nullptr);
    std::fill_n(block.get(), count, 1.0f);
    return block;
  };
  const std::shared_ptr<float> from = make(), to = make();
  return repeated(
      [=] {
        engine::cpu::parallel_parts(threads, count, profiler::probe::kChunk, count, [&](int64_t begin, int64_t end) {
          loops.copy(from.get() + begin, to.get() + begin, end - begin, 1);
        });
      },
      std::string("plain loads and stores, ") + loops.target);
}

}  // namespace

std::optional<engine::Result<Timed>> overhead_case(Devices& devices, CaseText& text) {
  if (text.name() != "overhead" && text.name() != "trace") return std::nullopt;
  const bool tracing = text.name() == "trace";
  const std::string kind = text.choice("kind", tracing ? "on off" : "replay eager recording");
  if (auto checked = text.check(); !checked) return checked.error();
  if (tracing) return trace(kind == "on");
  if (kind == "replay") return replay(*devices.plan);
  return eager(*devices.plan, kind == "recording");
}

std::optional<engine::Result<Timed>> hardware_case(Devices& devices, CaseText& text) {
  const bool is_copy = text.name() == "copy";
  if (!is_copy && text.name() != "peak") return std::nullopt;
  const int64_t bytes = is_copy ? text.count("bytes", kMostBytes) : 0;
  if (auto checked = text.check(); !checked) return checked.error();
  return is_copy ? copy(devices.threads, bytes) : peak(devices.threads);
}

}  // namespace benchmarks
