// SPDX-License-Identifier: Apache-2.0
// to_device: the one op whose operand and result lie on different devices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/builder.h"

namespace engine {

/// to_device(x) -> y {from, to, reason}: a row-major copy of x in the memory of the device `to` (a name as of
/// to_string(Device); empty: the device of the run), where x lies on `from`. Its gradient goes the other way. `reason`:
/// absent where it was asked for; "scalar" where a 0-d operand was fetched, "gradient" in the gradient of another one.
/// It has no kernel: whoever runs graphs on several devices (engine/eager) copies; a Plan, which has one device,
/// refuses it.
extern const Op kToDevice;

inline constexpr std::string_view kScalarReason = "scalar", kGradientReason = "gradient";

/// x itself where both names are the same.
ValueId to_device(GraphBuilder&, ValueId x, const std::string& from, const std::string& to);

/// The devices that the graph's to_device nodes name, each once, in the order of the nodes; the device of the run is
/// not among them.
std::vector<std::string> named_devices(const Graph&);

/// How many rows each of at most `parts` devices gets: ceil(rows / parts) each, the last the rest (torch.chunk): 50
/// over 2 is 25 + 25, 5 over 2 is 3 + 2, 5 over 4 is 2 + 2 + 1. No rows are one part without any.
std::vector<int64_t> split_rows(int64_t rows, int64_t parts);

}  // namespace engine
