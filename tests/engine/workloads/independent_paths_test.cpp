// SPDX-License-Identifier: Apache-2.0
// Networks with random weights by paths that have little in common: one thread against two, oneDNN and OpenBLAS against
// our own kernels, f32 against f64. Compared are outputs (of training steps: the loss) and how far a step moved each
// learned or running value: that is the gradients, seen past the weights they are added to. (Eager against static:
// tests/engine/eager/session_test.cpp.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "engine/cpu/backend.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"

namespace engine {
namespace {

using Tensors = std::map<std::string, std::vector<double>>;

/// Outputs, and changes of parameters and states, as numbers by name.
struct Outcome {
  Tensors outputs, learned, kept;
  std::string kernels;
};

std::vector<double> numbers(const Tensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.type().elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = tensor.get_flat(static_cast<int64_t>(i));
  return values;
}

Outcome run(const Workload& workload, const Arguments& arguments, const cpu::BackendOptions& options) {
  Outcome result;
  Result<Graph> built = build_graph(workload, *resolve(workload, arguments));
  CHECK(built.ok());
  const auto graph = std::make_shared<const Graph>(std::move(*built));
  auto backend = cpu::make_backend(options);
  CHECK(backend.ok());
  auto plan = Plan::make(graph, **backend, {.seed = 5});
  CHECK(plan.ok());
  for (const Node& node : graph->nodes()) result.kernels += (*plan)->kernel_name(node.id) + ";";
  const auto of = [&](const Value& value) -> Tensors* {
    if (!is_floating(value.type.dtype)) return nullptr;
    return value.kind == ValueKind::parameter ? &result.learned
           : value.kind == ValueKind::state   ? &result.kept
                                              : nullptr;
  };
  for (const Value& value : graph->values()) {
    if (Tensors* tensors = of(value)) (*tensors)[value.name] = numbers((*plan)->tensor(value.id));
  }
  (*plan)->run_step(0, nullptr);
  for (const Value& value : graph->values()) {
    Tensors* const tensors = of(value);
    if (tensors == nullptr) continue;
    std::vector<double>& moved = (*tensors)[value.name];
    const std::vector<double> after = numbers((*plan)->tensor(value.id));
    for (size_t i = 0; i < after.size(); ++i) moved[i] = after[i] - moved[i];
  }
  for (const ValueId id : graph->outputs()) result.outputs[graph->value(id).name] = numbers((*plan)->tensor(id));
  return result;
}

double root_mean_square(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(std::max<size_t>(1, values.size())));
}

/// Each tensor's root of the mean square of differences, relative to that of `wanted`; tensors below a thousandth of
/// the largest are held against that: among them are biases before a batch norm and of attention's keys, whose
/// gradients are zero but for rounding.
void expect_near(const Tensors& got, const Tensors& wanted, double tolerance) {
  constexpr double kLeast = 1e-3;
  double largest = 0;
  for (const auto& [name, values] : wanted) largest = std::max(largest, root_mean_square(values));
  EXPECT_GT(largest, 0);
  ASSERT_EQ(got.size(), wanted.size());
  for (const auto& [name, values] : wanted) {
    ASSERT_TRUE(got.contains(name)) << name;
    std::vector<double> difference = got.at(name);
    ASSERT_EQ(difference.size(), values.size()) << name;
    for (size_t i = 0; i < values.size(); ++i) difference[i] -= values[i];
    EXPECT_LE(root_mean_square(difference) / std::max(root_mean_square(values), kLeast * largest), tolerance)
        << name << ", of " << root_mean_square(values);
  }
}

struct Net {
  const char* name;
  Arguments arguments;
  /// Largest difference of outputs and of what was moved that is rounding of f32: deep networks with batch norm over
  /// few pixels add much to it.
  double output, moved;

  friend void PrintTo(const Net& net, std::ostream* to) { *to << net.name; }
};

std::vector<Net> nets() {
  const auto small = [](const char* name, Arguments more) {
    Arguments arguments = (*find_workload(name))->small;
    arguments["mode"] = "training";
    for (const auto& [key, value] : more) arguments[key] = value;
    return arguments;
  };
  return {
      {"mlp", {{"input", "50"}, {"hidden", "64,33"}, {"output", "7"}, {"batch", "24"}}, 1e-5, 1e-3},
      {"squeezenet", {{"image_size", "48"}, {"classes", "10"}, {"batch", "2"}, {"mode", "training"}}, 1e-5, 1e-3},
      {"resnet56", {{"batch", "4"}, {"mode", "training"}}, 1e-4, 1e-2},
      {"mobilenet", {{"image_size", "64"}, {"classes", "10"}, {"batch", "4"}, {"mode", "training"}}, 1e-4, 1e-2},
      {"lstm", small("lstm", {}), 1e-5, 1e-3},
      {"transformer", small("transformer", {}), 1e-5, 1e-3},
      {"gpt", small("gpt", {}), 1e-5, 1e-3},
  };
}

class IndependentPaths : public testing::TestWithParam<Net> {
 protected:
  Outcome by(const cpu::BackendOptions& options, const char* dtype = "f32") const {
    Arguments arguments = GetParam().arguments;
    arguments["dtype"] = dtype;
    arguments["learning_rate"] = "1";  // what a weight moves by is its gradient, and not lost in the weight's rounding
    return run(**find_workload(GetParam().name), arguments, options);
  }
  /// `factor`: of the tolerances.
  void expect_same(const Outcome& got, const Outcome& wanted, double factor = 1) const {
    expect_near(got.outputs, wanted.outputs, factor * GetParam().output);
    expect_near(got.learned, wanted.learned, factor * GetParam().moved);
    if (!wanted.kept.empty()) expect_near(got.kept, wanted.kept, factor * GetParam().moved);
  }
};

TEST_P(IndependentPaths, OneThreadAndTwo) { expect_same(by({.threads = 2}), by({.threads = 1})); }

TEST_P(IndependentPaths, LibrariesAndOurOwnKernels) {
  const Outcome own = by({.threads = 2, .onednn = false, .openblas = false});
  for (const char* library : {"oneDNN", "OpenBLAS", "reference"})
    EXPECT_EQ(own.kernels.find(library), std::string::npos) << library << " in " << own.kernels;
  expect_same(own, by({.threads = 2}));
}

TEST_P(IndependentPaths, SingleAndDoublePrecision) {
  const Outcome wanted = by({.threads = 1}, "f64");
  expect_same(by({.threads = 1}), wanted);
  expect_same(by({.threads = 2}, "f64"), wanted, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Catalog, IndependentPaths, testing::ValuesIn(nets()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace engine
