// SPDX-License-Identifier: Apache-2.0
// Ops of a step as a table, one by one or in groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profiler/analysis/analyze.h"
#include "profiler/model/table.h"

namespace profiler {

enum class OpsBy : uint8_t { op, layer, type, kernel, phase };
std::optional<OpsBy> parse_ops_by(std::string_view);

/// One row per op or group: calls, time, share, FLOPs, compulsory and modelled bytes per level, intensity, FLOP/s, % of roof, verdict.
Table ops_table(const Analyzed&, OpsBy);

}  // namespace profiler
