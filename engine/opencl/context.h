// SPDX-License-Identifier: Apache-2.0
// Context: what all kernels of one OpenCL device share: its queue, memory and programs, and the first error.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/opencl/programs.h"
#include "engine/opencl/queue.h"

namespace engine::opencl {

struct Context {
  Api api;
  FoundDevice device;
  std::shared_ptr<_cl_context> handle;
  std::shared_ptr<DeviceMemory> memory;
  std::unique_ptr<Programs> programs;
  std::unique_ptr<Queue> queue;

  /// Keeps the first error: commands are given where nobody could be told.
  void note(cl_int code, const std::string& where);
  std::optional<Error> first_error() const;

 private:
  mutable std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace engine::opencl
