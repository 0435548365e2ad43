// SPDX-License-Identifier: Apache-2.0
// The workloads on the CPU: they compute what they say, and training learns.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/cpu/backend.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"

namespace engine {
namespace {

/// A workload made ready on one thread of the CPU.
struct Prepared {
  Prepared(std::string_view name, const Arguments& given) {
    const Workload* workload = *find_workload(name);
    Result<Graph> built = build_graph(*workload, *resolve(*workload, given));
    CHECK(built.ok());
    graph = std::make_shared<const Graph>(std::move(*built));
    Result<std::unique_ptr<Backend>> made = cpu::make_backend(1);
    CHECK(made.ok());
    backend = std::move(*made);
    Result<std::unique_ptr<Plan>> planned = Plan::make(graph, *backend);
    EXPECT_TRUE(planned.ok()) << (planned ? "" : planned.error().message);
    CHECK(planned.ok());
    plan = std::move(*planned);
  }
  const Tensor& value(std::string_view name) const { return plan->tensor(*graph->find(name)); }
  const Tensor& output() const { return plan->tensor(graph->outputs()[0]); }

  std::shared_ptr<const Graph> graph;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Plan> plan;
};

TEST(WorkloadRun, StreamKernelsComputeTheirFormulas) {
  for (const char* dtype : {"f32", "f64"}) {
    for (const std::string kernel : {"copy", "scale", "add", "triad"}) {
      const Prepared run("stream", {{"kernel", kernel}, {"n", "1003"}, {"dtype", dtype}});
      run.plan->run_step(0, nullptr);
      const bool two = kernel == "add" || kernel == "triad";
      for (const int64_t i : {0, 1, 500, 1002}) {
        const double a = run.value("a").get_flat(i), b = two ? run.value("b").get_flat(i) : 0;
        const double wanted = kernel == "copy"    ? a
                              : kernel == "scale" ? 3 * a
                              : kernel == "add"   ? a + b
                                                  : a + 3 * b;
        EXPECT_NEAR(run.output().get_flat(i), wanted, 1e-6) << kernel << " " << dtype << " " << i;
      }
    }
  }
}

TEST(WorkloadRun, GemmIsTheSameWithEitherLayoutOfB) {
  for (const std::string transposed : {"no", "yes"}) {
    const Prepared run("gemm", {{"m", "5"}, {"n", "4"}, {"k", "3"}, {"transposed_b", transposed}});
    run.plan->run_step(0, nullptr);
    for (int64_t i = 0; i < 5; ++i) {
      for (int64_t j = 0; j < 4; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < 3; ++k) {
          const double b = transposed == "yes" ? run.value("b").get_flat(j * 3 + k)
                                               : run.value("b").get_flat(k * 4 + j);
          sum += run.value("a").get_flat(i * 3 + k) * b;
        }
        EXPECT_NEAR(run.output().get_flat(i * 4 + j), sum, 1e-5);
      }
    }
  }
}

// The same random images and labels come every step, so that they can be learned by heart.
void expect_learning(std::string_view name, const Arguments& given, int classes, int steps) {
  const Prepared run(name, given);
  run.plan->run_step(0, nullptr);
  const double first = run.output().get_flat(0);
  EXPECT_NEAR(first, std::log(classes), 2.0) << name;
  for (int step = 1; step < steps; ++step) run.plan->run_step(static_cast<uint32_t>(step), nullptr);
  EXPECT_LT(run.output().get_flat(0), first / 2) << name;
}

TEST(WorkloadRun, MlpLearns) {
  const Arguments small{{"input", "20"},
                        {"hidden", "32,32"},
                        {"output", "5"},
                        {"batch", "16"},
                        {"learning_rate", "0.1"}};
  for (const char* dtype : {"f32", "f64"}) {
    Arguments arguments = small;
    arguments["dtype"] = dtype;
    expect_learning("mlp", arguments, 5, 200);
  }
}

TEST(WorkloadRun, ResNet50Learns) {
  expect_learning(
      "resnet50",
      {{"image_size", "32"}, {"classes", "4"}, {"batch", "4"}, {"learning_rate", "0.01"}}, 4, 5);
}

TEST(WorkloadRun, InferenceGivesFiniteLogits) {
  for (const char* name : {"mlp", "resnet50"}) {
    Arguments arguments{{"mode", "inference"}, {"batch", "2"}};
    if (std::string_view(name) == "resnet50") arguments["image_size"] = "64";
    const Prepared run(name, arguments);
    run.plan->run_step(0, nullptr);
    bool differ = false;
    for (int64_t i = 0; i < run.output().type().elements(); ++i) {
      ASSERT_TRUE(std::isfinite(run.output().get_flat(i))) << name << " " << i;
      differ = differ || run.output().get_flat(i) != run.output().get_flat(0);
    }
    EXPECT_TRUE(differ) << name;
  }
}

TEST(WorkloadRun, AbsurdBatchesAreRefusedByThePlanWithTheirBytes) {
  for (const char* name : {"mlp", "resnet50"}) {
    const Workload* workload = *find_workload(name);
    Result<Graph> graph = build_graph(*workload, *resolve(*workload, {{"batch", "1099511627776"}}));
    ASSERT_TRUE(graph.ok());
    Result<std::unique_ptr<Backend>> backend = cpu::make_backend(1);
    const Result<std::unique_ptr<Plan>> plan =
        Plan::make(std::make_shared<const Graph>(std::move(*graph)), **backend);
    ASSERT_FALSE(plan.ok()) << name;
    EXPECT_EQ(plan.error().kind, ErrorKind::refused);
    EXPECT_NE(plan.error().message.find("iB"), std::string::npos) << plan.error().message;
  }
}

}  // namespace
}  // namespace engine
