// SPDX-License-Identifier: Apache-2.0
// Results of a run: equal to a product computed here, equal static and eager, other with another seed, back from a
// file as they were.
#include "profiler/record/result_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "engine/cpu/backend.h"
#include "engine/null/backend.h"
#include "engine/workloads/workload.h"
#include "profiler/capture/results.h"
#include "profiler/compare/comparison.h"
#include "profiler/record/recorder.h"
#include "profiler/store/capture_file.h"
#include "tests/support/capture_difference.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

struct Wanted {
  const char* workload;
  engine::Arguments given = {};
  bool eager = false;
  uint64_t seed = 1;
  int steps = 2;
};

RecordRequest request_of(const Wanted& wanted, engine::Backend& backend) {
  const engine::Workload* found = *engine::find_workload(wanted.workload);
  engine::Arguments chosen = found->small;
  for (const auto& [key, value] : wanted.given) chosen[key] = value;
  RecordRequest request;
  request.arguments = *engine::resolve(*found, chosen);
  request.graph = std::make_shared<const engine::Graph>(*engine::build_graph(*found, request.arguments));
  if (wanted.eager)
    request.build = [found, arguments = request.arguments](engine::GraphBuilder& b) { found->build(b, arguments); };
  request.backend = &backend;
  request.workload = found->name;
  request.seed = wanted.seed;
  request.warmup_steps = 1;
  request.steps = wanted.steps;
  return request;
}

std::shared_ptr<const Capture> recorded(const Wanted& wanted, const std::filesystem::path& output = {}) {
  static const auto backend = engine::cpu::make_backend(1);
  RecordRequest request = request_of(wanted, **backend);
  request.output = output;
  const std::atomic<bool> stop = false;
  auto capture = record(request, nullptr, stop);
  EXPECT_TRUE(capture.ok()) << (capture.ok() ? "" : capture.error().message);
  return *capture;
}

TEST(Results, AreThoseOfTheProduct) {
  const Wanted wanted{"gemm", {{"m", "5"}, {"n", "4"}, {"k", "3"}, {"dtype", "f64"}}};
  const auto capture = recorded(wanted);
  ASSERT_EQ(capture->results().size(), 1u);
  const ResultRecord& result = capture->results()[0];
  EXPECT_EQ(result.step, 0u);
  ASSERT_EQ(kept_count(result), 20);

  const auto backend = engine::cpu::make_backend(1);
  const RecordRequest request = request_of(wanted, **backend);
  const auto plan = engine::Plan::make(request.graph, **backend, {.seed = 1});
  ASSERT_TRUE(plan);
  const engine::Tensor &a = (*plan)->tensor(*request.graph->find("a")), &b = (*plan)->tensor(*request.graph->find("b"));
  double squares = 0;
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < 3; ++k) sum += a.get_flat(3 * i + k) * b.get_flat(4 * k + j);
      EXPECT_NEAR(kept_value(result, 4 * i + j), sum, 1e-14) << i << ", " << j;
      squares += sum * sum;
    }
  }
  EXPECT_NEAR(result.norm, std::sqrt(squares), 1e-13);
  EXPECT_EQ(result.not_finite, 0);
}

TEST(Results, OfATrainingHoldAllParameters) {
  const auto fixed = recorded({"mlp", {{"mode", "training"}}}),
             eager = recorded({.workload = "mlp", .given = {{"mode", "training"}}, .eager = true, .steps = 4});
  ASSERT_EQ(fixed->results().size(), 2u) << "the loss, and all parameters";
  EXPECT_EQ(fixed->results()[1].tensor, kNoTensor);
  EXPECT_EQ(fixed->results()[1].elements, fixed->run().parameter_count);
  EXPECT_FALSE(steps_repeat(*fixed));
  const ResultsCompared same = compare_results(*fixed, *eager);
  EXPECT_EQ(same.kind, ResultsCompared::Kind::identical) << results_words(same);
  EXPECT_EQ(same.results, 2u);

  const auto other = recorded({.workload = "mlp", .given = {{"mode", "training"}}, .seed = 2});
  EXPECT_NE(other->results()[0].checksum, fixed->results()[0].checksum);
  EXPECT_NE(results_words(compare_results(*fixed, *other)).find("different seeds (1 and 2)"), std::string::npos);
}

TEST(Results, OfTwoMethodsAreAsFarApartAsRounding) {
  const auto direct = recorded({"im2col", {{"method", "direct"}}}), product = recorded({"im2col"});
  const ResultsCompared apart = compare_results(*direct, *product);
  ASSERT_NE(apart.kind, ResultsCompared::Kind::unknown) << apart.why;
  EXPECT_LT(apart.distance, 1e-5);
}

TEST(Results, ComeBackFromAFile) {
  tests::TemporaryFolder folder;
  const auto capture = recorded({"mlp", {{"mode", "training"}}}, folder / "a.tide");
  const auto again = open_capture(folder / "a.tide");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(tests::difference(*capture, **again), "");
  EXPECT_EQ((*again)->results().size(), 2u);
}

TEST(Results, OfTheNullDeviceAreNone) {
  const auto backend = engine::null::make_backend();
  RecordRequest request = request_of({"gemm"}, *backend);
  const std::atomic<bool> stop = false;
  const auto capture = record(request, nullptr, stop);
  ASSERT_TRUE(capture);
  EXPECT_TRUE((*capture)->results().empty());
}

}  // namespace
}  // namespace profiler
