// SPDX-License-Identifier: Apache-2.0
// How passes without vector instructions reach memory; a test has one that notes each access instead.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

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
  template <class T>
  static void zeros(T* to, int64_t count) {
    const size_t bytes = static_cast<size_t>(count) * sizeof(T);
    if (bytes > kFewBytes) return static_cast<void>(std::memset(to, 0, bytes));
    few(bytes, [to = reinterpret_cast<std::byte*>(to)](size_t at, auto piece) { std::memset(to + at, 0, piece); });
  }
  /// To where they do not lie.
  template <class T>
  static void copy(const T* from, int64_t count, T* to) {
    const size_t bytes = static_cast<size_t>(count) * sizeof(T);
    if (bytes > kFewBytes) return static_cast<void>(std::memcpy(to, from, bytes));
    few(bytes, [from = reinterpret_cast<const std::byte*>(from), to = reinterpret_cast<std::byte*>(to)](
                   size_t at, auto piece) { std::memcpy(to + at, from + at, piece); });
  }
  /// `bytes` in all, elements of 1, 2, 4 or 8; a call for 4 or 8 bytes would take longer.
  static void copy_elements(const std::byte* from, std::byte* to, int64_t bytes, int64_t /*of_element*/) {
    if (bytes == 4) std::memcpy(to, from, 4);
    else if (bytes == 8) std::memcpy(to, from, 8);
    else std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  static void zero_elements(std::byte* to, int64_t bytes, int64_t /*of_element*/) {
    std::memset(to, 0, static_cast<size_t>(bytes));
  }

 private:
  static constexpr size_t kFewBytes = 64;
  template <size_t kBytes>
  using Piece = std::integral_constant<size_t, kBytes>;
  /// each(first, bytes) of pieces that may overlap. For rows of small images, and pixels of few channels: a call would
  /// take longer.
  template <class Each>
  static void few(size_t bytes, const Each& each) {
    if (bytes >= 16) {
      for (size_t at = 0; at + 16 <= bytes; at += 16) each(at, Piece<16>());
      if (bytes % 16 != 0) each(bytes - 16, Piece<16>());
    } else if (bytes >= 8) {
      each(0, Piece<8>());
      each(bytes - 8, Piece<8>());
    } else if (bytes >= 4) {
      each(0, Piece<4>());
    }
  }
};

}  // namespace engine::cpu
