// SPDX-License-Identifier: Apache-2.0
// What a leaf of a graph holds before the first step.
#include "engine/graph/leaf.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

/// In the order of Fill::Kind.
constexpr std::array<std::string_view, 7> kFills{"zeros",  "ones",     "constant", "uniform",
                                                 "normal", "integers", "arange"};

/// In the order of ValueKind.
constexpr std::array<std::string_view, 4> kKinds{"input", "parameter", "state", "constant"};

/// The place of a word in a list of names.
template <class Enum, size_t N>
std::optional<Enum> parse(std::string_view word, const std::array<std::string_view, N>& names) {
  const auto found = std::ranges::find(names, word);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

uint64_t random_stream(const Value& leaf) {
  if (leaf.name.empty()) return leaf.id;
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : leaf.name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

Result<Tensor> starting_data(const Value& leaf, uint64_t seed) {
  if (leaf.data.defined()) return leaf.data;
  Result<Tensor> tensor = Tensor::empty(leaf.type);
  if (tensor) fill(*tensor, leaf.fill, seed, random_stream(leaf));
  return tensor;
}

std::string_view name(Fill::Kind kind) { return kFills[static_cast<size_t>(kind)]; }

std::optional<Fill::Kind> parse_fill_kind(std::string_view word) { return parse<Fill::Kind>(word, kFills); }

std::string_view name(ValueKind kind) { return kKinds.at(static_cast<size_t>(kind)); }

std::optional<ValueKind> parse_leaf_kind(std::string_view word) { return parse<ValueKind>(word, kKinds); }

std::optional<Phase> parse_phase(std::string_view word) {
  for (const Phase phase : {Phase::forward, Phase::backward, Phase::update}) {
    if (name(phase) == word) return phase;
  }
  return std::nullopt;
}

}  // namespace engine
