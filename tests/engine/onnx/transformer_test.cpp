// SPDX-License-Identifier: Apache-2.0
// Operators of opset 23 and later, GridSample, and those of onnxruntime's optimizer. Expected numbers are those of the
// ONNX project's reference evaluator and of onnxruntime.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/onnx/operators.h"
#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

constexpr int64_t kOpset = 24;

void expect_near(const std::vector<double>& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 2e-6) << i;
}

TEST(Transformer, Swish) {
  ModelMaker maker(kOpset);
  maker.input("x", {4}).node("Swish", {"x"}, "y").attribute("alpha", 2.0F).output("y");
  expect_near(run(maker), {0, 0.1556148, 0.3655293, 0.6131809});
}

TEST(Transformer, RmsNormalization) {
  ModelMaker maker(kOpset);
  maker.input("x", {2, 3}).floats("s", {3}, {1, 2, 3}).node("RMSNormalization", {"x", "s"}, "y");
  maker.attribute("epsilon", 0.1F).output("y");
  expect_near(run(maker), {0, 0.8714894, 2.614468, 0.6663925, 1.777047, 3.331962});
  ModelMaker wide(kOpset);
  wide.input("x", {2, 3}).floats("s", {2, 3}, {1, 2, 3, 4, 5, 6}).node("RMSNormalization", {"x", "s"}, "y").output("y");
  EXPECT_NE(wide.refusal().find("2x3, 3 is needed"), std::string::npos) << wide.refusal();
}

/// Two rows of cosines and sines, as a cache or by batch.
ModelMaker rotary(const std::vector<int64_t>& x, bool by_position) {
  ModelMaker maker(kOpset);
  const std::vector<int64_t> shape = by_position ? std::vector<int64_t>{2, 2} : std::vector<int64_t>{1, 2, 2};
  maker.input("x", x).floats("c", shape, {1, 0.5F, 0.25F, 0.75F}).floats("s", shape, {0, 0.5F, 1, 0.25F});
  if (by_position) maker.integers("p", {1, 2}, {1, 0});
  maker.node("RotaryEmbedding",
             by_position ? std::vector<std::string>{"x", "c", "s", "p"} : std::vector<std::string>{"x", "c", "s"}, "y");
  return maker;
}

TEST(Transformer, RotaryEmbedding) {
  expect_near(run(rotary({1, 1, 2, 4}, false).output("y")), {0, -0.125, 0.25, 0.25, -0.625, 0.25, 0.6875, 0.8125});
  expect_near(run(rotary({1, 1, 2, 4}, false).attribute("interleaved", int64_t{1}).output("y")),
              {0, 0.125, -0.0625, 0.3125, -0.5, 0.65625, 0.34375, 0.84375});
  expect_near(run(rotary({1, 2, 6}, true)
                      .attribute("rotary_embedding_dim", int64_t{4})
                      .attribute("num_heads", int64_t{1})
                      .output("y")),
              {-0.1666667, 0, 0.04166667, 0.2083333, 0.3333333, 0.4166667, 0.5, -0.08333334, 0.6666667, 0.6666666,
               0.8333333, 0.9166667});
  EXPECT_NE(rotary({1, 2, 6}, true).output("y").refusal().find("num_heads"), std::string::npos);
}

TEST(Transformer, Attention) {
  const auto attention = [](int64_t heads, int64_t queries, int64_t kv_heads, int64_t keys) {
    ModelMaker maker(kOpset);
    maker.input("q", {1, heads, queries, 2}).input("k", {1, kv_heads, keys, 2}).input("v", {1, kv_heads, keys, 2});
    return maker;
  };
  expect_near(run(attention(2, 2, 1, 3).node("Attention", {"q", "k", "v"}, "y").output("y")),
              {0.3398797, 0.5065463, 0.3659519, 0.5326185, 0.3915787, 0.5582454, 0.416431, 0.5830977});
  expect_near(
      run(attention(1, 2, 1, 3).node("Attention", {"q", "k", "v"}, "y").attribute("is_causal", int64_t{1}).output("y")),
      {0, 0.1666667, 0.1910429, 0.3577096});
  ModelMaker masked = attention(1, 2, 1, 2);
  ::onnx::TensorProto& mask = *masked.graph().add_initializer();
  mask.set_name("m"), mask.set_data_type(::onnx::TensorProto::BOOL), mask.add_dims(2), mask.add_dims(2);
  mask.set_raw_data(std::string("\1\0\1\1", 4));
  expect_near(run(masked.node("Attention", {"q", "k", "v", "m"}, "y").output("y")), {0, 0.25, 0.3043608, 0.5543608});
  ModelMaker capped = attention(2, 2, 1, 2).node("Attention", {"q", "k", "v"}, "y");
  capped.attribute("is_causal", int64_t{1}).attribute("softcap", 0.5F).output("y");
  expect_near(run(capped), {0, 0.25, 0.2741039, 0.5241039, 0, 0.25, 0.2870678, 0.5370678});
  ModelMaker windowed = attention(1, 3, 1, 3).node("Attention", {"q", "k", "v"}, "y");
  windowed.attribute("is_causal", int64_t{1}).attribute("left_window_size", int64_t{1}).output("y");
  expect_near(run(windowed), {0, 0.1666667, 0.1829825, 0.3496491, 0.5291597, 0.6958263});
  ModelMaker merged(kOpset);
  merged.input("q", {1, 2, 4}).input("k", {1, 2, 4}).input("v", {1, 2, 4}).node("Attention", {"q", "k", "v"}, "y");
  EXPECT_NE(ModelMaker(merged).output("y").refusal().find("q_num_heads"), std::string::npos);
  merged.attribute("q_num_heads", int64_t{2}).attribute("kv_num_heads", int64_t{2}).attribute("scale", 1.0F);
  expect_near(run(merged.output("y")),
              {0.25781, 0.38281, 0.5387477, 0.6637477, 0.3185154, 0.4435154, 0.596321, 0.721321});
}

TEST(Transformer, GridSample) {
  struct Case {
    std::string mode, padding;
    int64_t align_corners;
    std::vector<double> wanted;
  };
  for (const Case& c : {
           Case{"linear", "zeros", 0, {0, 0.3333333, 0.05833328, 0.1775, 0.125, 0.8333333, 0.1583332, 0.4775}},
           Case{"linear", "zeros", 1, {0, 0.28125, 0.2333333, 0.2958333, 0.5, 0.78125, 0.6333333, 0.7958333}},
           Case{"bilinear", "border", 0, {0, 0.3333333, 0.2916667, 0.2958333, 0.5, 0.8333333, 0.7916667, 0.7958333}},
           Case{"linear", "border", 1, {0, 0.28125, 0.2916667, 0.2958333, 0.5, 0.78125, 0.7916667, 0.7958333}},
           Case{"nearest", "zeros", 0, {0, 0.4166667, 0, 0.3333333, 0.5, 0.9166667, 0, 0.8333333}},
           Case{"nearest", "border", 1, {0, 0.4166667, 0.1666667, 0.3333333, 0.5, 0.9166667, 0.6666667, 0.8333333}},
       }) {
    ModelMaker maker(20);
    maker.input("x", {1, 2, 2, 3}).floats("g", {1, 2, 2, 2}, {-1, -1, 0.5F, 0.25F, 1.2F, 0, -0.3F, 0.9F});
    maker.node("GridSample", {"x", "g"}, "y").attribute("mode", c.mode).attribute("padding_mode", c.padding);
    SCOPED_TRACE(c.mode + " " + c.padding);
    expect_near(run(maker.attribute("align_corners", c.align_corners).output("y")), c.wanted);
  }
  ModelMaker other(20);
  other.input("x", {1, 2, 2, 3}).floats("g", {1, 1, 1, 2}, {0, 0});
  other.node("GridSample", {"x", "g"}, "y").attribute("mode", std::string("lanczos")).output("y");
  EXPECT_NE(other.refusal().find("lanczos is none of"), std::string::npos) << other.refusal();
}

/// A node of com.microsoft.
ModelMaker contrib(ModelMaker maker, const std::string& type, const std::vector<std::string>& inputs) {
  maker.node(type, inputs, "y");
  maker.last_node().set_domain("com.microsoft");
  return maker;
}

TEST(Transformer, OperatorsOfOnnxruntimesOptimizer) {
  EXPECT_TRUE(std::ranges::is_sorted(contrib_operators(), {}, &Operator::name));
  for (const Operator& entry : contrib_operators()) EXPECT_EQ(find_operator("com.microsoft", entry.name), &entry);
  const ModelMaker square = ModelMaker(17).input("x", {2, 2}).floats("b", {2}, {0.5F, -0.5F});
  expect_near(run(contrib(square, "BiasGelu", {"x", "b"}).output("y")), {0.3457312, -0.1003234, 0.8413447, 0.1496766});
  const std::vector<double> fast = run(contrib(square, "FastGelu", {"x", "b"}).output("y"));
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(fast[i], (std::vector{0.345714, -0.1003247, 0.841192, 0.1496754})[i], 2e-5);
  expect_near(run(contrib(square, "QuickGelu", {"x"}).output("y")), {0, 0.1511997, 0.3503884, 0.5863901});
  const ModelMaker wide = ModelMaker(17).input("x", {2, 3}).floats("w", {2, 2}, {1, 2, 3, 4});
  ModelMaker product = contrib(wide, "FusedMatMul", {"x", "w"});
  product.attribute("transA", int64_t{1}).attribute("alpha", 2.0F).output("y");
  expect_near(run(product), {3, 4, 4.333333, 6, 5.666667, 8});
  const ModelMaker skip = ModelMaker(17)
                              .input("x", {1, 2, 2})
                              .floats("w", {1, 2, 2}, {1, 2, 3, 5})
                              .floats("g", {2}, {1, 2})
                              .floats("h", {2}, {0.5F, 0})
                              .floats("i", {2}, {0.1F, 0.3F});
  ModelMaker layer = contrib(skip, "SkipLayerNormalization", {"x", "w", "g", "h", "i"});
  expect_near(run(layer.attribute("epsilon", 0.01F).output("y")), {-0.4906213, 1.981242, -0.4966844, 1.993369});
  ModelMaker rms = contrib(skip, "SkipSimplifiedLayerNormalization", {"x", "w", "g"});
  expect_near(run(rms.attribute("epsilon", 0.01F).output("y")), {0.5734215, 2.580397, 0.7351538, 2.415505});
}

}  // namespace
}  // namespace engine::onnx
