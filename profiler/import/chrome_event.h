// SPDX-License-Identifier: Apache-2.0
// One event of a Chrome trace, as PyTorch, XLA and Chrome itself write it, taken from its JSON text.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/import/findings.h"

namespace profiler {

inline constexpr int64_t kNoFigure = std::numeric_limits<int64_t>::min();

/// A pid, tid or flow id: a number, or a text that is none ("Spans", "stream 7").
struct TraceId {
  int64_t number = 0;
  std::string_view text;
  bool given = false;
  bool of_process = false;  ///< unique within a process only ("id2": {"local": ..})
};

/// What the "args" of an event say; kNoFigure and empty texts: nothing. Texts live until the next event is parsed;
/// those that end in _json are raw JSON.
struct ChromeArgs {
  int64_t correlation, external_id, device, context, stream, bytes, registers, shared_bytes, static_shared_bytes, graph,
      graph_node;
  int64_t address, memory_bytes, total_allocated, total_reserved, device_type, device_id;
  int64_t in_elements, out_elements, group_size, rank, forward_thread, sequence, sort_index, event, wait_stream;
  int64_t from_device, to_device, in_device, flops, value, return_value, local_bytes, source_kind, destination_kind;
  int64_t step_number;                 ///< of step marks of JAX and TensorFlow
  int64_t warmup, untraced, is_layer;  ///< of our own exports: 1 is so
  int64_t track;                       ///< of our own exports: index of the track it lies on
  std::array<int64_t, 3> grid, block, cluster;
  std::string_view name, labels, collective, element_type, group_name, group_ranks_json, input_dims_json,
      input_types_json, constants_json, sync_kind;
  std::string_view onnx_type, onnx_provider, onnx_inputs_json, onnx_outputs_json;  ///< of ONNX Runtime
  std::string_view kernel_details, memcpy_details, operation, module, layer, op_type, op_name, kernel_name, phase;
  void clear();
};

struct ChromeEvent {
  char phase = 0;
  std::string_view name, category, binding, scope;
  TraceId pid, tid, id;
  int64_t time_ns = kNoFigure, duration_ns = kNoFigure;
  std::string_view time_text;  ///< as it stands there; empty: there is none
  ChromeArgs args;
  std::vector<std::pair<std::string_view, double>> values;  ///< of a counter (ph "C"); ids are part of the name
};

/// "1419247332972.313" [us] -> 1419247332972313 [ns], exact; kNoFigure: no number, or beyond int64.
int64_t nanoseconds_of(std::string_view microseconds);

class ChromeEventParser {
 public:
  explicit ChromeEventParser(Findings&);
  ~ChromeEventParser();
  /// `text` is followed by JsonPieces::kPadding readable bytes. False: no valid JSON, even after bytes that JSON
  /// forbids were replaced.
  bool parse(std::string_view text, ChromeEvent&);

 private:
  struct State;
  bool parse_once(std::string_view text, size_t capacity, ChromeEvent&);
  Findings& findings_;
  std::unique_ptr<State> state_;
};

/// The text with control characters inside strings, bytes that are no UTF-8, unknown escapes and lone surrogates
/// replaced.
std::string repaired_json(std::string_view text);

}  // namespace profiler
