// SPDX-License-Identifier: Apache-2.0
// How passes without vector instructions reach memory; a test has one that notes each access instead.
#pragma once

#include <algorithm>
#include <cstdint>

namespace engine::cpu {

struct ScalarMemory {
  template <class T>
  static T load(const T* from) {
    return *from;
  }
  template <class T>
  static void store(T x, T* to) {
    *to = x;
  }
  template <class T>
  static void fill(T* to, int64_t count, T x) {
    std::fill_n(to, count, x);
  }
};

}  // namespace engine::cpu
