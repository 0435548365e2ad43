// SPDX-License-Identifier: Apache-2.0
// Writes a graph as an ONNX model: standard operators where there are, our own where there are none.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/base/result.h"
#include "engine/graph/graph.h"

namespace engine::onnx {

/// The domain of operators that ONNX has not: the engine's ops under their own names and attributes, version 1. Other
/// programs refuse them.
inline constexpr std::string_view kOwnDomain = "tensortide";
inline constexpr int64_t kOwnVersion = 1;

struct SavedModel {
  std::string bytes;                   ///< the ModelProto
  int64_t opset = 0;                   ///< the oldest set of standard operators that has all the file uses, 18 at least
  int64_t nodes = 0;                   ///< in the file: some ops take several
  bool whole = false;                  ///< it overwrites values or computes gradients, so every op stayed as it is
  std::map<std::string, int64_t> own;  ///< ops under their own names, with counts; empty: other programs can run it
};

/// The graph as a model of the name `title`. Weights, running statistics and constants have the elements they start
/// with from `seed`. Inputs are open, with their fill in the metadata; what was given for one is its default.
///
/// A graph that only computes forward is written in standard operators: opset 18, later ones where an op needs them.
/// Where an op has none it stays as it is. A graph that overwrites values or computes gradients keeps every op, in
/// kOwnDomain. load_model() then reads the very same graph.
///
/// Refused: no output, a fused op, an op that is in no catalog, more than a protobuf message holds (2 GiB).
Result<SavedModel> save_model(const Graph&, const std::string& title, uint64_t seed);

}  // namespace engine::onnx
