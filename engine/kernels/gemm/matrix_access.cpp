// SPDX-License-Identifier: Apache-2.0
// Matrix products: what the parts of own ones (gemm_loops.h) access; libraries block alike.
#include <algorithm>
#include <utility>

#include "engine/kernels/gemm/gemm_loops.h"
#include "engine/kernels/gemm/inner_product_loops.h"
#include "engine/kernels/gemm/joined_rows_rule.h"
#include "engine/kernels/gemm/matrix_access.h"

namespace engine::access {
namespace {

using loops::Range;

/// A stream of single elements, or of `vector` bytes at a time.
AccessStream stream(const Matrix& x, uint64_t address, int64_t stride, AccessKind kind = AccessKind::load,
                    int64_t vector = 0) {
  return {address, stride, x.tensor, static_cast<uint16_t>(vector > 0 ? vector : x.bytes), kind};
}
AccessStream stored(AccessStream s) {
  s.kind = AccessKind::store;
  return s;
}

/// `group` where it has anything.
void say(AccessSink& sink, int64_t iterations, std::span<const AccessStream> streams) {
  if (iterations > 0) sink.group(iterations, streams);
}
void say(AccessSink& sink, int64_t iterations, std::initializer_list<AccessStream> streams) {
  say(sink, iterations, std::span(streams.begin(), streams.size()));
}

loops::GemmShape shape_of(const Product& p) {
  return {.m = p.m,
          .n = p.n,
          .k = p.k,
          .row_of_a_bytes = p.a.row,
          .rows_of_a_are_neighbours = p.a.row == p.a.bytes,
          .steps_of_a_are_neighbours = p.a.column == p.a.bytes,
          .columns_of_b_are_neighbours = p.b.column == p.b.bytes,
          .steps_of_b_are_neighbours = p.b.row == p.b.bytes,
          .accumulate = p.accumulate};
}

/// What is written to results: c itself, or c with what its sums begin with.
class Results {
 public:
  explicit Results(const Product& p) : p_(p) {}
  /// `count` times `vector` bytes of c (0: an element each) from (i, j) on, which is read before (`add`), or else a
  /// bias, if there is one.
  void write(int64_t i, int64_t j, int64_t count, bool add, int64_t vector = 0) const {
    const AccessStream c = stream(p_.c, p_.c.at(i, j), vector > 0 ? vector : p_.c.column, AccessKind::load, vector);
    if (add) say(p_.sink, count, {c, stored(c)});
    else if (p_.bias != nullptr) say(p_.sink, count, {bias(j, vector), stored(c)});
    else say(p_.sink, count, {stored(c)});
  }

 private:
  AccessStream bias(int64_t j, int64_t vector) const {
    const int64_t bytes = size_bytes(p_.bias->type.dtype), step = p_.bias->type.strides.back() * bytes;
    const int64_t of_vector = vector / p_.c.bytes * bytes;
    return {p_.bias->address + static_cast<uint64_t>(j * step), vector > 0 ? of_vector : step, p_.bias->tensor,
            static_cast<uint16_t>(vector > 0 ? of_vector : bytes), AccessKind::load};
  }
  const Product& p_;
};

/// The parts of loops::gemm.
class DescribedGemm {
 public:
  DescribedGemm(const Product& p, const loops::GemmTiles& tiles)
      : p_(p),
        t_(tiles),
        results_(p),
        packed_b_{p.workspace, 0, 0, p.workspace_tensor, p.b.bytes},
        packed_a_{p.workspace + static_cast<uint64_t>(tiles.packed_columns(p.n, p.k) * p.b.bytes), 0, 0,
                  p.workspace_tensor, p.a.bytes} {}

  bool stopped() const { return p_.sink.stopped(); }

  void pack_lines(Range steps, Range columns, int64_t to) {
    const int64_t vector = t_.lanes * p_.b.bytes;
    for (int64_t k = 0; k < steps.size() && !stopped(); ++k) {
      say(p_.sink, columns.size() / t_.lanes,
          {stream(p_.b, p_.b.at(steps.begin + k, columns.begin), vector, AccessKind::load, vector),
           stream(packed_b_, packed(packed_b_, to + k * t_.columns), vector, AccessKind::store, vector)});
    }
  }
  void pack_columns(Range steps, Range columns, int64_t to) {
    for (int64_t j = 0; j < columns.size(); ++j)
      copy(steps.size(), p_.b, p_.b.at(steps.begin, columns.begin + j), p_.b.row, packed_b_, to + j, t_.columns);
    for (int64_t j = columns.size(); j % t_.lanes != 0; ++j)
      say(p_.sink, steps.size(),
          {stream(packed_b_, packed(packed_b_, to + j), t_.columns * p_.b.bytes, AccessKind::store)});
  }
  void pack_rows_by_vectors(Range rows, Range steps, int64_t to) {
    const int64_t vector = t_.lanes * p_.a.bytes;
    std::vector<AccessStream> streams;
    for (int64_t r = 0; r < rows.size(); ++r)
      streams.push_back(stream(p_.a, p_.a.at(rows.begin + r, steps.begin), vector, AccessKind::load, vector));
    for (int64_t part = 0; part < rows.size(); ++part)
      streams.push_back(stream(packed_a_, packed(packed_a_, to + part * t_.lanes), loops::kRowsInRegisters * vector,
                               AccessKind::store, vector));
    say(p_.sink, steps.size() / t_.lanes, streams);
  }
  void pack_rows(Range rows, Range steps, int64_t to) {
    if (const int64_t panel = loops::kRowsInRegisters * p_.a.bytes;
        rows.size() == loops::kRowsInRegisters && p_.a.row == p_.a.bytes) {  // moved as one
      return say(p_.sink, steps.size(),
                 {stream(p_.a, p_.a.at(rows.begin, steps.begin), p_.a.column, AccessKind::load, panel),
                  stream(packed_a_, packed(packed_a_, to), panel, AccessKind::store, panel)});
    }
    for (int64_t k = 0; k < steps.size() && !stopped(); ++k) {
      const int64_t at = to + k * loops::kRowsInRegisters;
      copy(rows.size(), p_.a, p_.a.at(rows.begin, steps.begin + k), p_.a.row, packed_a_, at, 1);
      say(p_.sink, loops::kRowsInRegisters - rows.size(),
          {stream(packed_a_, packed(packed_a_, at + rows.size()), p_.a.bytes, AccessKind::store)});
    }
  }

  /// Each step loads a row of the panel of b as vectors and one element of a per row.
  void tile(const loops::GemmTile& t) {
    const int64_t vector = t_.lanes * p_.b.bytes, vectors = (t.columns.size() + t_.lanes - 1) / t_.lanes;
    std::vector<AccessStream> streams;
    for (int64_t v = 0; v < vectors; ++v) {
      const AccessStream panel = stream(packed_b_, packed(packed_b_, t.packed_columns + v * t_.lanes),
                                        t_.columns * p_.b.bytes, AccessKind::load, vector);
      streams.push_back(t.columns_in_place ? stream(p_.b, p_.b.at(t.steps.begin, t.columns.begin + v * t_.lanes),
                                                    p_.b.row, AccessKind::load, vector)
                                           : panel);
      if (t.beside == loops::Beside::pack) streams.push_back(stored(panel));
    }
    for (int64_t r = 0; r < t.rows.size(); ++r) {
      streams.push_back(t.rows_in_place ? stream(p_.a, p_.a.at(t.rows.begin + r, t.steps.begin), p_.a.column)
                                        : stream(packed_a_, packed(packed_a_, t.packed_rows + r),
                                                 loops::kRowsInRegisters * p_.a.bytes));
    }
    say(p_.sink, t.steps.size(), streams);
    const bool whole = t.columns.size() == vectors * t_.lanes && p_.c.column == p_.c.bytes;
    for (int64_t i = t.rows.begin; i < t.rows.end; ++i) {
      if (whole) results_.write(i, t.columns.begin, vectors, t.add, t_.lanes * p_.c.bytes);
      else results_.write(i, t.columns.begin, t.columns.size(), t.add);
    }
  }

 private:
  static uint64_t packed(const Matrix& panels, int64_t element) {
    return panels.address + static_cast<uint64_t>(element * panels.bytes);
  }
  /// `count` elements, one after the other.
  void copy(int64_t count, const Matrix& x, uint64_t from, int64_t stride, const Matrix& panels, int64_t to,
            int64_t step) {
    say(p_.sink, count,
        {stream(x, from, stride), stream(panels, packed(panels, to), step * panels.bytes, AccessKind::store)});
  }

  const Product& p_;
  const loops::GemmTiles t_;
  Results results_;
  Matrix packed_b_, packed_a_;
};

/// The parts of loops::vector_times_matrix; element by element where b's rows have gaps within.
class DescribedVectorProduct {
 public:
  explicit DescribedVectorProduct(const Product& p)
      : p_(p),
        results_(p),
        x_(p.a),
        lanes_(p.b.row == p.b.bytes || p.b.column == p.b.bytes ? std::max<int64_t>(1, p.vector_bytes / p.c.bytes) : 1) {
  }

  bool stopped() const { return p_.sink.stopped(); }

  void gather() {
    x_ = {p_.workspace, 0, p_.a.bytes, p_.workspace_tensor, p_.a.bytes};
    say(p_.sink, p_.k, {stream(p_.a, p_.a.address, p_.a.column), stored(stream(x_, x_.address, x_.column))});
  }
  /// Two vectors of x and of each column at a time (where there are fewer columns, of the last one again), then what is
  /// left.
  void dot(Range columns) {
    const int64_t whole = p_.k / (2 * lanes_) * 2 * lanes_;
    std::vector<AccessStream> streams{vector_of(x_, x_.at(0, 0)), vector_of(x_, x_.at(0, lanes_))};
    for (int64_t q = 0; q < loops::kVectorAtOnce; ++q) {
      const int64_t j = std::min(columns.begin + q, columns.end - 1);
      for (const int64_t k : {int64_t{0}, lanes_}) streams.push_back(vector_of(p_.b, p_.b.at(k, j)));
    }
    say(p_.sink, whole / (2 * lanes_), streams);
    for (int64_t j = columns.begin; j < columns.end; ++j) {
      say(p_.sink, p_.k - whole, {stream(x_, x_.at(0, whole), x_.column), stream(p_.b, p_.b.at(whole, j), p_.b.row)});
      results_.write(0, j, 1, p_.accumulate);
    }
  }
  void begin(Range columns) {
    if (!p_.accumulate) results_.write(0, columns.begin, columns.size(), false);
  }
  void add_rows(Range steps, Range columns) {
    for (int64_t k = steps.begin; k < steps.end; ++k) say(p_.sink, 1, {stream(x_, x_.at(0, k), 0)});
    const int64_t lanes = steps.size() > 1 ? lanes_ : 1, whole = columns.size() / lanes * lanes;
    for (const auto& [first, count, width] : {std::tuple{columns.begin, whole / lanes, lanes},
                                              {columns.begin + whole, columns.size() - whole, int64_t{1}}}) {
      std::vector<AccessStream> streams;
      for (int64_t k = steps.begin; k < steps.end; ++k)
        streams.push_back(
            stream(p_.b, p_.b.at(k, first), width * p_.b.column, AccessKind::load, width > 1 ? width * p_.b.bytes : 0));
      streams.push_back(
          stream(p_.c, p_.c.at(0, first), width * p_.c.column, AccessKind::load, width > 1 ? width * p_.c.bytes : 0));
      streams.push_back(stored(streams.back()));
      say(p_.sink, count, streams);
    }
  }

 private:
  /// A vector of x's neighbours after another, and so on, two at a time.
  AccessStream vector_of(const Matrix& x, uint64_t at) const {
    return stream(x, at, 2 * lanes_ * x.bytes, AccessKind::load, lanes_ * x.bytes);
  }

  const Product& p_;
  Results results_;
  Matrix x_;
  int64_t lanes_;
};

/// Of the last two axes; `b_transposed`: b lies as weights of linear layers do.
Product product_of(const OpCall& call, const Operand& a, const Operand& b, bool b_transposed, const Operand& c,
                   AccessSink& sink) {
  const size_t rank = c.type.shape.size();
  const auto matrix = [&](const Operand& o, bool transposed) {
    const size_t r = o.type.strides.size();
    const int64_t own = size_bytes(o.type.dtype);
    Matrix x{o.address, o.type.strides[r - 2] * own, o.type.strides[r - 1] * own, o.tensor, own};
    if (transposed) x.transpose();
    return x;
  };
  return {.a = matrix(a, false),
          .b = matrix(b, b_transposed),
          .c = matrix(c, false),
          .m = c.type.shape[rank - 2],
          .n = c.type.shape[rank - 1],
          .k = a.type.shape.back(),
          .vector_bytes = call.vector_bytes,
          .workspace = call.workspace_address,
          .workspace_tensor = call.workspace_tensor,
          .sink = sink};
}

loops::GemmTiles tiles_of(int64_t vector_bytes, int64_t element_bytes) {
  return loops::gemm_tiles(vector_bytes >= 64, std::max<int64_t>(1, vector_bytes / element_bytes));
}

void run_tiles(const Product& p) {
  const loops::GemmTiles tiles = tiles_of(p.vector_bytes, p.c.bytes);
  DescribedGemm parts(p, tiles);
  loops::gemm(shape_of(p), tiles, parts);
}

/// The parts of loops::inner_product.
struct DescribedInnerProduct {
  Product p;
  void scale() {
    const loops::GemmTiles tiles = tiles_of(p.vector_bytes, p.c.bytes);
    const int64_t panels = loops::in_lines(tiles.packed_columns(p.n, p.k) + tiles.packed_rows(p.m, p.k));
    const Matrix to{p.workspace + static_cast<uint64_t>(panels * p.a.bytes), p.k * p.a.bytes, p.a.bytes,
                    p.workspace_tensor, p.a.bytes};
    for (int64_t i = 0; i < p.m && !p.sink.stopped(); ++i)
      say(p.sink, p.k, {stream(p.a, p.a.at(i, 0), p.a.column), stored(stream(to, to.at(i, 0), to.column))});
    p.a = to;
  }
  void multiply() { run_tiles(p); }
};

void run(Product p) {
  if (loops::is_computed_transposed(p.m, p.n, p.bias != nullptr)) {
    std::swap(p.a, p.b), std::swap(p.m, p.n);
    for (Matrix* x : {&p.a, &p.b, &p.c}) x->transpose();
  }
  describe_gemm(p, p.m == 1);
}

}  // namespace

void describe_gemm(const Product& p, bool by_vector) {
  if (by_vector) {
    DescribedVectorProduct parts(p);
    loops::vector_times_matrix(shape_of(p), parts);
    return;
  }
  run_tiles(p);
}

void describe_product(const OpCall& call, const Operand& a, const Operand& b, const Operand& c, const InnerProduct& how,
                      AccessSink& sink) {
  Product p = product_of(call, a, b, false, c, sink);
  if (p.m == 0 || p.n == 0) return;
  p.workspace = how.scratch;
  p.accumulate = how.accumulate;
  if (!call.own_products) return run(p);
  DescribedInnerProduct parts{p};
  loops::inner_product(how.scaled, parts);
}

int64_t panel_elements(const OpCall& call, int64_t element_bytes, int64_t m, int64_t n, int64_t k) {
  const loops::GemmTiles tiles = tiles_of(call.vector_bytes, element_bytes);
  return tiles.packed_columns(n, k) + tiles.packed_rows(m, k);
}
int64_t panel_columns(const OpCall& call, int64_t element_bytes) {
  return tiles_of(call.vector_bytes, element_bytes).columns;
}

void describe_tiles(const OpCall& call, const Operand& a, const Operand& b, const Operand& c, const InnerProduct& how,
                    AccessSink& sink) {
  Product p = product_of(call, a, b, false, c, sink);
  p.workspace = how.scratch;
  p.accumulate = how.accumulate;
  run_tiles(p);
}

bool describe_matrix_product(const OpCall& call, AccessSink& sink) {
  const Operand &a = call.inputs[0], &b = call.inputs[1], &c = call.outputs[0];
  if (a.type.rank() < 2 || b.type.rank() < 2 || size_bytes(a.type.dtype) != size_bytes(b.type.dtype)) return false;
  const size_t rank = c.type.shape.size();
  const bool linear = call.node.op->name == "linear";
  if (const auto joined = joined_rows(linear, a.type, b.type, c.type)) {
    OpCall rows = call;
    rows.inputs[0].type = joined->a, rows.inputs[1].type = joined->b, rows.outputs[0].type = joined->c;
    return describe_matrix_product(rows, sink);
  }
  Product p = product_of(call, a, b, linear, c, sink);
  if (linear && call.inputs.size() > 2) p.bias = &call.inputs[2];
  const Shape batch(c.type.shape.begin(), c.type.shape.end() - 2);
  // Leading axes: one product each; operands that lack an axis are used again.
  const auto moved = [&](const Operand& o, int64_t flat) {
    int64_t offset = 0;
    for (size_t axis = batch.size(); axis-- > 0;) {
      const int64_t index = flat % batch[axis];
      flat /= batch[axis];
      const auto own = static_cast<std::ptrdiff_t>(o.type.shape.size()) - static_cast<std::ptrdiff_t>(rank - axis);
      if (own >= 0 && o.type.shape[static_cast<size_t>(own)] != 1)
        offset += index * o.type.strides[static_cast<size_t>(own)];
    }
    return o.address + static_cast<uint64_t>(offset * static_cast<int64_t>(size_bytes(o.type.dtype)));
  };
  int64_t products = 1;
  for (const int64_t extent : batch) products *= extent;
  for (int64_t i = 0; i < products && !sink.stopped(); ++i) {
    p.a.address = moved(a, i), p.b.address = moved(b, i), p.c.address = moved(c, i);
    run(p);
  }
  for (size_t i = linear ? 3 : 2; i < call.inputs.size(); ++i) walk_alone(call.inputs[i], AccessKind::load, sink);
  return true;
}

}  // namespace engine::access
