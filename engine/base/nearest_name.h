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

/// As nearest_name, but empty where the nearest is too far: more than one edit per three characters of the longer name.
/// Leading dashes do not count; one edit is always allowed. A name that begins with the other, of three characters or
/// more, is near.
std::string close_name(std::string_view wanted, std::span<const std::string> names);

/// `; did you mean "batch"?` for the entry of close_name, `.` where there is none: the end of a sentence in messages
/// that list `names` anyway.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> names);

}  // namespace engine
