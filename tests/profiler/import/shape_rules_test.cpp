// SPDX-License-Identifier: Apache-2.0
// FLOPs and bytes of PyTorch's ops by shape, against figures worked out by hand.
#include "profiler/import/shape_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "engine/tensor/dtype.h"
#include "tests/profiler/import/import_support.h"

namespace profiler {
namespace {

ShapeFacts facts(std::string_view name, std::string_view dimensions, std::string_view types,
                 std::string_view constants = "") {
  return facts_of_call({.name = name,
                        .dimensions = dimensions,
                        .types = types,
                        .constants = constants,
                        .around_name = {},
                        .around_dimensions = {}});
}

std::string operands(const ShapeFacts& facts) {
  if (!facts.bytes_known) return "unknown";
  std::string text;
  for (const ShapedOperand& o : facts.operands)
    text += fmt::format("{}{}[{}]", o.output ? " -> " : " ", engine::name(o.dtype), fmt::join(o.shape, ","));
  return text;
}

TEST(ShapeRulesOfAten, ElementwiseOpsStretchTheirInputs) {
  const ShapeFacts gradient = facts("aten::threshold_backward", "[[4,8],[4,8],[]]", R"(["float","float","Scalar"])");
  EXPECT_EQ(gradient.cost.flops, 32);
  EXPECT_EQ(operands(gradient), " f32[4,8] f32[4,8] -> f32[4,8]");
  EXPECT_EQ(facts("aten::gelu", "[[4,8],[]]", R"(["float",""])", R"(["",""])").cost.flops, 5 * 32);
  EXPECT_EQ(facts("aten::gelu", "[[4,8],[]]", R"(["float",""])", R"(["","tanh"])").cost.flops, 8 * 32);
  EXPECT_EQ(operands(facts("aten::eq", "[[4],[1]]", R"(["long int","long int"])")), " i64[4] i64[1] -> bool[4]");
  EXPECT_EQ(operands(facts("aten::where", "[[4],[4],[]]", R"(["bool","c10::Half","c10::Half"])")),
            " bool[4] f16[4] f16[] -> f16[4]");
  EXPECT_EQ(facts("aten::addcdiv_", "[[5],[5],[5],[]]", R"(["float","float","float","Scalar"])").cost.flops, 15);
  EXPECT_FALSE(facts("aten::mul", "[[4],[3]]", R"(["float","float"])").cost.known) << "they do not fit";
}

/// The last argument of an overload with out= is written alone, whatever type it has.
TEST(ShapeRulesOfAten, AResultThatIsGivenIsNotRead) {
  EXPECT_EQ(operands(facts("aten::clamp_min", "[[4,8],[],[4,8]]", R"(["float","Scalar","float"])")),
            " f32[4,8] -> f32[4,8]");
  EXPECT_EQ(operands(facts("aten::clamp_min", "[[4,8],[4,8]]", R"(["float","float"])")),
            " f32[4,8] f32[4,8] -> f32[4,8]")
      << "a bound of each element is read";
  EXPECT_EQ(operands(facts("aten::add", "[[4,8],[8],[],[4,8]]", R"(["float","float","Scalar","float"])")),
            " f32[4,8] f32[8] -> f32[4,8]");
  EXPECT_EQ(operands(facts("aten::eq", "[[4,8],[],[4,8]]", R"(["float","Scalar","bool"])")), " f32[4,8] -> bool[4,8]");
  EXPECT_EQ(operands(facts("aten::sigmoid", "[[4,8],[0]]", R"(["float","float"])")), " f32[4,8] -> f32[4,8]")
      << "an empty result is resized";
  EXPECT_EQ(operands(facts("aten::div", "[[4,8],[4,8],[],[4,8]]", R"(["float","float","","float"])")),
            " f32[4,8] f32[4,8] -> f32[4,8]")
      << "with a rounding mode";
  EXPECT_EQ(operands(facts("aten::round", "[[4,8],[],[4,8]]", R"(["float","Scalar","float"])")),
            " f32[4,8] -> f32[4,8]");
  EXPECT_EQ(operands(facts("aten::gelu", "[[4,8],[4,8]]", R"(["float","float"])")), " f32[4,8] -> f32[4,8]");
  EXPECT_EQ(operands(facts("aten::silu_backward", "[[4,8],[4,8],[4,8]]", R"(["float","float","float"])")),
            " f32[4,8] f32[4,8] -> f32[4,8]");
}

TEST(ShapeRulesOfAten, PoolingFollowsItsWindow) {
  const char* const dims = "[[4,64,32,32],[],[],[],[],[]]";
  const char* const types = R"(["float","ScalarList","ScalarList","ScalarList","ScalarList","Scalar"])";
  const ShapeFacts pool =
      facts("aten::max_pool2d_with_indices", dims, types, R"(["","[3, 3]","[2, 2]","[1, 1]","[1, 1]","False"])");
  EXPECT_EQ(pool.cost.flops, 8.0 * 4 * 64 * 16 * 16);
  EXPECT_EQ(operands(pool), " f32[4,64,32,32] -> f32[4,64,16,16] -> i64[4,64,16,16]");
  const ShapeFacts up = facts("aten::max_pool2d_with_indices", "[[1,1,6,6],[],[],[],[],[]]", types,
                              R"(["","[3, 3]","[2, 2]","[0, 0]","[1, 1]","True"])");
  EXPECT_EQ(up.operands.at(1).shape, (std::vector<int64_t>{1, 1, 3, 3})) << "rounded up";
  EXPECT_FALSE(facts("aten::max_pool2d_with_indices", dims, types).cost.known) << "without its window";
  for (const char* odd : {R"(["","[0, 3]","[2, 2]","[1, 1]","[1, 1]","False"])",
                          R"(["","[3, 3]","[2, 2]","[1, 1]","[99999999, 1]","False"])",
                          R"(["","[3, 3, 3]","[2, 2]","[1, 1]","[1, 1]","False"])"})
    EXPECT_FALSE(facts("aten::max_pool2d_with_indices", dims, types, odd).cost.known) << odd;
  EXPECT_EQ(
      operands(facts("aten::_adaptive_avg_pool2d", "[[2,8,7,7],[]]", R"(["float","ScalarList"])", R"(["","[1, 1]"])")),
      " f32[2,8,7,7] -> f32[2,8,1,1]");
}

TEST(ShapeRulesOfAten, NormsCountTheirStatistics) {
  const char* const types = R"(["float","float","float","float","float","Scalar","Scalar","Scalar"])";
  const char* const dims = "[[4,8,5,5],[8],[8],[8],[8],[],[],[]]";
  const ShapeFacts trains = facts("aten::native_batch_norm", dims, types, R"(["","","","","","True","0.1","1e-05"])");
  EXPECT_EQ(trains.cost.flops, 6 * 800 + 16 * 8);
  EXPECT_EQ(operands(trains),
            " f32[4,8,5,5] f32[8] f32[8] f32[8] f32[8] -> f32[4,8,5,5] -> f32[8] -> f32[8] -> f32[8] -> f32[8]");
  EXPECT_EQ(facts("aten::native_batch_norm", dims, types, R"(["","","","","","False","0.1","1e-05"])").cost.flops,
            2 * 800 + 6 * 8);
  EXPECT_FALSE(facts("aten::native_batch_norm", dims, types).cost.known) << "whether it trains is not recorded";
  const ShapeFacts line = facts("aten::native_layer_norm", "[[4,64,128],[],[128],[128],[]]",
                                R"(["float","ScalarList","float","float","Scalar"])", R"(["","[128]","","","1e-05"])");
  EXPECT_EQ(line.cost.flops, 8.0 * 4 * 64 * 128 + 3 * 256);
  EXPECT_EQ(operands(line), " f32[4,64,128] f32[128] f32[128] -> f32[4,64,128] -> f32[256] -> f32[256]");
}

TEST(ShapeRulesOfAten, AttentionAndItsGradient) {
  const char* const forward = "[[2,4,17,32],[2,4,19,32],[2,4,19,32],[],[]]";
  const char* const types = R"(["float","float","float","Scalar","Scalar"])";
  constexpr double kPairs = 2 * 4 * 17 * 19;
  EXPECT_EQ(facts("aten::_scaled_dot_product_flash_attention_for_cpu", forward, types).cost.flops, kPairs * 4 * 32);
  EXPECT_EQ(facts("aten::_scaled_dot_product_flash_attention_for_cpu_backward",
                  "[[2,4,17,32],[2,4,17,32],[2,4,19,32],[2,4,19,32],[2,4,17,32],[2,4,17],[],[]]",
                  R"(["float","float","float","float","float","float","Scalar","Scalar"])")
                .cost.flops,
            kPairs * 10 * 32);
  EXPECT_EQ(facts("aten::_efficient_attention_forward", "[[2,17,4,32],[2,19,4,32],[2,19,4,32]]",
                  R"(["c10::Half","c10::Half","c10::Half"])")
                .cost.flops,
            kPairs * 4 * 32)
      << "lengths before heads";
}

/// FlashAttention's window: so many keys before a query's place, and behind it, which counts from the end.
TEST(ShapeRulesOfAten, AttentionInAWindowCountsItsPairs) {
  const auto pairs = [](int s, int t, std::string_view causal, int before, int behind) {
    const std::string dims = fmt::format("[[1,{},1,32],[1,{},1,32],[1,{},1,32],[],[],[],[],[]]", s, t, t),
                      constants = fmt::format(R"(["","","","0.","0.1","{}","{}","{}"])", causal, before, behind);
    return facts("flash_attn::_flash_attn_forward", dims,
                 R"(["c10::Half","c10::Half","c10::Half","Scalar","Scalar","Scalar","Scalar","Scalar"])", constants)
               .cost.flops /
           (4 * 32);
  };
  EXPECT_EQ(pairs(5, 5, "True", -1, -1), 15);
  EXPECT_EQ(pairs(5, 5, "True", 1, 0), 1 + 2 + 2 + 2 + 2);
  EXPECT_EQ(pairs(5, 5, "False", 1, 1), 2 + 3 + 3 + 3 + 2);
  EXPECT_EQ(pairs(2, 9, "True", 3, -1), 4 + 4) << "the queries stand at the last keys";
  EXPECT_EQ(pairs(5, 5, "False", -1, 1), 2 + 3 + 4 + 5 + 5);
}

/// A causal mask leaves the pairs below the diagonal, which begins at the first key or ends at the last one.
TEST(ShapeRulesOfAten, CausalAttentionCountsWhatItSees) {
  struct Rule {
    const char* op;
    size_t place;  ///< of the argument that says it, and its word
    const char* word;
    bool to_last, lengths_first, backward;
  };
  const Rule rules[] = {
      {"aten::_scaled_dot_product_flash_attention", 4, "True", true, false, false},
      {"aten::_scaled_dot_product_flash_attention_for_cpu", 4, "True", false, false, false},
      {"aten::_scaled_dot_product_efficient_attention", 6, "True", false, false, false},
      {"aten::_scaled_dot_product_cudnn_attention", 6, "True", false, false, false},
      {"aten::_scaled_dot_product_cudnn_attention", 4, "True", false, false, false},
      {"aten::_scaled_dot_product_fused_attention_overrideable", 5, "True", false, false, false},
      {"aten::_flash_attention_forward", 8, "True", true, true, false},
      {"aten::_efficient_attention_forward", 9, "1", false, true, false},
      {"aten::_efficient_attention_forward", 9, "2", true, true, false},
      {"aten::_efficient_attention_forward", 8, "2", true, true, false},
      {"aten::_scaled_dot_product_flash_attention_backward", 11, "True", true, false, true},
      {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", 7, "True", false, false, true},
      {"aten::_scaled_dot_product_efficient_attention_backward", 11, "True", false, false, true},
      {"aten::_scaled_dot_product_cudnn_attention_backward", 14, "True", false, false, true},
      {"aten::_scaled_dot_product_cudnn_attention_backward", 11, "True", false, false, true},
      {"aten::_scaled_dot_product_fused_attention_overrideable_backward", 13, "True", false, false, true},
      {"aten::_flash_attention_backward", 11, "True", true, true, true},
      {"aten::_efficient_attention_backward", 14, "2", true, true, true},
      {"flash_attn::_flash_attn_forward", 5, "True", true, true, false},
      {"flash_attn::_flash_attn_backward", 11, "True", true, true, true},
      {"flash_attn_3::fwd", 24, "True", true, true, false},
      {"aiter::mha_fwd", 5, "True", true, true, false}};
  const auto pairs = [](const Rule& rule, int s, int t, std::string_view word) {
    const auto shape = [&](int length) {
      return rule.lengths_first ? fmt::format("[2,{},4,32]", length) : fmt::format("[2,4,{},32]", length);
    };
    const std::string q = shape(s), k = shape(t);
    std::string dims = rule.backward ? fmt::format("[{},{},{},{}", q, q, k, k) : fmt::format("[{},{},{}", q, k, k);
    std::string types = R"(["c10::Half","c10::Half","c10::Half")", constants = R"(["","","")";
    for (size_t i = 3; i < 26; ++i) {
      if (!rule.backward || i > 3) dims += ",[]";
      types += rule.backward && i == 3 ? R"(,"c10::Half")" : R"(,"Scalar")";
      constants += fmt::format(R"(,"{}")", i == rule.place ? word : "");
    }
    return facts(rule.op, dims + "]", types + "]", constants + "]").cost.flops /
           (2 * 4 * (rule.backward ? 10 : 4) * 32);
  };
  for (const Rule& rule : rules) {
    SCOPED_TRACE(fmt::format("{} by argument {}", rule.op, rule.place));
    EXPECT_EQ(pairs(rule, 17, 17, rule.word), 17 * 18 / 2);
    EXPECT_EQ(pairs(rule, 3, 19, rule.word), rule.to_last ? 17 + 18 + 19 : 1 + 2 + 3);
    EXPECT_EQ(pairs(rule, 5, 3, rule.word), rule.to_last ? 1 + 2 + 3 : 1 + 2 + 3 + 3 + 3);
    for (const char* other : {"False", "0", "", "0.1"}) EXPECT_EQ(pairs(rule, 3, 19, other), 3 * 19) << other;
  }
  const Rule old{"aten::_efficient_attention_forward", 9, "True", false, true, false};
  EXPECT_EQ(pairs(old, 17, 17, "True"), 17 * 17) << "it says whether to compute the sums of exponentials";
}

TEST(ShapeRulesOfAten, ListsOfTensorsAddUp) {
  const ShapeFacts list = facts("aten::_foreach_addcdiv_", "[[[3,4],[5]],[[3,4],[5]],[[3,4],[5]],[]]",
                                R"(["TensorList","TensorList","TensorList","ScalarList"])");
  EXPECT_EQ(list.cost.flops, 3 * 17);
  EXPECT_FALSE(list.bytes_known) << "the type of a list's tensors is not recorded";
  EXPECT_EQ(facts("aten::_fused_adamw_", "[[[10]],[[10]],[[10]],[[10]],[],[[1]]]",
                  R"(["TensorList","TensorList","TensorList","TensorList","","TensorList"])")
                .cost.flops,
            150);
}

TEST(ShapeRulesOfAten, ReductionsLookUpsAndLosses) {
  EXPECT_EQ(operands(facts("aten::sum", "[[256,128],[],[],[]]", R"(["float","ScalarList","Scalar",""])",
                           R"(["","[0]","True",""])")),
            " f32[256,128] -> f32[1,128]");
  EXPECT_EQ(operands(facts("aten::mean", "[[2,3,4],[],[],[]]", R"(["float","ScalarList","Scalar",""])",
                           R"(["","[-1, 0]","False",""])")),
            " f32[2,3,4] -> f32[3]");
  const ShapeFacts unsaid = facts("aten::sum", "[[256,128],[],[],[]]", R"(["float","ScalarList","Scalar",""])");
  EXPECT_EQ(unsaid.cost.flops, 256 * 128);
  EXPECT_FALSE(unsaid.bytes_known) << "how much it writes is not recorded";
  EXPECT_EQ(operands(facts("aten::embedding", "[[500,64],[8,3],[],[],[]]",
                           R"(["float","long int","Scalar","Scalar","Scalar"])")),
            " f32[24,64] i64[8,3] -> f32[8,3,64]");
  EXPECT_EQ(operands(facts("aten::nll_loss_backward", "[[],[4,10],[4],[],[],[],[]]",
                           R"(["float","float","long int","","Scalar","Scalar","float"])")),
            " i64[4] -> f32[4,10]");
  EXPECT_EQ(facts("aten::_scaled_mm", "[[16,32],[32,64],[],[]]",
                  R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn","float","float"])")
                .cost.flops,
            2.0 * 16 * 32 * 64);
}

TEST(ShapeRulesOfAten, NodesOfAutogradAndViewsTouchNothing) {
  for (const char* name : {"ConvolutionBackward0", "torch::autograd::AccumulateGrad", "aten::view", "aten::empty"}) {
    const ShapeFacts none = facts(name, "[[4,4]]", R"(["float"])");
    EXPECT_TRUE(none.cost.known && none.cost.flops == 0 && none.bytes_known && none.operands.empty()) << name;
  }
  EXPECT_FALSE(facts("MyFunctionBackward", "[[4,4]]", R"(["float"])").cost.known)
      << "of a user's own function: it may compute itself";
  EXPECT_FALSE(facts("aten::copy", "[[4,4]]", R"(["float"])").bytes_known);
}

double bytes_of(const Capture& c, std::string_view type) {
  double bytes = 0;
  for (const OpRecord& op : c.ops()) {
    if (c.name(op.type) != type) continue;
    if (op.operand_count == 0) return -1;  // unknown
    for (const OperandRecord& o : c.operands(op)) bytes += static_cast<double>(o.read_bytes + o.written_bytes);
  }
  return bytes;
}

TEST(ShapeRulesOfAten, BytesCountOnceWhereCallsNest) {
  const auto capture = tests::import_events(R"(
    {"ph":"X","cat":"cpu_op","name":"aten::linear","pid":1,"tid":1,"ts":0,"dur":50,
     "args":{"Input Dims":[[2,3],[4,3],[]],"Input type":["float","float",""]}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":30,
     "args":{"Input Dims":[[2,3],[3,4]],"Input type":["float","float"]}},
    {"ph":"X","cat":"cpu_op","name":"aten::copy_","pid":1,"tid":1,"ts":12,"dur":5,
     "args":{"Input Dims":[[3,4],[3,4],[]],"Input type":["float","float","Scalar"]}},
    {"ph":"X","cat":"cpu_op","name":"aten::contiguous","pid":1,"tid":1,"ts":100,"dur":50,
     "args":{"Input Dims":[[8],[]],"Input type":["float","Scalar"]}},
    {"ph":"X","cat":"cpu_op","name":"aten::clone","pid":1,"tid":1,"ts":101,"dur":40,
     "args":{"Input Dims":[[8],[]],"Input type":["float","Scalar"]}},
    {"ph":"X","cat":"cpu_op","name":"aten::copy_","pid":1,"tid":1,"ts":102,"dur":20,
     "args":{"Input Dims":[[8],[8],[]],"Input type":["float","float","Scalar"]}},
    {"ph":"X","cat":"cpu_op","name":"my::op","pid":1,"tid":1,"ts":200,"dur":50,"args":{}},
    {"ph":"X","cat":"cpu_op","name":"aten::copy_","pid":1,"tid":1,"ts":210,"dur":20,
     "args":{"Input Dims":[[8],[8],[]],"Input type":["float","float","Scalar"]}},
    {"ph":"X","cat":"cpu_op","name":"aten::view","pid":1,"tid":1,"ts":300,"dur":5,"args":{}})");
  ASSERT_TRUE(capture) << capture.error().message;
  const Capture& c = **capture;
  EXPECT_EQ(bytes_of(c, "aten::linear"), 0) << "the product inside moves them";
  EXPECT_EQ(bytes_of(c, "aten::mm"), 4 * (6 + 12 + 8)) << "whatever it copies inside";
  EXPECT_EQ(bytes_of(c, "aten::copy_"), 4 * (24 + 16 + 16));
  EXPECT_EQ(bytes_of(c, "aten::clone"), 0);
  EXPECT_EQ(bytes_of(c, "aten::contiguous"), 0);
  EXPECT_EQ(bytes_of(c, "my::op"), -1) << "what it does beside the copy is not known";
  EXPECT_EQ(bytes_of(c, "aten::view"), 0);
}

TEST(ShapeRulesOfAten, AHelperInsideDoesNotTakeTheWorkOfTheCallAround) {
  const auto capture = tests::import_events(R"(
    {"ph":"X","cat":"cpu_op","name":"aten::mkldnn_rnn_layer","pid":1,"tid":1,"ts":0,"dur":50,
     "args":{"Input Dims":[[10,4,8],[64,8],[64,16],[64],[64]],"Input type":["float","float","float","float","float"]}},
    {"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":10,"dur":5,
     "args":{"Input Dims":[[64],[64],[]],"Input type":["float","float","Scalar"]}},
    {"ph":"X","cat":"cpu_op","name":"aten::linear","pid":1,"tid":1,"ts":100,"dur":50,
     "args":{"Input Dims":[[2,3],[4,3],[4]],"Input type":["float","float","float"]}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":110,"dur":10,
     "args":{"Input Dims":[[2,3],[3,4]],"Input type":["float","float"]}},
    {"ph":"X","cat":"cpu_op","name":"aten::add_","pid":1,"tid":1,"ts":125,"dur":10,
     "args":{"Input Dims":[[2,4],[4],[]],"Input type":["float","float","Scalar"]}})");
  ASSERT_TRUE(capture) << capture.error().message;
  std::map<std::string, double> flops;
  for (const OpRecord& op : (*capture)->ops()) flops[std::string((*capture)->name(op.type))] += op.flops;
  EXPECT_EQ(flops["aten::mkldnn_rnn_layer"], 2.0 * 40 * 64 * (8 + 16));
  EXPECT_EQ(flops["aten::add"], 64);
  EXPECT_EQ(flops["aten::linear"], 0) << "the product and the sum inside are all of it";
  EXPECT_EQ(flops["aten::mm"], 48);
  EXPECT_EQ(flops["aten::add_"], 8);
}

TEST(ShapeRulesOfAten, NoShapeBreaksThem) {
  const char* const huge = "[[9000000000000000000,9000000000000000000],[9000000000000000000],[4],[4]]";
  for (const char* name : {"aten::native_layer_norm", "aten::embedding", "aten::index_select", "aten::sum",
                           "aten::native_batch_norm", "aten::_foreach_add_", "aten::mkldnn_rnn_layer", "aten::relu"}) {
    for (const char* dims : {huge, "[[[[1]]]]", "[[1,2],", "]", "[[],[],[]]", "[[0],[0,0],[0]]", ""}) {
      const ShapeFacts odd = facts(name, dims, R"(["float","float","long int","float"])", R"(["","[0]","","True"])");
      EXPECT_TRUE(!odd.cost.known || odd.cost.flops >= 0) << name << dims;
      for (const ShapedOperand& o : odd.operands) {
        for (const int64_t extent : o.shape) EXPECT_GE(extent, 0) << name << dims;
      }
    }
  }
}

TEST(ShapeRulesOfAten, LayersOfAnLstmMoveWeightsStatesAndWhatTheGradientNeeds) {
  const char* const types =
      R"(["float","float","float","float","float","float","float","Scalar","ScalarList","Scalar","Scalar","Scalar","Scalar","Scalar","Scalar","Scalar"])";
  const char* const dims =
      "[[32,8,128],[1024,128],[1024,256],[1024],[1024],[8,256],[8,256],[],[],[],[],[],[],[],[],[]]";
  const std::string said = R"(["","","","","","","","False","[]","2","256","1","True","False","False",)";
  const ShapeFacts infers = facts("aten::mkldnn_rnn_layer", dims, types, said + R"("False"])"),
                   trains = facts("aten::mkldnn_rnn_layer", dims, types, said + R"("True"])");
  EXPECT_EQ(infers.cost.flops, 2.0 * 32 * 8 * (1024 * 128 + 1024 * 256));
  EXPECT_EQ(operands(infers),
            " f32[32,8,128] f32[1024,128] f32[1024,256] f32[1024] f32[1024] f32[8,256] f32[8,256] -> f32[32,8,256] -> "
            "f32[8,256] -> f32[8,256]");
  EXPECT_EQ(operands(trains), operands(infers) + " -> f32[32,8,5,256]");
  EXPECT_EQ(operands(facts("aten::mkldnn_rnn_layer", dims, types)), "unknown") << "whether it trains is not recorded";
  const ShapeFacts gradient = facts(
      "aten::mkldnn_rnn_layer_backward",
      "[[5,1,32],[128,32],[128,32],[128],[128],[1,32],[1,32],[5,1,32],[1,32],[1,32],[5,1,32],[],[],[]]",
      R"(["float","float","float","float","float","float","float","float","float","float","float","","","Scalar"])");
  EXPECT_EQ(gradient.cost.flops, 2 * 2.0 * 5 * (128 * 32 + 128 * 32));
  EXPECT_EQ(gradient.operands.size(), 11u + 1 + 7);
}

TEST(ShapeRulesOfAten, ListsHaveTheDtypeThatOthersTell) {
  const auto of = [](std::string_view name, std::string_view dims, std::string_view types, std::string_view constants,
                     std::optional<engine::DType> dtype) {
    return facts_of_call({.name = name,
                          .dimensions = dims,
                          .types = types,
                          .constants = constants,
                          .around_name = {},
                          .around_dimensions = {},
                          .list_dtype = dtype});
  };
  const char* const list = R"(["TensorList","Scalar"])";
  const char* const two = "[[[2,3,4],[2,5,4]],[]]";
  EXPECT_EQ(operands(of("aten::cat", two, list, R"(["","1"])", engine::DType::bfloat16)),
            " bf16[2,3,4] bf16[2,5,4] -> bf16[2,8,4]");
  EXPECT_EQ(operands(of("aten::cat", two, list, R"(["","-2"])", engine::DType::float32)),
            " f32[2,3,4] f32[2,5,4] -> f32[2,8,4]");
  EXPECT_EQ(operands(of("aten::cat", "[[[0],[2,5]],[]]", list, R"(["","0"])", engine::DType::float32)),
            " f32[0] f32[2,5] -> f32[2,5]");
  EXPECT_EQ(operands(of("aten::cat", two, list, R"(["","1"])", {})), "unknown");
  for (const char* axis : {R"(["","3"])", R"(["","-4"])", R"(["",""])", "[]"})
    EXPECT_EQ(operands(of("aten::cat", two, list, axis, engine::DType::float32)), "unknown") << axis;
  EXPECT_EQ(operands(of("aten::_foreach_add_", "[[[4],[2,2]],[[4],[2,2]],[]]",
                        R"(["TensorList","TensorList","Scalar"])", "", engine::DType::float32)),
            " f32[4] f32[2,2] f32[4] f32[2,2] -> f32[4] -> f32[2,2]");
  EXPECT_EQ(of("aten::_foreach_add_", "[[[4],[2,2]],[[4],[2,2]],[]]", R"(["TensorList","TensorList","Scalar"])", "", {})
                .cost.flops,
            8);
}

TEST(ShapeRulesOfAten, ListsOfATraceTakeTheDtypeOfTheirReader) {
  const auto capture = tests::import_events(
      R"({"ph":"X","cat":"cpu_op","name":"aten::cat","pid":1,"tid":1,"ts":1,"dur":5,"args":{"Input Dims":[[[2,3],[2,5]],[]],)"
      R"("Input type":["TensorList","Scalar"],"Concrete Inputs":["","1"]}},)"
      R"({"ph":"X","cat":"cpu_op","name":"aten::relu","pid":1,"tid":1,"ts":7,"dur":5,"args":{"Input Dims":[[2,8]],)"
      R"("Input type":["c10::Half"]}},)"
      R"({"ph":"X","cat":"cpu_op","name":"aten::cat","pid":1,"tid":2,"ts":1,"dur":5,"args":{"Input Dims":[[[9,3],[9,5]],[]],)"
      R"("Input type":["TensorList","Scalar"],"Concrete Inputs":["","1"]}})");
  ASSERT_TRUE(capture) << capture.error().message;
  std::map<std::string, int64_t> bytes;
  for (const OpRecord& op : (*capture)->ops()) {
    int64_t sum = 0;
    for (const OperandRecord& operand : (*capture)->operands(op)) sum += operand.read_bytes + operand.written_bytes;
    bytes[std::string((*capture)->name(op.name))] = sum;
  }
  EXPECT_EQ(bytes.at("aten::cat [2,3] [2,5] TensorList"), 2 * 16 * 2) << "two bytes each, read and written";
  EXPECT_EQ(bytes.at("aten::cat [9,3] [9,5] TensorList"), 0) << "nothing tells the dtype";
}

TEST(ShapeRulesOfAten, TransposedConvolutionsAndStretchedPictures) {
  const char* const types =
      R"(["float","float","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"])";
  const ShapeFacts up = facts("aten::_convolution", "[[4,32,16,16],[32,8,2,2],[],[],[],[],[],[],[]]", types,
                              R"(["","","","[2, 2]","[0, 0]","[1, 1]","True","[0, 0]","1"])");
  EXPECT_EQ(up.cost.flops, 2.0 * 4 * 32 * 16 * 16 * 8 * 2 * 2);
  EXPECT_EQ(operands(up), " f32[4,32,16,16] f32[32,8,2,2] -> f32[4,8,32,32]");
  const ShapeFacts odd = facts("aten::convolution", "[[1,6,5],[6,2,3],[],[],[],[],[],[],[]]", types,
                               R"(["","","","[3]","[1]","[2]","True","[1]","3"])");
  EXPECT_EQ(operands(odd), " f32[1,6,5] f32[6,2,3] -> f32[1,6,16]") << "(5-1)*3 - 2 + 2*(3-1) + 1 + 1, in 3 groups";
  EXPECT_FALSE(facts("aten::convolution", "[[1,6,5],[6,2,3],[],[],[],[],[],[],[]]", types,
                     R"(["","","","[3]","[99]","[2]","True","[1]","3"])")
                   .cost.known);
  const char* const picture = R"(["float","ScalarList","Scalar","",""])";
  const ShapeFacts bilinear =
      facts("aten::upsample_bilinear2d", "[[4,8,16,16],[],[],[],[]]", picture, R"(["","[32, 32]","False","",""])");
  EXPECT_EQ(bilinear.cost.flops, 8.0 * 4 * 8 * 32 * 32);
  EXPECT_EQ(operands(bilinear), " f32[4,8,16,16] -> f32[4,8,32,32]");
  EXPECT_EQ(facts("aten::upsample_nearest2d", "[[4,8,16,16],[],[],[]]", picture, R"(["","[32, 32]","",""])").cost.flops,
            0);
  EXPECT_EQ(operands(facts("aten::upsample_bilinear2d_backward", "[[4,8,32,32],[],[],[]]", picture,
                           R"(["","[32, 32]","[4, 8, 16, 16]","False"])")),
            " f32[4,8,32,32] -> f32[4,8,16,16]");
  EXPECT_EQ(operands(facts("aten::upsample_bilinear2d", "[[4,8,16,16],[],[],[]]", picture, R"(["","","False","2.0"])")),
            "unknown");
  const ShapeFacts heads =
      facts("aten::_transform_bias_rescale_qkv", "[[1,197,2304],[2304],[]]", R"(["float","float","Scalar"])");
  EXPECT_EQ(heads.cost.flops, 197 * (2304 + 768));
  EXPECT_EQ(operands(heads), " f32[1,197,2304] f32[2304] -> f32[1,197,2304]");
}

TEST(ShapeRulesOfLibraries, ProductsNormsGatesAndCaches) {
  const char* const two = R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16"])";
  const ShapeFacts gemm = facts("vllm::rocm_unquantized_gemm", "[[32,2880],[5120,2880],[5120]]", two);
  EXPECT_EQ(gemm.cost.flops, 2.0 * 32 * 2880 * 5120);
  EXPECT_EQ(operands(gemm), " bf16[32,2880] bf16[5120,2880] bf16[5120] -> bf16[32,5120]");
  const ShapeFacts small = facts("_C::cutlass_scaled_mm", "[[8,64],[8,16],[16,64]]",
                                 R"(["c10::BFloat16","c10::Float8_e4m3fn","c10::Float8_e4m3fn"])");
  EXPECT_EQ(small.cost.flops, 2.0 * 8 * 16 * 64);
  EXPECT_FALSE(small.bytes_known) << "of 8 bits";
  const ShapeFacts norm = facts("aiter::rmsnorm", "[[6,32],[6,32],[32],[]]",
                                R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","Scalar"])");
  EXPECT_EQ(norm.cost.flops, 5 * 6 * 32 + 3 * 6);
  EXPECT_EQ(operands(norm), " bf16[6,32] bf16[32] -> bf16[6,32]");
  const ShapeFacts adding = facts("_C::fused_add_rms_norm", "[[6,32],[6,32],[32],[]]",
                                  R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","Scalar"])");
  EXPECT_EQ(operands(adding), " bf16[6,32] bf16[32] bf16[6,32] -> bf16[6,32] -> bf16[6,32]");
  const ShapeFacts gate = facts("sgl_kernel::silu_and_mul", "[[5,12],[5,24]]", R"(["c10::BFloat16","c10::BFloat16"])");
  EXPECT_EQ(gate.cost.flops, 6 * 60);
  EXPECT_EQ(operands(gate), " bf16[5,24] -> bf16[5,12]");
  const ShapeFacts cache =
      facts("_C_cache_ops::reshape_and_cache_flash", "[[8,1,64],[8,1,64],[99,16,1,64],[99,16,1,64],[8],[],[],[]]",
            R"(["c10::BFloat16","c10::BFloat16","unsigned char","unsigned char","long int","","float","float"])");
  EXPECT_EQ(cache.cost.flops, 0);
  EXPECT_EQ(operands(cache), " bf16[8,1,64] bf16[8,1,64] i64[8] -> u8[8,1,64] -> u8[8,1,64]");
  const ShapeFacts rotary = facts("_C::rotary_embedding", "[[4],[4,128],[4,64],[],[1000,32],[]]",
                                  R"(["long int","c10::BFloat16","c10::BFloat16","Scalar","c10::BFloat16","Scalar"])",
                                  R"(["","","","64","","True"])");
  EXPECT_EQ(rotary.cost.flops, 3 * (4 * 2 * 32 + 4 * 1 * 32)) << "32 of 64 elements of each head";
}

TEST(ShapeRulesOfLibraries, AttentionOverACacheOfPagesIsUnknown) {
  const char* const three = R"(["c10::Half","c10::Half","c10::Half"])";
  const std::string gaps = ",[],[],[],[],[],[],[],[]";
  const ShapeFacts paged = facts("flash_attn_3::fwd", "[[8,1,8,64],[4096,16,8,64],[4096,16,8,64]]", three);
  EXPECT_FALSE(paged.cost.known || paged.bytes_known) << "8 sequences, 4096 pages";
  EXPECT_FALSE(facts("aten::_flash_attention_forward", "[[8,1,8,64],[4096,16,8,64],[4096,16,8,64]]", three).cost.known);
  EXPECT_FALSE(facts("flash_attn_3::fwd", "[[8,1,8,64],[8,16,8,64],[9,16,8,64]]", three).cost.known);
  const std::string same = "[[8,1,8,64],[8,512,8,64],[8,512,8,64]";
  const std::string types = R"(["c10::Half","c10::Half","c10::Half","","","","","","","","",)";
  const ShapeFacts plain = facts("flash_attn_3::fwd", same + gaps + ",[]]", types + R"(""])");
  EXPECT_EQ(plain.cost.flops, 4.0 * 8 * 8 * 512 * 64);
  const ShapeFacts used = facts("flash_attn_3::fwd", same + gaps + ",[8]]", types + R"("int"])");
  EXPECT_FALSE(used.cost.known || used.bytes_known) << "used lengths of keys are values";
  const ShapeFacts table =
      facts("flash_attn_3::fwd", same + gaps + ",[],[],[],[8,4]]", types + R"("","Scalar","Scalar","int"])");
  EXPECT_FALSE(table.cost.known || table.bytes_known) << "a table of pages";
  EXPECT_FALSE(facts("aten::_efficient_attention_forward", "[[1,32,4,32],[1,32,4,32],[1,32,4,32],[],[5],[5]]",
                     R"(["float","float","float","","int","int"])")
                   .cost.known)
      << "four sequences behind one another";
}

TEST(ShapeRulesOfLibraries, AttentionExpertsAndKernelsOfTriton) {
  const char* const three = R"(["c10::Half","c10::Half","c10::Half"])";
  EXPECT_EQ(facts("flash_attn::_flash_attn_forward", "[[2,10,8,64],[2,20,2,64],[2,20,2,64]]", three).cost.flops,
            4.0 * 2 * 10 * 8 * 20 * 64)
      << "fewer heads of keys";
  EXPECT_FALSE(facts("vllm::unified_attention_with_output", "[[8,8,64],[8,1,64],[8,1,64]]", three).cost.known)
      << "lengths are in its cache";
  EXPECT_EQ(facts("vllm::outplace_fused_experts", "[[6,16],[4,64,16],[4,16,32],[6,2],[6,2]]",
                  R"(["c10::Half","c10::Half","c10::Half","float","int"])")
                .cost.flops,
            6.0 * 6 * 2 * 32 * 16);
  EXPECT_FALSE(facts("vllm::moe_forward", "[[6,16],[6,4],[]]", R"(["c10::Half","c10::Half",""])").cost.known);
  const ShapeFacts fused = facts("triton_poi_fused__unsafe_view_mul_silu_2", "[[8,16],[8,16],[]]",
                                 R"(["c10::BFloat16","c10::BFloat16","Scalar"])");
  EXPECT_FALSE(fused.cost.known);
  EXPECT_FALSE(fused.bytes_known) << "one that is updated in place is read and written: a trace does not say which";
}

TEST(ShapeRules, OddConstantsAndExtentsMakeBytesUnknown) {
  const char* const sizes = R"(["float","ScalarList","Scalar","Scalar"])";
  for (const char* whole : {"[-4, 2, 2]", "[4, -2, -2]", "[9000000000000000000, 4, 2]"}) {
    const std::string said = std::string(R"(["",")") + whole + R"(","1","0"])";
    for (const char* name : {"aten::select_backward", "aten::slice_backward"})
      EXPECT_FALSE(facts(name, "[[2,2],[],[],[]]", sizes, said).bytes_known) << name << whole;
  }
  EXPECT_FALSE(facts("aten::embedding_dense_backward", "[[4,8],[4],[],[],[]]",
                     R"(["float","long int","Scalar","Scalar","Scalar"])", R"(["","","-5","",""])")
                   .bytes_known);
  const char* const rotary = R"(["long int","c10::BFloat16","c10::BFloat16","Scalar","c10::BFloat16","Scalar"])";
  for (const char* dims : {"[[4],[4,100000000000000],[4,64],[],[1000000,1000000000],[]]",
                           "[[4],[4,128],[4,64],[],[0,9000000000000000000],[]]"}) {
    const ShapeFacts odd = facts("_C::rotary_embedding", dims, rotary, R"(["","","","1","","True"])");
    EXPECT_FALSE(odd.bytes_known) << dims;
  }
  EXPECT_FALSE(facts("vllm::outplace_fused_experts", "[[0,16],[0,64,16],[0,16,9000000000000000000],[0,2],[0,2]]",
                     R"(["c10::Half","c10::Half","c10::Half","float","int"])")
                   .cost.known);
}

TEST(ShapeRules, OneOpNeverRefusesATrace) {
  const auto capture = tests::import_events(R"(
    {"ph":"X","cat":"cpu_op","name":"aten::select_backward","pid":1,"tid":1,"ts":0,"dur":50,
     "args":{"Input Dims":[[2,2],[],[],[]],"Input type":["float","ScalarList","Scalar","Scalar"],
             "Concrete Inputs":["","[-4, 2, 2]","1","0"]}},
    {"ph":"X","cat":"cpu_op","name":"aten::relu","pid":1,"tid":1,"ts":100,"dur":50,
     "args":{"Input Dims":[[8]],"Input type":["float"]}})");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(bytes_of(**capture, "aten::select_backward"), -1);
  EXPECT_EQ(bytes_of(**capture, "aten::relu"), 64);
}

TEST(ShapeRulesOfAten, WhatTheCommonModelsStillLacked) {
  const char* const slow = R"(["","","[3, 3]","","[1, 1]","[1, 1]"])";
  EXPECT_EQ(facts("aten::_slow_conv2d_forward", "[[4,3,8,8],[16,3,3,3],[],[16],[],[]]",
                  R"(["float","float","ScalarList","float","ScalarList","ScalarList"])", slow)
                .cost.flops,
            2.0 * 4 * 16 * 8 * 8 * 3 * 3 * 3);
  EXPECT_EQ(facts("aten::_slow_conv2d_backward", "[[4,2,9,9],[4,16,9,9],[2,16,1,1],[],[],[],[]]",
                  R"(["float","float","float","ScalarList","ScalarList","ScalarList","ScalarList"])",
                  R"(["","","","[1, 1]","[1, 1]","[0, 0]","[True, True, True]"])")
                .cost.flops,
            2 * 2.0 * 4 * 2 * 9 * 9 * 16);
  EXPECT_EQ(operands(facts("aten::select_backward", "[[8,256],[],[],[]]", R"(["float","ScalarList","Scalar","Scalar"])",
                           R"(["","[8, 65, 256]","1","0"])")),
            " f32[8,256] -> f32[8,65,256]");
  EXPECT_EQ(operands(facts("aten::mse_loss", "[[4,8],[4,8],[]]", R"(["float","float","Scalar"])", R"(["","","1"])")),
            " f32[4,8] f32[4,8] -> f32[]");
  EXPECT_EQ(operands(facts("aten::upsample_nearest2d", "[[1,2,4,4],[],[]]", R"(["float","","ScalarList"])",
                           R"(["","","[2., 2.]"])")),
            " f32[1,2,4,4] -> f32[1,2,8,8]");
  EXPECT_TRUE(facts("aten::to", "[[4]]", R"(["float"])").bytes_known) << "a call inside copies";
}

}  // namespace
}  // namespace profiler
