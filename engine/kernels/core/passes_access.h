// SPDX-License-Identifier: Apache-2.0
// What descriptions of ops that go line by line are said with: lines, and passes over their elements as vectors take
// them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "engine/kernels/core/describe_access.h"

namespace engine::access {

inline constexpr AccessKind kStore = AccessKind::store;

/// Whether tables of so many entries of so many numbers, which a kernel makes before it runs, are small enough to be
/// made for a description: a file may claim any shape.
inline bool fits_tables(const OpCall& call, int64_t entries, int64_t numbers = 1) {
  return entries <= static_cast<int64_t>(call.workspace_bytes / sizeof(int64_t)) / numbers;
}

/// Elements of a line, or a single one.
struct Line {
  uint64_t address = 0;
  int64_t stride = 0;  ///< bytes
  uint32_t tensor = 0;
  int64_t bytes = 4;  ///< of an element
};
/// One of a pass.
struct Access {
  const Line& line;
  AccessKind kind = AccessKind::load;
};

/// Line `number` of an operand, along its last axis.
inline Line line_of(const Operand& o, int64_t number) {
  const int64_t bytes = size_bytes(o.type.dtype);
  int64_t offset = 0;
  for (size_t axis = o.type.shape.size() - 1; axis-- > 0; number /= o.type.shape[axis])
    offset += number % o.type.shape[axis] * o.type.strides[axis];
  return {o.address + static_cast<uint64_t>(offset * bytes), o.type.strides.back() * bytes, o.tensor, bytes};
}
/// `count` neighbours from element `first` on.
inline Line neighbours(const Operand& o, int64_t first) {
  const int64_t bytes = size_bytes(o.type.dtype);
  return {o.address + static_cast<uint64_t>(first * bytes), bytes, o.tensor, bytes};
}

/// `count` elements of `bytes` bytes in the workspace, `at` bytes from its begin.
inline Line in_workspace(const OpCall& call, int64_t at, int64_t bytes) {
  return {call.workspace_address + static_cast<uint64_t>(at), bytes, call.workspace_tensor, bytes};
}
/// Element `first` of a line.
inline Line from(Line line, int64_t first) {
  line.address += static_cast<uint64_t>(first * line.stride);
  return line;
}
/// Whether own kernels compute in the type as it is.
inline bool has_own_loops(const OpCall& call) {
  const DType dtype = call.outputs[0].type.dtype;
  const auto same = [dtype](const Operand& o) { return o.type.dtype == dtype; };
  return (dtype == DType::float32 || dtype == DType::float64) && std::ranges::all_of(call.inputs, same) &&
         std::ranges::all_of(call.outputs, same);
}

/// In one dense layout: elements go as they lie.
inline bool lie_alike(const Operand& x, const Operand& y) {
  return x.type.elements() > 0 && is_dense(x.type.shape, x.type.strides) && x.type.strides == y.type.strides;
}

/// Goes through lines of `length` elements; in vectors where all lines' elements are neighbours.
class Passes {
 public:
  Passes(int64_t length, int64_t vector_bytes, AccessSink& sink)
      : length_(length), vector_bytes_(vector_bytes), sink_(sink) {}

  bool stopped() const { return sink_.stopped(); }
  int64_t length() const { return length_; }

  /// All elements: as many whole vectors as they fill, the rest one by one.
  void all(std::initializer_list<Access> of) {
    const int64_t rest = length_ % lanes_of(of);
    stretch(of, 0, length_ - rest, lanes_of(of));
    stretch(of, length_ - rest, rest, 1);
  }
  /// All elements: as many whole vectors as they fill, the rest as a part of one (for_vectors() in memory-inl.h).
  void vectors(std::initializer_list<Access> of) {
    const int64_t rest = length_ % lanes_of(of);
    stretch(of, 0, length_ - rest, lanes_of(of));
    stretch(of, length_ - rest, rest, rest);
  }
  void one(const Line& line, AccessKind kind = AccessKind::load) { sink_.group(1, {stream(line, 0, 0, 1, kind)}); }
  /// Of a line that lies together: a first guess, then the rest with it.
  void largest(const Line& x) {
    one(x);
    vectors({{x}});
  }
  /// Down rows that lie behind one another, vector after vector of their elements: `before`, then `of_row` for each of
  /// them, then `after`.
  void down(std::initializer_list<Access> before, int64_t rows, std::initializer_list<Access> of_row,
            std::initializer_list<Access> after) {
    const int64_t lanes = lanes_of(of_row), whole = length_ / lanes;
    const auto part = [&](int64_t first, int64_t count, int64_t width) {
      const auto streams = [&](std::initializer_list<Access> of, int64_t steps) {
        std::vector<NestedStream> all;
        for (const Access& a : of)
          all.push_back({stream(a.line, first, steps * a.line.stride, width, a.kind), width * a.line.stride, 0});
        return all;
      };
      const std::vector<NestedStream> b = streams(before, 0), r = streams(of_row, length_), e = streams(after, 0);
      if (count > 0) sink_.nest(1, count, std::array<NestedGroup, 3>{NestedGroup{1, b}, {rows, r}, {1, e}});
    };
    part(0, whole, lanes);
    if (const int64_t rest = length_ - whole * lanes; rest > 0) part(whole * lanes, 1, rest);
  }
  void one_by_one(int64_t count, std::initializer_list<Access> of) {
    std::vector<AccessStream> streams;
    for (const Access& a : of) streams.push_back(stream(a.line, 0, a.line.stride, 1, a.kind));
    if (count > 0) sink_.group(count, streams);
  }

 private:
  static AccessStream stream(const Line& line, int64_t first, int64_t step, int64_t width, AccessKind kind) {
    return {line.address + static_cast<uint64_t>(first * line.stride), step, line.tensor,
            static_cast<uint16_t>(width * line.bytes), kind};
  }
  /// Elements of a vector; of the widest ones.
  int64_t lanes_of(std::initializer_list<Access> of) const {
    int64_t widest = 1;
    for (const Access& a : of) {
      if (a.line.stride != a.line.bytes) return 1;
      widest = std::max(widest, a.line.bytes);
    }
    return std::max<int64_t>(1, vector_bytes_ / widest);
  }
  /// `count` elements from `first` on, `width` at a time.
  void stretch(std::initializer_list<Access> of, int64_t first, int64_t count, int64_t width) {
    std::vector<AccessStream> streams;
    for (const Access& a : of) streams.push_back(stream(a.line, first, width * a.line.stride, width, a.kind));
    if (count > 0) sink_.group(count / width, streams);
  }

  int64_t length_, vector_bytes_;
  AccessSink& sink_;
};

/// The parts of softmax and its logarithm, of one line.
struct SoftmaxRow {
  Passes& passes;
  Line x, y;
  void largest() { passes.largest(x); }
  void exponentials() { passes.vectors({{x}, {y, kStore}}); }
  void scale() { passes.vectors({{y}, {y, kStore}}); }
  void sum_exponentials() { passes.vectors({{x}}); }
  void subtract() { passes.vectors({{x}, {y, kStore}}); }
};

}  // namespace engine::access
