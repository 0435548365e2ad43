// SPDX-License-Identifier: Apache-2.0
// Op: what an operation is, apart from who computes it: shapes, cost, truth, gradient.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/tensor.h"

namespace engine {

class GradientContext;
class TangentContext;
struct FusedProgram;

/// Constants of one node: strides, paddings, axes, epsilon.
class Attributes {
 public:
  using Item = std::variant<int64_t, double, std::string, std::vector<int64_t>>;
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<const std::string, Item>> items) : items_(items) {}

  void set(const std::string& key, Item value) { items_[key] = std::move(value); }
  bool has(std::string_view key) const;
  /// The value, or `fallback` when absent. CHECKs the kind: attributes are written by our own building functions.
  int64_t get_int(std::string_view key, int64_t fallback) const;
  double get_double(std::string_view key, double fallback) const;
  std::string get_string(std::string_view key, std::string_view fallback) const;
  std::vector<int64_t> get_ints(std::string_view key, std::vector<int64_t> fallback) const;
  const std::map<std::string, Item, std::less<>>& items() const { return items_; }
  friend bool operator==(const Attributes&, const Attributes&) = default;

 private:
  std::map<std::string, Item, std::less<>> items_;
};

/// Kinds of attributes, in the order of Attributes::Item.
enum class AttributeKind : uint8_t { whole, real, text, list };

/// An attribute that an op takes.
struct AttributeSpec {
  std::string_view key;
  AttributeKind kind = AttributeKind::whole;
  /// What holds where a node does not have it; nothing: every node has it, or the op sees to it.
  std::optional<Attributes::Item> fallback = {};
  bool per_axis = false;  ///< one for each axis that has it: "scale_0", "scale_2"

  static AttributeSpec whole(std::string_view key, std::optional<int64_t> fallback = {});
  static AttributeSpec real(std::string_view key, std::optional<double> fallback = {});
  static AttributeSpec word(std::string_view key, std::optional<std::string_view> fallback = {});
  static AttributeSpec list(std::string_view key);
  static AttributeSpec list(std::string_view key, std::vector<int64_t> fallback);
};

/// Two lists as one: those of an op, and what its gradient takes besides.
std::vector<AttributeSpec> joined_attributes(std::vector<AttributeSpec>, const std::vector<AttributeSpec>& more);

/// How an op takes part in fusion.
enum class FusionPart : uint8_t {
  none,
  elementwise,    ///< computed element by element: any place in a fused op
  product,        ///< GEMM or convolution: elementwise ops may follow its output within one fused op
  normalization,  ///< elementwise ops may follow its output within one fused op
  reduction,      ///< needs, or makes, more than one element at a time
  library_call,   ///< a GEMM or convolution without a fused form (gradients)
  view,
  update,  ///< overwrites an operand in place
};

/// One use of an op, with types known: what shapes, costs and kernels are computed from.
struct Call {
  const Attributes& attributes;
  std::span<const TensorType> inputs;
  std::span<const TensorType> outputs;
};

/// Work and compulsory traffic of one call. Compulsory = each distinct operand byte moved once (cold, infinite cache).
struct Cost {
  double flops = 0;                 ///< a multiply-add is 2; transcendental functions count 1 per element and operation
  std::vector<int64_t> read_bytes;  ///< per input, distinct bytes that must be read
  std::vector<int64_t> written_bytes;  ///< per output, distinct bytes that must be written
};

/// What a kernel computes on: tensors in place, ready to use.
struct KernelArguments {
  const Attributes* attributes = nullptr;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

/// One constant per op.
struct Op {
  std::string_view name;     ///< "conv2d"
  std::string_view formula;  ///< "y[n,o,i,j] = sum_{c,u,v} x[n,c,i*s+u-p,j*s+v-p] w[o,c,u,v]"
  /// Output types (with layout) from input types. Fails before any data moves, naming op, dimension and both values.
  Result<std::vector<TensorType>> (*infer)(std::span<const TensorType> inputs, const Attributes&);
  Cost (*cost)(const Call&);
  /// Plain host loops in double precision over any dtype and layout: the truth every kernel is tested against.
  void (*reference)(KernelArguments&) = nullptr;
  /// Appends the nodes that compute the input gradients; nullptr: not differentiable.
  void (*gradient)(GradientContext&) = nullptr;
  /// Appends the nodes that compute the output tangents from the input tangents (forward mode; engine/graph/tangent.h
  /// has ready-made rules); nullptr: not differentiable forwards.
  void (*tangent)(TangentContext&) = nullptr;
  /// Set for view ops (reshape, permute, ...): output 0 shares storage with input 0 as this says; nothing runs, nothing
  /// moves.
  Result<View> (*view)(const TensorType& input, const Attributes&) = nullptr;
  /// in_place[j] = k: output j overwrites input k (SGD on its parameter); -1 or beyond the end: own memory.
  std::vector<int> in_place = {};
  /// Convolutions, matrix multiplications and their gradients: what Graph::flops(matrix_only) and matrix_weight_count()
  /// count.
  bool matrix_product = false;
  /// Set for ops made of others (engine/graph/fused.h): what this use of it is made of.
  FusedProgram (*program)(const Attributes&) = nullptr;
  /// Every attribute that infer, cost, reference or a kernel asks for. Kernels that take numbers in a row take them in
  /// this order.
  std::vector<AttributeSpec> attributes = {};
  /// Each element of the result is a function of the operands' elements at its place, broadcast. Without a kernel of
  /// its own it is computed by engine/kernels/elementwise/elementwise.cpp.
  bool elementwise = false;
  /// Set for ops that a fused op may be made of, and for reductions; fusion_part() has the others from what is above.
  FusionPart fusion = FusionPart::none;
};

/// How an op takes part in fusion: `fusion`, or what its other properties say.
FusionPart fusion_part(const Op&);

/// The op's attributes as numbers, one each in the op's order, by its defaults where the node says nothing. A word is 0
/// where it is the default and 1 elsewhere; lists are left out. CHECKs that there is a default for what is missing.
std::vector<double> attribute_numbers(const Op&, const Attributes&);

}  // namespace engine
