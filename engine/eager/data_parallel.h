// SPDX-License-Identifier: Apache-2.0
// DataParallel: one module on several devices, each of which computes a part of the batch.
#pragma once

#include <vector>

#include "engine/eager/module.h"

namespace engine {

/// forward() splits x along its first dimension (scatter) and copies parameters and buffers to each device (replicate).
/// The module computes there. The results are joined on the first device (gather). All copies are recorded, so that
/// backward() adds the gradients of all parts up in the module's own parameters. All copies come first, so that the
/// devices compute side by side: GPUs, and simulated devices beside the session's first.
class DataParallel final : public Module {
 public:
  /// At least one device; forward() is refused where the session lacks one.
  DataParallel(std::unique_ptr<Module> module, std::vector<Device> devices);
  Variable forward(const Variable& x) override;
  Module& module() { return module_; }

 private:
  Module& module_;
  std::vector<Device> devices_;
};

}  // namespace engine
