// SPDX-License-Identifier: Apache-2.0
// Profiles that ONNX Runtime writes (SessionOptions::EnableProfiling): nodes with the shapes of inputs and outputs.
#include <array>
#include <string>

#include "profiler/import/chrome_trace.h"
#include "profiler/import/importer.h"

namespace profiler {
namespace {

/// "[{"float":[1,16]},{"int64":[2]}]" -> "[[1,16],[2]]" and "["float","int64"]".
struct Shapes {
  std::string dimensions, types;
};

Shapes shapes_of(std::string_view json) {
  Shapes shapes{"[", "["};
  for (size_t at = json.find('"'); at != json.npos;) {
    const size_t end = json.find('"', at + 1), open = end == json.npos ? end : json.find('[', end),
                 close = open == json.npos ? open : json.find(']', open);
    if (close == json.npos) return {};
    const char* comma = shapes.types.size() > 1 ? "," : "";
    shapes.types += comma, shapes.types += json.substr(at, end - at + 1);
    shapes.dimensions += comma, shapes.dimensions += json.substr(open, close - open + 1);
    at = json.find('"', close);
  }
  shapes.dimensions += "]", shapes.types += "]";
  return shapes;
}

bool take_node(ChromeTrace& trace, const ChromeEvent& e, Activity& a) {
  constexpr std::string_view kKernel = "_kernel_time";
  TraceBuilder& b = trace.builder();
  a.track = trace.lane_of(e);
  std::string_view node = e.name;
  if (!node.ends_with(kKernel)) return false;  // fences: what waits around a node
  node.remove_suffix(kKernel.size());
  if (node.empty()) node = e.args.onnx_type;
  a.name = b.intern(node);
  const Shapes inputs = shapes_of(e.args.onnx_inputs_json), outputs = shapes_of(e.args.onnx_outputs_json);
  TraceCall call{.dimensions = b.intern(inputs.dimensions), .types = b.intern(inputs.types)};
  call.outputs = b.intern(outputs.dimensions), call.output_types = b.intern(outputs.types);
  call.type = b.intern(e.args.onnx_type);
  call.kernel = b.intern(e.args.onnx_provider);
  call.rule = b.intern("onnx::" + std::string(e.args.onnx_type));
  call.phase_given = true;
  b.add_op(a, call);
  return true;
}

bool span(ChromeTrace& trace, const ChromeEvent& e, Activity& a) {
  TraceBuilder& b = trace.builder();
  if (e.category == "Node") return take_node(trace, e, a);
  if (e.name != "model_run") return false;
  a.track = trace.lane_of(e);
  b.add_step({.index = static_cast<uint32_t>(b.step_marks()), .start_ns = a.start_ns, .duration_ns = a.duration_ns});
  b.add_step_span(a);
  return true;
}

int confidence(std::string_view first) {
  const bool session =
      first.find("\"model_loading_") != first.npos || first.find("\"session_initialization\"") != first.npos;
  const bool node = first.find("_kernel_time\"") != first.npos && first.find("\"op_name\"") != first.npos;
  return (session && first.find("\"Session\"") != first.npos) || node ? 4 : 0;
}

engine::Result<void> read(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  static constexpr ChromeTrace::Dialect kDialect{.span = span, .instant = nullptr, .member = nullptr};
  return ChromeTrace(builder, kDialect).read(file, control);
}

}  // namespace

Importer onnxruntime_importer() {
  return {.name = "onnxruntime",
          .title = "ONNX Runtime profile",
          .help = "JSON of SessionOptions.enable_profiling: nodes with shapes",
          .confidence = confidence,
          .read = read};
}

}  // namespace profiler
