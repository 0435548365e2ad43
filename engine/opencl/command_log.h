// SPDX-License-Identifier: Apache-2.0
// CommandLog: what the queues of this process were given while somebody watches, with the times of the driver's events.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace engine::opencl {

enum class CommandKind : uint8_t { kernel, to_device, to_host, within_device, wait };

/// One command and its call.
struct Command {
  static constexpr uint64_t kNone = ~uint64_t{0};
  CommandKind kind = CommandKind::kernel;
  std::string name = {};                                         ///< of the kernel
  std::string_view call = {};                                    ///< "clEnqueueNDRangeKernel"
  int device = 0;                                                ///< Device::index
  std::array<int64_t, 3> groups{-1, -1, -1}, items{-1, -1, -1};  ///< of a kernel: groups, work-items of one
  int64_t size_bytes = 0;                                        ///< of a copy
  int32_t result = 0;                                            ///< of the call; 0: success
  int64_t call_start_ns = 0, call_end_ns = 0;                    ///< CLOCK_MONOTONIC
  uint64_t op = kNone, step = kNone;                             ///< within which it was given
  uint32_t thread = 0;
  int64_t start_ns = 0, end_ns = 0;  ///< on the device's clock, from the event; 0: the driver gave no time
};

/// One instant on a device's clock and on CLOCK_MONOTONIC; `width_ns` bounds the error.
struct ClockReading {
  int device = 0;
  int64_t device_ns = 0, steady_ns = 0, width_ns = 0;
};

/// What is known of a device that a queue was made for.
struct LoggedDevice {
  int device = 0;
  std::string name = {};
  int64_t memory_bytes = 0;
  int compute_units = 0;
};

class CommandSource;

/// One log of the process, as there is one tracer of it. All calls may come from several threads.
class CommandLog {
 public:
  static CommandLog& the();

  /// From here on commands are kept. Before the first step all are, then those of steps alone.
  void start();
  void stop();
  /// What the calling thread gives to queues from now on belongs to it; kNone: to none.
  void set_op(uint64_t op) { op_ = op; }
  void set_step(uint64_t step);
  bool wanted() const;

  struct Taken {
    std::vector<LoggedDevice> devices;  ///< made since the last time
    std::vector<ClockReading> clocks;
    std::vector<Command> commands;  ///< done
    int64_t dropped = 0;            ///< more than kMost waited to be taken
  };
  /// All that is done.
  Taken take();

  // of queues
  void joined(CommandSource&, LoggedDevice);
  void left(CommandSource&);
  void add(std::vector<Command>, const ClockReading&);
  void add(Command);
  uint64_t op() const { return op_; }
  uint64_t step() const { return step_; }

 private:
  static constexpr size_t kMost = 1 << 20;

  mutable std::mutex mutex_;
  bool on_ = false, stepped_ = false;
  uint64_t op_ = Command::kNone, step_ = Command::kNone;
  std::vector<CommandSource*> sources_;
  Taken waiting_;
};

/// A queue: hands what is done to the log.
class CommandSource {
 public:
  virtual ~CommandSource() = default;
  virtual void hand_over() = 0;
};

}  // namespace engine::opencl
