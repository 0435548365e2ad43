// SPDX-License-Identifier: Apache-2.0
// Matrix products: panels packed, tiles of c in registers, as the loops of engine/cpu/gemm_simd.cpp go; libraries block alike.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "engine/access/describe.h"
#include "engine/base/gemm_blocking.h"

namespace engine::access {
namespace {

using gemm_blocking::kBlockColumns;
using gemm_blocking::kPackedSteps;
using gemm_blocking::kUnpackedUpTo;

struct Matrix {
  uint64_t address = 0;
  int64_t row = 0, column = 0;  // bytes
  uint32_t tensor = 0;
  uint64_t at(int64_t i, int64_t j) const { return address + static_cast<uint64_t>(i * row + j * column); }
};

struct Product {
  Matrix a, b, c;
  int64_t m, n, k, bytes;  ///< of an element of a and b
  int64_t c_bytes;
  int64_t vector_bytes;
  int64_t tile_rows, tile_columns;
  uint64_t packed_a, packed_b;
  uint32_t packed_tensor;
  AccessSink& sink;

  AccessStream load(const Matrix& x, uint64_t address, int64_t stride) const {
    return {address, stride, x.tensor, static_cast<uint16_t>(bytes), AccessKind::load};
  }
  AccessStream packed(uint64_t address, int64_t stride, AccessKind kind) const {
    return {address, stride, packed_tensor, static_cast<uint16_t>(bytes), kind};
  }
};

/// One row of c: b read once, by columns where they lie side by side, else by rows; four at a time.
void vector_product(const Product& p) {
  constexpr int64_t kAtOnce = 4;
  if (p.b.row == p.bytes) {
    for (int64_t j = 0; j < p.n && !p.sink.stopped(); j += kAtOnce) {
      std::vector<AccessStream> streams{p.load(p.a, p.a.address, p.a.column)};
      const int64_t columns = std::min(kAtOnce, p.n - j);
      for (int64_t q = 0; q < columns; ++q) streams.push_back(p.load(p.b, p.b.at(0, j + q), p.b.row));
      p.sink.group(p.k, streams);
      p.sink.group(columns, {AccessStream{p.c.at(0, j), p.c.column, p.c.tensor, static_cast<uint16_t>(p.c_bytes), AccessKind::store}});
    }
    return;
  }
  for (int64_t k = 0; k < p.k && !p.sink.stopped(); k += kAtOnce) {
    std::vector<AccessStream> streams;
    for (int64_t q = 0; q < std::min(kAtOnce, p.k - k); ++q) {
      p.sink.group(1, {p.load(p.a, p.a.at(0, k + q), 0)});
      streams.push_back(p.load(p.b, p.b.at(k + q, 0), p.b.column));
    }
    streams.push_back({p.c.address, p.c.column, p.c.tensor, static_cast<uint16_t>(p.c_bytes), AccessKind::load});
    streams.push_back(streams.back());
    streams.back().kind = AccessKind::store;
    p.sink.group(p.n, streams);
  }
}

/// A panel of `wide` neighbours of b per step, copied to `to` along whichever direction lies together in memory: along the steps
/// kPackedSteps at a time.
void pack(const Product& p, const Matrix& x, int64_t neighbours, int64_t wide, int64_t steps, uint64_t from, int64_t neighbour,
          int64_t step, uint64_t to) {
  const auto copy = [&](int64_t count, int64_t at_neighbour, int64_t at_step, int64_t from_stride, int64_t to_stride) {
    p.sink.group(count, {p.load(x, from + static_cast<uint64_t>(at_neighbour * neighbour + at_step * step), from_stride),
                         p.packed(to + static_cast<uint64_t>((at_step * wide + at_neighbour) * p.bytes), to_stride, AccessKind::store)});
  };
  if (std::abs(step) >= std::abs(neighbour)) {
    for (int64_t k = 0; k < steps && !p.sink.stopped(); ++k) copy(neighbours, 0, k, neighbour, p.bytes);
    return;
  }
  for (int64_t k = 0; k < steps && !p.sink.stopped(); k += kPackedSteps) {
    for (int64_t j = 0; j < neighbours; ++j) copy(std::min(kPackedSteps, steps - k), j, k, step, wide * p.bytes);
  }
}

/// Rows of a from `from` on as a panel, a step after another; where a whole panel's rows lie along the steps a vector of each at a time.
void pack_rows(const Product& p, int64_t rows, int64_t depth, uint64_t from, uint64_t to) {
  const int64_t step_bytes = p.tile_rows * p.bytes;
  int64_t k = 0;
  if (rows == p.tile_rows && p.a.column == p.bytes) {
    const int64_t lanes = p.vector_bytes / p.bytes;
    std::vector<AccessStream> streams;
    for (int64_t r = 0; r < rows; ++r) streams.push_back(p.load(p.a, from + static_cast<uint64_t>(r * p.a.row), p.vector_bytes));
    for (int64_t part = 0; part < rows; ++part)
      streams.push_back(p.packed(to + static_cast<uint64_t>(part * p.vector_bytes), lanes * step_bytes, AccessKind::store));
    for (AccessStream& stream : streams) stream.bytes = static_cast<uint16_t>(p.vector_bytes);
    if (depth >= lanes) p.sink.group(depth / lanes, streams);
    k = depth / lanes * lanes;
  }
  for (; k < depth && !p.sink.stopped(); ++k) {
    p.sink.group(rows, {p.load(p.a, from + static_cast<uint64_t>(k * p.a.column), p.a.row),
                        p.packed(to + static_cast<uint64_t>(k * step_bytes), p.bytes, AccessKind::store)});
  }
}

/// One tile of c: each step loads a row of the panel of b as vectors (a line each) and one element of a per row. `packs`: what is
/// loaded of b is stored there, too.
void tile(const Product& p, AccessStream a, int64_t a_row, int64_t rows, AccessStream b, const AccessStream* packs, int64_t columns, int64_t depth, uint64_t c,
          bool add) {
  std::vector<AccessStream> streams;
  for (int64_t offset = 0; offset < columns * p.bytes; offset += 64) {
    streams.push_back(b);
    streams.back().address += static_cast<uint64_t>(offset);
    streams.back().bytes = static_cast<uint16_t>(std::min<int64_t>(64, columns * p.bytes - offset));
    if (packs == nullptr) continue;
    streams.push_back(*packs);
    streams.back().address += static_cast<uint64_t>(offset);
    streams.back().bytes = streams[streams.size() - 2].bytes;
  }
  for (int64_t r = 0; r < rows; ++r) {
    streams.push_back(a);
    streams.back().address += static_cast<uint64_t>(r * a_row);
  }
  p.sink.group(depth, streams);
  for (int64_t r = 0; r < rows; ++r) {
    const AccessStream load{c + static_cast<uint64_t>(r * p.c.row), p.c.column, p.c.tensor, static_cast<uint16_t>(p.c_bytes), AccessKind::load};
    AccessStream store = load;
    store.kind = AccessKind::store;
    if (add) p.sink.group(columns, {load, store});
    else p.sink.group(columns, {store});
  }
}

void blocked_product(const Product& p) {
  const int64_t block_rows = gemm_blocking::row_panels(p.vector_bytes >= 64) * p.tile_rows, most_depth = gemm_blocking::depth_of_panels(p.vector_bytes >= 64);
  const bool small = p.m * p.n <= kUnpackedUpTo / std::max<int64_t>(p.k, 1);
  const bool lone = !small && p.m >= p.tile_rows && p.m <= block_rows && p.b.column == p.bytes;
  const bool rows_in_place = small || (lone && gemm_blocking::reads_rows_in_place(p.m, p.a.row, p.a.column == p.bytes));
  for (int64_t j0 = 0; j0 < p.n && !p.sink.stopped(); j0 += kBlockColumns) {
    const int64_t columns = std::min(kBlockColumns, p.n - j0);
    for (int64_t k0 = 0; k0 < p.k && !p.sink.stopped(); k0 += most_depth) {
      const int64_t depth = std::min(most_depth, p.k - k0);
      const auto b_panel = [&](int64_t j) { return p.packed_b + (lone ? 0 : static_cast<uint64_t>(j * depth * p.bytes)); };
      const auto whole = [&](int64_t j) { return columns - j >= p.tile_columns; };
      const auto pack_b = [&](int64_t j) {
        pack(p, p.b, std::min(p.tile_columns, columns - j), p.tile_columns, depth, p.b.at(k0, j0 + j), p.b.column, p.b.row, b_panel(j));
      };
      const auto b_in_place = [&](int64_t j) { return small && p.b.column == p.bytes && whole(j); };
      for (int64_t j = 0; j < columns && !lone; j += p.tile_columns) {
        if (!b_in_place(j)) pack_b(j);
      }
      for (int64_t i0 = 0; i0 < p.m; i0 += block_rows) {
        const int64_t rows = std::min(block_rows, p.m - i0);
        const auto a_panel = [&](int64_t i) { return p.packed_a + static_cast<uint64_t>(i * depth * p.bytes); };
        for (int64_t i = 0; i < rows && !rows_in_place; i += p.tile_rows)
          pack_rows(p, std::min(p.tile_rows, rows - i), depth, p.a.at(i0 + i, k0), a_panel(i));
        for (int64_t j = 0; j < columns; j += p.tile_columns) {
          const AccessStream as_it_lies = p.load(p.b, p.b.at(k0, j0 + j), p.b.row);
          const AccessStream b = b_in_place(j) ? as_it_lies : p.packed(b_panel(j), p.tile_columns * p.bytes, AccessKind::load);
          const AccessStream to_panel = p.packed(b_panel(j), p.tile_columns * p.bytes, AccessKind::store);
          if (lone && !whole(j)) pack_b(j);
          const bool even = lone && whole(j) && rows_in_place;
          const int64_t tiles = even ? gemm_blocking::even_tiles(rows) : (rows + p.tile_rows - 1) / p.tile_rows;
          for (int64_t t = 0; t < tiles; ++t) {
            const int64_t i = even ? rows * t / tiles : t * p.tile_rows, end = even ? rows * (t + 1) / tiles : std::min(rows, i + p.tile_rows);
            const AccessStream a = rows_in_place ? p.load(p.a, p.a.at(i0 + i, k0), p.a.column)
                                                 : p.packed(a_panel(i), p.tile_rows * p.bytes, AccessKind::load);
            const bool packs = lone && whole(j) && t == 0;  // the first tile packs the panel as it reads it
            tile(p, a, rows_in_place ? p.a.row : p.bytes, end - i, packs ? as_it_lies : b, packs ? &to_panel : nullptr,
                 std::min(p.tile_columns, columns - j), depth, p.c.at(i0 + i, j0 + j), k0 > 0);
          }
        }
      }
    }
  }
}

}  // namespace

namespace {

/// Of the last two axes; `b_transposed`: b lies as weights of linear layers do.
Product product_of(const OpCall& call, const Operand& a, const Operand& b, bool b_transposed, const Operand& c, AccessSink& sink) {
  const int64_t bytes = size_bytes(a.type.dtype), c_bytes = size_bytes(c.type.dtype);
  const size_t rank = c.type.shape.size();
  Product p{.a = {}, .b = {}, .c = {}, .m = c.type.shape[rank - 2], .n = c.type.shape[rank - 1], .k = a.type.shape.back(), .bytes = bytes, .c_bytes = c_bytes,
            .vector_bytes = call.vector_bytes, .tile_rows = gemm_blocking::kRowsInRegisters,
            .tile_columns = gemm_blocking::vectors_in_registers(call.vector_bytes >= 64) * call.vector_bytes / c_bytes,
            .packed_a = call.workspace_address, .packed_b = call.workspace_address + (uint64_t{1} << 21), .packed_tensor = call.workspace_tensor, .sink = sink};
  const auto matrix = [&](const Operand& o, bool transposed) {
    const size_t r = o.type.strides.size();
    const int64_t own = size_bytes(o.type.dtype);
    Matrix x{o.address, o.type.strides[r - 2] * own, o.type.strides[r - 1] * own, o.tensor};
    if (transposed) std::swap(x.row, x.column);
    return x;
  };
  p.a = matrix(a, false), p.b = matrix(b, b_transposed), p.c = matrix(c, false);
  return p;
}

void run(const Product& p) {
  if (p.m == 1) vector_product(p);
  else blocked_product(p);
}

}  // namespace

void describe_product(const OpCall& call, const Operand& a, const Operand& b, const Operand& c, AccessSink& sink) {
  run(product_of(call, a, b, false, c, sink));
}

bool describe_matrix_product(const OpCall& call, AccessSink& sink) {
  const Operand &a = call.inputs[0], &b = call.inputs[1], &c = call.outputs[0];
  if (a.type.rank() < 2 || b.type.rank() < 2 || size_bytes(a.type.dtype) != size_bytes(b.type.dtype)) return false;
  const size_t rank = c.type.shape.size();
  Product p = product_of(call, a, b, call.node.op->name == "linear", c, sink);
  const Shape batch(c.type.shape.begin(), c.type.shape.end() - 2);
  // Leading axes: one product each; operands that lack an axis are used again.
  const auto moved = [&](const Operand& o, int64_t flat) {
    int64_t offset = 0;
    for (size_t axis = batch.size(); axis-- > 0;) {
      const int64_t index = flat % batch[axis];
      flat /= batch[axis];
      const auto own = static_cast<std::ptrdiff_t>(o.type.shape.size()) - static_cast<std::ptrdiff_t>(rank - axis);
      if (own >= 0 && o.type.shape[static_cast<size_t>(own)] != 1) offset += index * o.type.strides[static_cast<size_t>(own)];
    }
    return o.address + static_cast<uint64_t>(offset * static_cast<int64_t>(size_bytes(o.type.dtype)));
  };
  int64_t products = 1;
  for (const int64_t extent : batch) products *= extent;
  for (int64_t i = 0; i < products && !sink.stopped(); ++i) {
    p.a.address = moved(a, i), p.b.address = moved(b, i), p.c.address = moved(c, i);
    run(p);
  }
  for (size_t i = 2; i < call.inputs.size(); ++i) walk_alone(call.inputs[i], AccessKind::load, sink);
  return true;
}

}  // namespace engine::access
