// SPDX-License-Identifier: Apache-2.0
// Which convolutions go image by image.
#include "engine/kernels/convolution/images_rule.h"

namespace engine {

bool goes_by_images(const FusedProgram& program, std::span<const TensorType> inputs, const TensorType& result) {
  if (!normalizes_convolution(program) || program.members.size() < 3 || result.shape[0] < 2) return false;
  const TensorType& weight = inputs[static_cast<size_t>(program.members[0].operands[1])];
  const int64_t image = result.elements() / result.shape[0];
  if (image == 0 || weight.shape[0] == 0 || result.strides[0] != image || !is_dense(result.shape, result.strides))
    return false;
  return static_cast<double>(image) * static_cast<double>(weight.elements() / weight.shape[0]) >=
         static_cast<double>(kImageMultiplyAdds);
}

}  // namespace engine
