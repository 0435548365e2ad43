// SPDX-License-Identifier: Apache-2.0
// Softmax, its logarithm and cross entropy: what the parts of engine/kernels/core/rows_loops.h and
// cross_entropy_loops.h access.
#include "engine/kernels/core/rows_loops.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "engine/kernels/core/passes_access.h"
#include "engine/kernels/softmax/cross_entropy_loops.h"
#include "engine/kernels/softmax/row_nest_loops.h"

namespace engine::access {
namespace {

/// Of their gradients.
struct SoftmaxGradient {
  Passes& passes;
  Line dy, y, dx;
  bool logarithmic;
  void sum() {
    if (logarithmic) passes.vectors({{dy}});
    else passes.vectors({{dy}, {y}});
  }
  void gradient() { passes.vectors({{y}, {dy}, {dx, kStore}}); }
};

/// Lines whose elements have gaps are gathered first, and results of such laid out at the end.
class Gathered {
 public:
  Gathered(const OpCall& call, Passes& passes)
      : at_(call.workspace_address), tensor_(call.workspace_tensor), passes_(passes) {}
  /// Whether there is room for each of these lines that has gaps.
  static bool fits(const OpCall& call, std::span<const Line> lines, int64_t length) {
    uint64_t left = call.workspace_bytes;
    for (const Line& line : lines) {
      if (line.stride == line.bytes || length == 1) continue;
      if (static_cast<uint64_t>(length) > left / static_cast<uint64_t>(line.bytes)) return false;
      left -= std::min(left, placed(length * line.bytes));
    }
    return true;
  }
  Line input(const Line& line) {
    if (!apart(line)) return line;
    const Line own = place(line);
    passes_.one_by_one(passes_.length(), {{line}, {own, kStore}});
    return own;
  }
  Line output(const Line& line) { return apart(line) ? place(line) : line; }
  void finish(const Line& made, const Line& line) {
    if (apart(line)) passes_.one_by_one(passes_.length(), {{made}, {line, kStore}});
  }

 private:
  /// In whole lines of a cache.
  static uint64_t placed(int64_t bytes) {
    constexpr uint64_t kCacheLine = 64;
    return (static_cast<uint64_t>(bytes) + kCacheLine - 1) / kCacheLine * kCacheLine;
  }
  bool apart(const Line& line) const { return line.stride != line.bytes && passes_.length() > 1; }
  Line place(const Line& line) {
    const Line own{at_, line.bytes, tensor_, line.bytes};
    at_ += placed(passes_.length() * line.bytes);
    return own;
  }
  uint64_t at_;
  uint32_t tensor_;
  Passes& passes_;
};

/// The parts of cross entropy. Which logit a label names is not known: the first.
struct CrossEntropy {
  const OpCall& call;
  Passes passes;

  Line loss(int64_t line) const {
    return {call.workspace_address + static_cast<uint64_t>(line) * sizeof(double), sizeof(double),
            call.workspace_tensor, sizeof(double)};
  }
  void label(int64_t line) {
    passes.one(neighbours(call.inputs[1], line * call.inputs[1].type.strides[0]));
    passes.one(line_of(call.inputs[0], line));
  }
  void softmax(int64_t line) {
    SoftmaxRow parts{passes, line_of(call.inputs[0], line), line_of(call.outputs[1], line)};
    loops::softmax_row(parts);
  }
  void keep(int64_t line) { passes.one(loss(line), kStore); }
};
/// Of its gradient.
struct CrossEntropyGradient {
  const OpCall& call;
  Passes passes;

  Line p(int64_t line) const { return line_of(call.inputs[1], line); }
  Line dlogits(int64_t line) const { return line_of(call.outputs[0], line); }
  void label(int64_t line) { passes.one(neighbours(call.inputs[2], line * call.inputs[2].type.strides[0])); }
  void scale(int64_t line) { passes.vectors({{p(line)}, {dlogits(line), kStore}}); }
  void subtract(int64_t line) {
    passes.one(p(line));
    passes.one(dlogits(line), kStore);
  }
};
/// Lines of classes side by side, of a type that own kernels compute in.
bool own_rows(const TensorType& type) {
  return type.rank() == 2 && type.elements() > 0 && (type.shape[1] == 1 || type.strides[1] == 1) &&
         (type.dtype == DType::float32 || type.dtype == DType::float64);
}

}  // namespace

/// Along any axis; line after line as y lies, as the kernel's nest has them.
bool describe_softmax(const OpCall& call, AccessSink& sink) {
  const Operand& y = call.outputs[0];
  const int64_t rank = y.type.rank(), given = call.node.attributes.get_int("axis", -1),
                axis = given < 0 ? given + rank : given;
  if (!has_own_loops(call) || y.type.elements() == 0 || axis < 0 || axis >= rank) return false;
  const bool logarithmic = call.node.op->name.starts_with("log_"), gradient = call.inputs.size() == 2;
  const Operand* const operands[] = {&y, &call.inputs[0], &call.inputs.back()};
  const int count = gradient ? 3 : 2;
  using Nest = loops::RowNest<3>;
  std::vector<Nest::Axis> axes;
  std::array<Line, 3> along{};
  std::array<uint64_t, 3> base{};
  for (int64_t a = 0; a < rank; ++a) {
    Nest::Axis one{.extent = y.type.shape[static_cast<size_t>(a)]};
    for (size_t k = 0; k < static_cast<size_t>(count); ++k)
      one.stride[k] = operands[k]->type.strides[static_cast<size_t>(a)] * size_bytes(y.type.dtype);
    if (a != axis) axes.push_back(one);
    for (size_t k = 0; k < static_cast<size_t>(count) && a == axis; ++k)
      along[k] = {0, one.stride[k], operands[k]->tensor, size_bytes(y.type.dtype)};
  }
  for (size_t k = 0; k < static_cast<size_t>(count); ++k) base[k] = operands[k]->address;
  const int64_t length = y.type.shape[static_cast<size_t>(axis)];
  if (!Gathered::fits(call, std::span(along).first(static_cast<size_t>(count)), length)) return false;
  const Nest lines = loops::row_by_row(loops::make_row_nest<3>(std::move(axes), count, 0));
  Passes passes(length, call.vector_bytes, sink);
  for (int64_t number = 0; number < lines.rows() && !sink.stopped(); ++number) {
    const std::array<uint64_t, 3> at = lines.row(base, number);
    const auto line = [&](size_t operand) {
      Line own = along[operand];
      own.address = at[operand];
      return own;
    };
    Gathered gathered(call, passes);
    const Line result = line(0), to = gathered.output(result), first = gathered.input(line(1));
    if (gradient) {
      SoftmaxGradient parts{passes, first, gathered.input(line(2)), to, logarithmic};
      loops::softmax_gradient_row(parts);
    } else {
      SoftmaxRow parts{passes, first, to};
      if (logarithmic) loops::log_softmax_row(parts);
      else loops::softmax_row(parts);
    }
    gathered.finish(to, result);
  }
  return true;
}

/// (logits, labels) -> loss, probabilities. In the workspace: the losses of lines, in doubles.
bool describe_cross_entropy(const OpCall& call, AccessSink& sink) {
  const TensorType& logits = call.inputs[0].type;
  if (!own_rows(logits) || !own_rows(call.outputs[1].type)) return false;
  if (logits.shape[0] > static_cast<int64_t>(call.workspace_bytes / sizeof(double))) return false;
  CrossEntropy parts{call, {logits.shape[1], call.vector_bytes, sink}};
  for (int64_t line = 0; line < logits.shape[0] && !sink.stopped(); ++line) loops::cross_entropy_row(line, parts);
  parts.passes.one_by_one(logits.shape[0], {{parts.loss(0)}});
  parts.passes.one(neighbours(call.outputs[0], 0), kStore);
  return true;
}

/// (dloss, probabilities, labels) -> dlogits.
bool describe_cross_entropy_grad(const OpCall& call, AccessSink& sink) {
  const TensorType& probabilities = call.inputs[1].type;
  if (!own_rows(probabilities) || !own_rows(call.outputs[0].type)) return false;
  CrossEntropyGradient parts{call, {probabilities.shape[1], call.vector_bytes, sink}};
  parts.passes.one(neighbours(call.inputs[0], 0));
  for (int64_t line = 0; line < probabilities.shape[0] && !sink.stopped(); ++line)
    loops::cross_entropy_gradient_row(line, parts);
  return true;
}

}  // namespace engine::access
