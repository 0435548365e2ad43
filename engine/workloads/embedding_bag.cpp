// SPDX-License-Identifier: Apache-2.0
// embedding_bag: sums of rows of a large table, as recommender systems have them.
#include "engine/ops/indexing.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/layers.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

void build_embedding_bag(GraphBuilder& builder, const Arguments& arguments) {
  LayerBuilder net(builder, arguments);
  const int64_t rows = integer_argument(arguments, "rows");
  const Shape bags{integer_argument(arguments, "batch"), integer_argument(arguments, "bag")};
  const ValueId indices = builder.input("indices", TensorType::contiguous(DType::int64, bags),
                                        Fill{Fill::Kind::integers, 0, static_cast<double>(rows)});
  ValueId x = kNoValue;
  {
    const LayerScope layer(builder, "bag");
    const ValueId table =
        net.weight("weight", {rows, integer_argument(arguments, "width")}, Fill{Fill::Kind::normal, 0, 1});
    x = ops::embedding_bag(builder, table, indices, text_argument(arguments, "reduction"));
  }
  finish_classifier(builder, net.linear(x, "fc", integer_argument(arguments, "classes")), arguments);
}

}  // namespace

Workload embedding_bag_workload() {
  Workload workload;
  workload.name = "embedding_bag";
  workload.title = "Embedding bags";
  workload.description =
      "Adds a few random rows of a table far larger than any cache. There is one addition per "
      "value read, at random "
      "addresses: only latency and bandwidth of the memory count. Training writes gradients as "
      "large as the table.";
  workload.parameters = {
      batch_parameter(1024),
      integer_parameter("bag", "Rows per bag", "Rows that are added for a sample.", 32, "rows"),
      integer_parameter("rows", "Rows", "Rows of the table.", 1 << 20, "rows"),
      integer_parameter("width", "Row width", "Values of a row.", 64, "values"),
      integer_parameter("classes", "Classes", "Outputs of the fully connected layer behind the bags.", 2, "classes"),
      choice_parameter("reduction", "Reduction", "What a bag makes of its rows.", {"sum", "mean"}),
      mode_parameter({"inference", "training"}),
      dtype_parameter()};
  for (Parameter& parameter : optimizer_parameters("0.01", "0")) workload.parameters.push_back(std::move(parameter));
  workload.small = {{"batch", "3"}, {"bag", "4"}, {"rows", "50"}, {"width", "6"}};
  workload.build = build_embedding_bag;
  return workload;
}

}  // namespace engine
