// SPDX-License-Identifier: Apache-2.0
// A 128-bit integer: sums of byte counts that may each be near 2^63.
#pragma once

namespace engine {
__extension__ typedef __int128 Wide;  // NOLINT: `using` cannot carry __extension__, which silences -Wpedantic
}  // namespace engine
