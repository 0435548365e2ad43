// SPDX-License-Identifier: Apache-2.0
// Which lanes of a Chrome trace are a device's work, and which repeat it in other groupings: steps, modules, scopes,
// all streams at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

/// `host`: no device's. `work`: what ran on a device, once. `summary`: the same work grouped otherwise, or the host's
/// side of it.
enum class LaneRole : uint8_t { host, work, summary };

/// One lane with its names as the trace gives them, and its spans in nanoseconds.
struct LaneFacts {
  struct Span {
    int64_t begin_ns = 0, end_ns = 0;
    friend auto operator<=>(const Span&, const Span&) = default;
  };
  uint64_t process_key = 0;     ///< pid
  std::string process, thread;  ///< "/device:GPU:0/stream:12 Compute", "Stream #13(Compute)"; empty: not named
  std::vector<Span> spans;      ///< any order
};

struct LaneChoice {
  LaneRole role = LaneRole::host;
  /// Of work: number of the device. The trace's own unless another device of the trace has it, else the next free one;
  /// -1: none.
  int32_t device = -1;
  /// Work in which a span may stand for those inside it (ops that call others): streams run one kernel at a time.
  bool nests = false;
};

/// Reads lanes of XLA and of TensorFlow's timeline. XLA has a process per device and a thread per lane: "Stream
/// #13(Compute)", "XLA Ops", "XLA Modules", "Steps", "Framework Ops", "Framework Name Scope", "Source code". TensorFlow
/// has a process per lane: ".../stream:all Compute", ".../stream:12 Compute", ".../memcpy Compute"; ".../device:GPU:0
/// Compute" is the executor on the host. The most detailed kind of lanes with spans is the work of a device. From the
/// best: streams, all streams together and copies, XLA's ops, the framework's. Lanes of unknown names are work unless
/// all their spans repeat those of other lanes, or begin and end with spans inside them.
std::vector<LaneChoice> choose_lanes(const std::vector<LaneFacts>&);

/// A lane of marks, one per step: XLA's "Steps", also where it says whose ("Steps - from #16").
bool is_lane_of_steps(std::string_view thread);

/// Device in a process name: "GPU2" or "MTIA 9" (AMD's tools, PyTorch's labels).
/// "/job:worker/task:0/device:GPU:1/stream:12 Compute" has kind "gpu", number 1, before "/job:worker/task:0", rest
/// "/stream:12 Compute". Empty kind: it names none, or a processor.
struct DeviceName {
  std::string kind;
  int32_t number = -1;
  std::string_view before, rest;
};
DeviceName device_name_in(std::string_view process);

}  // namespace profiler
