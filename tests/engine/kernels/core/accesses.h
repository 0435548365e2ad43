// SPDX-License-Identifier: Apache-2.0
// Single accesses, in order: what code under test did to memory, and what its description said it would do.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

#include "engine/kernels/core/access.h"

namespace test {

struct Access {
  uint64_t address = 0;
  int64_t bytes = 0;
  bool store = false;
  friend bool operator==(const Access&, const Access&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Access& a) {
    return out << (a.store ? "store " : "load ") << a.bytes << " at " << std::hex << a.address << std::dec;
  }
};

/// A description, access by access.
struct Said final : engine::AccessSink {
  std::vector<Access> accesses;
  using AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    for (int64_t i = 0; i < iterations; ++i) {
      for (const engine::AccessStream& s : streams)
        accesses.push_back(
            {s.address + static_cast<uint64_t>(i * s.stride), s.bytes, s.kind != engine::AccessKind::load});
    }
  }
};

inline void expect_same(const std::vector<Access>& said, const std::vector<Access>& done) {
  const auto [a, b] = std::mismatch(said.begin(), said.end(), done.begin(), done.end());
  if (a != said.end() && b != done.end()) {
    ASSERT_EQ(*a, *b) << "access " << a - said.begin();
  }
  ASSERT_EQ(said.size(), done.size());
}

}  // namespace test
