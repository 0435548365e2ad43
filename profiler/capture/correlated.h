// SPDX-License-Identifier: Apache-2.0
// Activities that share a correlation: an API call and what it launched.
#pragma once

#include <optional>
#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

/// Rows of Capture::activities() with that correlation, ascending, at most `most`. 0 (no correlation) has none. One
/// pass over the packed column: for what a user asks of, not for loops.
std::vector<uint32_t> rows_with(const Capture&, uint64_t correlation, size_t most);

/// The API call that launched an activity; nothing: nobody recorded it, or the activity is a call itself.
std::optional<uint32_t> launching_call(const Capture&, uint32_t row);

}  // namespace profiler
