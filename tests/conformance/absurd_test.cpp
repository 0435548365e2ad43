// SPDX-License-Identifier: Apache-2.0
// Shapes and attributes from bad files: infer refuses them or gives types whose costs can be computed; nothing
// overflows or hangs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "engine/ops/ops.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using Ints = std::vector<int64_t>;

class Absurd {
 public:
  int64_t extent() {
    constexpr int64_t kExtents[] = {
        0, 1, 1, 2, 3, 8, 4096, int64_t{1} << 19, int64_t{1} << 31, int64_t{1} << 40, int64_t{1} << 60};
    return kExtents[pick(std::size(kExtents))];
  }

  int64_t setting() {
    constexpr int64_t kSettings[] = {0,
                                     1,
                                     1,
                                     1,
                                     2,
                                     3,
                                     -1,
                                     -7,
                                     int64_t{1} << 31,
                                     int64_t{1} << 33,
                                     std::numeric_limits<int64_t>::max(),
                                     std::numeric_limits<int64_t>::min()};
    return kSettings[pick(std::size(kSettings))];
  }

  Ints settings(size_t count) {
    Ints list(count);
    for (int64_t& value : list) value = setting();
    return list;
  }

  /// A dense or repeated type a builder would accept: its bytes fit 63 bits.
  TensorType type() {
    while (true) {
      Shape shape(std::max<size_t>(pick(6), pick(2) * 4));
      for (int64_t& value : shape) value = pick(3) == 0 ? extent() : 1 + static_cast<int64_t>(pick(4));
      const DType dtype = pick(6) == 0 ? all_dtypes()[pick(all_dtypes().size())] : DType::float32;
      const auto count = element_count(shape);
      if (!count || *count > std::numeric_limits<int64_t>::max() / 8) continue;
      TensorType type = pick(2) == 0 ? TensorType::channels_last(dtype, shape) : TensorType::contiguous(dtype, shape);
      if (!shape.empty() && pick(8) == 0) type.strides[pick(shape.size())] = 0;
      return type;
    }
  }

  Attributes attributes() {
    Attributes result;
    for (const char* key : {"stride", "dilation"}) result.set(key, maybe_plain(2, 1));
    result.set("kernel", maybe_plain(2, 2));
    result.set("padding", maybe_plain(4, 0));
    for (const char* key : {"axis", "start", "end", "step", "count"}) result.set(key, setting());
    for (const char* key : {"ceil_mode", "count_include_pad", "keep_axes"})
      result.set(key, static_cast<int64_t>(pick(2)));
    result.set("groups", pick(4) == 0 ? setting() : 1);
    for (const char* key : {"axes", "shape"}) result.set(key, settings(pick(4)));
    for (const std::string name : {"input", "weight"}) {
      const TensorType like = type();
      result.set(name + "_shape", like.shape);
      result.set(name + "_strides", like.strides);
    }
    result.set("strides", settings(pick(4)));
    return result;
  }

  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(generator_); }

 private:
  Ints maybe_plain(size_t count, int64_t plain) { return pick(3) == 0 ? settings(count) : Ints(count, plain); }

  std::mt19937_64 generator_{20240601};
};

class AbsurdOperands : public testing::TestWithParam<const Op*> {};

TEST_P(AbsurdOperands, AreRefusedOrCosted) {
  const Op& op = *GetParam();
  Absurd absurd;
  int refused = 0, accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<TensorType> inputs(1 + absurd.pick(5));
    inputs[0] = absurd.type();
    // Mostly related operands, so that more than the first check is reached.
    for (size_t i = 1; i < inputs.size(); ++i) inputs[i] = absurd.pick(2) == 0 ? inputs[0] : absurd.type();
    const Attributes attributes = absurd.attributes();
    const auto outputs = op.infer(inputs, attributes);
    if (!outputs.ok()) {
      ++refused;
      EXPECT_EQ(outputs.error().message.front(), '[') << outputs.error().message;
      continue;
    }
    ++accepted;
    for (const TensorType& type : *outputs) {
      ASSERT_TRUE(element_count(type.shape).has_value());
      ASSERT_EQ(type.shape.size(), type.strides.size());
    }
    const Cost cost = op.cost({attributes, inputs, *outputs});
    EXPECT_TRUE(std::isfinite(cost.flops) && cost.flops >= 0);
    for (const int64_t bytes : cost.read_bytes) EXPECT_GE(bytes, 0);
    for (const int64_t bytes : cost.written_bytes) EXPECT_GE(bytes, 0);
  }
  EXPECT_GT(refused, 0);
  RecordProperty("accepted", accepted);
}

INSTANTIATE_TEST_SUITE_P(Conformance, AbsurdOperands, testing::ValuesIn(op_catalog().begin(), op_catalog().end()),
                         [](const auto& each) { return std::string(each.param->name); });

}  // namespace
