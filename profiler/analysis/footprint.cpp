// SPDX-License-Identifier: Apache-2.0
// Bytes alive while each op runs, by role, and what is there at the peak.
#include "profiler/analysis/footprint.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "profiler/capture/capture.h"
#include "profiler/capture/op_devices.h"
#include "profiler/memory/byte_ranges.h"

namespace profiler {
namespace {

struct Life {
  TensorId tensor = kNoTensor;
  OpId first = 0, last = 0;  // both inclusive
  bool persistent = false;
};

/// Lifetimes of tensors that own bytes; a view or in-place output keeps its root alive.
std::vector<Life> lifetimes(const Capture& capture, const ByteRanges& ranges) {
  std::vector<Life> lives(capture.tensors().size());
  for (const TensorRecord& t : capture.tensors()) {
    const TensorId root = ranges.root(t.id);
    Life& life = lives[root];
    if (life.tensor == kNoTensor) {
      life = {root, t.first_op, t.last_op, capture.tensors()[root].persistent};
    }
    life.first = std::min(life.first, t.first_op);
    life.last = std::max(life.last, t.last_op);
  }
  std::erase_if(lives, [](const Life& l) { return l.tensor == kNoTensor; });
  return lives;
}

}  // namespace

Footprint footprint(const Capture& capture) {
  Footprint result;
  if (!capture.run().source.empty() || (capture.tensors().empty() && !capture.ops().empty())) {
    // a trace of another tool: nobody knows which tensors were alive when, which is not nothing
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    result.persistent_bytes = result.peak_bytes = result.arena_bytes = result.arena_without_reuse_bytes =
        result.workspace_bytes = kUnknown;
    return result;
  }
  const RunInfo& run = capture.run();
  result.arena_bytes = static_cast<double>(run.arena_bytes);
  result.arena_without_reuse_bytes = static_cast<double>(run.arena_bytes_without_reuse);
  result.workspace_bytes = static_cast<double>(run.workspace_bytes);
  const size_t ops = capture.ops().size();
  const ByteRanges ranges(capture);
  const std::vector<Life> lives = lifetimes(capture, ranges);

  RoleBytes always{};
  always[static_cast<size_t>(Role::workspace)] += result.workspace_bytes;
  std::vector<RoleBytes> change(ops + 1, RoleBytes{});
  const OpDevices devices(capture);
  if (devices.several()) result.devices = devices.names();
  const size_t places = result.devices.size();
  std::vector<double> there(places, 0.0);
  std::vector<std::vector<double>> moved(ops + 1, there);  // like `change`, by device
  if (places > 0) there[0] = result.workspace_bytes;
  for (const Life& life : lives) {
    const TensorRecord& t = capture.tensors()[life.tensor];
    const auto role = static_cast<size_t>(t.role);
    const auto bytes = static_cast<double>(t.size_bytes);
    if (life.persistent) {
      result.persistent_bytes += bytes;
      always[role] += bytes;
      if (places > 0) there[devices.number_of_tensor(life.tensor)] += bytes;
    } else if (life.first < ops && life.first <= life.last) {
      change[life.first][role] += bytes;
      change[std::min<size_t>(ops - 1, life.last) + 1][role] -= bytes;
      if (places == 0) continue;
      moved[life.first][devices.number_of_tensor(life.tensor)] += bytes;
      moved[std::min<size_t>(ops - 1, life.last) + 1][devices.number_of_tensor(life.tensor)] -= bytes;
    }
  }
  RoleBytes live = always;
  for (size_t op = 0; op < ops; ++op) {
    for (size_t r = 0; r < live.size(); ++r) live[r] += change[op][r];
    for (size_t d = 0; d < places; ++d) there[d] += moved[op][d];
    result.points.push_back({static_cast<OpId>(op), live, there});
    const double total = std::accumulate(live.begin(), live.end(), 0.0);
    if (result.peak_op != kNoOp && total <= result.peak_bytes) continue;
    result.peak_op = static_cast<OpId>(op);
    result.peak_bytes = total;
  }
  for (const Life& life : lives) {
    const bool lives = life.persistent || (life.first <= result.peak_op && result.peak_op <= life.last);
    if (result.peak_op != kNoOp && lives) result.at_peak.push_back(life.tensor);
  }
  std::sort(result.at_peak.begin(), result.at_peak.end(), [&](TensorId a, TensorId b) {
    const int64_t x = capture.tensors()[a].size_bytes, y = capture.tensors()[b].size_bytes;
    return x != y ? x > y : a < b;
  });
  return result;
}

}  // namespace profiler
