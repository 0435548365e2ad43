// SPDX-License-Identifier: Apache-2.0
// TensorProto files of every element type, in raw and in typed fields.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

using Proto = ::onnx::TensorProto;

Result<Tensor> load(const Proto& proto) {
  const ScratchFolder folder;
  return load_tensor(folder.write("tensor.pb", proto.SerializeAsString()));
}

Proto typed(int32_t data_type, std::initializer_list<int64_t> dims) {
  Proto proto;
  proto.set_data_type(data_type);
  for (const int64_t extent : dims) proto.add_dims(extent);
  return proto;
}

TEST(TensorFile, TypedFields) {
  Proto f32 = typed(Proto::FLOAT, {2});
  f32.add_float_data(1.5F);
  f32.add_float_data(-2);
  EXPECT_EQ(elements(*load(f32)), (std::vector<double>{1.5, -2}));

  Proto f64 = typed(Proto::DOUBLE, {1});
  f64.add_double_data(1e300);
  EXPECT_EQ(elements(*load(f64)), (std::vector<double>{1e300}));

  Proto i64 = typed(Proto::INT64, {2});
  i64.add_int64_data(int64_t{1} << 40);
  i64.add_int64_data(-1);
  EXPECT_EQ(elements(*load(i64)), (std::vector<double>{std::ldexp(1, 40), -1}));

  for (const auto& [data_type, dtype] : {std::pair{Proto::INT32, DType::int32}, std::pair{Proto::INT8, DType::int8}}) {
    Proto small = typed(data_type, {2});
    small.add_int32_data(-7);
    small.add_int32_data(100);
    const Result<Tensor> tensor = load(small);
    ASSERT_TRUE(tensor.ok()) << tensor.error().message;
    EXPECT_EQ(tensor->dtype(), dtype);
    EXPECT_EQ(elements(*tensor), (std::vector<double>{-7, 100}));
  }

  Proto u8 = typed(Proto::UINT8, {1});
  u8.add_int32_data(200);
  EXPECT_EQ(elements(*load(u8)), (std::vector<double>{200}));
}

TEST(TensorFile, SixteenBitFloatsLieInInt32Data) {
  Proto f16 = typed(Proto::FLOAT16, {3});
  for (const int32_t bits : {0x3C00, 0xC000, 0x7E00}) f16.add_int32_data(bits);
  const std::vector<double> half = elements(*load(f16));
  EXPECT_EQ(half[0], 1);
  EXPECT_EQ(half[1], -2);
  EXPECT_TRUE(std::isnan(half[2]));
  Proto bf16 = typed(Proto::BFLOAT16, {1});
  bf16.add_int32_data(0x4049);
  EXPECT_EQ(elements(*load(bf16)), (std::vector<double>{3.140625}));
}

TEST(TensorFile, RawDataAreLittleEndian) {
  Proto i32 = typed(Proto::INT32, {1, 1});
  i32.set_raw_data(std::string("\x01\x02\x00\x00", 4));
  EXPECT_EQ(elements(*load(i32)), (std::vector<double>{0x201}));
  Proto flags = typed(Proto::BOOL, {3});
  flags.set_raw_data(std::string("\x00\x01\x40", 3));
  const Result<Tensor> tensor = load(flags);
  EXPECT_EQ(elements(*tensor), (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(static_cast<int>(tensor->data()[2]), 1);  // a bool in memory is 0 or 1
}

TEST(TensorFile, ScalarsAndEmptyTensors) {
  Proto scalar = typed(Proto::FLOAT, {});
  scalar.add_float_data(4);
  const Result<Tensor> one = load(scalar);
  EXPECT_EQ(one->shape(), Shape{});
  EXPECT_EQ(elements(*one), (std::vector<double>{4}));
  const Result<Tensor> none = load(typed(Proto::FLOAT, {0, 3}));
  ASSERT_TRUE(none.ok()) << none.error().message;
  EXPECT_EQ(none->shape(), (Shape{0, 3}));
}

TEST(TensorFile, SizesThatDoNotAgreeAreRefusedWithBoth) {
  Proto proto = typed(Proto::FLOAT, {2, 3});
  proto.set_raw_data(std::string(20, '\0'));
  const Result<Tensor> tensor = load(proto);
  ASSERT_FALSE(tensor.ok());
  EXPECT_NE(tensor.error().message.find("has 20 bytes, but dims 2x3 need 24"), std::string::npos)
      << tensor.error().message;
  Proto both = typed(Proto::FLOAT, {1});
  both.set_raw_data(std::string(4, '\0'));
  ASSERT_TRUE(load(both).ok());
  both.add_float_data(1);
  EXPECT_NE(load(both).error().message.find("1 entries of f32 beside raw_data"), std::string::npos)
      << load(both).error().message;
  EXPECT_FALSE(load(typed(Proto::FLOAT, {int64_t{1} << 40})).ok());
  EXPECT_FALSE(load(typed(Proto::FLOAT, {0, -1})).ok());
  EXPECT_FALSE(load(typed(Proto::COMPLEX64, {1})).ok());
}

}  // namespace
}  // namespace engine::onnx
