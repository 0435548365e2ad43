// SPDX-License-Identifier: Apache-2.0
// Weights of few bits: their formats, DequantizeLinear, MatMulNBits, GatherBlockQuantized; and what refuses them.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/onnx/narrow_types.h"
#include "engine/onnx/tensor_proto.h"
#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

using Bytes = std::vector<uint8_t>;

::onnx::TensorProto& packed(ModelMaker& maker, const std::string& name, int32_t data_type,
                            const std::vector<int64_t>& dims, const Bytes& bytes) {
  ::onnx::TensorProto& tensor = *maker.graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(data_type);
  for (const int64_t extent : dims) tensor.add_dims(extent);
  tensor.set_raw_data(std::string(bytes.begin(), bytes.end()));
  return tensor;
}

std::vector<double> widened(int32_t data_type, const std::vector<int64_t>& dims, const Bytes& bytes) {
  ModelMaker maker;
  const Result<Tensor> tensor = to_tensor(packed(maker, "t", data_type, dims, bytes), {});
  EXPECT_TRUE(tensor.ok()) << (tensor ? "" : tensor.error().message);
  return tensor ? elements(*tensor) : std::vector<double>();
}

TEST(NarrowTypes, IntegersLieFromTheLowestBitOn) {
  EXPECT_EQ(widened(21, {3}, {0xF1, 0x08}), (std::vector<double>{1, 15, 8}));       // UINT4
  EXPECT_EQ(widened(22, {3}, {0xF1, 0x08}), (std::vector<double>{1, -1, -8}));      // INT4
  EXPECT_EQ(widened(25, {5}, {0xE4, 0x02}), (std::vector<double>{0, 1, 2, 3, 2}));  // UINT2
  EXPECT_EQ(widened(26, {5}, {0xE4, 0x02}), (std::vector<double>{0, 1, -2, -1, -2}));
  EXPECT_EQ(widened(4, {2}, {0xFF, 0xFF, 0x01, 0x02}), (std::vector<double>{65535, 513}));  // UINT16
  EXPECT_EQ(widened(5, {2}, {0xFF, 0xFF, 0x01, 0x02}), (std::vector<double>{-1, 513}));
  EXPECT_EQ(widened(12, {1}, {0xFF, 0xFF, 0xFF, 0xFF}), (std::vector<double>{4294967295.0}));
}

/// The examples are those of "FP8 Formats for Deep Learning" (2022), OCP's Microscaling formats (2023) and the FNUZ
/// formats of ONNX's text: largest, smallest, one.
TEST(NarrowTypes, FloatsAreThoseOfTheirFormats) {
  EXPECT_EQ(widened(17, {4}, {0x7E, 0x01, 0x38, 0xB8}), (std::vector<double>{448, 0x1p-9, 1, -1}));
  EXPECT_EQ(widened(18, {3}, {0x7F, 0x01, 0x40}), (std::vector<double>{240, 0x1p-10, 1}));
  EXPECT_EQ(widened(19, {4}, {0x7B, 0x01, 0x3C, 0xFC}), (std::vector<double>{57344, 0x1p-16, 1, -INFINITY}));
  EXPECT_EQ(widened(20, {3}, {0x7F, 0x01, 0x40}), (std::vector<double>{57344, 0x1p-17, 1}));
  EXPECT_EQ(widened(23, {4}, {0x17, 0xF2}), (std::vector<double>{6, 0.5, 1, -6}));
  EXPECT_EQ(widened(24, {3}, {127, 0, 254}), (std::vector<double>{1, 0x1p-127, 0x1p127}));
  for (const auto& [type, code] : {std::pair{17, 0x7F}, {18, 0x80}, {19, 0x7D}, {20, 0x80}, {24, 0xFF}})
    EXPECT_TRUE(std::isnan(widened(type, {1}, {static_cast<uint8_t>(code)})[0])) << type;
}

TEST(NarrowTypes, DataThatDoNotFillTheShapeAreRefused) {
  ModelMaker maker;
  const Result<Tensor> tensor = to_tensor(packed(maker, "t", 21, {5}, {1, 2}), {});
  ASSERT_FALSE(tensor.ok());
  EXPECT_NE(tensor.error().message.find("raw_data: has 2 bytes"), std::string::npos) << tensor.error().message;
}

/// x [2, 4] times weights of 4 bits in blocks of 2 along K.
ModelMaker blocks_of_two() {
  ModelMaker maker(21);
  maker.input("x", {2, 4});
  packed(maker, "w", 22, {4, 2}, {0xF1, 0x72, 0x38, 0x04});  // 1 -1 2 7 -8 3 4 0
  maker.floats("s", {2, 2}, {1, 2, 0.5, 10});
  maker.node("DequantizeLinear", {"w", "s"}, "d").attribute("axis", int64_t{0}).attribute("block_size", int64_t{2});
  return maker;
}

TEST(NarrowTypes, DequantizeLinearOfBlocksBecomesWeights) {
  ModelMaker maker = blocks_of_two().node("MatMul", {"x", "d"}, "y").output("y");
  ModelMaker plain(21);
  plain.input("x", {2, 4})
      .floats("d", {4, 2}, {1, -2, 2, 14, -4, 30, 2, 0})
      .node("MatMul", {"x", "d"}, "y")
      .output("y");
  const std::vector<double> got = run(maker), wanted = run(plain);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-5);
  const Result<Model> model = maker.load();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->graph.nodes().size(), 1u);  // the product alone: nothing is unpacked in a step
}

TEST(NarrowTypes, WhatRoundsOrWrapsAsTheirOwnTypeRefusesThem) {
  ModelMaker added = ModelMaker(21).input("x", {2}, ::onnx::TensorProto::INT8);
  packed(added, "w", 22, {2}, {0x21});
  EXPECT_NE(added.node("Add", {"x", "w"}, "y").output("y").refusal().find("\"w\" is INT4"), std::string::npos);
  ModelMaker zero = ModelMaker(21).input("x", {2}).floats("s", {}, {0.1F});
  packed(zero, "z", 21, {}, {0x01});
  EXPECT_NE(zero.node("QuantizeLinear", {"x", "s", "z"}, "y").output("y").refusal().find("\"z\" is UINT4"),
            std::string::npos);
  EXPECT_NE(ModelMaker(21).input("x", {2}, 4).node("BitwiseNot", {"x"}, "y").output("y").refusal().find("UINT16"),
            std::string::npos);
  ImportOptions given;  // by its elements, too
  given.known["x"].tensors = {*Tensor::from_values({2}, std::vector<double>{1, 2}, DType::int32)};
  EXPECT_NE(ModelMaker(21).input("x", {2}, 4).node("BitwiseNot", {"x"}, "y").output("y").refusal(given).find("UINT16"),
            std::string::npos);
}

TEST(NarrowTypes, StayWhatTheyAreWhenTheyAreMoved) {
  for (const char* mover : {"Reshape", "Transpose", "Identity"}) {
    ModelMaker maker(21);
    maker.input("x", {2, 1}).integers("shape", {2}, {2, 1});
    packed(maker, "w", 4, {2, 1}, {0xFF, 0xFF, 0x01, 0x00});
    const bool reshapes = std::string(mover) == "Reshape";
    maker.node(mover, reshapes ? std::vector<std::string>{"w", "shape"} : std::vector<std::string>{"w"}, "m");
    maker.node("BitwiseNot", {"m"}, "n").node("Cast", {"n"}, "c").attribute("to", int64_t{1});
    maker.node("Add", {"x", "c"}, "y").output("y");
    EXPECT_NE(maker.refusal().find("is UINT16"), std::string::npos) << mover << ": " << maker.refusal();
  }
}

TEST(NarrowTypes, OneScaleIsForAllWhateverTheAxis) {
  ModelMaker maker(21);
  maker.input("x", {2}).floats("s", {}, {0.5F});
  packed(maker, "w", 4, {2}, {0x04, 0x00, 0x06, 0x00});
  maker.node("DequantizeLinear", {"w", "s"}, "d").node("Mul", {"x", "d"}, "y").output("y");
  EXPECT_EQ(run(maker), (std::vector<double>{0, 1.5}));  // 0 and 1/2 times 2 and 3
}

TEST(NarrowTypes, OutputTypesAreHeeded) {
  ModelMaker maker(23);
  maker.input("x", {1, 4})
      .floats("minus", {}, {-1})
      .floats("s", {1, 2}, {0.25F, 0.5F})
      .node("Mul", {"x", "minus"}, "m");
  maker.node("QuantizeLinear", {"m", "s"}, "q")
      .attribute("block_size", int64_t{2})
      .attribute("output_dtype", int64_t{3});
  maker.node("Cast", {"q"}, "y").attribute("to", int64_t{1}).output("y");
  EXPECT_EQ(run(maker), (std::vector<double>{0, -1, -1, -2}));
}

TEST(NarrowTypes, TablesWithoutColumnsAreNoFault) {
  ModelMaker maker(21);
  packed(maker, "t", ::onnx::TensorProto::UINT8, {5, 0}, {});
  maker.integers("i", {2}, {2, 0}).floats("s", {5, 0}, {}).input("x", {1});
  maker.node("GatherBlockQuantized", {"t", "i", "s"}, "y").attribute("block_size", int64_t{0}).output("y");
  maker.last_node().set_domain("com.microsoft");
  maker.refusal();  // refused or not: it returns
}

/// K 32, N 2, blocks of 32.
ModelMaker matmul_nbits(int64_t accuracy, bool zero_points, float scale = 0.5F) {
  ModelMaker maker(21);
  maker.input("x", {3, 32});
  Bytes codes;
  for (int i = 0; i < 32; ++i) codes.push_back(static_cast<uint8_t>(i * 7));
  packed(maker, "b", ::onnx::TensorProto::UINT8, {2, 1, 16}, codes);
  maker.floats("s", {2, 1}, {scale, 2});
  if (zero_points) packed(maker, "z", ::onnx::TensorProto::UINT8, {2, 1}, {3, 12});
  maker.node("MatMulNBits", {"x", "b", "s", zero_points ? "z" : ""}, "y").attribute("K", int64_t{32});
  maker.attribute("N", int64_t{2}).attribute("bits", int64_t{4}).attribute("block_size", int64_t{32});
  maker.attribute("accuracy_level", accuracy).output("y");
  maker.last_node().set_domain("com.microsoft");
  return maker;
}

std::vector<double> by_hand(bool zero_points, double scale = 0.5) {
  std::vector<double> y;
  for (int row = 0; row < 3; ++row) {
    for (int n = 0; n < 2; ++n) {
      double sum = 0;
      for (int k = 0; k < 32; ++k) {
        const int byte = (n * 16 + k / 2) * 7 & 0xFF, code = k % 2 == 0 ? byte & 15 : byte >> 4;
        const int zero = zero_points ? (n == 0 ? 3 : 12) : 8;
        sum += (row * 32 + k) / 96.0 * (code - zero) * (n == 0 ? scale : 2);
      }
      y.push_back(sum);
    }
  }
  return y;
}

TEST(NarrowTypes, MatMulNBitsUnpacksOrComputesInBlocks) {
  for (const bool zero_points : {false, true}) {
    const std::vector<double> got = run(matmul_nbits(0, zero_points)), wanted = by_hand(zero_points);
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-4) << i;
  }
  const std::vector<double> got = run(matmul_nbits(4, false)), wanted = by_hand(false);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 0.2) << i;  // x is rounded to 8 bits
}

bool in_blocks(const ModelMaker& maker) {
  const Result<Model> model = maker.load();
  EXPECT_TRUE(model.ok()) << (model ? "" : model.error().message);
  return model && model->graph.nodes()[0].op->name == "mixed_linear";
}

TEST(NarrowTypes, ComputingInBlocksNeedsLeaveAndExactScales) {
  EXPECT_TRUE(in_blocks(matmul_nbits(4, false)));
  EXPECT_FALSE(in_blocks(matmul_nbits(0, false)));        // x must not be rounded
  EXPECT_FALSE(in_blocks(matmul_nbits(4, true)));         // other zero points
  EXPECT_FALSE(in_blocks(matmul_nbits(4, false, 0.1F)));  // a scale that f16 does not hold
  const Result<Model> wide = matmul_nbits(0, false).load();
  ASSERT_TRUE(wide.ok());
  ASSERT_FALSE(wide->notes.empty());
  EXPECT_NE(wide->notes[0].find("8 times the bytes"), std::string::npos) << wide->notes[0];
}

TEST(NarrowTypes, GatherBlockQuantizedGathersCodesAndScales) {
  ModelMaker maker(21);
  Bytes codes;
  for (int i = 0; i < 3 * 8; ++i) codes.push_back(static_cast<uint8_t>(i * 11));
  packed(maker, "t", ::onnx::TensorProto::UINT8, {3, 8}, codes);  // 3 rows of 16 codes
  maker.integers("i", {2}, {2, 0}).floats("s", {3, 1}, {1, 2, 4}).input("x", {1});
  maker.node("GatherBlockQuantized", {"t", "i", "s"}, "g").attribute("block_size", int64_t{16});
  maker.last_node().set_domain("com.microsoft");
  maker.node("Mul", {"g", "one"}, "y").floats("one", {}, {1}).output("y");
  const std::vector<double> got = run(maker);
  ASSERT_EQ(got.size(), 32u);
  for (int n = 0; n < 32; ++n) {
    const int row = n < 16 ? 2 : 0, k = n % 16, byte = (row * 8 + k / 2) * 11 & 0xFF;
    EXPECT_EQ(got[static_cast<size_t>(n)], ((k % 2 == 0 ? byte & 15 : byte >> 4) - 8) * (row == 2 ? 4 : 1)) << n;
  }
}

}  // namespace
}  // namespace engine::onnx
