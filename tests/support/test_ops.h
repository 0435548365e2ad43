// SPDX-License-Identifier: Apache-2.0
// Small ops and graphs for tests of the engine's core, which must not need the real ops.
#pragma once

#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/graph/builder.h"

namespace test {

using engine::Attributes;
using engine::Call;
using engine::Cost;
using engine::DType;
using engine::Fill;
using engine::Graph;
using engine::GraphBuilder;
using engine::Op;
using engine::Result;
using engine::TensorType;
using engine::ValueId;
using engine::View;

using Types = std::vector<TensorType>;

/// As many outputs like input 0 as attribute "outputs" says (1); attribute "extent" replaces the
/// shape by {extent}.
inline Result<Types> infer_mix(std::span<const TensorType> inputs, const Attributes& attributes) {
  TensorType type = TensorType::contiguous(inputs[0].dtype, inputs[0].shape);
  if (attributes.has("extent")) type = TensorType::contiguous(inputs[0].dtype, {attributes.get_int("extent", 0)});
  return Types(static_cast<size_t>(attributes.get_int("outputs", 1)), type);
}

inline Cost cost_of_bytes(const Call& call) {
  Cost cost;
  for (const TensorType& type : call.inputs) cost.read_bytes.push_back(type.distinct_bytes());
  for (const TensorType& type : call.outputs) {
    cost.written_bytes.push_back(type.distinct_bytes());
    cost.flops += static_cast<double>(type.elements());
  }
  return cost;
}

inline Result<Types> refuse_all(std::span<const TensorType>, const Attributes&) {
  return engine::usage_error("[picky] inner dimensions differ: a has k = 64, b has k = 32");
}

inline Result<Types> infer_first(std::span<const TensorType> inputs, const Attributes&) { return Types{inputs[0]}; }

inline Result<View> view_reversed(const TensorType& type, const Attributes&) {
  std::vector<int64_t> axes(type.shape.size());
  std::iota(axes.rbegin(), axes.rend(), 0);
  return engine::view_permute(type, axes);
}

inline const Op kMix{.name = "mix", .formula = "y = f(x...)", .infer = infer_mix, .cost = cost_of_bytes};
inline const Op kProduct{
    .name = "product", .formula = "y = x w", .infer = infer_mix, .cost = cost_of_bytes, .matrix_product = true};
inline const Op kPicky{.name = "picky", .formula = "none", .infer = refuse_all, .cost = cost_of_bytes};
inline const Op kReversed{
    .name = "reversed", .formula = "y = x^T", .infer = infer_first, .cost = cost_of_bytes, .view = view_reversed};
/// Overwrites its first operand, reads the second.
inline const Op kOverwrite{
    .name = "overwrite", .formula = "x = f(x, y)", .infer = infer_first, .cost = cost_of_bytes, .in_place = {0}};

/// A graph of `nodes` random nodes over 1-D values of random extents up to `largest`, with views,
/// in-place ops and outputs.
inline Graph random_graph(uint64_t seed, int nodes, int64_t largest) {
  std::mt19937_64 random(seed);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  GraphBuilder builder;
  std::vector<ValueId> values{builder.input("x", TensorType::contiguous(DType::float32, {17}), {})};
  values.push_back(builder.parameter("w", TensorType::contiguous(DType::float32, {33}), {}));
  std::map<ValueId, ValueId> root;  // of views and what was overwritten: whose bytes they are
  std::set<ValueId> given_out;
  const auto root_of = [&](ValueId id) { return root.contains(id) ? root.at(id) : id; };
  for (int i = 0; i < nodes; ++i) {
    // Mostly recent values, now and then an old one: long and short lifetimes.
    const auto pick = [&] {
      return below(4) == 0 ? values[below(values.size())]
                           : values[values.size() - 1 - below(std::min<size_t>(values.size(), 3))];
    };
    const size_t kind = below(10);
    if (kind == 0) {
      const ValueId viewed = pick();
      values.push_back(builder.append1(kReversed, {viewed}));
      root[values.back()] = root_of(viewed);
    } else if (kind == 1) {
      const ValueId target = pick(), other = pick(), bytes = root_of(target);
      if (given_out.contains(bytes)) continue;
      values.push_back(builder.append1(kOverwrite, {target, other}));
      root[values.back()] = bytes;
      // Old names of these bytes must not be read any more.
      const ValueId now = values.back();
      std::erase_if(values, [&](ValueId id) { return id != now && root_of(id) == bytes; });
    } else {
      const auto extent = static_cast<int64_t>(below(static_cast<size_t>(largest)));
      const auto outputs = static_cast<int64_t>(1 + below(3));
      for (const ValueId id : builder.append(kMix, {pick(), pick()}, {{"extent", extent}, {"outputs", outputs}}))
        values.push_back(id);
    }
    if (below(8) != 0) continue;
    builder.mark_output(values.back());
    given_out.insert(root_of(values.back()));
  }
  return *builder.finish();
}

}  // namespace test
