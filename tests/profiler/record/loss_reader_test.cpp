// SPDX-License-Identifier: Apache-2.0
// The loss of each training step: which output it is, that static and eager steps put out the same, and what becomes of NaN.
#include "profiler/record/loss_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/cpu/backend.h"
#include "engine/null/backend.h"
#include "engine/ops/ops.h"
#include "engine/ops/training_step.h"
#include "engine/workloads/catalog.h"
#include "profiler/model/capture_file.h"
#include "profiler/model/training_loss.h"
#include "profiler/record/recorder.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

RecordRequest request_of(const char* workload, const engine::Arguments& given, engine::Backend& backend, bool eager = false) {
  const engine::Workload* found = *engine::find_workload(workload);
  engine::Arguments chosen = found->small;
  for (const auto& [key, value] : given) chosen[key] = value;
  RecordRequest request;
  request.arguments = *engine::resolve(*found, chosen);
  request.graph = std::make_shared<const engine::Graph>(*engine::build_graph(*found, request.arguments));
  if (eager) request.build = [found, arguments = request.arguments](engine::GraphBuilder& builder) { found->build(builder, arguments); };
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
}

TEST(Loss, IsThatOfTrainingStepsAlone) {
  const auto backend = engine::cpu::make_backend(1);
  const auto null = engine::null::make_backend();
  ASSERT_TRUE(backend.ok());
  EXPECT_FALSE(training_loss(*recorded(request_of("mlp", {{"mode", "inference"}}, **backend))));
  EXPECT_FALSE(training_loss(*recorded(request_of("gemm", {}, **backend))));
  EXPECT_FALSE(training_loss(*recorded(request_of("mlp", {{"mode", "training"}}, *null))));  // its numbers mean nothing
}

/// w^2 by steps that are far too long.
std::shared_ptr<const engine::Graph> diverging() {
  engine::GraphBuilder builder;
  const engine::ValueId w = builder.parameter("w", engine::TensorType::contiguous(engine::DType::float32, {4}), {engine::Fill::Kind::uniform, 1, 2}),
                        loss = engine::ops::sum(builder, engine::ops::multiply(builder, w, w), {0});
  engine::OptimizerOptions options;
  options.learning_rate = 1e12;
  append_optimizer_step(builder, loss, options);
  builder.mark_output(loss);
  auto graph = builder.finish();
  EXPECT_TRUE(graph.ok());
  return std::make_shared<const engine::Graph>(*std::move(graph));
}

TEST(Loss, ThatIsNoNumberIsSaidAndNotDrawn) {
  const auto backend = engine::cpu::make_backend(1);
  ASSERT_TRUE(backend.ok());
  RecordRequest request;
  request.graph = diverging();
  request.backend = backend->get();
  request.workload = "diverging";
  request.warmup_steps = 1;
  request.steps = 8;
  const auto capture = recorded(request);
  ASSERT_TRUE(capture);
  const auto loss = training_loss(*capture);
  ASSERT_TRUE(loss.has_value());  // the first step's is computed before any update
  EXPECT_LT(loss->values, capture->steps().size());
  EXPECT_TRUE(std::ranges::any_of(capture->honesty().notes, [](const std::string& note) { return note.starts_with("The loss is no number any more"); }));
}

}  // namespace
}  // namespace profiler
