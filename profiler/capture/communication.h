// SPDX-License-Identifier: Apache-2.0
// Which GPU work is communication between devices (NCCL, RCCL and their like), by its record or its name.
#pragma once

#include <string_view>
#include <unordered_map>

#include "profiler/capture/capture.h"

namespace profiler {

/// Kernels that libraries of collectives run, and collectives that compilers name after what they do:
/// "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "void mscclKernel_...", "vllm::cross_device_reduce_1stage<...>",
/// "all-reduce.1", "nvshmemi_...". What only mentions one among its template arguments is none.
bool is_communication_name(std::string_view kernel_name);

/// Asks for many activities of one capture; each name is looked at once.
class Communication {
 public:
  explicit Communication(const Capture& capture) : capture_(capture) {}
  /// Of the row of a kernel: it is named so, or it carries out a recorded collective.
  bool is(uint32_t activity);

 private:
  const Capture& capture_;
  std::unordered_map<NameId, bool> known_;
};

}  // namespace profiler
