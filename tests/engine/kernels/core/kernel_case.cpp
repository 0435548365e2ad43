// SPDX-License-Identifier: Apache-2.0
// Draws operands, infers outputs, runs reference or kernel.
#include "tests/engine/kernels/core/kernel_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "engine/ops/ops.h"

namespace engine {
namespace {

/// A pixel index inside the window of output `position` ([N, C, OH, OW] row-major).
double drawn_index(const KernelCase& c, const Shape& dy, int64_t position, std::mt19937& random) {
  const auto kernel = c.attributes.get_ints("kernel", {}), stride = c.attributes.get_ints("stride", {}),
             padding = c.attributes.get_ints("padding", {}), x = c.attributes.get_ints("input_shape", {});
  const int64_t out[2] = {position / dy[3] % dy[2], position % dy[3]};
  int64_t pixel[2];
  for (size_t i = 0; i < 2; ++i) {
    const int64_t first = std::max<int64_t>(0, out[i] * stride[i] - padding[i]);
    const int64_t last = std::min(x[2 + i], out[i] * stride[i] - padding[i] + kernel[i]);
    pixel[i] = first + static_cast<int64_t>(random() % static_cast<unsigned>(last - first));
  }
  return static_cast<double>(pixel[0] * x[3] + pixel[1]);
}

Tensor draw(const KernelCase& c, const Operand& operand, unsigned seed) {
  Result<Tensor> made = Tensor::empty(operand.type);  // of any strides
  EXPECT_TRUE(made.ok());
  Tensor& tensor = *made;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int64_t i = 0; i < operand.type.elements(); ++i) {
    switch (operand.draw) {
      case Draw::uniform: tensor.set_flat(i, unit(random)); break;
      case Draw::positive: tensor.set_flat(i, 1 + unit(random) / 2); break;
      case Draw::inside: tensor.set_flat(i, 0.75 * unit(random)); break;
      case Draw::beyond_one: tensor.set_flat(i, 1.75 + unit(random) / 2); break;
      case Draw::classes: tensor.set_flat(i, static_cast<double>(random() % 5)); break;
      case Draw::zeros: tensor.set_flat(i, 0); break;
      case Draw::pool_indices: tensor.set_flat(i, drawn_index(c, operand.type.shape, i, random)); break;
    }
  }
  return tensor;
}

CaseResult read(const BoundCase& bound, std::string kernel) {
  CaseResult result{.outputs = {}, .types = bound.outputs, .kernel = std::move(kernel)};
  for (const Tensor& tensor : bound.arguments.outputs) {
    auto& values = result.outputs.emplace_back();
    for (int64_t i = 0; i < tensor.type().elements(); ++i) values.push_back(tensor.get_flat(i));
  }
  return result;
}

/// Largest |difference| allowed, relative to the largest |reference| of the output: rounding of the
/// type over the sums involved.
double tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64: return 1e-11;
    case DType::float32: return 3e-5;
    case DType::bfloat16:  // one unit in the last place: what is computed as f32 may round to the other neighbour
      return 1.0 / 128;
    case DType::float16: return 1.0 / 1024;
    default: return 0;
  }
}

constexpr int64_t kGuardBytes = 1 << 16;
constexpr std::byte kUntouched{0xA5};

}  // namespace

GuardedWorkspace::GuardedWorkspace(int64_t bytes) : bytes_(std::max<int64_t>(bytes, 0)) {
  auto storage = Storage::allocate_host(bytes_ + kGuardBytes);
  EXPECT_TRUE(storage.ok());
  storage_ = *storage;
  std::fill_n(data() + bytes_, kGuardBytes, kUntouched);
}

int64_t GuardedWorkspace::bytes_written_behind() const {
  int64_t written = 0;
  for (int64_t i = 0; i < kGuardBytes; ++i) written += data()[bytes_ + i] == kUntouched ? 0 : 1;
  return written;
}

BoundCase bind_case(const KernelCase& c) {
  BoundCase bound;
  bound.node.op = find_op(c.op);
  EXPECT_NE(bound.node.op, nullptr) << c.op;
  bound.node.attributes = c.attributes;
  for (const Operand& operand : c.inputs) {
    bound.inputs.push_back(operand.type);
    bound.arguments.inputs.push_back(draw(c, operand, static_cast<unsigned>(bound.inputs.size())));
  }
  auto types = bound.node.op->infer(bound.inputs, bound.node.attributes);
  EXPECT_TRUE(types.ok()) << types.error().message;
  bound.outputs = *types;
  const auto& in_place = bound.node.op->in_place;
  for (size_t j = 0; j < bound.outputs.size(); ++j) {
    if (j < in_place.size() && in_place[j] >= 0) {
      bound.arguments.outputs.push_back(bound.arguments.inputs[static_cast<size_t>(in_place[j])]);
      continue;
    }
    Tensor output = *Tensor::empty(bound.outputs[j]);
    for (int64_t i = 0; i < bound.outputs[j].elements(); ++i) output.set_flat(i, -77);
    bound.arguments.outputs.push_back(output);
  }
  return bound;
}

void expect_agrees(const CaseResult& got, const CaseResult& wanted) {
  ASSERT_EQ(got.outputs.size(), wanted.outputs.size());
  for (size_t j = 0; j < got.outputs.size(); ++j) {
    ASSERT_EQ(got.outputs[j].size(), wanted.outputs[j].size());
    double largest = 1e-30;
    for (const double value : wanted.outputs[j]) largest = std::max(largest, std::abs(value));
    const double allowed = tolerance(wanted.types[j].dtype) * std::max(1.0, largest);
    for (size_t i = 0; i < got.outputs[j].size(); ++i) {
      ASSERT_NEAR(got.outputs[j][i], wanted.outputs[j][i], allowed)
          << "output " << j << ", element " << i << " by " << got.kernel;
    }
  }
}

CaseResult run_reference(const KernelCase& c) {
  BoundCase bound = bind_case(c);
  bound.arguments.attributes = &bound.node.attributes;
  bound.node.op->reference(bound.arguments);
  return read(bound, "reference");
}

CaseResult run_kernel(const KernelCase& c, Backend& backend, int times) {
  BoundCase bound = bind_case(c);
  bound.arguments.attributes = &bound.node.attributes;
  const Call call{bound.node.attributes, bound.inputs, bound.outputs};
  EXPECT_TRUE(backend.supports(bound.node, call).ok());
  const GuardedWorkspace workspace(backend.workspace_bytes(bound.node, call));
  auto prepared =
      backend.prepare({bound.node, bound.arguments, workspace.data(), std::vector<bool>(bound.inputs.size(), false)});
  EXPECT_TRUE(prepared.ok());
  for (int i = 0; i < times; ++i) (*prepared)->run();
  backend.synchronize();
  EXPECT_EQ(workspace.bytes_written_behind(), 0) << c.name << " by " << (*prepared)->kernel_name();
  CaseResult result = read(bound, (*prepared)->kernel_name());
  result.code = (*prepared)->code();
  return result;
}

}  // namespace engine
