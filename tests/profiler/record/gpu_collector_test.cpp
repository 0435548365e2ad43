// SPDX-License-Identifier: Apache-2.0
// Recording with a GPU tracer of our own: every op's kernel finds its op and step, in memory and in the file; losses
// are told.
#include "profiler/record/gpu_collector.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/base/clock.h"
#include "engine/null/backend.h"
#include "profiler/record/recorder.h"
#include "profiler/store/capture_file.h"
#include "tests/support/capture_difference.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

constexpr int64_t kOffset = 1'700'000'000'000'000'000;  // of its clock to ours

/// Launches one kernel per op, at once.
class FakeTracer final : public GpuTracer {
 public:
  FakeTracer() { events_.clock.push_back({engine::now_ns() + kOffset, engine::now_ns(), 100}); }

  void push(ExternalKind kind, uint64_t id) override {
    if (kind == ExternalKind::step) {
      EXPECT_FALSE(step_.has_value()) << "steps do not nest";
      step_ = id;
      return;
    }
    EXPECT_TRUE(step_.has_value()) << "ops run within steps";
    op_ = id;
    const uint32_t correlation = ++last_;
    const int64_t now = engine::now_ns() + kOffset;
    events_.externals.push_back({correlation, ExternalKind::op, id});
    events_.externals.push_back({correlation, ExternalKind::step, *step_});
    events_.api_calls.push_back({.time = {now, now + 100},
                                 .correlation = correlation,
                                 .thread = 1,
                                 .name = events_.intern("cudaLaunchKernel"),
                                 .record = {}});
    events_.kernels.push_back({.time = {now + 150, now + 250},
                               .correlation = correlation,
                               .name = events_.intern("_Z4workPf"),
                               .record = {.place = {.device = 0, .context = 1, .stream = 7}}});
  }
  void pop(ExternalKind kind) override {
    auto& open = kind == ExternalKind::step ? step_ : op_;
    EXPECT_TRUE(open.has_value());
    open.reset();
  }
  std::vector<GpuEvents> take() override {
    std::vector<GpuEvents> out;
    out.push_back(std::exchange(events_, {}));
    return out;
  }
  std::vector<GpuEvents> stop() override {
    EXPECT_FALSE(step_.has_value());
    stopped = true;
    events_.dropped = 3;
    events_.failure = "CUPTI gave up: test";
    return take();
  }
  bool stopped = false;

 private:
  GpuEvents events_;
  std::optional<uint64_t> step_, op_;
  uint32_t last_ = 0;
};

TEST(GpuCollector, EveryOpOfEveryTracedStepHasItsKernel) {
  const tests::TemporaryFolder folder;
  for (const bool eager : {false, true}) {
    FakeTracer tracer;
    const auto backend = engine::null::make_backend();
    const engine::Workload* mlp = *engine::find_workload("mlp");
    RecordRequest request;
    request.arguments = *engine::resolve(*mlp, {{"batch", "4"}, {"mode", "training"}});
    request.graph = std::make_shared<const engine::Graph>(*engine::build_graph(*mlp, request.arguments));
    if (eager) request.build = [&](engine::GraphBuilder& b) { mlp->build(b, request.arguments); };
    request.backend = backend.get();
    request.tracer = &tracer;
    request.workload = "mlp";
    request.warmup_steps = 1;
    request.steps = 6;
    request.output = folder / "r.tide";
    const std::atomic<bool> stop{false};
    const auto capture = record(request, {}, stop);
    ASSERT_TRUE(capture.ok()) << capture.error().message;
    EXPECT_TRUE(tracer.stopped);
    std::set<std::pair<uint32_t, OpId>> ops, kernels;
    const ActivityColumns& a = (*capture)->activities();
    for (uint32_t i = 0; i < a.size(); ++i) {
      if (a.kind[i] == ActivityKind::op) ops.insert({a.step[i], a.op[i]});
      if ((*capture)->kernel_of(i) != nullptr) {
        EXPECT_TRUE(kernels.insert({a.step[i], a.op[i]}).second);
        EXPECT_EQ((*capture)->name(a.name[i]), "work(float*)");
      }
    }
    EXPECT_GT(ops.size(), 6u * 5);
    EXPECT_EQ(kernels, ops);
    const Honesty& honesty = (*capture)->honesty();
    EXPECT_EQ(honesty.gpu_losses, (GpuLosses{.dropped = 3}));
    std::string notes;
    for (const std::string& note : honesty.notes) notes += note + "\n";
    EXPECT_NE(notes.find("3 records of the GPU's work were dropped"), std::string::npos) << notes;
    EXPECT_NE(notes.find("CUPTI gave up: test."), std::string::npos) << notes;
    const auto back = open_capture(folder / "r.tide");
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(tests::difference(**capture, **back), "");
  }
}

}  // namespace
}  // namespace profiler
