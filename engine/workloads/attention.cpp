// SPDX-License-Identifier: Apache-2.0
// attention: scaled dot-product attention alone, as one op and as the chain of ops it stands for.
#include "engine/ops/attention.h"

#include <array>

#include "engine/ops/autograd.h"
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

void build_attention(GraphBuilder& builder, const Arguments& arguments) {
  const int64_t heads = integer_argument(arguments, "heads");
  const Shape shape{integer_argument(arguments, "batch"), integer_argument(arguments, "sequence"), heads,
                    integer_argument(arguments, "head_size")};
  builder.set_layer("attention");
  std::array<ValueId, 3> leaves{}, operands{};
  const std::array names{"q", "k", "v"};
  for (size_t i = 0; i < names.size(); ++i) {
    leaves[i] = builder.input(names[i], TensorType::contiguous(dtype_argument(arguments), shape),
                              Fill{Fill::Kind::normal, 0, 1});
    operands[i] = ops::transpose(builder, leaves[i], 1, 2);
  }
  ops::AttentionOptions options;
  options.causal = text_argument(arguments, "causal") == "yes";
  const auto attend = text_argument(arguments, "attention") == "fused" ? ops::attention : ops::attention_unfused;
  const ValueId y = attend(builder, operands[0], operands[1], operands[2], kNoValue, options);
  builder.mark_output(y);
  if (text_argument(arguments, "gradients") == "no") return;
  const ValueId loss = ops::sum(builder, y, {});
  for (const ValueId gradient : differentiate(builder, loss, leaves)) builder.mark_output(gradient);
}

}  // namespace

Workload attention_workload() {
  Workload workload;
  workload.name = "attention";
  workload.title = "Attention";
  workload.description =
      "softmax(q k^T / sqrt(d)) v for each head. Unfused, the scores are written and read several "
      "times and grow with "
      "the square of the sequence. Fused, they stay in the caches, and memory grows with the "
      "sequence alone.";
  workload.parameters = {
      batch_parameter(1),
      integer_parameter("heads", "Heads", "Attentions side by side.", 8, "heads"),
      integer_parameter("sequence", "Sequence", "Queries, and as many keys.", 1024, "tokens"),
      integer_parameter("head_size", "Head size", "Values of a query, a key and a value.", 64, "values"),
      choice_parameter("attention", "Attention", "fused: one op; unfused: a product, a scale, a softmax and a product.",
                       {"fused", "unfused"}),
      choice_parameter("causal", "Causal", "yes: a query sees the keys up to its own position alone.", {"no", "yes"}),
      choice_parameter("gradients", "Gradients", "yes: also the gradients of the sum of all results by q, k and v.",
                       {"no", "yes"}),
      dtype_parameter()};
  workload.small = {{"batch", "2"}, {"heads", "3"}, {"sequence", "7"}, {"head_size", "4"}, {"gradients", "yes"}};
  workload.build = build_attention;
  return workload;
}

}  // namespace engine
