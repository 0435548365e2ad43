// SPDX-License-Identifier: Apache-2.0
// Integers are computed exactly and by kernels: bit for bit what the references give, in all integer dtypes and
// layouts, with values beyond what f32 and f64 hold, negative ones, divisors of 0 and -1, and shifts by more bits than
// there are.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "engine/cpu/backend.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/kernel_case.h"
#include "tests/engine/kernels/core/kernel_case_words.h"

namespace engine {
namespace {

constexpr DType kIntegers[] = {DType::int64, DType::int32, DType::int8, DType::uint8};

/// The ends of the type, their neighbours, small numbers of either sign, and odd numbers that f32 and f64 do not hold.
int64_t drawn(DType dtype, uint64_t number) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kNumbers[] = {0,
                                  1,
                                  -1,
                                  2,
                                  3,
                                  -3,
                                  7,
                                  -7,
                                  8,
                                  31,
                                  32,
                                  33,
                                  63,
                                  64,
                                  -64,
                                  127,
                                  -128,
                                  255,
                                  12,
                                  100,
                                  -50,
                                  128,
                                  -127,
                                  254,
                                  1000,
                                  -99,
                                  65,
                                  16777217,
                                  -16777219,
                                  2147483647,
                                  -2147483648LL,
                                  (int64_t{1} << 53) + 1,
                                  -(int64_t{1} << 53) - 3,
                                  kMost,
                                  kMost - 1,
                                  -kMost - 1,
                                  -kMost};
  constexpr uint64_t kCount = std::size(kNumbers);
  const int64_t value = kNumbers[(number * 2654435761u >> 7) % kCount];
  switch (dtype) {
    case DType::int32: return static_cast<int32_t>(value);
    case DType::int8: return static_cast<int8_t>(value);
    case DType::uint8: return static_cast<uint8_t>(value);
    default: return value;
  }
}

void fill(const Tensor& tensor, uint64_t seed, bool small) {
  const int64_t bytes = size_bytes(tensor.dtype());
  std::byte* const first = tensor.storage()->data();
  for (int64_t i = 0; i < tensor.storage()->size_bytes() / bytes; ++i) {
    int64_t value = drawn(tensor.dtype(), seed + static_cast<uint64_t>(i) * 7919);
    if (small) value = static_cast<int64_t>(static_cast<uint64_t>(value) % 5);
    std::memcpy(first + i * bytes, &value, static_cast<size_t>(bytes));  // the lowest bytes
  }
}

/// With room around it, so that any strides stay inside.
Tensor operand(const TensorType& type, uint64_t seed, bool small = false) {
  int64_t below = 0, above = 1;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const int64_t reach = type.strides[i] * (type.shape[i] - 1);
    (reach < 0 ? below : above) += std::abs(reach);
  }
  auto storage = Storage::allocate_host((below + above) * size_bytes(type.dtype));
  EXPECT_TRUE(storage.ok());
  const Tensor tensor(*storage, type, below);
  fill(tensor, seed, small);
  return tensor;
}

struct Case {
  const char* op;
  Attributes attributes;
  std::vector<TensorType> inputs;
  bool small = false;  ///< of the last operand: 0 to 4
};

/// Bytes of all outputs, filled with 0x5a before.
std::vector<std::string> bytes_of(const std::vector<Tensor>& outputs) {
  std::vector<std::string> all;
  for (const Tensor& t : outputs)
    all.emplace_back(reinterpret_cast<const char*>(t.storage()->data()),
                     static_cast<size_t>(t.storage()->size_bytes()));
  return all;
}

void expect_exact(const Case& c, Backend& backend) {
  Node node;
  node.op = find_op(c.op);
  ASSERT_NE(node.op, nullptr) << c.op;
  node.attributes = c.attributes;
  std::vector<Tensor> inputs;
  std::string shown;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    inputs.push_back(operand(c.inputs[i], 17 * (i + 1), c.small && i + 1 == c.inputs.size()));
    shown += " " + to_string(c.inputs[i]);
  }
  const auto types = node.op->infer(c.inputs, c.attributes);
  ASSERT_TRUE(types.ok()) << c.op << shown << ": " << types.error().message;
  const auto outputs = [&] {
    std::vector<Tensor> made;
    for (const TensorType& type : *types) {
      made.push_back(*Tensor::empty(type));
      std::memset(made.back().storage()->data(), 0x5a, static_cast<size_t>(made.back().storage()->size_bytes()));
    }
    return made;
  };
  KernelArguments truth{&node.attributes, inputs, outputs()};
  node.op->reference(truth);
  const Call call{node.attributes, c.inputs, *types};
  const GuardedWorkspace workspace(backend.workspace_bytes(node, call));
  KernelArguments arguments{&node.attributes, inputs, outputs()};
  const auto op = backend.prepare({node, arguments, workspace.data(), {}});
  ASSERT_TRUE(op.ok()) << op.error().message;
  EXPECT_EQ((*op)->code(), CodeKind::fast) << c.op << shown << ": " << (*op)->kernel_name();
  (*op)->run();
  EXPECT_EQ(workspace.bytes_written_behind(), 0) << c.op;
  EXPECT_EQ(bytes_of(arguments.outputs), bytes_of(truth.outputs)) << c.op << shown << " by " << (*op)->kernel_name();
}

/// Layouts in which graphs bring a matrix of 37 x 70.
std::vector<TensorType> matrices(DType t) {
  return {row_major({37, 70}, t),         strided({37, 70}, {1, 37}, t),   strided({37, 70}, {140, 1}, t),
          strided({37, 70}, {140, 2}, t), strided({37, 70}, {-70, -1}, t), strided({37, 70}, {0, 1}, t)};
}
/// What is broadcast to it, along every axis and none.
std::vector<TensorType> beside_matrices(DType t) {
  return {row_major({37, 70}, t), row_major({70}, t),         row_major({37, 1}, t),
          row_major({}, t),       row_major({1, 1}, t),       strided({37, 70}, {1, 37}, t),
          strided({70}, {3}, t),  strided({37, 1}, {2, 1}, t)};
}

class WholeNumbers : public testing::Test {
 protected:
  void SetUp() override { backend_ = *cpu::make_backend(2); }
  std::unique_ptr<Backend> backend_;
};

TEST_F(WholeNumbers, OfTwoOperands) {
  const std::pair<const char*, Attributes> ops[] = {{"add", {}},
                                                    {"subtract", {}},
                                                    {"multiply", {}},
                                                    {"divide", {}},
                                                    {"minimum", {}},
                                                    {"maximum", {}},
                                                    {"modulo", {}},
                                                    {"modulo", {{"fmod", int64_t{1}}}},
                                                    {"bit_shift", {{"direction", std::string("left")}}},
                                                    {"bit_shift", {{"direction", std::string("right")}}},
                                                    {"bitwise_and", {}},
                                                    {"bitwise_xor", {}},
                                                    {"power", {}}};
  for (const DType t : kIntegers) {
    for (const auto& [op, attributes] : ops) {
      for (const TensorType& a : matrices(t)) {
        for (const TensorType& b : beside_matrices(t)) expect_exact({op, attributes, {a, b}}, *backend_);
      }
      expect_exact({op, attributes, {row_major({70}, t), row_major({37, 70}, t)}}, *backend_);
      expect_exact({op, attributes, {row_major({3, 1, 5}, t), row_major({1, 40, 5}, t)}}, *backend_);
      expect_exact({op, attributes, {row_major({300'001}, t), row_major({300'001}, t)}}, *backend_);
    }
  }
}

/// Bounds inside and outside of the type, at its ends, no numbers, and crossed.
TEST_F(WholeNumbers, BetweenBoundsAndTowardsZero) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                   kNone = std::numeric_limits<double>::quiet_NaN();
  for (const DType t : kIntegers) {
    for (const TensorType& x : matrices(t)) {
      for (const auto& [low, high] : {std::pair{-3.0, 100.0},
                                      {-3.7, 99.9},
                                      {-kInfinity, 12.0},
                                      {0.0, kInfinity},
                                      {300.0, 1e6},
                                      {-1e6, -300.0},
                                      {50.0, -50.0},
                                      {-1e300, 1e300},
                                      {kNone, 5.0},
                                      {9007199254740993.0, 1e19}})
        expect_exact({"clip", {{"min", low}, {"max", high}}, {x}}, *backend_);
      for (const auto& [bias, lambda] : {std::pair{0.0, 0.5}, {1.5, 2.0}, {-300.25, 1.0}, {1e300, 0.0}, {3.0, -1.0}})
        expect_exact({"shrink", {{"bias", bias}, {"lambda", lambda}}, {x}}, *backend_);
      for (const char* op : {"negate", "absolute", "sign", "bitwise_not"}) expect_exact({op, {}, {x}}, *backend_);
    }
  }
}

/// Whole numbers and fractions of different dtypes.
TEST_F(WholeNumbers, RaisedToPowersOfOtherTypes) {
  for (const DType t : kIntegers) {
    for (const DType exponent : kIntegers) {
      if (exponent == t) continue;
      for (const TensorType& a : matrices(t)) {
        for (const TensorType& b : {row_major({37, 70}, exponent), row_major({70}, exponent),
                                    row_major({37, 1}, exponent), row_major({}, exponent)}) {
          expect_exact({"power", {}, {a, b}}, *backend_);
          expect_exact({"power", {}, {a, b}, /*small=*/true}, *backend_);
        }
      }
    }
  }
}

TEST_F(WholeNumbers, Reduced) {
  for (const DType t : kIntegers) {
    for (const char* op : {"sum", "mean", "l1_norm", "sum_of_squares", "product", "reduce_max", "reduce_min"}) {
      const auto over = [&](TensorType x, std::vector<int64_t> axes, int64_t keeps = 0) {
        expect_exact({op, {{"axes", std::move(axes)}, {"keep_axes", keeps}}, {std::move(x)}}, *backend_);
      };
      for (const TensorType& x : matrices(t)) {
        over(x, {});
        over(x, {0});
        over(x, {1}, 1);
      }
      over(row_major({5, 6, 7, 8}, t), {1, 3});
      over(row_major({5, 6, 7, 8}, t), {0, 2}, 1);
      over(nhwc({4, 30, 9, 9}, t), {0, 2, 3});
      over(row_major({2, 200'003}, t), {1});  // more bytes than 32 bits sum
      over(row_major({70'000, 3}, t), {0});
      over(row_major({1}, t), {0});
    }
  }
}

TEST_F(WholeNumbers, AlongAnAxis) {
  for (const DType t : kIntegers) {
    for (const TensorType& x :
         {row_major({37, 70}, t), strided({37, 70}, {1, 37}, t), row_major({4, 1100, 3}, t), row_major({9}, t)}) {
      for (int64_t axis = 0; axis < x.rank(); ++axis) {
        for (const int64_t flag : {0, 1}) {
          expect_exact({"cumulative_sum", {{"axis", axis}, {"exclusive", flag}, {"reverse", int64_t{0}}}, {x}},
                       *backend_);
          expect_exact({"cumulative_sum", {{"axis", axis}, {"exclusive", int64_t{0}}, {"reverse", flag}}, {x}},
                       *backend_);
          for (const char* op : {"argmax", "argmin"})
            expect_exact({op, {{"axis", axis}, {"select_last_index", flag}}, {x}}, *backend_);
          expect_exact({"top_k", {{"axis", axis}, {"k", int64_t{3}}, {"largest", flag}, {"sorted", int64_t{1}}}, {x}},
                       *backend_);
        }
      }
    }
  }
}

TEST_F(WholeNumbers, Scattered) {
  for (const DType t : kIntegers) {
    for (const char* how : {"none", "add", "mul", "max", "min"}) {
      const auto reduction = [&](int64_t axis) { return Attributes{{"axis", axis}, {"reduction", std::string(how)}}; };
      for (const DType index : {DType::int64, DType::int32}) {
        for (const int64_t axis : {0, 1}) {
          Case c{"scatter_elements",
                 reduction(axis),
                 {row_major({9, 70}, t), row_major({5, 40}, index), row_major({5, 40}, t)}};
          Node node;
          node.op = find_op(c.op);
          node.attributes = c.attributes;
          const std::vector<Tensor> inputs{operand(c.inputs[0], 1), operand(c.inputs[1], 2, /*small=*/true),
                                           operand(c.inputs[2], 3)};
          const auto types = node.op->infer(c.inputs, c.attributes);
          ASSERT_TRUE(types.ok()) << types.error().message;
          KernelArguments truth{&node.attributes, inputs, {*Tensor::empty((*types)[0])}},
              arguments{&node.attributes, inputs, {*Tensor::empty((*types)[0])}};
          node.op->reference(truth);
          const GuardedWorkspace workspace(backend_->workspace_bytes(node, {node.attributes, c.inputs, *types}));
          const auto op = backend_->prepare({node, arguments, workspace.data(), {}});
          ASSERT_TRUE(op.ok());
          EXPECT_EQ((*op)->code(), CodeKind::fast) << how << " " << name(t);
          (*op)->run();
          EXPECT_EQ(bytes_of(arguments.outputs), bytes_of(truth.outputs)) << how << " " << name(t) << " along " << axis;
        }
      }
    }
  }
}

/// Remainders of floats are exact, too, whatever the quotient: tiny, huge, infinite, or of numbers far apart.
TEST_F(WholeNumbers, RemaindersOfFloats) {
  for (const DType t : {DType::float32, DType::float64}) {
    const double values[] = {0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             5.5,
                             -5.5,
                             3.0,
                             -3.0,
                             0.1,
                             1e-30,
                             -1e30,
                             1e30,
                             7.0,
                             -7.25,
                             16777217.0,
                             1e300,
                             5e-324,
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN(),
                             2.0,
                             0.3,
                             -0.3,
                             4503599627370497.0};
    const auto count = static_cast<int64_t>(std::size(values));
    for (const int64_t cut : {0, 1}) {
      Node node;
      node.op = find_op("modulo");
      node.attributes = {{"fmod", cut}};
      const TensorType column = row_major({count, 1}, t), row = row_major({count}, t), y = row_major({count, count}, t);
      const Tensor a = *Tensor::empty(column), b = *Tensor::empty(row);
      for (int64_t i = 0; i < count; ++i) a.set_flat(i, values[i]), b.set_flat(i, values[i]);
      KernelArguments truth{&node.attributes, {a, b}, {*Tensor::empty(y)}},
          arguments{&node.attributes, {a, b}, {*Tensor::empty(y)}};
      node.op->reference(truth);
      const auto op = backend_->prepare({node, arguments, nullptr, {}});
      ASSERT_TRUE(op.ok());
      EXPECT_EQ((*op)->code(), CodeKind::fast);
      (*op)->run();
      for (int64_t i = 0; i < count * count; ++i) {
        const double wanted = truth.outputs[0].get_flat(i), got = arguments.outputs[0].get_flat(i);
        EXPECT_TRUE(std::isnan(wanted) ? std::isnan(got) : got == wanted && std::signbit(got) == std::signbit(wanted))
            << values[i / count] << " by " << values[i % count] << ": " << got << ", not " << wanted << " (fmod " << cut
            << ")";
      }
    }
  }
}

}  // namespace
}  // namespace engine
