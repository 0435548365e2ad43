// SPDX-License-Identifier: Apache-2.0
// One event's text: exact times, ids of all kinds, args before and behind the phase, repairs.
#include "profiler/import/chrome_event.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profiler/import/json_pieces.h"
#include "profiler/import/shape_rules.h"
#include "tests/profiler/import/import_support.h"

namespace {

using namespace profiler;

TEST(ChromeEvent, MicrosecondsAreExactToTheNanosecond) {
  EXPECT_EQ(nanoseconds_of("1419247332972.313"), 1'419'247'332'972'313);
  EXPECT_EQ(nanoseconds_of("1623142623460111"), 1'623'142'623'460'111'000);
  EXPECT_EQ(nanoseconds_of("0.0014"), 1);
  EXPECT_EQ(nanoseconds_of("0.0015999"), 2);
  EXPECT_EQ(nanoseconds_of("-1.5"), -1500);
  EXPECT_EQ(nanoseconds_of("1e3"), 1'000'000);
  EXPECT_EQ(nanoseconds_of("1.5E-3"), 2);
  for (const char* bad : {"", "-", "NaN", "nan", "1e999", "18446744073709551616", "12x", "."})
    EXPECT_EQ(nanoseconds_of(bad), kNoFigure) << bad;
}

class ParserTest : public testing::Test {
 protected:
  bool parse(const std::string& text) {
    padded_ = text + std::string(JsonPieces::kPadding, ' ');
    return parser_.parse({padded_.data(), text.size()}, event_);
  }
  std::string padded_;
  Findings findings_;
  ChromeEventParser parser_{findings_};
  ChromeEvent event_;
};

TEST_F(ParserTest, TakesArgsWhereverTheyStand) {
  ASSERT_TRUE(parse(
      R"({"args":{"grid":[1,2,3],"correlation":7,"stream":"9","bytes":5.0},"ph":"X","ts":"12.5","dur":3,"pid":"Spans","tid":-4})"));
  EXPECT_EQ(event_.args.grid, (std::array<int64_t, 3>{1, 2, 3}));
  EXPECT_EQ(event_.args.correlation, 7);
  EXPECT_EQ(event_.args.stream, 9);
  EXPECT_EQ(event_.args.bytes, 5);
  EXPECT_EQ(event_.time_ns, 12'500);
  EXPECT_EQ(event_.pid.text, "Spans");
  EXPECT_EQ(event_.tid.number, -4);
}

TEST_F(ParserTest, CountersAndHexadecimalIds) {
  ASSERT_TRUE(parse(R"({"ph":"C","name":"m","ts":1,"id":"0x1F","args":{"a":1.5,"b":"2","c":"many"}})"));
  EXPECT_EQ(event_.id.number, 31);
  ASSERT_EQ(event_.values.size(), 2u);
  EXPECT_EQ(event_.values[1].second, 2);
  EXPECT_EQ(findings_.count(Finding::bad_figure), 1);
}

TEST_F(ParserTest, RepairsWhatJsonForbids) {
  ASSERT_TRUE(parse("{\"ph\":\"X\",\"ts\":1,\"name\":\"a\nb\x01\xff\\c\\ud800\"}"));
  EXPECT_EQ(event_.name, "a b ?\\c?");
  EXPECT_EQ(findings_.count(Finding::repaired_text), 1);
}

TEST_F(ParserTest, RefusesWhatIsNoEvent) {
  for (const char* bad : {"", "[", "{\"ph\"}", "{\"ph\":}", "{\"ph\":\"X\" \"ts\":1}", "{\"args\":{]}}", "7"})
    EXPECT_FALSE(parse(bad)) << bad;
}

ShapeCost cost(std::string_view name, std::string_view dimensions, std::string_view constants = "") {
  return facts_of_call({.name = name,
                        .dimensions = dimensions,
                        .types = {},
                        .constants = constants,
                        .around_name = {},
                        .around_dimensions = {}})
      .cost;
}

TEST(ShapeRules, ProductsAndWords) {
  EXPECT_EQ(parse_dimensions("[[2,3],[],[[4],[5,6]]]"), (std::vector<std::vector<int64_t>>{{2, 3}, {}, {4}, {5, 6}}));
  EXPECT_TRUE(parse_dimensions("[[2,-3]]").empty());
  EXPECT_TRUE(parse_dimensions("]]").empty());
  EXPECT_EQ(cost("aten::mm", "[[2,3],[3,4]]").flops, 48);
  EXPECT_EQ(cost("aten::addmm", "[[4],[2,3],[3,4],[],[]]").flops, 48);
  EXPECT_EQ(cost("aten::linear", "[[5,2,3],[4,3],[4]]").flops, 240);
  EXPECT_EQ(cost("aten::bmm", "[[5,2,3],[5,3,4]]").flops, 240);
  EXPECT_EQ(cost("aten::matmul", "[[2,3],[5,3,4]]").flops, 240);
  EXPECT_TRUE(cost("aten::view", "").known);
  for (const char* misfit : {"[[2,3],[4,5]]", "[[2]]", "", "[[2,3]]"})
    EXPECT_FALSE(cost("aten::mm", misfit).known) << misfit;
  EXPECT_FALSE(cost("aten::fft_fft2", "[[2,3]]").known) << "unknown is unknown, not 0";
  EXPECT_EQ(shapes_in_words("[[2,3],[],[3]]", "[\"float\",\"Scalar\",\"float\"]"), "[2,3] [3] float");
}

/// Worked out by hand: 2 x 32 x 64 x 112 x 112 x 3 x 7 x 7 and so on.
TEST(ShapeRules, ConvolutionsNeedTheirStrides) {
  const char* const resnet = "[[32,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]";
  EXPECT_FALSE(cost("aten::cudnn_convolution", resnet).known)
      << "how large the output is does not follow from the inputs";
  constexpr double kFirst = 2.0 * 32 * 64 * 112 * 112 * 3 * 7 * 7;
  EXPECT_EQ(
      cost("aten::cudnn_convolution", resnet, R"(["","","[3, 3]","[2, 2]","[1, 1]","1","True","False","True"])").flops,
      kFirst);
  EXPECT_EQ(cost("aten::convolution", resnet, R"(["","","","[2, 2]","[3, 3]","[1, 1]","False","[0, 0]","1"])").flops,
            kFirst);
  EXPECT_EQ(cost("aten::conv1d", "[[2,8,10],[4,8,3],[4]]", R"(["","","","[1]","[0]","[2]","1"])").flops,
            2.0 * 2 * 4 * 6 * 8 * 3)
      << "dilated";
  EXPECT_EQ(cost("aten::conv2d", "[[1,8,4,4],[8,1,3,3],[]]", R"(["","","","[1, 1]","[1, 1]","[1, 1]","8"])").flops,
            2.0 * 8 * 16 * 9)
      << "depthwise";
  for (const char* odd :
       {R"(["","","","[0, 0]","[3, 3]","[1, 1]","False"])", R"(["","","","[2]","[3, 3]","[1, 1]","True"])",
        R"(["","","","same"])", R"(["","","","[2, 2, 2]","[3, 3]","[1, 1]","False"])",
        R"(["","","","[2, 2]","[-1, 3]","[1, 1]","False"])", "[[[", ""}) {
    EXPECT_FALSE(cost("aten::convolution", resnet, odd).known) << odd;
  }
}

TEST(ShapeRules, GradientsOfConvolutions) {
  const char* const dims = "[[32,2048,7,7],[32,512,7,7],[2048,512,1,1],[],[],[],[],[],[],[],[]]";
  constexpr double kEach = 2.0 * 32 * 2048 * 49 * 512;
  EXPECT_EQ(cost("aten::convolution_backward", dims, R"(["","","","","[1, 1]","[True, True, False]"])").flops,
            2 * kEach);
  EXPECT_EQ(cost("aten::convolution_backward", dims, R"(["","","","","[1, 1]","[False, True, False]"])").flops, kEach);
  EXPECT_FALSE(cost("aten::convolution_backward", dims, R"(["","","","","[1, 1]","[False, False, True]"])").known)
      << "sums of the bias are not counted";
  EXPECT_FALSE(cost("aten::convolution_backward", dims).known) << "which gradients were asked for";
  // transposed: the weight is applied at each element of the input
  EXPECT_EQ(cost("aten::convolution_backward", "[[2,8,10,10],[2,4,5,5],[4,8,2,2]]",
                 R"(["","","","[0]","[2, 2]","[0, 0]","[1, 1]","True","[0, 0]","1","[True, False, False]"])")
                .flops,
            2.0 * 2 * 4 * 25 * 8 * 4);
  // until 2021 a call for each inside one that says all shapes
  const ShapedCall inner{.name = "aten::cudnn_convolution_backward_weight",
                         .dimensions = "[[],[32,2048,7,7],[32,512,7,7]]",
                         .types = R"(["GenericList","float","float"])",
                         .constants = {},
                         .around_name = "aten::cudnn_convolution_backward",
                         .around_dimensions = "[[32,512,7,7],[32,2048,7,7],[2048,512,1,1]]"};
  EXPECT_EQ(facts_of_call(inner).cost.flops, kEach);
  const auto operands = facts_of_call(inner).operands;
  ASSERT_EQ(operands.size(), 3u);
  EXPECT_EQ(operands[2].shape, (std::vector<int64_t>{2048, 512, 1, 1}));
  EXPECT_TRUE(operands[2].output && !operands[0].output);
  ShapedCall alone = inner;
  alone.around_name = {};
  EXPECT_FALSE(facts_of_call(alone).cost.known);
}

TEST(ShapeRules, OperandsAreWhatHasToMove) {
  const auto operands = [](std::string_view name, std::string_view dimensions, std::string_view types) {
    std::string text;
    const ShapeFacts facts = facts_of_call({.name = name,
                                            .dimensions = dimensions,
                                            .types = types,
                                            .constants = {},
                                            .around_name = {},
                                            .around_dimensions = {}});
    for (const ShapedOperand& o : facts.operands) {
      text += fmt::format("{}{}[{}]", o.output ? " -> " : " ", engine::name(o.dtype), fmt::join(o.shape, ","));
    }
    return text;
  };
  EXPECT_EQ(operands("aten::addmm", "[[512],[141,512],[512,256],[],[]]",
                     R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","Scalar","Scalar"])"),
            " bf16[141,512] bf16[512,256] bf16[512] -> bf16[141,256]");
  EXPECT_EQ(operands("aten::add", "[[4,1,3],[2,3],[]]", R"(["float","float","Scalar"])"),
            " f32[4,1,3] f32[2,3] -> f32[4,2,3]");
  EXPECT_EQ(operands("aten::mul", "[[4,3],[]]", R"(["float","Scalar"])"), " f32[4,3] -> f32[4,3]")
      << "a number is no tensor";
  EXPECT_EQ(operands("aten::copy_", "[[4],[4],[]]", R"(["c10::Half","float","Scalar"])"), " f32[4] -> f16[4]");
  EXPECT_EQ(operands("aten::mm", "[[2,3],[3,4]]", ""), "") << "types are not recorded";
  EXPECT_EQ(operands("aten::mm", "[[2,3],[4,5]]", R"(["float","float"])"), "");
  EXPECT_EQ(operands("aten::relu", "[[0,9000000000000000000,9000000000000000000]]", R"(["float"])"), "")
      << "nobody's size";
  EXPECT_EQ(cost("aten::_flash_attention_forward", "[[1,141,8,64],[1,141,8,64],[1,141,8,64]]").flops,
            4.0 * 141 * 141 * 8 * 64);
  EXPECT_EQ(cost("aten::_scaled_dot_product_flash_attention", "[[1,8,141,64],[1,8,141,64],[1,8,141,64]]").flops,
            4.0 * 141 * 141 * 8 * 64);
}

}  // namespace
