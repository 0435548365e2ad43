// SPDX-License-Identifier: Apache-2.0
// What tests on a real OpenCL driver share: a backend, or the reason why there is none.
#pragma once

#include <gtest/gtest.h>

#include "engine/opencl/backend.h"

namespace test {

/// Null where no driver is here: the test is skipped with why_no_opencl().
inline std::unique_ptr<engine::Backend> opencl_backend() {
  if (engine::opencl::devices_here().devices.empty()) return nullptr;
  auto made = engine::opencl::make_backend({});
  EXPECT_TRUE(made.ok()) << made.error().message;
  return made.ok() ? *std::move(made) : nullptr;
}

inline const std::string& why_no_opencl() { return engine::opencl::devices_here().probe.why; }

}  // namespace test
