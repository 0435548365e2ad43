// SPDX-License-Identifier: Apache-2.0
// Queue: the one place that gives commands to an OpenCL device, in order, with profiling events.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/opencl/command_log.h"
#include "engine/opencl/memory.h"
#include "engine/opencl/probe.h"

namespace engine::opencl {

/// A kernel with its arguments, and how many work-items run it.
struct Launch {
  std::shared_ptr<_cl_kernel> kernel;
  std::string name;
  std::array<size_t, 3> groups{1, 1, 1}, items{1, 1, 1};
  std::vector<std::shared_ptr<_cl_mem>> constants = {};  ///< held for the kernel, which holds none of its arguments
};

class Queue final : public CommandSource {
 public:
  /// Refused in the driver's words.
  static Result<std::unique_ptr<Queue>> make(const Api& api, const FoundDevice& device,
                                             std::shared_ptr<_cl_context> context);
  ~Queue() override;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  cl_int run(const Launch&);
  /// Between host and device: done when they return.
  cl_int write(const Place& to, const void* from, int64_t size_bytes);
  cl_int read(void* to, const Place& from, int64_t size_bytes);
  cl_int copy(const Place& to, const Place& from, int64_t size_bytes);
  /// Waits for all commands.
  cl_int finish();
  void hand_over() override;

 private:
  Queue(const Api& api, const FoundDevice& device, std::shared_ptr<_cl_context> context)
      : api_(api), device_(device.info.device.index), context_(std::move(context)) {}
  /// Calls `submit(event or null)` and notes it where somebody watches.
  template <class Submit>
  cl_int noted(Command command, Submit submit);
  ClockReading read_clock();

  const Api api_;
  const int device_;
  const std::shared_ptr<_cl_context> context_;
  cl_command_queue queue_ = nullptr;
  std::mutex mutex_;
  std::vector<std::pair<Command, cl_event>> pending_;
};

}  // namespace engine::opencl
