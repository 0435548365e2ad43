// SPDX-License-Identifier: Apache-2.0
// What gradient functions share.
#include "engine/ops/gradients.h"

#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"

namespace engine::ops {

ValueId reduce_to(GraphBuilder& builder, ValueId gradient, const Shape& shape) {
  if (builder.failed()) return kNoValue;
  const Shape from = builder.type(gradient).shape;
  if (from == shape) return gradient;
  const size_t leading = from.size() - shape.size();
  std::vector<int64_t> axes;
  for (size_t i = 0; i < from.size(); ++i) {
    if (i < leading || shape[i - leading] != from[i]) axes.push_back(static_cast<int64_t>(i));
  }
  return reshape(builder, sum(builder, gradient, axes, /*keep_axes=*/true), shape);
}

ValueId match_layout(GraphBuilder& builder, ValueId gradient, const TensorType& like) {
  if (builder.failed()) return kNoValue;
  const TensorType type = builder.type(gradient);
  const Strides wanted = dense_strides_like(like.shape, like.strides);
  bool equal = true;
  for (size_t i = 0; i < wanted.size(); ++i) equal &= type.shape[i] == 1 || type.strides[i] == wanted[i];
  if (equal) return gradient;
  return builder.append1(kRelayout, {gradient}, {{"strides", wanted}});
}

void set_result_type(Attributes& attributes, const std::string& name, const TensorType& forward) {
  attributes.set(name + "_shape", forward.shape);
  attributes.set(name + "_strides", dense_strides_like(forward.shape, forward.strides));
}

TensorType result_type(const Attributes& attributes, const std::string& name, DType dtype) {
  return {dtype, attributes.get_ints(name + "_shape", {}), attributes.get_ints(name + "_strides", {})};
}

}  // namespace engine::ops
