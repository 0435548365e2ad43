// SPDX-License-Identifier: Apache-2.0
// What the loops of all families are written for. A loop nest says which part of a computation comes after which, and
// stands once; a visitor is told the parts (one call per tile, panel or row) and computes each of them (a kernel), or
// says what it accesses (an access description). Plain index arithmetic: no vectors, no threads. Parts compiled for
// another vector unit cannot be inlined here, and need not be.
#pragma once

#include <cstdint>

namespace engine::loops {

/// [begin, end).
struct Range {
  int64_t begin = 0, end = 0;
  constexpr int64_t size() const { return end - begin; }
};

/// Base of visitors that compute: they want all parts. Those that describe ask their listener.
struct Computes {
  static constexpr bool stopped() { return false; }
};

}  // namespace engine::loops
