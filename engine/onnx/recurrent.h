// SPDX-License-Identifier: Apache-2.0
// A recurrent layer as its ONNX node describes it.
#pragma once

#include <string>
#include <vector>

#include "engine/onnx/node_context.h"

namespace engine::onnx {

struct Activation {
  std::string name;  ///< in small letters
  double alpha = 0, beta = 0;
};

/// Values in ONNX' order of axes for layout 0; what is not there is kNoValue.
struct Recurrent {
  ValueId x = kNoValue, w = kNoValue, r = kNoValue, bias = kNoValue, lengths = kNoValue;
  ValueId initial_h = kNoValue, initial_c = kNoValue, peepholes = kNoValue;
  int64_t steps = 0, batch = 0, inputs = 0, hidden = 0, gates = 1, directions = 1;
  DType dtype = DType::float32;
  std::string direction = "forward";
  std::vector<Activation> activations;  ///< `functions` for each direction
  size_t functions = 1;
  double clip = 0;  ///< 0: none
  bool linear_before_reset = false, input_forget = false, batch_first = false;
  /// Nothing but what our op over whole sequences has. Its LSTM's gates are i f c o, to which W, R and B are then
  /// reordered.
  bool plain = false;
};

/// Appends a single op for a plain layer and sets the outputs.
void write_layer(NodeContext& node, const Recurrent& layer);
/// Writes the layer step by step and sets the outputs.
void write_steps(NodeContext& node, const Recurrent& layer);
/// y [T, D, B, H], h and c [D, B, H] as outputs 0 to 2, turned round where the node has the batch first.
void set_recurrent_outputs(NodeContext& node, const Recurrent& layer, ValueId y, ValueId h, ValueId c);

}  // namespace engine::onnx
