// SPDX-License-Identifier: Apache-2.0
// Copies between layouts on the device, and between host and device.
#pragma once

#include "engine/opencl/kernels.h"

namespace engine::opencl {

/// Element by element; `from` is broadcast to `to`. Refused: too many axes.
Result<Launch> copy_launch(Context&, const Tensor& from, const Tensor& to);

/// Between host and device, or within the device, in any layouts; has ended for the host's side when it returns.
Result<void> copy_tensor(Context&, const Tensor& from, const Tensor& to);

}  // namespace engine::opencl
