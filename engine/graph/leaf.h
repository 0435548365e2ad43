// SPDX-License-Identifier: Apache-2.0
// What a leaf of a graph (input, parameter, state, constant) holds before the first step.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/graph/graph.h"

namespace engine {

/// Which stream of random numbers a leaf starts from: its name's (FNV-1a, 64 bits). So the same seed gives the same
/// weights however the graph around them is built, in every dtype, fused or not. Leaves without a name: their number's.
uint64_t random_stream(const Value& leaf);

/// The leaf's first elements in host memory, in its layout: what was given for it, else its fill from `seed`. Refused
/// when memory does not suffice.
Result<Tensor> starting_data(const Value& leaf, uint64_t seed);

/// "zeros" "ones" "constant" "uniform" "normal" "integers" "arange": as files name the ways of filling.
std::string_view name(Fill::Kind);
std::optional<Fill::Kind> parse_fill_kind(std::string_view);
/// "input" "parameter" "state" "constant"; CHECKs that it is a leaf.
std::string_view name(ValueKind);
std::optional<ValueKind> parse_leaf_kind(std::string_view);
std::optional<Phase> parse_phase(std::string_view);

}  // namespace engine
