// SPDX-License-Identifier: Apache-2.0
// Which ops belong together: scopes, layer paths, rows of a rolled-up table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analysis/base/scope.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// Shown for ops outside all layers.
inline constexpr std::string_view kNoLayer = "(no layer)";

/// Whether `layer` is `wanted` or lies inside it: "layer1.0" contains "layer1.0.conv2" but not
/// "layer1.01".
bool in_layer(std::string_view layer, std::string_view wanted);
/// The ops of a scope in execution order.
std::vector<OpId> ops_of(const Capture&, const Scope&);

/// One row of a rolled-up table. Layer groups include the layers inside; `depth` counts path parts
/// (1 outermost).
struct OpGroup {
  std::string key;
  int depth = 1;
  std::vector<OpId> ops;  ///< ascending; views included
};
enum class OpsBy : uint8_t { op, layer, type, kernel, phase, device };
std::optional<OpsBy> parse_ops_by(std::string_view);
/// Groups in order of first appearance; layers parents first.
std::vector<OpGroup> group_ops(const Capture&, OpsBy);

/// Bytes an op names, every operand once (exact).
double compulsory_read(const Capture&, const OpRecord&);
double compulsory_written(const Capture&, const OpRecord&);

}  // namespace profiler
