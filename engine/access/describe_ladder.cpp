// SPDX-License-Identifier: Apache-2.0
// What the rungs of the ladder access: the loops of engine/cpu/ladder_scalar.cpp and ladder_simd.cpp without their arithmetic.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/access/describe.h"

namespace engine::access {
namespace {

struct Ladder {
  Operand a, b, c;
  int64_t m, n, k, row_of_b, bytes;
  bool sigmoid;
  AccessSink& sink;

  uint64_t at(const Operand& x, int64_t element) const { return x.address + static_cast<uint64_t>(element * bytes); }
  AccessStream access(const Operand& x, int64_t element, int64_t stride, AccessKind kind = AccessKind::load, int64_t width = 1) const {
    return {at(x, element), stride * bytes, x.tensor, static_cast<uint16_t>(width * bytes), kind};
  }
  /// All of c: cleared (stores alone), or replaced by its sigmoid.
  void sweep_result(bool load, int64_t lanes) const {
    along(m * n, lanes, [&](int64_t first, int64_t count, int64_t width) {
      const AccessStream store = access(c, first, width, AccessKind::store, width);
      if (load) sink.group(count, {access(c, first, width, AccessKind::load, width), store});
      else sink.group(count, {store});
    });
  }
  /// `count` elements: as many whole vectors as they fill, the rest one by one.
  template <class Part>
  static void along(int64_t count, int64_t lanes, const Part& part) {
    const int64_t vectors = count / lanes, rest = count - vectors * lanes;
    if (vectors > 0) part(int64_t{0}, vectors, lanes);
    if (rest > 0) part(vectors * lanes, rest, int64_t{1});
  }
};

void naive(const Ladder& p) {
  for (int64_t i = 0; i < p.m && !p.sink.stopped(); ++i) {
    for (int64_t j = 0; j < p.n && !p.sink.stopped(); ++j) {
      p.sink.group(p.k, {p.access(p.a, i * p.k, 1), p.access(p.b, j, p.row_of_b)});
      p.sink.group(1, {p.access(p.c, i * p.n + j, 0, AccessKind::store)});
    }
  }
}

/// c[i0 .. i1, j0 .. j1] += a[i0 .. i1, k0 .. k1] b[k0 .. k1, j0 .. j1], the rows of c outermost.
void add_tile(const Ladder& p, int64_t i0, int64_t i1, int64_t k0, int64_t k1, int64_t j0, int64_t j1, int64_t lanes) {
  const int64_t row_of_a = p.k * p.bytes, row_of_b = p.row_of_b * p.bytes, row_of_c = p.n * p.bytes;
  const NestedStream a{p.access(p.a, i0 * p.k + k0, 0), p.bytes, row_of_a};
  std::vector<std::array<NestedStream, 3>> parts;
  std::vector<NestedGroup> groups{{1, {&a, 1}}};
  parts.reserve(2);
  Ladder::along(j1 - j0, lanes, [&](int64_t first, int64_t count, int64_t width) {
    const int64_t j = j0 + first;
    const AccessStream c = p.access(p.c, i0 * p.n + j, width, AccessKind::load, width), b = p.access(p.b, k0 * p.row_of_b + j, width, AccessKind::load, width),
                       to_c = p.access(p.c, i0 * p.n + j, width, AccessKind::store, width);
    parts.push_back({{{b, row_of_b, 0}, {c, 0, row_of_c}, {to_c, 0, row_of_c}}});
    groups.push_back({count, parts.back()});
  });
  p.sink.nest(i1 - i0, k1 - k0, groups);
}

void by_tiles(const Ladder& p, int64_t tile, int64_t lanes) {
  constexpr int64_t kAtOnce = 1 << 20;  // steps in a nest, beyond which a listener who has heard enough would wait
  p.sweep_result(false, 1);
  if (p.m == 0 || p.n == 0 || p.k == 0) {  // sums of nothing
    if (p.sigmoid) p.sweep_result(true, lanes);
    return;
  }
  const int64_t rows = std::clamp<int64_t>(kAtOnce / (std::min(tile, p.k) * std::min(tile, p.n)), 1, tile);
  for (int64_t i0 = 0; i0 < p.m && !p.sink.stopped(); i0 += tile) {
    for (int64_t k0 = 0; k0 < p.k && !p.sink.stopped(); k0 += tile) {
      for (int64_t j0 = 0; j0 < p.n && !p.sink.stopped(); j0 += tile) {
        const int64_t i1 = std::min(p.m, i0 + tile), k1 = std::min(p.k, k0 + tile), j1 = std::min(p.n, j0 + tile);
        for (int64_t i = i0; i < i1 && !p.sink.stopped(); i += rows) add_tile(p, i, std::min(i1, i + rows), k0, k1, j0, j1, lanes);
      }
    }
  }
  if (p.sigmoid) p.sweep_result(true, lanes);
}

void in_registers(const Ladder& p, int64_t lanes, int64_t high) {
  int64_t j = 0;
  for (; j + 2 * lanes <= p.n; j += 2 * lanes) {
    for (int64_t i = 0; i < p.m && !p.sink.stopped();) {
      const int64_t rows = i + high <= p.m ? high : 1;
      std::vector<AccessStream> streams{p.access(p.b, j, p.row_of_b, AccessKind::load, lanes), p.access(p.b, j + lanes, p.row_of_b, AccessKind::load, lanes)};
      for (int64_t r = 0; r < rows; ++r) streams.push_back(p.access(p.a, (i + r) * p.k, 1));
      p.sink.group(p.k, streams);
      for (int64_t r = 0; r < rows; ++r) p.sink.group(2, {p.access(p.c, (i + r) * p.n + j, lanes, AccessKind::store, lanes)});
      i += rows;
    }
  }
  for (; j < p.n; ++j) {
    for (int64_t i = 0; i < p.m && !p.sink.stopped(); ++i) {
      p.sink.group(p.k, {p.access(p.a, i * p.k, 1), p.access(p.b, j, p.row_of_b)});
      p.sink.group(1, {p.access(p.c, i * p.n + j, 0, AccessKind::store)});
    }
  }
  if (p.sigmoid) p.sweep_result(true, lanes);
}

}  // namespace

bool describe_ladder(const OpCall& call, AccessSink& sink) {
  const Ladder p{.a = call.inputs[0], .b = call.inputs[1], .c = call.outputs[0], .m = call.outputs[0].type.shape[0], .n = call.outputs[0].type.shape[1],
                 .k = call.inputs[0].type.shape[1], .row_of_b = call.inputs[1].type.strides[0], .bytes = size_bytes(call.outputs[0].type.dtype),
                 .sigmoid = call.node.attributes.get_int("sigmoid", 0) != 0, .sink = sink};
  const TensorType& b = p.b.type;
  const bool rows_in_order = (b.shape[1] <= 1 || b.strides[1] == 1) && (b.shape[0] <= 1 || b.strides[0] >= b.shape[1]);
  if (!is_contiguous(p.a.type.shape, p.a.type.strides) || !rows_in_order) return false;  // the reference computes it
  const std::string rung = call.node.attributes.get_string("rung", "naive");
  const int64_t tile = call.node.attributes.get_int("tile", 64);
  if (rung == "naive") naive(p);
  else if (rung == "reordered") by_tiles(p, std::max({p.m, p.n, p.k}), 1);  // one tile: the same loops
  else if (rung == "tiled") by_tiles(p, tile, 1);
  else if (rung == "simd128") by_tiles(p, tile, 16 / p.bytes);
  else if (rung == "simd256") by_tiles(p, tile, 32 / p.bytes);
  else if (rung == "simd512") by_tiles(p, tile, 64 / p.bytes);
  else if (rung == "registers") in_registers(p, call.vector_bytes / p.bytes, call.vector_bytes >= 64 ? 8 : 4);
  else {
    if (!describe_matrix_product(call, sink)) return false;
    if (p.sigmoid) p.sweep_result(true, 1);
  }
  return true;
}

}  // namespace engine::access
