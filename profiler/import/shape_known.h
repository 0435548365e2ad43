// SPDX-License-Identifier: Apache-2.0
// A call of a trace understood from its shapes: what the rules of shape_rules.cpp and shape_rules_aten.cpp return.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/tensor/dtype.h"

namespace profiler {

using TracedShape = std::vector<int64_t>;

/// The arguments of a call as a trace has them. Texts live as long as the trace's.
struct CallArguments {
  std::vector<std::vector<TracedShape>> shapes;  ///< per argument: one, or those of a list of tensors
  std::vector<std::string_view> types, constants;
  std::optional<engine::DType> list_dtype{};  ///< of tensors in lists; nothing: unknown
  /// An argument that is one tensor; null: it is none, or its shape is not recorded.
  const TracedShape* tensor(size_t argument) const;
  std::optional<engine::DType> type(size_t argument) const;
  /// "[2, 2]" or "2" of a constant; nothing: not recorded, or no list of whole numbers.
  std::optional<std::vector<int64_t>> numbers(size_t argument) const;
  std::string_view constant(size_t argument) const;
  double elements(size_t argument) const;  ///< of all tensors of an argument together
};
CallArguments arguments_of(std::string_view dimensions, std::string_view types, std::string_view constants);

/// "float", "c10::BFloat16", "long int"; nothing: no tensor.
std::optional<engine::DType> traced_dtype(std::string_view type);
double elements_of(const TracedShape&);
/// Shapes stretched to each other as PyTorch does; nothing: they do not fit.
std::optional<TracedShape> broadcast_shape(const TracedShape&, const TracedShape&);

struct KnownOperand {
  TracedShape shape;
  size_t typed_like = 0;                ///< the argument whose dtype it has
  std::optional<engine::DType> type{};  ///< where no argument has it
};
struct KnownCall {
  double flops = -1;  ///< unknown
  std::vector<KnownOperand> inputs, outputs;
  bool whole = true;  ///< these are all bytes it has to read and write
};

/// Rules for PyTorch's ops beside matrix multiplications and convolutions. FLOPs per element are those of the engine's
/// ops of the same kind (engine/ops), so that a trace and a run of ours count alike.
std::optional<KnownCall> known_aten(std::string_view name, const CallArguments&);

/// What "aten::cat" and its like make of their list; nothing: another call, or its axis is not recorded.
std::optional<TracedShape> joined_shape(std::string_view name, const CallArguments&);

/// Which keys a query sees.
enum class Seen : uint8_t {
  all,
  from_first,  ///< query i sees keys 0 to i, as torch.tril
  to_last,     ///< the last query sees all keys, those before one fewer each (FlashAttention from 2.1 on)
};

/// How many keys a query sees before and behind the one that it stands at, counted from the last; -1: all.
struct Window {
  int64_t before = -1, behind = -1;
};

/// Attention from q, k and v (behind the gradient, in the backward pass) of four axes. `length`: which axis counts
/// positions.
std::optional<KnownCall> known_attention(const CallArguments&, size_t length, bool backward, Seen, Window = {});

/// Rules for ops of libraries beside PyTorch: vLLM, SGLang, AITER, FlashAttention.
std::optional<KnownCall> known_library(std::string_view name, const CallArguments&);

/// Rules for nodes of ONNX Runtime ("onnx::Conv"), whose outputs are recorded.
std::optional<KnownCall> known_onnx(std::string_view name, const CallArguments& inputs, const CallArguments& outputs);

}  // namespace profiler
