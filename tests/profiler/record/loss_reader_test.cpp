// SPDX-License-Identifier: Apache-2.0
// The loss of each training step: which output it is, that static and eager steps put out the same, and what becomes of
// NaN and of one that cannot be read.
#include "profiler/record/loss_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "engine/cpu/backend.h"
#include "engine/null/backend.h"
#include "engine/ops/ops.h"
#include "engine/ops/training_step.h"
#include "engine/workloads/catalog.h"
#include "profiler/capture/training_loss.h"
#include "profiler/record/recorder.h"
#include "profiler/store/capture_file.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

RecordRequest request_of(const char* workload, const engine::Arguments& given, engine::Backend& backend,
                         bool eager = false) {
  const engine::Workload* found = *engine::find_workload(workload);
  engine::Arguments chosen = found->small;
  for (const auto& [key, value] : given) chosen[key] = value;
  RecordRequest request;
  request.arguments = *engine::resolve(*found, chosen);
  request.graph = std::make_shared<const engine::Graph>(*engine::build_graph(*found, request.arguments));
  if (eager)
    request.build = [found, arguments = request.arguments](engine::GraphBuilder& builder) {
      found->build(builder, arguments);
    };
  request.backend = &backend;
  request.workload = found->name;
  request.warmup_steps = 1;
  request.steps = 3;
  return request;
}

std::shared_ptr<const Capture> recorded(const RecordRequest& request) {
  const std::atomic<bool> stop = false;
  auto capture = record(request, nullptr, stop);
  EXPECT_TRUE(capture.ok()) << (capture.ok() ? "" : capture.error().message);
  return capture.ok() ? *capture : nullptr;
}

std::vector<double> losses(const Capture& capture) {
  for (const CounterSeries& series : capture.counters())
    if (capture.name(series.name) == kLossName) return series.value;
  return {};
}

TEST(Loss, IsTheSameStaticAndEager) {
  const auto backend = engine::cpu::make_backend(1);
  ASSERT_TRUE(backend.ok());
  for (const char* workload : {"lstm", "mlp", "tree"}) {
    const auto planned = recorded(request_of(workload, {{"mode", "training"}}, **backend)),
               eager = recorded(request_of(workload, {{"mode", "training"}}, **backend, true));
    ASSERT_TRUE(planned && eager);
    const std::vector<double> values = losses(*planned);
    EXPECT_EQ(values.size(), planned->steps().size()) << workload;
    EXPECT_EQ(losses(*eager), values) << workload;
    EXPECT_LT(values.back(), values.front()) << workload << " learned nothing";
  }
}

TEST(Loss, ComesBackFromTheFileAndCountsItsSteps) {
  const tests::TemporaryFolder folder;
  const auto backend = engine::cpu::make_backend(1);
  ASSERT_TRUE(backend.ok());
  RecordRequest request = request_of("mlp", {{"mode", "training"}}, **backend);
  request.output = folder.path() / "mlp.tide";
  const auto kept = recorded(request);
  ASSERT_TRUE(kept);
  const auto opened = open_capture(request.output);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ((*opened)->counters(), kept->counters());
  const auto loss = training_loss(**opened);
  ASSERT_TRUE(loss.has_value());
  EXPECT_EQ(loss->steps, kept->steps().size());
  EXPECT_EQ(loss->values, kept->steps().size());
  EXPECT_EQ(loss->first, losses(*kept).front());
  EXPECT_EQ(loss->last, losses(*kept).back());
  ASSERT_GE(loss->after.size(), 2u);
  for (size_t i = 0; i < loss->after.size(); ++i) {
    EXPECT_EQ(loss->after[i].steps, (std::array<size_t, 6>{1, 2, 5, 10, 20, 50}).at(i));
    EXPECT_EQ(loss->after[i].loss, losses(*kept)[loss->after[i].steps - 1]);
  }
  EXPECT_LE(loss->after.back().steps, loss->steps);
}

TEST(Loss, IsThatOfTrainingStepsAlone) {
  const auto backend = engine::cpu::make_backend(1);
  const auto null = engine::null::make_backend();
  ASSERT_TRUE(backend.ok());
  EXPECT_FALSE(training_loss(*recorded(request_of("mlp", {{"mode", "inference"}}, **backend))));
  EXPECT_FALSE(training_loss(*recorded(request_of("gemm", {}, **backend))));
  EXPECT_FALSE(training_loss(*recorded(request_of("mlp", {{"mode", "training"}}, *null))));  // its numbers mean nothing
}

/// Steps down w^2 from weights between `low` and twice that.
std::shared_ptr<const engine::Graph> square(double low, double learning_rate) {
  engine::GraphBuilder builder;
  const engine::ValueId w = builder.parameter("w", engine::TensorType::contiguous(engine::DType::float32, {4}),
                                              {engine::Fill::Kind::uniform, low, 2 * low}),
                        loss = engine::ops::sum(builder, engine::ops::multiply(builder, w, w), {0});
  engine::OptimizerOptions options;
  options.learning_rate = learning_rate;
  append_optimizer_step(builder, loss, options);
  builder.mark_output(loss);
  auto graph = builder.finish();
  EXPECT_TRUE(graph.ok());
  return std::make_shared<const engine::Graph>(*std::move(graph));
}

RecordRequest request_of(std::shared_ptr<const engine::Graph> graph, engine::Backend& backend) {
  RecordRequest request;
  request.graph = std::move(graph);
  request.backend = &backend;
  request.workload = "square";
  request.warmup_steps = 1;
  request.steps = 8;
  return request;
}

bool has_note(const Capture& capture, std::string_view begin) {
  return std::ranges::any_of(capture.honesty().notes, [&](const std::string& note) { return note.starts_with(begin); });
}

constexpr double kTooLong = 1e12;  ///< of a step

TEST(Loss, ThatIsNoNumberIsSaidAndNotDrawn) {
  const auto backend = engine::cpu::make_backend(1);
  ASSERT_TRUE(backend.ok());
  const auto capture = recorded(request_of(square(1, kTooLong), **backend));
  ASSERT_TRUE(capture);
  const auto loss = training_loss(*capture);
  ASSERT_TRUE(loss.has_value());  // the first step's is computed before any update
  EXPECT_LT(loss->values, capture->steps().size());
  EXPECT_EQ(loss->failed_step, capture->steps()[loss->values].index);
  EXPECT_TRUE(has_note(*capture, "The loss is no number any more (nan)") ||
              has_note(*capture, "The loss is no number any more (inf)"));
}

TEST(Loss, ThatIsNoNumberFromTheFirstStepOnIsStillOne) {
  const tests::TemporaryFolder folder;
  const auto backend = engine::cpu::make_backend(1);
  ASSERT_TRUE(backend.ok());
  RecordRequest request = request_of(square(1e30, 0.1), **backend);  // its square is beyond f32
  request.output = folder.path() / "square.tide";
  ASSERT_TRUE(recorded(request));
  const auto opened = open_capture(request.output);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const auto loss = training_loss(**opened);
  ASSERT_TRUE(loss.has_value()) << "it did train";
  EXPECT_EQ(loss->values, 0u);
  EXPECT_TRUE(std::isnan(loss->last));
  EXPECT_EQ(loss->failed_step, 0u);
}

/// A backend that computes, but hands nothing out any more once it is `gone`.
class NoReadOut final : public engine::Backend {
 public:
  NoReadOut(engine::Backend& inner, const char* kind) : inner_(inner), info_(inner.info()) { info_.device.kind = kind; }
  const engine::DeviceInfo& info() const override { return info_; }
  int threads() const override { return inner_.threads(); }
  engine::Result<std::shared_ptr<engine::Storage>> allocate(int64_t size_bytes) override {
    return inner_.allocate(size_bytes);
  }
  engine::Result<void> copy(const engine::Tensor& from, const engine::Tensor& to) override {
    if (gone) return engine::refused_error("[copy] the bus is gone");
    return inner_.copy(from, to);
  }
  engine::Result<void> supports(const engine::Node& node, const engine::Call& call) const override {
    return inner_.supports(node, call);
  }
  int64_t workspace_bytes(const engine::Node& node, const engine::Call& call) const override {
    return inner_.workspace_bytes(node, call);
  }
  engine::Result<std::unique_ptr<engine::PreparedOp>> prepare(const engine::PrepareRequest& request) override {
    return inner_.prepare(request);
  }
  void synchronize() override { inner_.synchronize(); }

  bool gone = false;

 private:
  engine::Backend& inner_;
  engine::DeviceInfo info_;
};

TEST(Loss, ThatCannotBeReadLosesTheLossAndNotTheRun) {
  const tests::TemporaryFolder folder;
  const auto backend = engine::cpu::make_backend(1);
  ASSERT_TRUE(backend.ok());
  for (const char* kind : {"cpu", "cuda"}) {  // read after each step; after the last alone
    NoReadOut broken(**backend, kind);
    RecordRequest request = request_of(square(1, 0.1), broken);
    request.health = [&broken]() -> engine::Result<void> {  // asked after the first step
      broken.gone = true;
      return {};
    };
    request.output = folder.path() / "square.tide";
    ASSERT_TRUE(recorded(request)) << kind;
    const auto opened = open_capture(request.output);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    EXPECT_TRUE((*opened)->run().complete);
    EXPECT_GE((*opened)->steps().size(), 9u);
    EXPECT_FALSE(training_loss(**opened));
    const auto ours = [](const std::string& note) {
      return note.starts_with("The loss could not be read after step ") &&
             note.find(": [copy] the bus is gone.") != std::string::npos;
    };
    EXPECT_EQ(std::ranges::count_if((*opened)->honesty().notes, ours), 1) << kind;
  }
}

/// Both lists ascend: one walk, however many there are.
TEST(Loss, OfManyStepsIsAddedAtOnce) {
  constexpr uint32_t kSteps = 200'000;
  const auto backend = engine::cpu::make_backend(1);
  const auto value = engine::Tensor::from_values({}, std::vector<double>{1.5});
  ASSERT_TRUE(backend.ok() && value.ok());
  LossReader reader(*square(1, 0.1), **backend);
  CaptureBuilder builder;
  for (uint32_t i = 0; i < kSteps; ++i) {
    if (i % 10 != 3)
      builder.add_step({.index = i,
                        .start_ns = 10 * int64_t{i},
                        .duration_ns = 9,
                        .traced = true,
                        .warmup = false});    // some are not there
    if (i % 10 != 7) reader.read(i, *value);  // some have none
  }
  const std::clock_t before = std::clock();
  reader.add_to(builder);
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 1);
  ASSERT_EQ(builder.so_far().counters().size(), 1u);
  const CounterSeries& series = builder.so_far().counters()[0];
  ASSERT_EQ(series.value.size(), kSteps * 8 / 10);
  EXPECT_EQ(series.time_ns.back(), 10 * int64_t{kSteps - 1} + 9);
}

}  // namespace
}  // namespace profiler
