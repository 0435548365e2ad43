// SPDX-License-Identifier: Apache-2.0
// The null device: allocates host memory, supports every op, computes nothing. Its step time is pure dispatch and
// tracing cost; it is the template for a new device and the tester of everything above.
#pragma once

#include <memory>

#include "engine/runtime/backend.h"

namespace engine::null {

/// `info` lets a test or a modelled device pretend caches and memory; default: described as "null" with the host's
/// memory.
std::unique_ptr<Backend> make_backend();
std::unique_ptr<Backend> make_backend(DeviceInfo info);

}  // namespace engine::null
