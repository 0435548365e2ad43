// SPDX-License-Identifier: Apache-2.0
// Reductions, group norm and pooling of volumes, and convolutions, with and without a batch norm that they took along:
// their accesses are described, not assumed, read all of what the op needs, write all results, and stay inside the
// operands.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "engine/base/check.h"
#include "engine/graph/builder.h"
#include "engine/graph/fused.h"
#include "engine/kernels/convolution/images_rule.h"
#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/core/silent_sink_access.h"
#include "engine/ops/fusion.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "tests/support/op_examples.h"

namespace engine {
namespace {

/// The bytes touched per tensor.
struct Touched final : AccessSink {
  std::map<uint32_t, std::set<uint64_t>> loaded, stored;
  using AccessSink::group;
  void group(int64_t iterations, std::span<const AccessStream> streams) override {
    for (int64_t i = 0; i < iterations; ++i) {
      for (const AccessStream& s : streams) {
        auto& bytes = (s.kind == AccessKind::load ? loaded : stored)[s.tensor];
        for (uint64_t byte = 0; byte < s.bytes; ++byte)
          bytes.insert(s.address + static_cast<uint64_t>(i * s.stride) + byte);
      }
    }
  }
};

/// Tensor `number` where no other is; element (0, ..., 0) at its middle, for strides may be negative.
access::Operand placed(const TensorType& type, uint32_t number) {
  return {.type = type, .address = (uint64_t{number} + 1) << 32, .tensor = number};
}

/// The addresses of its elements' bytes.
std::set<uint64_t> bytes_of(const access::Operand& operand) {
  std::set<uint64_t> bytes;
  const Shape& shape = operand.type.shape;
  for (int64_t i = 0; i < operand.type.elements(); ++i) {
    int64_t rest = i, offset = 0;
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += rest % shape[axis] * operand.type.strides[axis];
      rest /= shape[axis];
    }
    const uint64_t at = operand.address + static_cast<uint64_t>(offset * size_bytes(operand.type.dtype));
    for (int64_t byte = 0; byte < size_bytes(operand.type.dtype); ++byte)
      bytes.insert(at + static_cast<uint64_t>(byte));
  }
  return bytes;
}

bool within(const std::set<uint64_t>& some, const std::set<uint64_t>& all) { return std::ranges::includes(all, some); }

void check(const Node& node, const std::vector<TensorType>& inputs, const std::vector<TensorType>& outputs,
           const std::string& what) {
  constexpr uint32_t kWorkspace = 100;
  access::OpCall call{.node = node,
                      .inputs = {},
                      .outputs = {},
                      .workspace_address = uint64_t{kWorkspace + 1} << 32,
                      .workspace_tensor = kWorkspace};
  uint32_t number = 0;
  for (const TensorType& type : inputs) call.inputs.push_back(placed(type, number++));
  for (const TensorType& type : outputs) call.outputs.push_back(placed(type, number++));
  Touched touched;
  EXPECT_NE(access::describe(call, touched), access::Fidelity::assumed) << what;
  for (const access::Operand& operand : call.inputs) {
    const std::set<uint64_t> all = bytes_of(operand);
    EXPECT_TRUE(within(touched.loaded[operand.tensor], all)) << what << ": reads beyond operand " << operand.tensor;
    EXPECT_TRUE(within(all, touched.loaded[operand.tensor]))
        << what << ": does not read all of operand " << operand.tensor;
    EXPECT_TRUE(touched.stored[operand.tensor].empty()) << what;
  }
  for (const access::Operand& operand : call.outputs)
    EXPECT_EQ(touched.stored[operand.tensor], bytes_of(operand)) << what << ": result " << operand.tensor;
}

TEST(Accesses, OfReductionsNormsAndPoolingAreDescribedAndExact) {
  int examples = 0;
  for (const char* name : {"sum", "mean", "log_sum", "l1_norm", "l2_norm", "sum_of_squares", "reduce_max", "reduce_min",
                           "product", "log_sum_exp", "argmax", "argmin", "hardmax", "group_norm", "group_norm_grad",
                           "max_pool3d", "max_pool3d_grad", "average_pool3d", "average_pool3d_grad"}) {
    for (const test::OpExample& example : test::examples_of(name)) {
      std::vector<TensorType> inputs;
      for (const test::Operand& operand : example.inputs) inputs.push_back(operand.type);
      Node node;
      node.op = find_op(name);
      node.attributes = example.attributes;
      const auto outputs = node.op->infer(inputs, node.attributes);
      ASSERT_TRUE(outputs.ok()) << name << ", " << example.label;
      const auto empty = [](const TensorType& type) { return type.elements() == 0; };
      const auto repeated = [](const TensorType& type) {
        return type.distinct_bytes() < type.elements() * size_bytes(type.dtype);
      };
      if (std::ranges::any_of(inputs, empty) || std::ranges::any_of(*outputs, empty) ||
          std::ranges::any_of(inputs, repeated))
        continue;
      check(node, inputs, *outputs, std::string(name) + ", " + example.label);
      ++examples;
    }
  }
  EXPECT_GT(examples, 50);
}

/// Where each operand is read whole, if at all: what none needs is not read.
TEST(Accesses, OfOpsThatPickAndPlaceElementsStayInsideTheirOperandsAndWriteTheirResults) {
  int examples = 0;
  for (const char* name : {"pad",
                           "tile",
                           "resize",
                           "resize_grad",
                           "local_response_norm",
                           "local_response_norm_grad",
                           "cumulative_sum",
                           "dynamic_quantize_linear",
                           "clip_by_norm",
                           "gather",
                           "gather_grad",
                           "gather_elements",
                           "scatter_elements",
                           "scatter_nd",
                           "triangle",
                           "embedding_bag",
                           "one_hot",
                           "softmax",
                           "softmax_grad",
                           "log_softmax",
                           "log_softmax_grad"}) {
    int of_op = 0;
    for (const test::OpExample& example : test::examples_of(name)) {
      SCOPED_TRACE(testing::Message() << name << ", " << example.label);
      std::vector<TensorType> inputs;
      for (const test::Operand& operand : example.inputs) inputs.push_back(operand.type);
      Node node;
      node.op = find_op(name);
      node.attributes = example.attributes;
      const auto outputs = node.op->infer(inputs, node.attributes);
      ASSERT_TRUE(outputs.ok());
      access::OpCall call{
          .node = node, .inputs = {}, .outputs = {}, .workspace_address = uint64_t{101} << 32, .workspace_tensor = 100};
      uint32_t number = 0;
      for (const TensorType& type : inputs) call.inputs.push_back(placed(type, number++));
      for (const TensorType& type : *outputs) call.outputs.push_back(placed(type, number++));
      Touched touched;
      const access::Fidelity fidelity = access::describe(call, touched);
      if (fidelity == access::Fidelity::assumed) continue;
      for (const access::Operand& operand : call.inputs) {
        EXPECT_TRUE(within(touched.loaded[operand.tensor], bytes_of(operand)))
            << "reads beyond operand " << operand.tensor;
        EXPECT_TRUE(touched.stored[operand.tensor].empty());
      }
      for (const access::Operand& operand : call.outputs)
        EXPECT_EQ(touched.stored[operand.tensor], bytes_of(operand)) << "result " << operand.tensor;
      ++of_op;
    }
    EXPECT_GT(of_op, 0) << name;
    examples += of_op;
  }
  EXPECT_GT(examples, 100);
}

/// Sums of nothing, too: tiles of no extent must not be divided by.
TEST(Accesses, OfTheLadderOnAwkwardShapesStayInsideTheirOperands) {
  int examples = 0;
  for (const test::OpExample& example : test::examples_of("ladder_product")) {
    std::vector<std::vector<TensorType>> shapes{{}};
    for (const test::Operand& operand : example.inputs) shapes[0].push_back(operand.type);
    for (const auto& [m, n, k] : {std::array<int64_t, 3>{0, 3, 4}, {2, 3, 0}, {2, 0, 4}, {0, 0, 0}})
      shapes.push_back(
          {TensorType::contiguous(DType::float32, {m, k}), TensorType::contiguous(DType::float32, {k, n})});
    for (const std::vector<TensorType>& inputs : shapes) {
      Node node;
      node.op = find_op("ladder_product");
      node.attributes = example.attributes;
      const auto outputs = node.op->infer(inputs, node.attributes);
      ASSERT_TRUE(outputs.ok()) << example.label;
      access::OpCall call{.node = node,
                          .inputs = {placed(inputs[0], 0), placed(inputs[1], 1)},
                          .outputs = {placed((*outputs)[0], 2)},
                          .workspace_address = uint64_t{101} << 32,
                          .workspace_tensor = 100};
      Touched touched;
      access::describe(call, touched);
      EXPECT_TRUE(within(touched.loaded[0], bytes_of(call.inputs[0]))) << example.label;
      EXPECT_TRUE(within(touched.loaded[1], bytes_of(call.inputs[1]))) << example.label;
      EXPECT_EQ(touched.stored[2], bytes_of(call.outputs[0])) << example.label;
      ++examples;
    }
  }
  EXPECT_GT(examples, 50);
}

/// The bytes of image x and result y, and the weights, that some product of a convolution needs.
void add_needed(const access::Operand& x, const TensorType& w, const access::Operand& y, const Attributes& attributes,
                std::set<uint64_t>& x_bytes, std::set<uint64_t>& y_bytes, std::set<Shape>& weights) {
  const size_t axes = x.type.rank() - 2;
  const std::vector<int64_t> stride = attributes.get_ints("stride", {}), dilation = attributes.get_ints("dilation", {}),
                             padding = attributes.get_ints("padding", {});
  const auto add = [](const access::Operand& operand, const Shape& at, std::set<uint64_t>& bytes) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < at.size(); ++axis) offset += at[axis] * operand.type.strides[axis];
    const int64_t size = size_bytes(operand.type.dtype);
    for (int64_t byte = 0; byte < size; ++byte)
      bytes.insert(operand.address + static_cast<uint64_t>(offset * size + byte));
  };
  const auto next = [](Shape& index, const Shape& extents) {
    for (size_t axis = index.size(); axis-- > 0; index[axis] = 0)
      if (++index[axis] < extents[axis]) return true;
    return false;
  };
  const int64_t groups = attributes.get_int("groups", 1);
  Shape out(y.type.rank(), 0);
  do {
    Shape tap(w.rank(), 0);
    do {
      if (tap[0] != out[1]) continue;
      Shape in{out[0], out[1] / (w.shape[0] / groups) * w.shape[1] + tap[1]};
      bool inside = true;
      for (size_t i = 0; i < axes; ++i) {
        in.push_back(out[i + 2] * stride[i] + tap[i + 2] * dilation[i] - padding[i]);
        inside &= in.back() >= 0 && in.back() < x.type.shape[i + 2];
      }
      if (!inside) continue;
      add(x, in, x_bytes);
      add(y, out, y_bytes);
      weights.insert(tap);
    } while (next(tap, w.shape));
  } while (next(out, y.type.shape));
}

/// Every byte that some product needs is loaded, no other of the images and of the packed weights, and each result is
/// stored whole.
int check_convolutions(bool channels_last) {
  int examples = 0;
  for (const char* name :
       {"conv2d", "conv2d_grad_input", "conv2d_grad_weight", "conv3d", "conv3d_grad_input", "conv3d_grad_weight"}) {
    const bool by_input = std::string_view(name).ends_with("_grad_input"),
               by_weight = std::string_view(name).ends_with("_grad_weight");
    for (const test::OpExample& example : test::examples_of(name)) {
      SCOPED_TRACE(testing::Message() << name << ", " << example.label << (channels_last ? ", channels last" : ""));
      Node node;
      node.op = find_op(name);
      node.attributes = example.attributes;
      std::vector<TensorType> inputs;
      for (const test::Operand& operand : example.inputs) inputs.push_back(operand.type);
      for (size_t i = 0; i < (by_weight ? 2 : 1) && channels_last; ++i)
        inputs[i] = TensorType::channels_last(inputs[i].dtype, inputs[i].shape);
      const auto outputs = node.op->infer(inputs, node.attributes);
      EXPECT_TRUE(outputs.ok());
      const auto empty = [](const TensorType& type) { return type.elements() == 0; };
      if (std::ranges::any_of(inputs, empty) || std::ranges::any_of(*outputs, empty)) continue;
      constexpr uint32_t kWorkspace = 100;
      access::OpCall call{.node = node,
                          .inputs = {},
                          .outputs = {},
                          .workspace_address = uint64_t{kWorkspace + 1} << 32,
                          .workspace_tensor = kWorkspace};
      uint32_t number = 0;
      for (const TensorType& type : inputs) call.inputs.push_back(placed(type, number++));
      for (const TensorType& type : *outputs) call.outputs.push_back(placed(type, number++));
      Touched touched;
      EXPECT_EQ(access::describe(call, touched), access::Fidelity::modelled);
      const access::Operand& x = by_input ? call.outputs[0] : by_weight ? call.inputs[1] : call.inputs[0];
      const access::Operand& w = by_weight ? call.outputs[0] : call.inputs[1];
      const access::Operand& y = by_input || by_weight ? call.inputs[0] : call.outputs[0];
      std::set<uint64_t> x_bytes, y_bytes;
      std::set<Shape> weights;
      add_needed(x, w.type, y, node.attributes, x_bytes, y_bytes, weights);
      if (!by_input) {
        EXPECT_EQ(touched.loaded[x.tensor], x_bytes);
      }
      if (by_input || by_weight) {
        EXPECT_EQ(touched.loaded[y.tensor], y_bytes);
      }
      if (!by_weight) {
        EXPECT_EQ(touched.loaded[w.tensor], bytes_of(w));
        EXPECT_TRUE(within(touched.loaded[kWorkspace], touched.stored[kWorkspace]))
            << "reads weights that were not packed";
        EXPECT_EQ(touched.loaded[kWorkspace].size(), weights.size() * static_cast<size_t>(size_bytes(w.type.dtype)))
            << "of the packed weights";
      }
      if (inputs.size() > 2) {
        EXPECT_EQ(touched.loaded[2], bytes_of(call.inputs[2]));
      }
      EXPECT_EQ(touched.stored[call.outputs[0].tensor], bytes_of(call.outputs[0]));
      ++examples;
    }
  }
  return examples;
}

TEST(Accesses, WeightsThatDoNotFitTheWorkspaceArePackedNowhere) {
  Node node;
  node.op = find_op("conv2d");
  node.attributes = {{"stride", std::vector<int64_t>{1, 1}},
                     {"padding", std::vector<int64_t>(4, 0)},
                     {"dilation", std::vector<int64_t>{1, 1}},
                     {"groups", int64_t{1}}};
  const auto described = [&](int64_t channels) {
    const std::vector<TensorType> inputs{TensorType::contiguous(DType::float32, {1, 8, 7, 7}),
                                         TensorType::contiguous(DType::float32, {channels, 8, 7, 7})};
    access::OpCall call{.node = node,
                        .inputs = {placed(inputs[0], 0), placed(inputs[1], 1)},
                        .outputs = {placed((*node.op->infer(inputs, node.attributes))[0], 2)},
                        .workspace_address = uint64_t{101} << 32,
                        .workspace_tensor = 100};
    SilentSink nobody;
    return access::describe(call, nobody);
  };
  EXPECT_EQ(described(int64_t{1} << 17), access::Fidelity::modelled);
  EXPECT_EQ(described(int64_t{1} << 18), access::Fidelity::assumed);
}

TEST(Accesses, OfConvolutionsAreThoseOfTheirProducts) {
  EXPECT_GT(check_convolutions(false), 20);
  EXPECT_GT(check_convolutions(true), 20);
}

/// conv2d with a kernel of one element, batch norm, add and relu as one op.
Graph folded_convolution(int64_t batch, int64_t channels, int64_t size, int64_t outputs) {
  GraphBuilder builder;
  const auto vector = [&](const char* name) {
    return builder.parameter(name, TensorType::contiguous(DType::float32, {outputs}), Fill{});
  };
  const ValueId x = builder.input("x", TensorType::channels_last(DType::float32, {batch, channels, size, size}),
                                  Fill{}),
                w = builder.parameter("w", TensorType::contiguous(DType::float32, {outputs, channels, 1, 1}), Fill{}),
                z = builder.input("z", TensorType::channels_last(DType::float32, {batch, outputs, size, size}), Fill{});
  const ValueId y = ops::batch_norm_inference(builder, ops::conv2d(builder, x, w, kNoValue), vector("scale"),
                                              vector("bias"), vector("mean"), vector("variance"), 1e-5);
  builder.mark_output(ops::relu(builder, ops::add(builder, y, z)));
  const Result<Graph> graph = builder.finish();
  CHECK(graph.ok());
  Graph fused = fuse(*graph);
  CHECK(fused.nodes().size() == 1);
  return fused;
}

TEST(Accesses, OfAConvolutionThatTookABatchNormAlongAreDescribed) {
  const Graph fused = folded_convolution(1, 4, 6, 8);
  const Node& node = fused.nodes()[0];
  check(node, fused.input_types(node), fused.output_types(node), "conv2d+batch_norm_inference+add+relu");
}

/// Which image of each operand is accessed, in order, repeats left out.
struct Images final : AccessSink {
  std::vector<int64_t> image_bytes;  ///< of each tensor; 0: not one per image
  std::vector<std::pair<uint32_t, int64_t>> order;
  std::map<uint32_t, int64_t> loaded_bytes, stored_bytes;
  using AccessSink::group;
  void group(int64_t iterations, std::span<const AccessStream> streams) override {
    for (const AccessStream& s : streams) {
      (s.kind == AccessKind::load ? loaded_bytes : stored_bytes)[s.tensor] += iterations * s.bytes;
      if (s.tensor >= image_bytes.size() || image_bytes[s.tensor] == 0) continue;
      const std::pair<uint32_t, int64_t> now{s.tensor,
                                             static_cast<int64_t>(s.address & 0xffffffffu) / image_bytes[s.tensor]};
      if (std::ranges::find(order, now) == order.end()) order.push_back(now);
    }
  }
};

TEST(Accesses, OfALargeFoldedConvolutionGoImageByImage) {
  const Graph fused = folded_convolution(2, 64, 40, 128);  // 13 million multiply-adds an image
  const Node& node = fused.nodes()[0];
  const std::vector<TensorType> inputs = fused.input_types(node), outputs = fused.output_types(node);
  ASSERT_TRUE(goes_by_images(node.op->program(node.attributes), inputs, outputs[0]));
  constexpr uint32_t kWorkspace = 100;
  access::OpCall call{.node = node,
                      .inputs = {},
                      .outputs = {},
                      .workspace_address = uint64_t{kWorkspace + 1} << 32,
                      .workspace_tensor = kWorkspace};
  Images images;
  uint32_t number = 0, x = 0, z = 0;
  for (const TensorType& type : inputs) {
    if (type == inputs[0]) x = number;
    if (type == outputs[0]) z = number;
    images.image_bytes.push_back(type.rank() == 4 && type.shape[0] == 2 ? type.strides[0] * 4 : 0);
    call.inputs.push_back(placed(type, number++));
  }
  const uint32_t y = number;
  images.image_bytes.push_back(outputs[0].strides[0] * 4);
  call.outputs.push_back(placed(outputs[0], y));
  ASSERT_NE(x, z);
  EXPECT_EQ(access::describe(call, images), access::Fidelity::modelled);
  using Order = std::vector<std::pair<uint32_t, int64_t>>;
  Order first, second;
  for (const auto& access : images.order) (access.second == 0 ? first : second).push_back(access);
  Order both = first;
  both.insert(both.end(), second.begin(), second.end());
  EXPECT_EQ(images.order, both) << "the second image is touched before the first is finished";
  EXPECT_EQ(images.loaded_bytes[z], outputs[0].elements() * 4);
  EXPECT_GE(images.stored_bytes[y], 2 * outputs[0].elements() * 4);  // by the convolution, and by the loop
}

}  // namespace
}  // namespace engine
