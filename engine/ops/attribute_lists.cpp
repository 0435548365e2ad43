// SPDX-License-Identifier: Apache-2.0
// The attributes that several ops take alike.
#include "engine/ops/attribute_lists.h"

namespace engine::ops {
namespace {

std::vector<int64_t> ones(size_t count) { return std::vector<int64_t>(count, 1); }
std::vector<int64_t> zeros(size_t count) { return std::vector<int64_t>(count, 0); }

}  // namespace

std::vector<AttributeSpec> input_type_attributes() {
  return {AttributeSpec::list("input_shape"), AttributeSpec::list("input_strides")};
}

std::vector<AttributeSpec> weight_type_attributes() {
  return {AttributeSpec::list("weight_shape"), AttributeSpec::list("weight_strides")};
}

std::vector<AttributeSpec> convolution_attributes(size_t axes) {
  return {AttributeSpec::list("stride", ones(axes)), AttributeSpec::list("padding", zeros(2 * axes)),
          AttributeSpec::list("dilation", ones(axes)), AttributeSpec::whole("groups", 1)};
}

std::vector<AttributeSpec> pool_attributes(size_t axes, bool average) {
  std::vector<AttributeSpec> specs{AttributeSpec::list("kernel"), AttributeSpec::list("stride", ones(axes)),
                                   AttributeSpec::list("padding", zeros(2 * axes)),
                                   AttributeSpec::whole("ceil_mode", 0)};
  if (axes == 3) specs.push_back(AttributeSpec::list("dilation", ones(axes)));
  if (average) specs.push_back(AttributeSpec::whole("count_include_pad", 0));
  return specs;
}

}  // namespace engine::ops
