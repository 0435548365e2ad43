// SPDX-License-Identifier: Apache-2.0
// The ONNX project's light ResNet-50, from the file to its reference output.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

const std::string kFolder = TENSORTIDE_SOURCE_DIR "/resources/models/";

Model load(const ImportOptions& options = {}) {
  Result<Model> model = load_model(kFolder + "light_resnet50.onnx", options);
  EXPECT_TRUE(model.ok()) << (model ? "" : model.error().message);
  CHECK(model.ok());
  return std::move(*model);
}

std::map<std::string_view, int> count_ops(const Graph& graph) {
  std::map<std::string_view, int> counts;
  for (const Node& node : graph.nodes()) ++counts[node.op->name];
  return counts;
}

TEST(LightResNet50, HasTheNetworksShape) {
  const Model model = load();
  EXPECT_EQ(model.producer, "onnx-caffe2");
  EXPECT_EQ(model.opset, 9);
  EXPECT_EQ(model.ir_version, 3);
  ASSERT_EQ(model.inputs.size(), 1u);
  EXPECT_EQ(model.graph.value(model.inputs[0]).name, "gpu_0/data_0");
  EXPECT_EQ(model.graph.value(model.inputs[0]).type.shape, (Shape{1, 3, 224, 224}));
  const auto counts = count_ops(model.graph);
  EXPECT_EQ(counts.at("conv2d"), 53);
  EXPECT_EQ(counts.at("batch_norm_inference"), 53);
  EXPECT_EQ(counts.at("relu"), 49);
  EXPECT_EQ(counts.at("add"), 16);
  EXPECT_EQ(counts.at("linear"), 1);
  ASSERT_EQ(model.graph.outputs().size(), 1u);
  EXPECT_EQ(model.graph.value(model.graph.outputs()[0]).type.shape, (Shape{1, 1000}));
}

TEST(LightResNet50, HasThePublishedWeightsAndFlops) {
  const Model model = load();
  EXPECT_EQ(model.graph.matrix_weight_count(), 23'454'912 + 2'048'000);
  // Batch norm of 26,560 channels: scale, bias, mean and variance; and the classifier's bias.
  EXPECT_EQ(model.graph.parameter_count(), 23'454'912 + 2'048'000 + 4 * 26'560 + 1000);
  // The file has its strides in the 3x3 convolutions: 8,178 MFLOP (Shi et al. 2016).
  EXPECT_NEAR(model.graph.flops(Phase::forward, true) / 1e6, 8178, 0.5);
}

TEST(LightResNet50, WeightsHaveTheirRole) {
  const Model model = load();
  for (const Value& value : model.graph.values()) {
    const bool weight = value.kind == ValueKind::parameter || value.kind == ValueKind::constant;
    EXPECT_EQ(value.role == Role::weight, weight) << value.name;
    EXPECT_EQ(value.role == Role::input, value.kind == ValueKind::input) << value.name;
  }
}

TEST(LightResNet50, OutputEqualsItsReference) {
  const Result<Tensor> reference = load_tensor(kFolder + "light_resnet50_output_0.pb");
  ASSERT_TRUE(reference.ok());
  const Result<std::vector<Tensor>> outputs = run_model(*cpu_backend(), load());
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  ASSERT_EQ((*outputs)[0].type(), reference->type());
  const std::vector<double> got = elements((*outputs)[0]), wanted = elements(*reference);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-7 + 1e-3 * wanted[i]) << i;
}

TEST(LightResNet50, TakesAnotherBatchSize) {
  ImportOptions options;
  options.batch = 2;
  Model model = load(options);
  EXPECT_EQ(model.graph.value(model.inputs[0]).type.shape, (Shape{2, 3, 224, 224}));
  EXPECT_NEAR(model.graph.flops(Phase::forward, true) / 1e6, 2 * 8178, 1);
  EXPECT_EQ(std::ranges::count_if(
                model.notes, [](const std::string& note) { return note.find("follows the new batch") != note.npos; }),
            1);
  const Result<std::vector<Tensor>> outputs = run_model(*cpu_backend(), std::move(model));
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ((*outputs)[0].shape(), (Shape{2, 1000}));
  for (const double probability : elements((*outputs)[0])) EXPECT_NEAR(probability, 0.001, 1e-6);
}

TEST(LightResNet50, AbsurdBatchesBuildForThePlanToRefuse) {
  ImportOptions options;
  options.batch = int64_t{1} << 40;
  EXPECT_EQ(load(options).graph.value(load(options).inputs[0]).type.shape[0], options.batch);
  options.batch = int64_t{1} << 62;
  EXPECT_FALSE(load_model(kFolder + "light_resnet50.onnx", options).ok());
  options.batch = -1;
  const Result<Model> negative = load_model(kFolder + "light_resnet50.onnx", options);
  ASSERT_FALSE(negative.ok());
  EXPECT_EQ(negative.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace engine::onnx
