// SPDX-License-Identifier: Apache-2.0
// Matrices of weights in the formats they are stored in, and the products with them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/graph/builder.h"
#include "engine/workloads/language_model.h"

namespace engine {

enum class WeightFormat : uint8_t { as_dtype, bf16, f16, q8_0, q4_0 };
std::string_view name(WeightFormat);
std::optional<WeightFormat> parse_weight_format(std::string_view);
/// Bytes of all parameters. Matrices have this format, tables of tokens 8 bits at least. The rest is in `dtype`, scales
/// and biases of norms in f32 at least.
double weight_bytes(const LanguageModel&, WeightFormat, DType dtype);

struct WeightMatrix {
  std::string name;  ///< "model.layers.0.mlp.up_proj.weight"
  int64_t outputs = 0, inputs = 0;
  std::string bias = {};    ///< its name; empty: none
  bool transposed = false;  ///< the file of weights has [inputs, outputs]
  bool table = false;       ///< rows are looked up in it, too: blocks of 8 bits where others have 4
  int64_t experts = 0;      ///< matrices, one behind the other; kEach in the name stands for their numbers
};

/// Ends of names. kTransposed: the file has the matrix the other way round. kScales: the scales of a matrix in blocks.
inline constexpr std::string_view kTransposed = ":transposed", kScales = ":scales";
/// In a name: a number from 0 on. The file has a matrix for each, "experts.0.up_proj.weight",
/// "experts.1.up_proj.weight".
inline constexpr std::string_view kEach = "*";

class TransformerWeights {
 public:
  TransformerWeights(GraphBuilder& builder, DType dtype, WeightFormat format)
      : b_(builder), dtype_(dtype), format_(format) {}
  /// y = x W^T + bias.
  ValueId product(ValueId x, const WeightMatrix&);
  /// y [T, k, outputs]: x [T, inputs] or [T, k, inputs] times the transposed W of each of `experts` [T, k].
  ValueId expert_product(ValueId x, ValueId experts, const WeightMatrix&);
  /// The rows of W that `indices` name, in the type of activations.
  ValueId rows(ValueId indices, const WeightMatrix&);
  /// W in the type of activations, whatever the format.
  ValueId plain(const std::string& name, int64_t outputs, int64_t inputs);
  /// y = x W^T with it.
  ValueId plain_product(ValueId x, const std::string& name, int64_t outputs, int64_t inputs);

 private:
  struct Stored {
    ValueId values = kNoValue, scales = kNoValue;
  };
  Stored stored(const WeightMatrix&);

  GraphBuilder& b_;
  DType dtype_;
  WeightFormat format_;
  std::map<std::string, Stored> known_;  ///< by the name of the matrix
};

}  // namespace engine
