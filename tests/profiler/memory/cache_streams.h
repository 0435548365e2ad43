// SPDX-License-Identifier: Apache-2.0
// The loops of the published cache-simulation checks, as groups of streams: three arrays of floats from 0x20000000 on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "engine/kernels/core/access.h"

namespace test {

/// Byte addresses of three arrays of `elements` floats, each on pages of its own.
struct ThreeArrays {
  uint64_t a, b, c;
  int64_t elements;
  explicit ThreeArrays(int64_t count) : elements(count) {
    const uint64_t bytes = (static_cast<uint64_t>(count) * 4 + 4095) / 4096 * 4096;
    a = 0x20000000, b = a + bytes, c = b + bytes;
  }
};

inline engine::AccessStream load(uint64_t at, int64_t stride) { return {at, stride, 0, 4, engine::AccessKind::load}; }
inline engine::AccessStream store(uint64_t at, int64_t stride) { return {at, stride, 0, 4, engine::AccessKind::store}; }

/// What fills the arrays before each kernel.
inline void fill(engine::AccessSink& sink, const ThreeArrays& x) {
  for (const uint64_t at : {x.a, x.b, x.c}) sink.group(x.elements, {store(at, 4)});
}

/// c = a b in the order i, j, k: b by columns.
inline void ijk(engine::AccessSink& sink, const ThreeArrays& x, int64_t n) {
  const auto at = [](uint64_t base, int64_t element) { return base + static_cast<uint64_t>(element) * 4; };
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      sink.group(n, {load(at(x.a, i * n), 4), load(at(x.b, j), n * 4)});
      sink.group(1, {store(at(x.c, i * n + j), 0)});
    }
  }
}

/// c[i, j0 .. j1] += a[i, k] b[k, j0 .. j1].
inline void add_row(engine::AccessSink& sink, const ThreeArrays& x, int64_t n, int64_t i, int64_t k, int64_t j0,
                    int64_t j1) {
  const auto at = [](uint64_t base, int64_t element) { return base + static_cast<uint64_t>(element) * 4; };
  sink.group(1, {load(at(x.a, i * n + k), 0)});
  const uint64_t c = at(x.c, i * n + j0);
  sink.group(j1 - j0, {load(c, 4), load(at(x.b, k * n + j0), 4), store(c, 4)});
}

inline void ikj(engine::AccessSink& sink, const ThreeArrays& x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < n; ++k) add_row(sink, x, n, i, k, 0, n);
  }
}

/// The same by tiles of t x t, each a nest.
inline void tiled(engine::AccessSink& sink, const ThreeArrays& x, int64_t n, int64_t t) {
  const auto at = [](uint64_t base, int64_t element) { return base + static_cast<uint64_t>(element) * 4; };
  for (int64_t ii = 0; ii < n; ii += t) {
    for (int64_t kk = 0; kk < n; kk += t) {
      for (int64_t jj = 0; jj < n; jj += t) {
        const uint64_t c = at(x.c, ii * n + jj);
        const engine::NestedStream a[] = {{load(at(x.a, ii * n + kk), 0), 4, 4 * n}};
        const engine::NestedStream row[] = {
            {load(c, 4), 0, 4 * n}, {load(at(x.b, kk * n + jj), 4), 4 * n, 0}, {store(c, 4), 0, 4 * n}};
        const engine::NestedGroup groups[] = {{1, a}, {std::min(t, n - jj), row}};
        sink.nest(std::min(t, n - ii), std::min(t, n - kk), groups);
      }
    }
  }
}

/// examples/gemm.c of Haystack, d x d: c scaled row by row, then b added to it row by row.
inline void haystack_gemm(engine::AccessSink& sink, int64_t d) {
  const ThreeArrays x(d * d);
  const auto at = [](uint64_t base, int64_t element) { return base + static_cast<uint64_t>(element) * 4; };
  for (int64_t i = 0; i < d; ++i) {
    sink.group(d, {load(at(x.c, i * d), 4), store(at(x.c, i * d), 4)});
    for (int64_t k = 0; k < d; ++k)
      sink.group(
          d, {load(at(x.c, i * d), 4), load(at(x.a, i * d + k), 0), load(at(x.b, k * d), 4), store(at(x.c, i * d), 4)});
  }
}

inline void triad(engine::AccessSink& sink, const ThreeArrays& x, int64_t repeats) {
  for (int64_t r = 0; r < repeats; ++r) sink.group(x.elements, {load(x.a, 4), load(x.b, 4), store(x.c, 4)});
}

inline void transpose(engine::AccessSink& sink, const ThreeArrays& x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    sink.group(n, {load(x.a + static_cast<uint64_t>(i * n) * 4, 4), store(x.b + static_cast<uint64_t>(i) * 4, n * 4)});
  }
}

/// Five points, `rows` rows of n.
inline void stencil(engine::AccessSink& sink, const ThreeArrays& x, int64_t n, int64_t rows) {
  for (int64_t i = 1; i < rows - 1; ++i) {
    const uint64_t r = x.a + static_cast<uint64_t>(i * n + 1) * 4, row = static_cast<uint64_t>(n) * 4;
    sink.group(n - 2, {load(r - row, 4), load(r - 4, 4), load(r, 4), load(r + 4, 4), load(r + row, 4),
                       store(x.b + static_cast<uint64_t>(i * n + 1) * 4, 4)});
  }
}

}  // namespace test
