// SPDX-License-Identifier: Apache-2.0
// Which element a padded position is taken from: what pad's reference and its kernels share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace engine::ops {

enum class PadMode : uint8_t { constant, reflect, edge, wrap };
std::optional<PadMode> parse_pad_mode(std::string_view);

/// The element of an axis of `extent` elements (at least 1, but for constant) that stands at `position`, which may lie beyond both
/// ends; -1: none, the constant stands there.
int64_t pad_source(PadMode mode, int64_t position, int64_t extent);

}  // namespace engine::ops
