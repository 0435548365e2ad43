// SPDX-License-Identifier: Apache-2.0
// Copies between a device and the host of tensors whose layouts differ: by way of row-major ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "engine/base/result.h"
#include "engine/tensor/tensor.h"

namespace engine {

/// Whether the host accesses the tensor's bytes itself.
bool on_host(const Tensor&);
/// The lowest address of a dense tensor, whose strides may be negative.
std::byte* lowest_address(const Tensor&);

/// What a device brings to a copy. Both tensors of a copy have one shape and one dtype.
struct DeviceCopies {
  std::function<Result<std::shared_ptr<Storage>>(int64_t bytes)> allocate;
  /// On the device, in any two layouts.
  std::function<Result<void>(const Tensor& from, const Tensor& to)> rearrange;
  /// The bytes as they are, to or from the device: both tensors are dense in one layout.
  std::function<Result<void>(const Tensor& from, const Tensor& to)> move;
};

/// Through row-major tensors on the sides that are laid out otherwise. At least one side is on the device.
Result<void> copy_through_row_major(const DeviceCopies&, const Tensor& from, const Tensor& to);

}  // namespace engine
