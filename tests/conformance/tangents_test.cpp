// SPDX-License-Identifier: Apache-2.0
// Every tangent rule against the gradient of the same op, in float64: the Jacobian forwards is the Jacobian backwards.
// An op that has only a tangent rule is held against central differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/ops/autograd.h"
#include "engine/ops/forward.h"
#include "engine/ops/ops.h"
#include "tests/support/host_interpreter.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using test::OpExample;

constexpr double kTolerance = 1e-9, kDifferenceTolerance = 1e-6, kStep = 1e-5;
/// Larger examples are left to the gradient tests: a Jacobian takes a run per element.
constexpr int64_t kMostElements = 600;

using Matrix = std::vector<std::vector<double>>;  ///< [element of x][element of y]

/// The example's operands as leaves, dense, in the axis order of the example.
std::vector<ValueId> leaves(GraphBuilder& builder, const OpExample& example) {
  std::vector<ValueId> ids;
  for (const test::Operand& operand : example.inputs) {
    TensorType type = operand.type;
    type.strides = dense_strides_like(type.shape, type.strides);
    ids.push_back(builder.parameter("operand" + std::to_string(ids.size()), type, operand.fill));
  }
  return ids;
}

TensorType dense_like(const TensorType& type) {
  return {type.dtype, type.shape, dense_strides_like(type.shape, type.strides)};
}

/// One run per element of `direction`, each with a 1 there: the rows of `result`.
Matrix run_all_directions(test::HostInterpreter& host, ValueId direction, ValueId result) {
  Matrix rows;
  const Tensor& seed = host.tensor(direction);
  for (int64_t i = 0; i < seed.type().elements(); ++i) {
    for (int64_t k = 0; k < seed.type().elements(); ++k) seed.set_flat(k, k == i ? 1 : 0);
    host.run();
    rows.push_back(test::values(host.tensor(result)));
  }
  return rows;
}

Matrix forward_jacobian(const Op& op, const OpExample& example, size_t i) {
  GraphBuilder builder;
  const std::vector<ValueId> inputs = leaves(builder, example);
  const ValueId y = builder.append(op, inputs, example.attributes)[0];
  const ValueId dx = builder.input("dx", dense_like(builder.type(inputs[i])), {});
  const ValueId dy = forward_differentiate(builder, {&y, 1}, {&inputs[i], 1}, {&dx, 1})[0];
  Result<Graph> graph = builder.finish();
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  if (!graph.ok() || dy == kNoValue) return {};
  test::HostInterpreter host(std::move(*graph));
  return run_all_directions(host, dx, dy);
}

Matrix transposed(const Matrix& rows, size_t columns) {
  Matrix result(columns, std::vector<double>(rows.size()));
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t k = 0; k < columns; ++k) result[k][i] = rows[i][k];
  }
  return result;
}

Matrix reverse_jacobian(const Op& op, const OpExample& example, size_t i) {
  GraphBuilder builder;
  const std::vector<ValueId> inputs = leaves(builder, example);
  const ValueId y = builder.append(op, inputs, example.attributes)[0];
  const ValueId dy = builder.input("dy", dense_like(builder.type(y)), {});
  const ValueId dx = differentiate_along(builder, y, dy, {&inputs[i], 1})[0];
  const auto elements = static_cast<size_t>(builder.type(inputs[i]).elements());
  Result<Graph> graph = builder.finish();
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  if (!graph.ok() || dx == kNoValue) return {};
  test::HostInterpreter host(std::move(*graph));
  return transposed(run_all_directions(host, dy, dx), elements);
}

Matrix difference_jacobian(const Op& op, const OpExample& example, size_t i) {
  GraphBuilder builder;
  const std::vector<ValueId> inputs = leaves(builder, example);
  const ValueId y = builder.append(op, inputs, example.attributes)[0];
  test::HostInterpreter host(*builder.finish());
  const Tensor& x = host.tensor(inputs[i]);
  Matrix rows;
  for (int64_t k = 0; k < x.type().elements(); ++k) {
    const double at = x.get_flat(k);
    x.set_flat(k, at + kStep);
    host.run();
    std::vector<double> above = test::values(host.tensor(y));
    x.set_flat(k, at - kStep);
    host.run();
    const std::vector<double> below = test::values(host.tensor(y));
    x.set_flat(k, at);
    for (size_t j = 0; j < above.size(); ++j) above[j] = (above[j] - below[j]) / (2 * kStep);
    rows.push_back(std::move(above));
  }
  return rows;
}

/// In the Euclidean norm over all entries.
void expect_equal(const Matrix& forward, const Matrix& other, double tolerance) {
  ASSERT_EQ(forward.size(), other.size());
  double error = 0, norm = 0;
  for (size_t i = 0; i < forward.size(); ++i) {
    ASSERT_EQ(forward[i].size(), other[i].size());
    for (size_t k = 0; k < forward[i].size(); ++k) {
      error += std::pow(forward[i][k] - other[i][k], 2);
      norm += std::pow(other[i][k], 2);
    }
  }
  EXPECT_TRUE(std::sqrt(error) <= tolerance * std::sqrt(norm))
      << "error " << std::sqrt(error) << ", norm " << std::sqrt(norm);
}

class EveryTangent : public testing::TestWithParam<const Op*> {};

TEST_P(EveryTangent, GivesTheJacobianThatTheGradientGives) {
  const Op& op = *GetParam();
  int compared = 0;
  for (const OpExample& example : test::examples_of(op.name)) {
    SCOPED_TRACE(example.label);
    std::vector<TensorType> types;
    for (const test::Operand& operand : example.inputs) types.push_back(operand.type);
    const auto results = op.infer(types, example.attributes);
    ASSERT_TRUE(results.ok()) << results.error().message;
    if (!is_floating((*results)[0].dtype)) continue;  // integers do not move
    for (size_t i = 0; i < example.inputs.size(); ++i) {
      const TensorType& type = example.inputs[i].type;
      if (!is_floating(type.dtype) || type.elements() > kMostElements || type.elements() == 0) continue;
      SCOPED_TRACE("operand " + std::to_string(i));
      const Matrix forward = forward_jacobian(op, example, i);
      if (testing::Test::HasFailure()) return;
      if (op.gradient != nullptr) {
        expect_equal(forward, reverse_jacobian(op, example, i), kTolerance);
      } else {
        expect_equal(forward, difference_jacobian(op, example, i), kDifferenceTolerance);
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

std::vector<const Op*> ops_with_tangent() {
  std::vector<const Op*> found;
  for (const Op* op : op_catalog()) {
    if (op->tangent != nullptr) found.push_back(op);
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Conformance, EveryTangent, testing::ValuesIn(ops_with_tangent()),
                         [](const auto& each) { return std::string(each.param->name); });

/// Ops with a gradient but without tangent rule, each with the reason.
const std::map<std::string_view, std::string_view>& without_tangent() {
  static const std::map<std::string_view, std::string_view> kOps{
      {"attention", "fused: the chain of ops it stands for has tangents"},
      {"gru", "fused: the network unrolled from cells has tangents"},
      {"lstm", "fused: the network unrolled from cells has tangents"},
      {"rnn", "fused: the network unrolled from cells has tangents"},
      {"local_response_norm", "its Jacobian is not symmetric: an op of its own would be needed"},
  };
  return kOps;
}

TEST(Tangents, ExistWhereGradientsDo) {
  for (const Op* op : op_catalog()) {
    const bool excused = without_tangent().contains(op->name);
    if (op->gradient != nullptr) {
      EXPECT_NE(op->tangent != nullptr, excused)
          << op->name << ": name a rule of engine/ops/tangents.h as its tangent, or the reason here";
    } else {
      EXPECT_FALSE(excused) << op->name << " has no gradient: it needs no excuse";
    }
  }
}

}  // namespace
