// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters elements of short rows.
#include "engine/kernels/core/row_blocks.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "engine/kernels/core/copy-inl.h"
#include "engine/kernels/core/copy.h"

namespace engine::cpu {
namespace {

/// From this length on a row is one call of copy_row().
constexpr int64_t kLongRow = 32;

/// body(at, rows, row_stride, elements, index): `rows` rows of `elements` each, from address `at` on; `index`: of the
/// first of them among all asked for.
template <class Address, class Body>
void each_group(const NestOperand& operand, Address base, int64_t first, int64_t many, const Body& body) {
  const int last = operand.count - 2;  // the axis of rows; -1: there is one row
  const auto axis = [&](int i) -> const NestOperand::Axis& { return operand.axes[static_cast<size_t>(i)]; };
  const NestOperand::Axis& row = axis(operand.count - 1);
  std::array<int64_t, kMostBlockAxes + 1> position{};
  int64_t left = first / row.extent, inside = first % row.extent;
  Address at = base;
  for (int i = last; i >= 0; --i) {
    position[static_cast<size_t>(i)] = left % axis(i).extent;
    left /= axis(i).extent;
    at += position[static_cast<size_t>(i)] * axis(i).stride;
  }
  const auto go_on = [&](int64_t rows) {
    if (last < 0) return;
    at += rows * axis(last).stride;
    position[static_cast<size_t>(last)] += rows;
    for (int i = last; i > 0 && position[static_cast<size_t>(i)] == axis(i).extent; --i) {
      at += axis(i - 1).stride - axis(i).extent * axis(i).stride;
      position[static_cast<size_t>(i)] = 0;
      ++position[static_cast<size_t>(i - 1)];
    }
  };
  for (int64_t done = 0; done < many;) {
    if (inside > 0 || many - done < row.extent) {
      const int64_t part = std::min(many - done, row.extent - inside);
      body(at + inside * row.stride, 1, 0, part, done);
      done += part;
      inside = 0;
      go_on(1);
      continue;
    }
    const int64_t rows =
        last < 0 ? 1 : std::min((many - done) / row.extent, axis(last).extent - position[static_cast<size_t>(last)]);
    body(at, rows, last < 0 ? 0 : axis(last).stride, row.extent, done);
    done += rows * row.extent;
    go_on(rows);
  }
}

/// The first `bytes` of `to` again and again, up to `all`.
void repeat(std::byte* to, int64_t bytes, int64_t all) {
  for (int64_t done = bytes; done < all;) {
    const int64_t part = std::min(done, all - done);
    std::memcpy(to + done, to, static_cast<size_t>(part));
    done += part;
  }
}

/// body(std::integral_constant<int64_t, elements>) for short rows, whose loops the compiler unrolls; body(elements) for
/// others.
template <class Body>
[[gnu::always_inline]] inline void with_length(int64_t elements, const Body& body) {
  switch (elements) {
    case 1: return body(std::integral_constant<int64_t, 1>{});
    case 2: return body(std::integral_constant<int64_t, 2>{});
    case 3: return body(std::integral_constant<int64_t, 3>{});
    case 4: return body(std::integral_constant<int64_t, 4>{});
    case 5: return body(std::integral_constant<int64_t, 5>{});
    case 6: return body(std::integral_constant<int64_t, 6>{});
    case 7: return body(std::integral_constant<int64_t, 7>{});
    case 8: return body(std::integral_constant<int64_t, 8>{});
    case 16: return body(std::integral_constant<int64_t, 16>{});
    default: return body(elements);
  }
}

template <class T>
void copy_short_rows(const RowsOf<const std::byte*>& from, const RowsOf<std::byte*>& to, int64_t rows,
                     int64_t elements) {
  constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
  with_length(elements, [&](auto length) {
    if (from.stride == kBytes && to.stride == kBytes) {
      for (int64_t r = 0; r < rows; ++r)
        std::memcpy(to.at + r * to.row_stride, from.at + r * from.row_stride, static_cast<size_t>(length * kBytes));
      return;
    }
    if (from.stride == 0 && to.stride == kBytes) {
      for (int64_t r = 0; r < rows; ++r) {
        T value;
        std::memcpy(&value, from.at + r * from.row_stride, sizeof(T));
        for (int64_t i = 0; i < length; ++i) std::memcpy(to.at + r * to.row_stride + i * kBytes, &value, sizeof(T));
      }
      return;
    }
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < length; ++i)
        std::memcpy(to.at + r * to.row_stride + i * to.stride, from.at + r * from.row_stride + i * from.stride,
                    sizeof(T));
    }
  });
}

}  // namespace

void copy_rows(const RowsOf<const std::byte*>& from, const RowsOf<std::byte*>& to, int64_t rows, int64_t elements,
               int64_t element_bytes) {
  if (elements < kLongRow)
    return with_bytes(element_bytes, [&](auto zero) { copy_short_rows<decltype(zero)>(from, to, rows, elements); });
  for (int64_t r = 0; r < rows; ++r)
    copy_row(from.at + r * from.row_stride, from.stride, to.at + r * to.row_stride, to.stride, elements, element_bytes);
}

void NestOperand::join() {
  int kept = 0;
  for (int i = 1; i < count; ++i) {
    const Axis& inner = axes[static_cast<size_t>(i)];
    Axis& outer = axes[static_cast<size_t>(kept)];
    if (outer.stride == inner.stride * inner.extent) outer = {outer.extent * inner.extent, inner.stride};
    else axes[static_cast<size_t>(++kept)] = inner;
  }
  count = kept + 1;
}

void NestOperand::gather(const std::byte* base, int64_t first, int64_t many, std::byte* to) const {
  const int64_t stride = axes[static_cast<size_t>(count - 1)].stride;
  each_group(*this, base, first, many,
             [&](const std::byte* at, int64_t rows, int64_t row_stride, int64_t elements, int64_t index) {
               std::byte* const here = to + index * bytes;
               const bool again = row_stride == 0 && rows > 1;
               copy_rows({at, row_stride, stride}, {here, elements * bytes, bytes}, again ? 1 : rows, elements, bytes);
               if (again) repeat(here, elements * bytes, rows * elements * bytes);
             });
}

void NestOperand::scatter(const std::byte* from, int64_t first, int64_t many, std::byte* base) const {
  const int64_t stride = axes[static_cast<size_t>(count - 1)].stride;
  each_group(
      *this, base, first, many, [&](std::byte* at, int64_t rows, int64_t row_stride, int64_t elements, int64_t index) {
        copy_rows({from + index * bytes, elements * bytes, bytes}, {at, row_stride, stride}, rows, elements, bytes);
      });
}

}  // namespace engine::cpu
