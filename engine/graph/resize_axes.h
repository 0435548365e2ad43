// SPDX-License-Identifier: Apache-2.0
// Which elements a resized one is made of, axis by axis: what resize's references and kernels share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/op.h"

namespace engine {

/// One axis of a resize: y[i] = sum over t of weight[i * taps + t] * x[index[i * taps + t]]. Where outside[i] is set,
/// y[i] is the extrapolation value.
struct ResizeAxis {
  int64_t taps = 1;  ///< 1 nearest, 2 linear, 4 cubic
  std::vector<int64_t> index;
  std::vector<double> weight;
  std::vector<uint8_t> outside;
  bool identity = true;  ///< output i is x[i]
};

/// The axes of a resize of x that infer has accepted. `shape` is that of x.
std::vector<ResizeAxis> resize_axes(const Shape& shape, const Attributes& attributes);

/// Of a nearest resize: axis by axis, which element of x stands at i in y; -1: none does. Nothing for other modes.
std::optional<std::vector<std::vector<int64_t>>> nearest_tables(const Shape& x, const Attributes& attributes);

/// 1 "nearest", 2 "linear", 4 "cubic".
int64_t resize_taps(std::string_view mode);
/// The attribute `key` of one axis: "scale_1".
std::string resize_axis_key(std::string_view key, size_t axis);

}  // namespace engine
