// SPDX-License-Identifier: Apache-2.0
// What the rungs of the ladder access: their loops (ladder_loops.h), whose parts are said instead of computed.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/teaching/ladder_loops.h"

namespace engine::access {
namespace {

using loops::Range;

/// What the parts of ladder_loops.h access. `lanes`: of the vectors along rows of c; 1: none.
class DescribedLadder {
 public:
  DescribedLadder(const OpCall& call, int64_t lanes, AccessSink& sink)
      : a_(call.inputs[0]),
        b_(call.inputs[1]),
        c_(call.outputs[0]),
        n_(c_.type.shape[1]),
        k_(a_.type.shape[1]),
        row_of_b_(b_.type.strides[0]),
        bytes_(size_bytes(c_.type.dtype)),
        lanes_(lanes),
        sink_(sink) {}

  bool stopped() const { return sink_.stopped(); }

  void element(int64_t i, int64_t j) {
    sink_.group(k_, {access(a_, i * k_, 1), access(b_, j, row_of_b_)});
    sink_.group(1, {access(c_, i * n_ + j, 0, AccessKind::store)});
  }
  void clear() { sink_.group(c_.type.elements(), {access(c_, 0, 1, AccessKind::store)}); }
  void sigmoid() {
    along(c_.type.elements(), [&](int64_t first, int64_t count, int64_t width) {
      sink_.group(count, {access(c_, first, width, AccessKind::load, width),
                          access(c_, first, width, AccessKind::store, width)});
    });
  }

  /// A nest, or several one below the other.
  void add_tile(Range i, Range k, Range j) {
    constexpr int64_t kAtOnce = 1 << 20;  // steps in a nest, beyond which a listener who has heard enough would wait
    const int64_t rows = std::clamp<int64_t>(kAtOnce / (k.size() * j.size()), 1, i.size());
    for (int64_t first = i.begin; first < i.end && !stopped(); first += rows)
      add_rows({first, std::min(i.end, first + rows)}, k, j);
  }

  void tile(int64_t i, int64_t rows, int64_t j) {
    std::vector<AccessStream> streams{access(b_, j, row_of_b_, AccessKind::load, lanes_),
                                      access(b_, j + lanes_, row_of_b_, AccessKind::load, lanes_)};
    for (int64_t r = 0; r < rows; ++r) streams.push_back(access(a_, (i + r) * k_, 1));
    sink_.group(k_, streams);
    for (int64_t r = 0; r < rows; ++r)
      sink_.group(2, {access(c_, (i + r) * n_ + j, lanes_, AccessKind::store, lanes_)});
  }

 private:
  AccessStream access(const Operand& x, int64_t element, int64_t stride, AccessKind kind = AccessKind::load,
                      int64_t width = 1) const {
    return {x.address + static_cast<uint64_t>(element * bytes_), stride * bytes_, x.tensor,
            static_cast<uint16_t>(width * bytes_), kind};
  }
  /// `count` elements: as many whole vectors as they fill, the rest one by one.
  template <class Part>
  void along(int64_t count, const Part& part) const {
    const int64_t vectors = count / lanes_, rest = count - vectors * lanes_;
    if (vectors > 0) part(int64_t{0}, vectors, lanes_);
    if (rest > 0) part(vectors * lanes_, rest, int64_t{1});
  }
  void add_rows(Range i, Range k, Range j) {
    const int64_t row_of_a = k_ * bytes_, row_of_b = row_of_b_ * bytes_, row_of_c = n_ * bytes_;
    const NestedStream a{access(a_, i.begin * k_ + k.begin, 0), bytes_, row_of_a};
    std::vector<std::array<NestedStream, 3>> parts;
    std::vector<NestedGroup> groups{{1, {&a, 1}}};
    parts.reserve(2);
    along(j.size(), [&](int64_t first, int64_t count, int64_t width) {
      const int64_t at = j.begin + first;
      const AccessStream c = access(c_, i.begin * n_ + at, width, AccessKind::load, width),
                         b = access(b_, k.begin * row_of_b_ + at, width, AccessKind::load, width),
                         to_c = access(c_, i.begin * n_ + at, width, AccessKind::store, width);
      parts.push_back({{{b, row_of_b, 0}, {c, 0, row_of_c}, {to_c, 0, row_of_c}}});
      groups.push_back({count, parts.back()});
    });
    sink_.nest(i.size(), k.size(), groups);
  }

  const Operand &a_, &b_, &c_;
  int64_t n_, k_, row_of_b_, bytes_, lanes_;
  AccessSink& sink_;
};

}  // namespace

bool describe_ladder(const OpCall& call, AccessSink& sink) {
  const TensorType &a = call.inputs[0].type, &b = call.inputs[1].type, &c = call.outputs[0].type;
  const bool rows_in_order = (b.shape[1] <= 1 || b.strides[1] == 1) && (b.shape[0] <= 1 || b.strides[0] >= b.shape[1]);
  if (!is_contiguous(a.shape, a.strides) || !rows_in_order) return false;  // the reference computes it
  const Attributes& attributes = call.node.attributes;
  const loops::LadderShape shape{
      .m = c.shape[0], .n = c.shape[1], .k = a.shape[1], .sigmoid = attributes.get_int("sigmoid", 0) != 0};
  const std::string rung = attributes.get_string("rung", "naive");
  const int64_t tile = attributes.get_int("tile", 64), bytes = size_bytes(c.dtype);
  DescribedLadder scalars(call, 1, sink);
  const auto tiled_by_vectors_of = [&](int64_t vector_bytes) {
    DescribedLadder vectors(call, vector_bytes / bytes, sink);
    loops::ladder_tiled(shape, tile, vectors);
  };
  if (rung == "naive") loops::ladder_naive(shape, scalars);
  else if (rung == "reordered") loops::ladder_reordered(shape, scalars);
  else if (rung == "tiled") loops::ladder_tiled(shape, tile, scalars);
  else if (rung == "simd128") tiled_by_vectors_of(16);
  else if (rung == "simd256") tiled_by_vectors_of(32);
  else if (rung == "simd512") tiled_by_vectors_of(64);
  else if (rung == "registers") {
    const int64_t lanes = call.vector_bytes / bytes;
    DescribedLadder vectors(call, lanes, sink);
    loops::ladder_registers(shape, lanes, loops::ladder_rows_in_registers(call.vector_bytes >= 64), vectors);
  } else {
    if (!describe_matrix_product(call, sink)) return false;
    if (shape.sigmoid) scalars.sigmoid();
  }
  return true;
}

}  // namespace engine::access
