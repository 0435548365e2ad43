// SPDX-License-Identifier: Apache-2.0
// to_device: the one op whose operand and result lie on different devices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/builder.h"

namespace engine {

/// to_device(x) -> y {from, to, reason}: a row-major copy of x, which lies on `from`, in the memory of `to`. Devices
/// are named as by to_string(Device); empty: the device of the run. Its gradient goes the other way. `reason`: absent
/// where it was asked for; "scalar" where a 0-d operand was fetched, "gradient" in the gradient of another one. It has
/// no kernel. An eager session copies between its devices. A Plan has one device and refuses it.
extern const Op kToDevice;

inline constexpr std::string_view kScalarReason = "scalar", kGradientReason = "gradient";

/// x itself where both names are the same.
ValueId to_device(GraphBuilder&, ValueId x, const std::string& from, const std::string& to);

/// The devices that the graph's to_device nodes name, each once, in the order of the nodes; the device of the run is
/// not among them.
std::vector<std::string> named_devices(const Graph&);

/// Rows of each of at most `parts` devices: ceil(rows / parts), the last has the rest, as torch.chunk does. 50 over 2
/// is 25 + 25; 5 over 4 is 2 + 2 + 1. Zero rows are one empty part.
std::vector<int64_t> split_rows(int64_t rows, int64_t parts);

}  // namespace engine
