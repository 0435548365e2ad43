// SPDX-License-Identifier: Apache-2.0
// Tensors to learn from: shapes and strides over one storage, the views that move nothing, and the copies that do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/tensor.h"

namespace engine {

/// One tensor made of an earlier one.
struct ViewStep {
  enum class Kind : uint8_t { reshape, transpose, slice, expand, contiguous } kind = Kind::reshape;
  std::string name;                      ///< "one_image"
  size_t of = 0;                         ///< 0: the first tensor; k: what step k - 1 made
  Shape shape = {};                      ///< reshape, expand
  int64_t axis = 0, axis_b = 0;          ///< transpose exchanges both; slice takes `axis`
  int64_t start = 0, end = 0, step = 1;  ///< slice
};

struct TensorExample {
  std::string key, title;
  std::string teaches;  ///< one sentence
  TensorType type;
  std::string name = "x";  ///< of the first tensor
  std::vector<ViewStep> steps = {};
};

/// All of them, a matrix first.
const std::vector<TensorExample>& tensor_examples();
/// CHECKs that there is one of that key.
const TensorExample& tensor_example(const std::string& key);
/// Fifty images, or one, of three channels; 50 x 3 x height x width must fit 63 bits.
TensorExample images_example(int64_t height, int64_t width);
TensorExample image_example(int64_t height, int64_t width);

/// Rings of three colours on a gradient, 0 to 255: any change of a pixel can be seen. `phase` moves the rings.
double ring_pixel(int64_t height, int64_t width, int64_t y, int64_t x, int64_t channel, double phase = 0);

}  // namespace engine
