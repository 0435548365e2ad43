// SPDX-License-Identifier: Apache-2.0
// The entry of a list that was probably meant, for "did you mean".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace engine {

/// The entry of `names` with the smallest edit distance to `wanted`, case ignored; empty when there
/// are none.
std::string nearest_name(std::string_view wanted, std::span<const std::string> names);

}  // namespace engine
