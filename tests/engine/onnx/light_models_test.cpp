// SPDX-License-Identifier: Apache-2.0
// The ONNX project's light models: real networks without trained weights, from the file to their reference output.
#include <gtest/gtest.h>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

const std::string kFolder = TENSORTIDE_SOURCE_DIR "/resources/models/";

struct Light {
  const char* name;
  int64_t weights;  ///< elements of matrices and filters
  double mflop;     ///< of convolutions and matrix products
};

class LightModels : public testing::TestWithParam<Light> {};

TEST_P(LightModels, HaveTheirSizeAndReferenceOutput) {
  const std::string stem = kFolder + "light_" + GetParam().name;
  Result<Model> model = load_model(stem + ".onnx");
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->graph.matrix_weight_count(), GetParam().weights);
  EXPECT_NEAR(model->graph.flops(Phase::forward, true) / 1e6, GetParam().mflop, 0.5);
  ASSERT_EQ(model->inputs.size(), 1u);
  const Result<Tensor> reference = load_tensor(stem + "_output_0.pb");
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  const Result<std::vector<Tensor>> outputs = run_model(*cpu_backend(), std::move(*model));
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  ASSERT_EQ((*outputs)[0].type(), reference->type());
  const std::vector<double> got = elements((*outputs)[0]), wanted = elements(*reference);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-7 + 1e-3 * wanted[i]) << i;
}

// The published figures: AlexNet in two groups has 60,954,656 weights (and 10,568 biases), VGG-19 143,652,544 and 19.6
// G multiply-adds, SqueezeNet 1.1 1,231,552 and 0.35 G, GoogLeNet 1.43 G.
INSTANTIATE_TEST_SUITE_P(All, LightModels,
                         testing::Values(Light{"bvlc_alexnet", 60'954'656, 1309.1},
                                         Light{"inception_v1", 6'990'272, 2863.1},
                                         Light{"inception_v2", 11'174'080, 4037.7},
                                         Light{"squeezenet", 1'231'552, 698.3}, Light{"vgg19", 143'652'544, 39264.1},
                                         Light{"zfnet512", 87'242'528, 2963.5}),
                         [](const auto& light) { return std::string(light.param.name); });

}  // namespace
}  // namespace engine::onnx
