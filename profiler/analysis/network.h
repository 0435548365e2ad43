// SPDX-License-Identifier: Apache-2.0
// The network of a capture: ops as nodes, layers by their paths, tensors that one op writes and another reads as edges.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

inline constexpr uint32_t kNoNetworkLayer = std::numeric_limits<uint32_t>::max();
inline constexpr size_t kPasses = 3;  ///< forward, backward, update: values of Phase
/// Layers lie at most so deep in one another. What follows of a longer path is the name of the innermost.
inline constexpr uint32_t kMostLayerDepth = 64;

/// Figures of an op, or of the ops of a layer in one pass, per step. NaN: unknown of every op.
struct NetworkFigures {
  size_t ops = 0;
  double time_ns = std::numeric_limits<double>::quiet_NaN();  ///< sum of the ops' medians (measured)
  /// Across the outermost link, see Network::bytes_origin; of what was planned and not run: compulsory (exact).
  double bytes = std::numeric_limits<double>::quiet_NaN();
  double flops = std::numeric_limits<double>::quiet_NaN();  ///< exact
  Bound bound = Bound::unknown;                             ///< what limits most of the time
  std::optional<engine::DType> dtype;                       ///< of most operand bytes; nothing: no operand is known
};

struct NetworkLayer {
  std::string path;  ///< "layer1.0.conv2"
  std::string name;  ///< "conv2"
  uint32_t parent = kNoNetworkLayer;
  uint32_t depth = 0;  ///< 0: outermost
  OpId first_op = kNoOp;
  std::array<NetworkFigures, kPasses> passes;  ///< layers inside included
  double weight_bytes = 0;  ///< exact: weights that its ops are the first to read, layers inside included
};

/// A tensor from the op that wrote it last to an op that reads it later in the step.
struct NetworkEdge {
  OpId from = kNoOp, to = kNoOp;
  TensorId tensor = kNoTensor;
  Role role = Role::activation;
  int64_t bytes = 0;  ///< compulsory bytes that `to` reads of it (exact); 0: a view, which moves nothing
};

struct Network {
  std::vector<NetworkFigures> ops;   ///< by OpId
  std::vector<uint32_t> layer_of;    ///< by OpId: the innermost layer; kNoNetworkLayer: outside all
  std::vector<NetworkLayer> layers;  ///< parents first, else in order of their first ops
  std::vector<NetworkEdge> edges;    ///< ascending by `to`
  std::string link;                  ///< outer level of the link whose bytes are given: "DRAM"; empty: none is known
  Origin bytes_origin = Origin::modelled;
  std::array<size_t, kPasses> ops_in{};  ///< number of ops of each pass
};

/// The name of an op inside its layer: "conv2d" of "layer1.0.conv2/conv2d".
std::string_view op_label(const Capture&, const OpRecord&);

Network network(const Analyzed&);

/// Why the network of this capture has nothing to show; empty: it has.
std::string no_network_words(const Capture&);

/// A row per edge; sentences with the numbers of ops, layers and edges.
Table network_table(const Analyzed&);
std::vector<std::string> network_sentences(const Analyzed&);

}  // namespace profiler
