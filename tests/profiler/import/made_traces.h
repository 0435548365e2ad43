// SPDX-License-Identifier: Apache-2.0
// Traces made for tests, in the shapes that PyTorch, TensorFlow and XLA write, with what ran in them counted beside.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tests {

/// What one made trace says of itself; all sums in nanoseconds, of the steps that count.
struct MadeTrace {
  std::string json;
  int steps = 0;
  int64_t device_ns = 0;              ///< kernels, copies and memsets launched in a step
  int64_t communication_ns = 0;       ///< part of that
  int64_t stepless_ns = 0;            ///< launched outside all steps
  int64_t launches = 0;               ///< in a step
  std::map<int, int64_t> of_step_ns;  ///< device_ns by step
};

struct MadeShape {
  int steps = 4, threads = 2, ops_per_step = 12, devices = 1;
  bool gpu = true, communication = false;
  int64_t lag_ns = 0;    ///< how far the GPU runs behind at the first step; it stays behind
  int64_t shift_ns = 0;  ///< of all times: another clock
  int first_step = 3;
};

/// PyTorch's format: ops that nest, whose shapes and number differ from step to step, on several threads; each
/// innermost op may launch kernels, copies and memsets on several streams. Some work lies before the first step and
/// behind the last. Equal seeds make equal traces.
MadeTrace made_kineto(uint32_t seed, const MadeShape& shape);

}  // namespace tests
