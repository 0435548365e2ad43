// SPDX-License-Identifier: Apache-2.0
// The loss of a training run as a user meets it: all its digits, whose it is, and what is said of one that is no
// number.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "engine/cpu/backend.h"
#include "engine/ops/ops.h"
#include "engine/ops/training_step.h"
#include "profiler/record/recorder.h"
#include "tests/app/cli/process.h"

namespace {

using nlohmann::json;
using test::fresh_folder;
using test::parsed;
using test::tensortide;

constexpr const char* kLine = "\nLoss                 ";

/// Records steps down w^2 in f64 from weights between `low` and twice that, and says what `analyze` prints.
std::pair<std::string, json> analyzed(double low, double learning_rate) {
  engine::GraphBuilder builder;
  const engine::TensorType type = engine::TensorType::contiguous(engine::DType::float64, {4});
  const engine::ValueId w = builder.parameter("w", type, {engine::Fill::Kind::uniform, low, 2 * low});
  const engine::ValueId loss = engine::ops::sum(builder, engine::ops::multiply(builder, w, w), {0});
  engine::OptimizerOptions options;
  options.learning_rate = learning_rate;
  append_optimizer_step(builder, loss, options);
  builder.mark_output(loss);
  auto graph = builder.finish();
  const auto backend = engine::cpu::make_backend(1);
  EXPECT_TRUE(graph.ok() && backend.ok());
  profiler::RecordRequest request;
  request.graph = std::make_shared<const engine::Graph>(*std::move(graph));
  request.backend = backend->get();
  request.workload = "square";
  request.warmup_steps = 1;
  request.steps = 8;
  request.measure_cost = false;
  request.output = fresh_folder() / "square.tide";
  const std::atomic<bool> stop = false;
  const auto recorded = profiler::record(request, nullptr, stop);
  EXPECT_TRUE(recorded.ok()) << recorded.error().message;
  const std::string file = request.output.string();
  return {tensortide("analyze " + file).out, parsed(tensortide("analyze " + file + " --json").out)["summary"]["loss"]};
}

TEST(LossLine, HasAllDigitsAndAnOrigin) {
  const auto [text, loss] = analyzed(1, 0.01);
  EXPECT_EQ(loss["origin"], "measured");
  EXPECT_EQ(loss["finite"], true);
  EXPECT_EQ(loss["failed_step"], nullptr);
  EXPECT_EQ(loss["steps"], 9);
  const size_t at = text.find(kLine);
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(std::strtod(text.c_str() + at + std::string_view(kLine).size(), nullptr), loss["value"].get<double>())
      << text;
  EXPECT_EQ(text.find("no number"), std::string::npos) << text;
}

TEST(LossLine, SaysWhatTheStepsWere) {
  const std::string text = analyzed(1, 0.01).first;
  EXPECT_NE(text.find(" after 9 steps (1 to warm up, 8 timed); "), std::string::npos) << text;
  const auto file = fresh_folder() / "m.tide";
  ASSERT_EQ(
      tensortide("run mlp --mode training --batch 2 --threads 1 --steps 3 --warmup 1 --no-probe -o " + file.string())
          .exit_code,
      0);
  const std::string run = tensortide("analyze " + file.string()).out;
  EXPECT_NE(run.find("(1 to warm up, 3 timed, 3 without tracing, to measure its cost)"), std::string::npos) << run;
}

/// How many steps each takes is up to its clock: the losses after as many steps are the same.
TEST(LossLine, EagerAndStaticRunsOfOneNetworkAgreeInAllDigits) {
  const auto after = [](const std::string& graph, const std::string& steps) {
    const auto file = fresh_folder() / (graph + ".tide");
    const auto ran = tensortide(
        "run lstm --batch 2 --set sequence=6 --set hidden=16 --set vocabulary=50 --set layers=1 --mode training "
        "--threads 1 --no-probe --graph " +
        graph + " --steps " + steps + " --warmup 1 --json -o " + file.string());
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return parsed(tensortide("analyze " + file.string() + " --json").out)["summary"]["loss"]["after"];
  };
  const json eager = after("eager", "3"), fixed = after("static", "6");
  ASSERT_GE(eager.size(), 3u) << eager;
  ASSERT_GT(fixed.size(), eager.size()) << fixed;
  for (size_t i = 0; i < eager.size(); ++i) EXPECT_EQ(eager[i], fixed[i]);
}

TEST(LossLine, SaysSinceWhichStepItIsNoNumber) {
  const auto [text, loss] = analyzed(1, 1e70);
  EXPECT_EQ(loss["finite"], false);
  const int step = loss["failed_step"];
  EXPECT_GT(step, 0);
  EXPECT_EQ(loss["steps"], step);
  EXPECT_TRUE(loss["value"].is_number());
  EXPECT_NE(text.find(fmt::format("; no number since step {}: this training has failed", step)), std::string::npos)
      << text;
}

TEST(LossLine, IsThereWhereItWasNeverANumber) {
  const auto [text, loss] = analyzed(1e200, 0.01);
  ASSERT_TRUE(loss.is_object()) << "it did train";
  EXPECT_EQ(loss["finite"], false);
  EXPECT_EQ(loss["failed_step"], 0);
  EXPECT_EQ(loss["value"], nullptr);
  EXPECT_NE(text.find(std::string(kLine) + "– (no number after step 0: this training has failed)"), std::string::npos)
      << text;
}

}  // namespace
