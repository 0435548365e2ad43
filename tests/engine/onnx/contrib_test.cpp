// SPDX-License-Identifier: Apache-2.0
// Operators of com.microsoft against the standard operators that they stand for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

constexpr int64_t kOpset = 24;
using Names = std::vector<std::string>;

/// The last node becomes one of com.microsoft.
ModelMaker& of_microsoft(ModelMaker& maker) {
  maker.last_node().set_domain("com.microsoft");
  return maker;
}

/// Numbers that differ, from -0.5 to 0.5.
ModelMaker& weights(ModelMaker& maker, const std::string& name, const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t extent : dims) count *= extent;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>((i * 7 + 3) % 11) / 11 - 0.5F);
  return maker.floats(name, dims, values);
}

void expect_same(const ModelMaker& fused, const ModelMaker& plain) {
  const std::vector<double> got = run(fused), wanted = run(plain);
  ASSERT_EQ(got.size(), wanted.size());
  ASSERT_FALSE(got.empty());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 2e-6) << i;
}

/// q, k and v [2, 3, 4] of a product with weights.
ModelMaker three_inputs() {
  ModelMaker maker(kOpset);
  maker.input("x", {2, 3, 4});
  weights(maker, "w", {4, 12});
  weights(maker, "b", {12});
  maker.node("MatMul", {"x", "w"}, "p").node("Add", {"p", "b"}, "all").node("Split", {"all"}, "q");
  maker.last_node().add_output("k");
  maker.last_node().add_output("v");
  maker.attribute("axis", int64_t{2}).attribute("num_outputs", int64_t{3});
  return maker;
}

ModelMaker standard_attention(bool causal) {
  ModelMaker maker = three_inputs();
  maker.node("Attention", {"q", "k", "v"}, "y").attribute("q_num_heads", int64_t{2});
  return maker.attribute("kv_num_heads", int64_t{2}).attribute("is_causal", int64_t{causal}).output("y");
}

TEST(Contrib, AttentionIsAProductAndAnAttention) {
  for (const bool causal : {false, true}) {
    ModelMaker maker(kOpset);
    maker.input("x", {2, 3, 4});
    weights(maker, "w", {4, 12});
    weights(maker, "b", {12});
    of_microsoft(maker.node("Attention", {"x", "w", "b"}, "y"));
    maker.attribute("num_heads", int64_t{2}).attribute("unidirectional", int64_t{causal}).output("y");
    expect_same(maker, standard_attention(causal));
  }
}

TEST(Contrib, MultiHeadAttentionTakesKeysInSeveralForms) {
  for (const bool causal : {false, true}) {
    ModelMaker flat = three_inputs();
    of_microsoft(flat.node("MultiHeadAttention", {"q", "k", "v"}, "y"));
    flat.attribute("num_heads", int64_t{2}).attribute("unidirectional", int64_t{causal}).output("y");
    expect_same(flat, standard_attention(causal));
  }
  ModelMaker heads = three_inputs();
  heads.integers("split", {4}, {2, 3, 2, 2});
  for (const std::string name : {"k", "v"}) {
    heads.node("Reshape", {name, "split"}, name + "r").node("Transpose", {name + "r"}, name + "h");
    heads.attribute("perm", {0, 2, 1, 3});
  }
  of_microsoft(heads.node("MultiHeadAttention", {"q", "kh", "vh"}, "y")).attribute("num_heads", int64_t{2}).output("y");
  expect_same(heads, standard_attention(false));
  ModelMaker packed = three_inputs();
  packed.integers("split", {5}, {2, 3, 2, 1, 2});
  for (const std::string name : {"q", "k", "v"}) packed.node("Reshape", {name, "split"}, name + "r");
  packed.node("Concat", {"qr", "kr", "vr"}, "all3").attribute("axis", int64_t{3});
  of_microsoft(packed.node("MultiHeadAttention", {"all3"}, "y")).attribute("num_heads", int64_t{2}).output("y");
  expect_same(packed, standard_attention(false));
}

TEST(Contrib, MasksOfLengthsAndOfFlagsAreAlike) {
  const auto masked = [](const std::function<void(ModelMaker&)>& add) {
    ModelMaker maker = three_inputs();
    add(maker);
    of_microsoft(maker.node("MultiHeadAttention", {"q", "k", "v", "", "m"}, "y"));
    return maker.attribute("num_heads", int64_t{2}).output("y");
  };
  const ModelMaker lengths = masked([](ModelMaker&m) {
    m.integers("m", {2}, {2, 3});
  }),
                   flags = masked([](ModelMaker&m) {
                     m.integers("m", {2, 3}, {1, 1, 0, 1, 1, 1});
                   });
  expect_same(lengths, flags);
  const std::string refusal = masked([](ModelMaker& m) { m.integers("m", {7}, {1, 1, 1, 1, 1, 1, 1}); }).refusal();
  EXPECT_NE(refusal.find("is no mask of 2 x 3 keys"), std::string::npos) << refusal;
}

TEST(Contrib, GroupQueryAttentionIsCausalAndKeepsKeys) {
  ModelMaker maker = three_inputs();
  maker.integers("last", {2}, {2, 2}).integers("total", {1}, {3});
  of_microsoft(maker.node("GroupQueryAttention", {"q", "k", "v", "", "", "last", "total"}, "y"));
  maker.attribute("num_heads", int64_t{2}).attribute("kv_num_heads", int64_t{2}).output("y");
  expect_same(maker, standard_attention(true));
  ModelMaker uneven = three_inputs();
  uneven.integers("last", {2}, {2, 1}).integers("total", {1}, {3});
  of_microsoft(uneven.node("GroupQueryAttention", {"q", "k", "v", "", "", "last", "total"}, "y"));
  uneven.attribute("num_heads", int64_t{2}).attribute("kv_num_heads", int64_t{2}).output("y");
  EXPECT_NE(uneven.refusal().find("several lengths"), std::string::npos) << uneven.refusal();
}

TEST(Contrib, FusedConvolutionsAndProductsEndInTheirFunction) {
  for (const std::string function : {"Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid"}) {
    SCOPED_TRACE(function);
    const auto convolution = [&](bool fused) {
      ModelMaker maker(kOpset);
      maker.input("x", {1, 3, 5, 5});
      weights(maker, "w", {4, 3, 3, 3});
      weights(maker, "b", {4});
      maker.node(fused ? "FusedConv" : "Conv", {"x", "w", "b"}, fused ? "y" : "c").attribute("pads", {1, 1, 1, 1});
      if (fused) of_microsoft(maker).attribute("activation", function);
      else maker.node(function, {"c"}, "y");
      return maker.output("y");
    };
    expect_same(convolution(true), convolution(false));
  }
  const auto product = [](bool fused) {
    ModelMaker maker(kOpset);
    maker.input("x", {3, 4});
    weights(maker, "w", {5, 4});
    weights(maker, "b", {5});
    maker.node(fused ? "FusedGemm" : "Gemm", {"x", "w", "b"}, fused ? "y" : "c").attribute("transB", int64_t{1});
    if (fused) of_microsoft(maker).attribute("activation", std::string("Relu"));
    else maker.node("Relu", {"c"}, "y");
    return maker.output("y");
  };
  expect_same(product(true), product(false));
  ModelMaker unknown(kOpset);
  unknown.input("x", {1, 1, 3, 3});
  weights(unknown, "w", {1, 1, 1, 1});
  of_microsoft(unknown.node("FusedConv", {"x", "w"}, "y")).attribute("activation", std::string("Sine")).output("y");
  EXPECT_NE(unknown.refusal().find("activation: \"Sine\""), std::string::npos) << unknown.refusal();
}

TEST(Contrib, QuantisedSumsAndProductsAreRealOnes) {
  for (const auto& [name, op] : {std::pair{"QLinearAdd", "Add"}, std::pair{"QLinearMul", "Mul"}}) {
    const auto made = [&](bool fused) {
      ModelMaker maker(kOpset);
      maker.input("x", {2, 6}).floats("s", {}, {0.01F}).floats("t", {}, {0.02F});
      maker.node("QuantizeLinear", {"x", "s"}, "q");
      if (fused) {
        of_microsoft(maker.node(name, {"q", "s", "", "q", "s", "", "t", ""}, "z"));
      } else {
        maker.node("DequantizeLinear", {"q", "s"}, "r").node(op, {"r", "r"}, "sum");
        maker.node("QuantizeLinear", {"sum", "t"}, "z");
      }
      return maker.output("z");
    };
    SCOPED_TRACE(name);
    expect_same(made(true), made(false));
  }
}

TEST(Contrib, EmbeddingsAreSummedAndNormalised) {
  const auto made = [](bool fused) {
    ModelMaker maker(kOpset);
    maker.input("x", {1}).integers("ids", {1, 3}, {4, 0, 2});
    weights(maker, "words", {5, 4});
    weights(maker, "places", {6, 4});
    weights(maker, "scale", {4});
    weights(maker, "bias", {4});
    if (fused) {
      of_microsoft(maker.node("EmbedLayerNormalization", {"ids", "", "words", "places", "", "scale", "bias"}, "n"));
      maker.attribute("epsilon", 0.01F);
    } else {
      maker.integers("first", {3}, {0, 1, 2}).node("Gather", {"words", "ids"}, "w");
      maker.node("Gather", {"places", "first"}, "p").node("Add", {"w", "p"}, "sum");
      maker.node("LayerNormalization", {"sum", "scale", "bias"}, "n").attribute("epsilon", 0.01F);
    }
    return maker.node("Add", {"n", "x"}, "y").output("y");
  };
  expect_same(made(true), made(false));
}

}  // namespace
}  // namespace engine::onnx
