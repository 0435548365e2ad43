// SPDX-License-Identifier: Apache-2.0
// Who watches the emulated GPU: is told of calls and of work done, as CUPTI is of a real one. Times are
// CLOCK_MONOTONIC, in ns; they are those of the emulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace engine::simt {

/// What all work has.
struct WorkDone {
  int stream = 0;
  uint32_t correlation = 0;  ///< the call that submitted it
  int64_t start_ns = 0, end_ns = 0;
  uint32_t graph = 0;  ///< the graph that it came with; 0: none
  uint64_t node = 0;   ///< its node of that graph
};
struct KernelDone {
  WorkDone work;
  std::string_view name;
  unsigned blocks = 0, threads = 0;
};
enum class Way : uint8_t { host_to_device, device_to_host, device_to_device, host_to_host };
struct CopyDone {
  WorkDone work;
  Way way = Way::host_to_device;
  bool pinned = true;  ///< the host's side
  size_t bytes = 0;
};
struct MemsetDone {
  WorkDone work;
  int value = 0;
  size_t bytes = 0;
};
struct CallDone {
  std::string_view name;  ///< "cudaMemcpyAsync"
  uint32_t correlation = 0;
  int64_t start_ns = 0, end_ns = 0;
  int result = 0;  ///< cudaError_t
};
enum class WaitKind : uint8_t { event, stream_for_event, stream, device };
struct WaitDone {
  WaitKind kind = WaitKind::stream;
  int stream = -1, event = -1;  ///< -1: of none
  uint32_t correlation = 0;
  int64_t start_ns = 0, end_ns = 0;
};

/// Called from the thread that calls (calls, waits, nodes) or works (work); several at once.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void begun(uint32_t correlation) = 0;  ///< a call, on its thread
  virtual void done(const CallDone&) = 0;
  virtual void done(const KernelDone&) = 0;
  virtual void done(const CopyDone&) = 0;
  virtual void done(const MemsetDone&) = 0;
  virtual void done(const WaitDone&) = 0;
  virtual void made_stream(int stream) = 0;
  /// A node of a graph; `original`: of which it is a copy, 0: of none.
  virtual void made_node(uint64_t node, uint64_t original) = 0;
};

}  // namespace engine::simt
