// SPDX-License-Identifier: Apache-2.0
// OperandCheck: how infer functions refuse: the first thing that does not hold, in words, with operand names and both
// values.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/tensor.h"

namespace engine::ops {

/// What every Op::infer returns.
using InferResult = Result<std::vector<TensorType>>;

/// Checks the operands of one use of an op. Each check says whether it holds; after one that did not, error() tells
/// why:
/// "[add] dtypes differ: a is f32, b is f64". Later checks must not run (chain them with ||).
class OperandCheck {
 public:
  /// `names`: the operands in order; the last `optional` of them may be missing.
  OperandCheck(std::string_view op, std::span<const TensorType> inputs, std::initializer_list<std::string_view> names,
               size_t optional = 0)
      : op_(op), inputs_(inputs), names_(names), optional_(optional) {}

  /// Keeps "[op] " + message when `holds` is false.
  template <class... Values>
  bool that(bool holds, fmt::format_string<Values...> message, Values&&... values) {
    if (!holds) message_ = fmt::format("[{}] ", op_) + fmt::format(message, std::forward<Values>(values)...);
    return holds;
  }

  /// As many operands as there are names.
  bool operand_count();
  /// All operands from `first` on, up to `end`, have one dtype.
  bool same_dtype(size_t first = 0, size_t end = SIZE_MAX);
  /// Arithmetic is defined: any dtype but bool.
  bool numeric(size_t operand);
  bool floating(size_t operand);
  bool rank(size_t operand, int64_t rank);
  bool shape(size_t operand, const Shape& expected, std::string_view because);
  /// Every element of the result has an address: its bytes fit 63 bits (otherwise refused, with the bytes).
  bool addressable(std::string_view result, DType dtype, const Shape& shape);
  /// `strides` are dense for `shape`.
  bool dense(std::string_view result, const Shape& shape, const Strides& strides);
  /// Turns an axis counted from the end (-1) into one counted from the front; refuses those outside.
  bool axis(int64_t& axis, int64_t rank);

  Error error() const { return {kind_, message_}; }

 private:
  std::string_view op_;
  std::span<const TensorType> inputs_;
  std::vector<std::string_view> names_;
  size_t optional_;
  std::string message_;
  ErrorKind kind_ = ErrorKind::usage;
};

}  // namespace engine::ops
