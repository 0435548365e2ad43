// SPDX-License-Identifier: Apache-2.0
// Which element a place, a neighbour or a bound means where ONNX's own cases of one opset do not ask: indices of pools
// and where they go back, neighbours of opset 10, starts before the first element, indices beyond the last.
#include <gtest/gtest.h>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

/// A 5x5 image counted from 0 to 24/25, pooled by windows of 2x2: rows and columns 1 and 3 win, places 6, 8, 16 and 18.
ModelMaker pooled(int64_t opset = 12) {
  ModelMaker maker(opset);
  maker.input("x", {1, 1, 5, 5})
      .node("MaxPool", {"x"}, "p")
      .attribute("kernel_shape", {2, 2})
      .attribute("strides", {2, 2});
  maker.last_node().add_output("i");
  return maker;
}

ModelMaker& unpooled(ModelMaker& maker, const std::vector<std::string>& inputs) {
  return maker.node("MaxUnpool", inputs, "y")
      .attribute("kernel_shape", {2, 2})
      .attribute("strides", {2, 2})
      .output("y");
}

/// Zeros of a 5x5 image with these four elements.
std::vector<double> image(const std::vector<std::pair<size_t, double>>& elements) {
  std::vector<double> all(25, 0);
  for (const auto& [place, value] : elements) all[place] = value;
  return all;
}

// The window says 4x4, the pool had 5x5: its indices count there. Identity changes nothing about that.
TEST(OnnxPlaces, OfAPoolGoBackWhereItTookThem) {
  for (const bool through_identity : {false, true}) {
    ModelMaker maker = pooled().integers("o", {4}, {1, 1, 5, 5});
    if (through_identity) maker.node("Identity", {"i"}, "same");
    const std::vector<double> y = run(unpooled(maker, {"p", through_identity ? "same" : "i", "o"}));
    const std::vector<double> wanted = image({{6, 6 / 25.}, {8, 8 / 25.}, {16, 16 / 25.}, {18, 18 / 25.}});
    ASSERT_EQ(y.size(), wanted.size());
    for (size_t k = 0; k < wanted.size(); ++k)
      EXPECT_FLOAT_EQ(static_cast<float>(y[k]), static_cast<float>(wanted[k])) << k;
  }
}

TEST(OnnxPlaces, OfAPoolThatFitNowhereAreRefused) {
  ModelMaker none = pooled();
  EXPECT_NE(unpooled(none, {"p", "i"}).refusal().find("places in 1x1x5x5"), std::string::npos) << none.refusal();
  ModelMaker other = pooled().integers("o", {4}, {1, 1, 6, 6});
  EXPECT_NE(unpooled(other, {"p", "i", "o"}).refusal().find("1x1x6x6"), std::string::npos) << other.refusal();
}

// ONNX's own case counts in what the window says, 4x4; those that lie beyond it count in the output_shape; those beyond
// both are a mistake.
TEST(OnnxPlaces, ThatAreConstantsCountWhereTheyLie) {
  const auto placed = [](const std::vector<int64_t>& places) {
    ModelMaker maker(12);
    maker.input("x", {1, 1, 2, 2}).integers("i", {1, 1, 2, 2}, places).integers("o", {4}, {1, 1, 5, 5});
    return unpooled(maker, {"x", "i", "o"});
  };
  EXPECT_EQ(run(placed({5, 7, 13, 15})), image({{6, 0}, {8, 0.25}, {16, 0.5}, {18, 0.75}}));
  EXPECT_EQ(run(placed({6, 8, 16, 18})), image({{6, 0}, {8, 0.25}, {16, 0.5}, {18, 0.75}}));
  for (const int64_t outside : {25, -1}) {
    const std::string message = placed({6, 8, 16, outside}).refusal();
    EXPECT_NE(message.find(std::to_string(outside) + " is no place in 1x1x5x5"), std::string::npos) << message;
  }
}

// Counted along the first spatial axis first, through volumes as through images.
TEST(OnnxPlaces, OfVolumesMayBeColumnMajor) {
  ModelMaker maker(12);
  maker.input("x", {1, 2, 4, 6, 2})
      .node("MaxPool", {"x"}, "p")
      .attribute("kernel_shape", {2, 2, 2})
      .attribute("strides", {2, 2, 2});
  maker.attribute("storage_order", int64_t{1}).last_node().add_output("i");
  std::vector<double> wanted;
  for (const int64_t channel : {0, 1}) {
    for (const int64_t depth : {1, 3}) {
      for (const int64_t row : {1, 3, 5})
        wanted.push_back(static_cast<double>(channel * 48 + depth + 4 * row + 24 * 1));
    }
  }
  EXPECT_EQ(run(maker.output("i")), wanted);
}

// ONNX 1.5's test_resize_downsample_nearest and onnxruntime: the right neighbour where an axis shrinks, the left one
// where it grows.
TEST(OnnxPlaces, OfNearestNeighboursInOpset10) {
  const auto resized = [](const std::vector<float>& scales) {
    ModelMaker maker(10);
    maker.input("x", {1, 1, 2, 4})
        .floats("s", {4}, scales)
        .node("Resize", {"x", "s"}, "y")
        .attribute("mode", std::string("nearest"));
    return run(maker.output("y"));
  };
  EXPECT_EQ(resized({1, 1, 1, 0.6F}), (std::vector<double>{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(resized({1, 1, 2, 0.6F}), (std::vector<double>{0, 0.25, 0, 0.25, 0.5, 0.75, 0.5, 0.75}));
  EXPECT_EQ(resized({1, 1, 1, 1.6F}), (std::vector<double>{0, 0, 1 / 8., 1 / 8., 2 / 8., 3 / 8., 4 / 8., 4 / 8., 5 / 8.,
                                                           5 / 8., 6 / 8., 7 / 8.}));
}

// A start before the first element is the first element where steps go backwards.
TEST(OnnxPlaces, OfAStartBeforeTheFirstElement) {
  for (const int64_t step : {-1, -2}) {
    ModelMaker maker;
    maker.input("x", {2, 2})
        .integers("s", {1}, {-6})
        .integers("e", {1}, {-2147483648LL})
        .integers("a", {1}, {0})
        .integers("k", {1}, {step});
    EXPECT_EQ(run(maker.node("Slice", {"x", "s", "e", "a", "k"}, "y").output("y")), (std::vector<double>{0, 0.25}))
        << step;
  }
}

TEST(OnnxPlaces, KnownIndicesBeyondAnAxisAreRefused) {
  const auto refusal = [](const char* op, const std::vector<int64_t>& index, const std::vector<int64_t>& dims,
                          const std::vector<std::string>& more) {
    ModelMaker maker(16);
    maker.input("x", {3, 4}).input("u", {1, 1}).integers("i", dims, index);
    std::vector<std::string> inputs{"x", "i"};
    inputs.insert(inputs.end(), more.begin(), more.end());
    return maker.node(op, inputs, "y").output("y").refusal();
  };
  for (const int64_t beyond : {100, -4}) {
    const std::string message = refusal("Gather", {0, beyond}, {2}, {});
    for (const std::string& part : {std::string("node of y"), std::to_string(beyond), std::string("3 elements")})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_NE(refusal("GatherElements", {3}, {1, 1}, {}).find("3 elements"), std::string::npos);
  EXPECT_NE(refusal("ScatterElements", {3}, {1, 1}, {"u"}).find("3 elements"), std::string::npos);
  EXPECT_NE(refusal("GatherND", {2, 4}, {1, 2}, {}).find("4 is no index along an axis of 4 elements"),
            std::string::npos);
  EXPECT_EQ(refusal("Gather", {2, -3}, {2}, {}), "");
  EXPECT_EQ(refusal("GatherND", {2, 3}, {1, 2}, {}), "");
}

// A view that repeats elements would be nothing in memory: as an output it is what it says.
TEST(OnnxPlaces, OfAnExpandedOutputAreMemory) {
  ModelMaker small;
  small.input("x", {2, 1}).integers("s", {2}, {2, 2}).node("Expand", {"x", "s"}, "y").output("y");
  EXPECT_EQ(run(small), (std::vector<double>{0, 0, 0.5, 0.5}));
  ModelMaker maker;
  maker.input("x", {1})
      .integers("s", {2}, {int64_t{1} << 19, int64_t{1} << 19})
      .node("Expand", {"x", "s"}, "y")
      .output("y");
  Result<Model> model = maker.load();
  ASSERT_TRUE(model.ok()) << model.error().message;
  const std::unique_ptr<Backend> backend = cpu_backend();
  const Result<std::vector<Tensor>> outputs = run_model(*backend, std::move(*model));
  ASSERT_FALSE(outputs.ok());
  EXPECT_NE(outputs.error().message.find("1.0 TiB"), std::string::npos) << outputs.error().message;
}

}  // namespace
}  // namespace engine::onnx
