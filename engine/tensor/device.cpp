// SPDX-License-Identifier: Apache-2.0
// A device's name as text.
#include "engine/tensor/device.h"

namespace engine {

std::string to_string(const Device& device) {
  return device.index == 0 ? device.kind : device.kind + ":" + std::to_string(device.index);
}

}  // namespace engine
