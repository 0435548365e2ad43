// SPDX-License-Identifier: Apache-2.0
// PyTorch's traces as libkineto writes them, 2021 to now: ops with shapes, launches, kernels, copies, memory,
// collectives.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/json_text.h"
#include "profiler/import/chrome_trace.h"
#include "profiler/import/importer.h"
#include "profiler/import/own_description.h"
#include "profiler/store/sqlite.h"

namespace profiler {
namespace {

using nlohmann::json;

enum class Category {
  other,
  op,
  annotation,
  gpu_annotation,
  runtime,
  driver,
  kernel,
  copy,
  memset,
  synchronization,
  overhead
};

/// Names of today and those of 2021.
Category category_of(std::string_view name) {
  constexpr std::pair<std::string_view, Category> kCategories[] = {{"cpu_op", Category::op},
                                                                   {"Operator", Category::op},
                                                                   {"user_annotation", Category::annotation},
                                                                   {"gpu_user_annotation", Category::gpu_annotation},
                                                                   {"cuda_profiler_range", Category::gpu_annotation},
                                                                   {"cuda_runtime", Category::runtime},
                                                                   {"Runtime", Category::runtime},
                                                                   {"hip_runtime", Category::runtime},
                                                                   {"xpu_runtime", Category::runtime},
                                                                   {"cuda_driver", Category::driver},
                                                                   {"hip_driver", Category::driver},
                                                                   {"xpu_driver", Category::driver},
                                                                   {"kernel", Category::kernel},
                                                                   {"Kernel", Category::kernel},
                                                                   {"gpu_memcpy", Category::copy},
                                                                   {"Memcpy", Category::copy},
                                                                   {"gpu_memset", Category::memset},
                                                                   {"Memset", Category::memset},
                                                                   {"cuda_sync", Category::synchronization},
                                                                   {"overhead", Category::overhead}};
  for (const auto& [text, category] : kCategories) {
    if (text == name) return category;
  }
  return Category::other;
}

MemoryKind memory_kind(std::string_view text) {
  constexpr std::pair<std::string_view, MemoryKind> kKinds[] = {{"Pageable", MemoryKind::pageable},
                                                                {"Pinned", MemoryKind::pinned},
                                                                {"Device", MemoryKind::device},
                                                                {"Array", MemoryKind::array},
                                                                {"Managed", MemoryKind::managed},
                                                                {"Device Static", MemoryKind::device_static},
                                                                {"Managed Static", MemoryKind::managed_static}};
  for (const auto& [name, kind] : kKinds) {
    if (name == text) return kind;
  }
  return MemoryKind::unknown;
}

GpuPlace place_of(ChromeTrace& trace, const ChromeArgs& args) {
  return {
      .device = trace.figure(args.device), .context = trace.figure(args.context), .stream = trace.figure(args.stream)};
}

int64_t bytes_of_type(std::string_view type) {
  constexpr std::pair<std::string_view, int64_t> kSizes[] = {
      {"Double", 8},        {"Long", 8},        {"Float", 4},        {"Int", 4},           {"Half", 2},
      {"BFloat16", 2},      {"Short", 2},       {"Char", 1},         {"Byte", 1},          {"Bool", 1},
      {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}, {"ComplexFloat", 8}, {"ComplexDouble", 16}};
  for (const auto& [name, bytes] : kSizes) {
    if (name == type) return bytes;
  }
  return -1;
}

int64_t product_or_unknown(int64_t a, int64_t b) {
  int64_t product = -1;
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

/// JSON without the white space between its parts.
std::string compact(std::string_view text) {
  std::string out;
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\')) inside = !inside;
    if (inside || (c != ' ' && c != '\n' && c != '\r' && c != '\t')) out += c;
  }
  return out;
}

CollectiveRecord collective_of(ChromeTrace& trace, const ChromeArgs& args, uint64_t correlation) {
  TraceBuilder& b = trace.builder();
  CollectiveRecord r{
      .correlation = correlation, .operation = b.intern(args.collective), .element_type = b.intern(args.element_type)};
  r.group = b.intern(b.keeper().process_group(args.group_name));
  r.ranks = b.intern(compact(args.group_ranks_json));
  r.in_elements = trace.count(args.in_elements);
  r.out_elements = trace.count(args.out_elements);
  r.in_bytes = product_or_unknown(r.in_elements, bytes_of_type(args.element_type));
  r.out_bytes = product_or_unknown(r.out_elements, bytes_of_type(args.element_type));
  r.group_size = trace.figure(args.group_size);
  return r;
}

/// "gloo:all_reduce" on a thread of its own: the collective itself. "nccl:all_reduce" only starts one.
std::string_view collective_of_host(std::string_view annotation) {
  for (const std::string_view library : {"gloo:", "mpi:", "ucc:"}) {
    if (annotation.starts_with(library) && annotation.size() > library.size()) return annotation.substr(library.size());
  }
  return {};
}

TraceBuilder::Lane gpu_lane(ChromeTrace& trace, const ChromeEvent& e, const GpuPlace& place) {
  const auto own = trace.own_lane(e);
  return own ? *own : trace.builder().stream_lane(place.device, place.stream);
}

std::array<int32_t, 3> extents(const std::array<int64_t, 3>& from) {
  return {static_cast<int32_t>(from[0]), static_cast<int32_t>(from[1]), static_cast<int32_t>(from[2])};
}

/// Phase that our own exports give; nothing: none.
std::optional<Phase> phase_of(ChromeTrace& trace, const ChromeEvent& e) {
  for (const Phase phase : {Phase::forward, Phase::backward, Phase::update}) {
    if (trace.builder().ours() && e.args.phase == engine::name(phase)) return phase;
  }
  return {};
}

/// In our own exports: the op of work that no op on the host launched.
void say_op_of_work(ChromeTrace& trace, const ChromeEvent& e) {
  TraceBuilder& b = trace.builder();
  if (!b.ours() || e.args.op_name.empty()) return;
  b.say_op({.op = b.intern(e.args.op_name),
            .layer = b.intern(e.args.layer),
            .phase = phase_of(trace, e).value_or(Phase::forward),
            .type = b.intern(e.args.op_type)});
}

void take_kernel(ChromeTrace& trace, const ChromeEvent& e, Activity a) {
  KernelRecord r{.place = place_of(trace, e.args)};
  r.grid = extents(e.args.grid), r.block = extents(e.args.block), r.cluster = extents(e.args.cluster);
  r.registers_per_thread = trace.figure(e.args.registers);
  // Kineto gives the sum of static and dynamic shared memory alone, unless the static part is beside it (our own
  // exports)
  const int64_t shared = trace.count(e.args.shared_bytes);
  r.static_shared_bytes = trace.count(e.args.static_shared_bytes);
  r.dynamic_shared_bytes =
      r.static_shared_bytes >= 0 && shared >= r.static_shared_bytes ? shared - r.static_shared_bytes : shared;
  r.local_bytes = trace.count(e.args.local_bytes);
  r.graph = static_cast<uint64_t>(std::max<int64_t>(0, e.args.graph));
  r.graph_node = static_cast<uint64_t>(std::max<int64_t>(0, e.args.graph_node));
  a.track = gpu_lane(trace, e, r.place);
  if (!e.args.collective.empty()) trace.builder().add_collective(collective_of(trace, e.args, a.correlation));
  trace.builder().add(a, r, e.args.external_id);
  say_op_of_work(trace, e);
}

void take_copy(ChromeTrace& trace, const ChromeEvent& e, Activity a) {
  CopyRecord r{.place = place_of(trace, e.args), .kind = copy_kind_of(e.name)};
  const size_t open = e.name.find('('), arrow = e.name.find(" -> "), close = e.name.rfind(')');
  if (open < arrow && arrow != e.name.npos && close != e.name.npos && arrow + 4 < close) {
    r.source = memory_kind(e.name.substr(open + 1, arrow - open - 1));
    r.destination = memory_kind(e.name.substr(arrow + 4, close - arrow - 4));
  }
  if (trace.builder().ours() && !e.args.name.empty())
    a.name = trace.builder().intern(e.args.name);  // our own exports keep the one they had
  r.bytes = trace.count(e.args.bytes);
  r.source_device = trace.figure(e.args.from_device);
  r.destination_device = trace.figure(e.args.to_device);
  r.graph = static_cast<uint64_t>(std::max<int64_t>(0, e.args.graph));
  r.graph_node = static_cast<uint64_t>(std::max<int64_t>(0, e.args.graph_node));
  a.track = gpu_lane(trace, e, r.place);
  trace.builder().add(a, r, e.args.external_id);
  say_op_of_work(trace, e);
}

void take_memset(ChromeTrace& trace, const ChromeEvent& e, Activity a) {
  MemsetRecord r{.place = place_of(trace, e.args), .bytes = trace.count(e.args.bytes)};
  const size_t open = e.name.find('('), close = e.name.rfind(')');
  if (open != e.name.npos && close != e.name.npos && open < close)
    r.memory = memory_kind(e.name.substr(open + 1, close - open - 1));
  if (trace.builder().ours() && !e.args.name.empty()) a.name = trace.builder().intern(e.args.name);
  if (e.args.value >= 0) r.value = static_cast<uint32_t>(e.args.value);
  r.graph = static_cast<uint64_t>(std::max<int64_t>(0, e.args.graph));
  r.graph_node = static_cast<uint64_t>(std::max<int64_t>(0, e.args.graph_node));
  a.track = gpu_lane(trace, e, r.place);
  trace.builder().add(a, r, e.args.external_id);
  say_op_of_work(trace, e);
}

SyncKind sync_kind(std::string_view text) {
  if (text.find("Stream Wait") != text.npos) return SyncKind::stream_wait_event;
  if (text.starts_with("Event")) return SyncKind::event;
  if (text.starts_with("Stream")) return SyncKind::stream;
  return text.starts_with("Context") || text.starts_with("Device") ? SyncKind::context : SyncKind::unknown;
}

void take_synchronization(ChromeTrace& trace, const ChromeEvent& e, Activity a) {
  SynchronizationRecord r{.place = place_of(trace, e.args)};
  r.kind = sync_kind(e.args.sync_kind.empty() ? e.name : e.args.sync_kind);
  r.event = trace.figure(e.args.event);
  const auto device = r.place.device;
  const auto own = trace.own_lane(e);
  a.track = own ? *own : trace.builder().lane(0x5359000000000000u | static_cast<uint32_t>(device));
  trace.builder().name_lane(a.track, TrackKind::stream, "synchronisation",
                            device < 0 ? std::string("GPU unknown") : fmt::format("GPU {}", device));
  trace.builder().add(a, r);
}

void take_op(ChromeTrace& trace, const ChromeEvent& e, Activity a) {
  TraceBuilder& b = trace.builder();
  TraceCall call{.dimensions = b.intern(compact(e.args.input_dims_json)),
                 .types = b.intern(compact(e.args.input_types_json))};
  if (rules_need_constants(e.name)) call.constants = b.intern(compact(e.args.constants_json));
  call.layer = b.intern(e.args.layer);
  if (b.ours())
    call.type = b.intern(e.args.op_type), call.kernel = b.intern(e.args.kernel_name),
    call.op = b.intern(e.args.op_name);
  call.external_id = std::max<int64_t>(0, e.args.external_id);
  if (e.args.flops >= 0) call.flops = static_cast<double>(e.args.flops);
  call.sequence = std::max<int64_t>(-1, e.args.sequence);
  if (e.args.forward_thread > 0) call.phase = Phase::backward, call.of_backward = true;
  if (const auto phase = phase_of(trace, e)) call.phase = *phase, call.phase_given = true;
  a.track = trace.lane_of(e);
  b.add_op(a, call);
  if (!e.args.collective.empty()) b.say_collective(collective_of(trace, e.args, 0));
}

/// "ProfilerStep#6" -> 6; -1: no such name.
int64_t step_of(std::string_view name) {
  constexpr std::string_view kMark = "ProfilerStep#";
  int64_t step = -1;
  if (!name.starts_with(kMark)) return -1;
  const auto [end, error] = std::from_chars(name.data() + kMark.size(), name.data() + name.size(), step);
  return error == std::errc() && end == name.data() + name.size() && step < kNoStep ? step : -1;
}

/// A plain range that may tell the layer of the ops inside.
bool layer_span(ChromeTrace& trace, const ChromeEvent& e, Activity& a, bool module) {
  a.track = trace.lane_of(e);
  if (const std::string_view operation = collective_of_host(e.name); !operation.empty() && !trace.builder().ours()) {
    CollectiveRecord r{.operation = trace.builder().intern(operation)};
    r.in_bytes = bytes_of_inputs(compact(e.args.input_dims_json), compact(e.args.input_types_json));
    a.correlation = trace.builder().add_host_collective(r);
  }
  trace.builder().add_range(a);
  if (module || TraceBuilder::names_a_layer(e.name))
    trace.builder().say_layer_span(module || TraceBuilder::is_module_path(e.name));
  return true;
}

bool span(ChromeTrace& trace, const ChromeEvent& e, Activity& a) {
  TraceBuilder& b = trace.builder();
  if (e.args.correlation > 0) a.correlation = b.correlation(e.args.correlation);
  switch (category_of(e.category)) {
    case Category::op:
    case Category::annotation:
      if (const int64_t step = step_of(e.name); step >= 0) {
        b.add_step({.index = static_cast<uint32_t>(step),
                    .start_ns = a.start_ns,
                    .duration_ns = a.duration_ns,
                    .traced = !b.ours() || e.args.untraced <= 0,
                    .warmup = b.ours() && e.args.warmup > 0});
        if (b.describes_tracks() && !trace.own_lane(e)) return true;  // our own export had no span for it
        a.correlation = 0;
        a.track = trace.lane_of(e);
        if (b.ours() && !e.args.name.empty()) a.name = b.intern(e.args.name);
        b.add_step_span(a);
        return true;
      }
      if (category_of(e.category) == Category::annotation && e.args.is_layer > 0 && b.describes_tracks()) {
        a.track = trace.lane_of(e);
        b.add_layer(a);
        return true;
      }
      if (category_of(e.category) == Category::annotation) return layer_span(trace, e, a, false);
      take_op(trace, e, a);
      return true;
    case Category::gpu_annotation: {
      const auto own = trace.own_lane(e);
      a.track = own ? *own
                    : b.lane(0x414e000000000000u ^ (static_cast<uint64_t>(e.pid.number) << 32) ^
                             static_cast<uint64_t>(e.tid.number));
      b.name_lane(a.track, TrackKind::stream, fmt::format("annotations of stream {}", e.tid.number),
                  fmt::format("GPU {}", e.pid.number));
      b.add_range(a);
      return true;
    }
    case Category::runtime:
    case Category::driver: {
      ApiCallRecord r{.driver = category_of(e.category) == Category::driver};
      if (e.args.return_value > 0) r.return_value = static_cast<uint32_t>(e.args.return_value);
      a.track = trace.lane_of(e);
      b.add(a, r);
      if (!e.args.kernel_name.empty()) b.say_launched_kernel(e.args.kernel_name);
      return true;
    }
    case Category::kernel: take_kernel(trace, e, a); return true;
    case Category::copy: take_copy(trace, e, a); return true;
    case Category::memset: take_memset(trace, e, a); return true;
    case Category::synchronization: take_synchronization(trace, e, a); return true;
    case Category::overhead:
      a.track = trace.lane_of(e);
      b.add(a, OverheadRecord{});
      return true;
    case Category::other:
      return e.category == "python_function" && TraceBuilder::is_module_frame(e.name) && layer_span(trace, e, a, true);
  }
  return false;
}

/// "[memory]": totals where they are given (2022 on), else changes.
bool instant(ChromeTrace& trace, const ChromeEvent& e) {
  if (e.name != "[memory]") return false;
  const bool gpu = e.args.device_type == 1;
  const std::string group = gpu ? fmt::format("GPU {}", e.args.device_id) : std::string("CPU");
  TraceBuilder& b = trace.builder();
  if (e.args.total_allocated != kNoFigure) {
    b.add_counter_value("allocated", group, "B", e.time_ns, static_cast<double>(e.args.total_allocated));
    if (e.args.total_reserved > 0)
      b.add_counter_value("reserved", group, "B", e.time_ns, static_cast<double>(e.args.total_reserved));
  } else if (e.args.memory_bytes != kNoFigure) {
    trace.add_allocation(group, e.time_ns, e.args.memory_bytes);
  } else {
    trace.found(Finding::bad_figure, "[memory] without bytes");
  }
  return true;
}

int64_t integer(const json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number_integer() && at->is_number() &&
                 (at->is_number_unsigned() ? at->get<uint64_t>() <= INT64_MAX : true)
             ? at->get<int64_t>()
             : -1;
}

/// {"pg_name": "0", "pg_size": 2, "ranks": [0, 1]}: of a trace with one process group.
void take_only_group(ChromeTrace& trace, const json& groups) {
  if (!groups.is_array() || groups.size() != 1 || !groups.front().is_object()) return;
  const json& group = groups.front();
  const auto name = group.find("pg_name"), ranks = group.find("ranks");
  TraceBuilder& b = trace.builder();
  b.set_only_group(name != group.end() && name->is_string()
                       ? b.intern(b.keeper().process_group(name->get<std::string>().substr(0, 200)))
                       : NameId{0},
                   ranks != group.end() && ranks->is_array() ? b.intern(ranks->dump()) : NameId{0},
                   trace.figure(integer(group, "pg_size") < 0 ? kNoFigure : integer(group, "pg_size")));
}

void take_devices(ChromeTrace& trace, const json& devices) {
  for (const json& d : devices) {
    if (!d.is_object() || integer(d, "id") < 0) continue;
    GpuDevice device{.device = trace.figure(integer(d, "id"))};
    if (const auto name = d.find("name"); name != d.end() && name->is_string())
      device.name = sqlite::shown(name->get<std::string>().substr(0, 200));
    device.compute_major = trace.figure(integer(d, "computeMajor") < 0 ? kNoFigure : integer(d, "computeMajor"));
    device.compute_minor = trace.figure(integer(d, "computeMinor") < 0 ? kNoFigure : integer(d, "computeMinor"));
    device.multiprocessors = trace.figure(integer(d, "numSms") < 0 ? kNoFigure : integer(d, "numSms"));
    device.memory_bytes = std::max<int64_t>(-1, integer(d, "totalGlobalMem"));
    trace.builder().add_device(std::move(device));
  }
}

/// Host and user names, commands and the environment are not kept.
bool member(ChromeTrace& trace, std::string_view key, std::string_view value) {
  const bool devices = key == "deviceProperties", distributed = key == "distributedInfo",
             base = key == "baseTimeNanoseconds", ours = key == "tensortide";
  if (!devices && !distributed && !base && !ours) return true;
  const json parsed = engine::parse_json(value);
  if (parsed.is_discarded()) return false;
  if (base && parsed.is_number_integer()) trace.builder().set_base(parsed.get<int64_t>());
  if (devices && parsed.is_array()) take_devices(trace, parsed);
  if (ours && parsed.is_object()) take_own_description(trace.builder(), parsed);
  if (distributed && parsed.is_object()) {
    for (const char* figure : {"rank", "world_size"}) {
      if (const int64_t n = integer(parsed, figure); n >= 0)
        trace.builder().run().arguments[figure] = fmt::format("{}", n);
    }
    if (const auto groups = parsed.find("pg_config"); groups != parsed.end()) take_only_group(trace, *groups);
    if (const auto backend = parsed.find("backend"); backend != parsed.end() && backend->is_string()) {
      trace.builder().run().arguments["backend"] = sqlite::shown(backend->get<std::string>().substr(0, 60));
    }
  }
  return true;
}

/// Whether an event of that category is there: other traces have ops of the name "kernel".
bool has_category(std::string_view text, std::string_view category) {
  const std::string quoted = fmt::format("\"{}\"", category);
  for (size_t at = text.find(quoted); at != text.npos; at = text.find(quoted, at + 1)) {
    const std::string_view before = text.substr(0, at);
    const size_t colon = before.find_last_not_of(" \t\r\n");
    if (colon == before.npos || colon == 0 || before[colon] != ':') continue;
    const size_t key = before.find_last_not_of(" \t\r\n", colon - 1);
    if (key != before.npos && before.substr(0, key + 1).ends_with("\"cat\"")) return true;
  }
  return false;
}

int confidence(std::string_view first) {
  for (const std::string_view mark : {"\"deviceProperties\"", "\"baseTimeNanoseconds\"", "\"PyTorch Profiler"}) {
    if (first.find(mark) != first.npos) return 3;
  }
  for (const std::string_view category :
       {"cpu_op", "cuda_runtime", "python_function", "Operator", "gpu_memcpy", "user_annotation", "kernel"}) {
    if (has_category(first, category)) return 3;
  }
  return 0;
}

engine::Result<void> read(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  static constexpr ChromeTrace::Dialect kDialect{.span = span, .instant = instant, .member = member};
  return ChromeTrace(builder, kDialect).read(file, control);
}

}  // namespace

Importer kineto_importer() {
  return {.name = "kineto",
          .title = "PyTorch (Kineto) trace",
          .help = "torch.profiler's .json or .json.gz, 2021 to now",
          .confidence = confidence,
          .read = read};
}

}  // namespace profiler
