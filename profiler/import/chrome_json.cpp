// SPDX-License-Identifier: Apache-2.0
// Chrome traces of any program; those of XLA (JAX, TensorFlow) say in texts what their kernels and copies were.
#include <charconv>

#include "profiler/import/chrome_trace.h"
#include "profiler/import/importer.h"

namespace profiler {
namespace {

/// What stands behind "key:" in "regs:32 shared:0 grid:1,1,1"; empty: nothing.
std::string_view detail(std::string_view text, std::string_view key) {
  size_t at = 0;
  while ((at = text.find(key, at)) != text.npos) {
    const bool starts = at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n';
    if (starts && at + key.size() < text.size() && text[at + key.size()] == ':') {
      const size_t begin = at + key.size() + 1, end = text.find_first_of(" \n", begin);
      return text.substr(begin, end == text.npos ? end : end - begin);
    }
    at += key.size();
  }
  return {};
}

int64_t number(std::string_view text) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && value >= 0 ? value : kNoFigure;
}

std::array<int32_t, 3> extents(ChromeTrace& trace, std::string_view text) {
  std::array<int32_t, 3> all{-1, -1, -1};
  for (size_t i = 0; i < 3 && !text.empty(); ++i) {
    const size_t comma = text.find(',');
    all[i] = trace.figure(number(text.substr(0, comma)));
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
  }
  return all;
}

MemoryKind memory(std::string_view text) {
  if (text.starts_with("pageable")) return MemoryKind::pageable;
  if (text.starts_with("pinned")) return MemoryKind::pinned;
  if (text.starts_with("device")) return MemoryKind::device;
  return MemoryKind::unknown;
}

/// Of "hlo_op" and the name that JAX gave it: "jit(loss)/transpose(jvp(mlp))/dot_general" is the backward pass of mlp.
void say_op(TraceBuilder& b, const ChromeArgs& args) {
  if (args.operation.empty()) return;
  const size_t slash = args.name.rfind('/');
  const std::string_view layer = slash == args.name.npos ? args.module : args.name.substr(0, slash);
  const bool backward = args.name.find("transpose(jvp") != args.name.npos;
  b.say_op(
      {.op = b.intern(args.operation), .layer = b.intern(layer), .phase = backward ? Phase::backward : Phase::forward});
}

bool span(ChromeTrace& trace, const ChromeEvent& e, Activity& a) {
  const ChromeArgs& args = e.args;
  TraceBuilder& b = trace.builder();
  a.track = trace.lane_of(e);
  if (args.step_number >= 0 && args.step_number < kNoStep) {
    b.add_step(
        {.index = static_cast<uint32_t>(args.step_number), .start_ns = a.start_ns, .duration_ns = a.duration_ns});
    b.add_step_span(a);
    return true;
  }
  if (args.correlation > 0) a.correlation = b.correlation(args.correlation);
  if (!args.kernel_details.empty()) {
    KernelRecord r{.place = {.device = trace.figure(args.device),
                             .context = trace.figure(args.context),
                             .stream = trace.figure(args.stream)}};
    r.grid = extents(trace, detail(args.kernel_details, "grid"));
    r.block = extents(trace, detail(args.kernel_details, "block"));
    r.registers_per_thread = trace.figure(number(detail(args.kernel_details, "regs")));
    r.dynamic_shared_bytes = trace.count(number(detail(args.kernel_details, "shared")));
    b.add(a, r);
    say_op(b, args);
    return true;
  }
  if (!args.memcpy_details.empty()) {
    CopyRecord r{.place = {.device = trace.figure(args.device),
                           .context = trace.figure(args.context),
                           .stream = trace.figure(args.stream)}};
    r.kind = copy_kind_of(e.name);
    r.bytes = trace.count(number(detail(args.memcpy_details, "size")));
    r.source = memory(detail(args.memcpy_details, "kind_src"));
    r.destination = memory(detail(args.memcpy_details, "kind_dst"));
    const std::string_view asynchronous = detail(args.memcpy_details, "async");
    if (!asynchronous.empty()) r.synchrony = asynchronous == "1" ? Synchrony::asynchronous : Synchrony::synchronous;
    b.add(a, r);
    say_op(b, args);
    return true;
  }
  b.add_range(a);
  say_op(b, args);
  return true;
}

int confidence(std::string_view first) {
  const size_t at = first.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (at == first.npos || (first[at] != '{' && first[at] != '[')) return 0;
  if (at + 1 < first.size() && first[at + 1] == '\0') return 0;  // two bytes to a character
  return 1;
}

engine::Result<void> read(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  static constexpr ChromeTrace::Dialect kDialect{.span = span, .instant = nullptr, .member = nullptr};
  return ChromeTrace(builder, kDialect).read(file, control);
}

}  // namespace

Importer chrome_importer() {
  return {.name = "chrome",
          .title = "Chrome trace",
          .help = "JSON of Chrome's trace format: JAX, TensorFlow, catapult, own tools",
          .confidence = confidence,
          .read = read};
}

}  // namespace profiler
