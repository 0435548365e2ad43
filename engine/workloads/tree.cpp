// SPDX-License-Identifier: Apache-2.0
// tree: a recursive network that composes the nodes of a binary tree; its graph has the shape of the tree.
#include <fmt/format.h>

#include <cmath>

#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/layers.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

/// R. Socher et al., "Parsing Natural Scenes and Natural Language with Recursive Neural Networks", ICML 2011, equation
/// 4: parent = tanh(W [left; right] + b).
class TreeNet {
 public:
  TreeNet(LayerBuilder& net, ValueId leaves, int64_t width, uint64_t seed) : net_(net), leaves_(leaves), random_(seed) {
    const double bound = 1 / std::sqrt(2 * static_cast<double>(width));
    const Fill fill{Fill::Kind::uniform, -bound, bound};
    const LayerScope layer(net_.graph(), "compose");
    weight_ = net_.weight("weight", {width, 2 * width}, fill);
    bias_ = net_.weight("bias", {width}, fill);
  }

  /// The node above leaves begin to end - 1.
  ValueId node(int64_t begin, int64_t end) {
    GraphBuilder& builder = net_.graph();
    if (builder.failed()) return kNoValue;
    if (end - begin == 1) return ops::squeeze(builder, ops::slice(builder, leaves_, 0, begin, end), 0);
    const int64_t middle = begin + 1 + static_cast<int64_t>(next() % static_cast<uint64_t>(end - begin - 1));
    const ValueId left = node(begin, middle), right = node(middle, end);
    const LayerScope layer(builder, fmt::format("node{}-{}", begin, end - 1));
    const ValueId both = ops::concat(builder, {left, right}, 1);
    return ops::tanh(builder, ops::linear(builder, both, weight_, bias_));
  }

 private:
  /// SplitMix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
  uint64_t next() {
    uint64_t z = random_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  LayerBuilder& net_;
  ValueId leaves_, weight_ = kNoValue, bias_ = kNoValue;
  uint64_t random_;
};

void build_tree(GraphBuilder& builder, const Arguments& arguments) {
  LayerBuilder net(builder, arguments);
  const int64_t count = integer_argument(arguments, "leaves"), width = integer_argument(arguments, "width");
  const ValueId leaves =
      builder.input("leaves", TensorType::contiguous(net.dtype(), {count, integer_argument(arguments, "batch"), width}),
                    Fill{Fill::Kind::normal, 0, 1});
  TreeNet tree(net, leaves, width, static_cast<uint64_t>(integer_argument(arguments, "tree")));
  const ValueId root = tree.node(0, count);
  finish_classifier(builder, net.linear(root, "fc", integer_argument(arguments, "classes")), arguments);
}

}  // namespace

Workload tree_workload() {
  Workload workload;
  workload.name = "tree";
  workload.title = "Recursive tree network";
  workload.description =
      "One small layer composes the nodes of a random binary tree from the leaves to the root. "
      "Recursive code builds "
      "it, so every tree gives another graph. The many small ops show the cost of each call.";
  workload.parameters = {
      batch_parameter(8),
      integer_parameter("leaves", "Leaves", "Leaves of the tree; it has as many inner nodes, less one.", 64, "leaves",
                        1, 4096),
      integer_parameter("width", "Width", "Values of a node.", 128, "values", 1, kLargestCount / 2),
      integer_parameter("tree", "Tree", "Which random tree: the seed of its shape.", 1, "", 0),
      integer_parameter("classes", "Classes", "Outputs of the layer above the root.", 5, "classes"),
      mode_parameter({"training", "inference"}),
      dtype_parameter()};
  for (Parameter& parameter : optimizer_parameters("0.01", "0.9")) workload.parameters.push_back(std::move(parameter));
  workload.small = {{"batch", "2"}, {"leaves", "6"}, {"width", "5"}};
  workload.build = build_tree;
  return workload;
}

}  // namespace engine
