// SPDX-License-Identifier: Apache-2.0
// What descriptions of our own convolutions share: where the arrays of their loops lie.
#pragma once

#include <array>
#include <string_view>

#include "engine/kernels/convolution/convolution_loops.h"
#include "engine/kernels/core/describe_access.h"

namespace engine::access {

inline loops::ImageLayout layout_of(const Operand& image) {
  return loops::ImageLayout::of(image.type.shape, image.type.strides);
}

/// x, weights and y of a pass; of a gradient, y is dy, and the result is dx or dw.
struct ConvolutionOperands {
  const Operand &x, &weight, &y;
  const Operand* bias = nullptr;
  bool by_input = false, by_weight = false;
  loops::ConvolutionGeometry g;

  static ConvolutionOperands of(const OpCall&);
  int64_t bytes() const { return size_bytes(y.type.dtype); }
};

/// The arrays of convolution_loops.h, by addresses.
class PlacedArrays {
 public:
  PlacedArrays(const ConvolutionOperands&);
  void place(loops::InArray array, uint64_t address, uint32_t tensor) {
    arrays_[static_cast<size_t>(array)] = {address, tensor};
  }

  int64_t bytes() const { return bytes_; }
  uint32_t tensor(loops::InArray array) const { return arrays_[static_cast<size_t>(array)].tensor; }
  uint64_t at(loops::InArray array, int64_t element) const {
    return arrays_[static_cast<size_t>(array)].address + static_cast<uint64_t>(element * bytes_);
  }
  /// Elements one by one, or, `lanes` > 0, vectors one after the other.
  AccessStream stream(const loops::Place& p, AccessKind kind, int64_t lanes = 0) const {
    const int64_t step = lanes > 0 ? lanes : p.apart, wide = lanes > 0 ? lanes : 1;
    return {at(p.array, p.first), step * bytes_, tensor(p.array), static_cast<uint16_t>(wide * bytes_), kind};
  }

 private:
  struct Array {
    uint64_t address = 0;
    uint32_t tensor = 0;
  };
  std::array<Array, 6> arrays_{};
  int64_t bytes_;
};

/// Of depthwise convolutions; false: there is no room for its weights.
bool describe_depthwise(const OpCall&, const ConvolutionOperands&, AccessSink&);

}  // namespace engine::access
