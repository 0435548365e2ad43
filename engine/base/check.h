// SPDX-License-Identifier: Apache-2.0
// CHECK: our own mistake stops the program with the place and the reason.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace engine::detail {
[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal error: %s does not hold\n", file, line, condition);
  std::abort();
}
}  // namespace engine::detail

/// Stops the program when `condition`, an invariant of our own code, does not hold. Never used for input.
#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::engine::detail::check_failed(#condition, __FILE__, __LINE__))
