// SPDX-License-Identifier: Apache-2.0
// The balance of a machine: what each memory level and link gives, and how many FLOPs per byte its arithmetic needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/base/table.h"
#include "profiler/base/unknown.h"
#include "profiler/machine/machine.h"

namespace profiler {

struct BalanceLevel {
  std::string level, what;  ///< "Disk", "4 SSDs of 1.92 TB in RAID 0"
  double bytes_per_s = kUnknown;
  Origin origin = Origin::measured;
  std::string how;  ///< how the rate was found, or why it is unknown
};

struct MachineBalance {
  std::string name;
  double flop_per_s = kUnknown;  ///< of f32
  Origin flop_origin = Origin::measured;
  std::string flop_how;
  std::vector<BalanceLevel> levels;  ///< farthest first
  std::string sources;               ///< of a machine that is not here; else empty
  /// FLOPs that arithmetic does while one byte comes from there: work with fewer waits for that level.
  double flop_per_byte(const BalanceLevel& level) const { return flop_per_s / level.bytes_per_s; }
};

/// Of a probed machine; `disk`: its cold rate, where it was measured.
MachineBalance balance_of(const Machine&, const Measured& disk = {});
/// Of resources/machine_presets.json, in its order.
const std::vector<std::string>& machine_presets();
/// By key; fails (usage) naming the nearest and all others.
engine::Result<MachineBalance> preset_balance(std::string_view key);
/// The text of that file, built into the program.
const char* machine_presets_text();

Table balance_table(const MachineBalance&);
/// "Arithmetic: 125 TFLOP/s of f32 (specified; ...)." and what the figures mean.
std::vector<std::string> balance_sentences(const MachineBalance&);

}  // namespace profiler
