// SPDX-License-Identifier: Apache-2.0
// Chrome JSON in Kineto's field names: PyTorch's readers (TensorBoard, Holistic Trace Analysis), Perfetto and
// chrome://tracing.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "profiler/capture/phases.h"
#include "profiler/export/exporter.h"
#include "profiler/export/json_text.h"
#include "profiler/export/own_description.h"

namespace profiler {
namespace {

/// A range that PyTorch drew over the kernels of a stream.
bool on_stream(const Capture& c, const Activity& a) { return c.tracks()[a.track].kind == TrackKind::stream; }

/// The number at the end of "GPU 3" after "GPU "; -1: none.
int64_t number_after(std::string_view text, std::string_view words) {
  int64_t number = -1;
  if (!text.starts_with(words)) return -1;
  std::from_chars(text.data() + words.size(), text.data() + text.size(), number);
  return number;
}

const char* category_of(const Capture& c, const Activity& a, uint32_t row) {
  switch (a.kind) {
    case ActivityKind::op: return "cpu_op";
    case ActivityKind::kernel: return "kernel";
    case ActivityKind::copy: return "gpu_memcpy";
    case ActivityKind::memset: return "gpu_memset";
    case ActivityKind::api:
      return c.api_call_of(row) != nullptr && c.api_call_of(row)->driver ? "cuda_driver" : "cuda_runtime";
    case ActivityKind::synchronization: return "cuda_sync";
    case ActivityKind::overhead: return "overhead";
    case ActivityKind::step:
    case ActivityKind::layer:
    case ActivityKind::range: return on_stream(c, a) ? "gpu_user_annotation" : "user_annotation";
  }
  return "user_annotation";
}

const char* kineto_memory(MemoryKind kind) {
  constexpr const char* names[] = {"Pageable", "Pinned",        "Device",         "Array",
                                   "Managed",  "Device Static", "Managed Static", "Unknown"};
  return names[static_cast<size_t>(kind)];
}

const char* kineto_copy(CopyKind kind) {
  constexpr const char* names[] = {"",     "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
                                   "DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"};
  return names[static_cast<size_t>(kind)];
}

const char* kineto_sync(SyncKind kind) {
  constexpr const char* names[] = {"Unknown", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};
  return names[static_cast<size_t>(kind)];
}

/// Groups of tracks become processes numbered from here, beyond the devices, whose numbers stand for them.
constexpr int64_t kFirstPid = 100'000;

class Writer {
 public:
  Writer(const Capture& capture, const ExportRange& range, ExportSink& sink)
      : c_(capture), range_(range), sink_(sink), names_(capture), op_arguments_(capture.ops().size()) {
    for (const StepRecord& step : capture.steps()) steps_.try_emplace(step.index, &step);
  }
  void write();

 private:
  std::string time(int64_t ns) const {
    const int64_t since = ns - base_ns_;
    return fmt::format("{}{}.{:03}", since < 0 ? "-" : "", std::abs(since) / 1000, std::abs(since) % 1000);
  }
  std::string arguments(const Activity& a, uint32_t row);
  std::string kernel_arguments(const KernelRecord& k) const;
  const std::string& op_arguments(const OpRecord& op);
  std::string op_of_work(const Activity& a, uint32_t row);
  std::string identity(const OpRecord& op, NameId name, NameId kernel);
  void place(const GpuPlace& p, std::string& text) const;
  void event(const std::string& text);
  void write_head();
  void write_tracks();
  void write_activity(uint32_t row, const Activity& a);
  void name_place(int64_t pid, int64_t tid, const Track&);
  void write_counters();
  void write_steps();
  void find_external_ids();

  const Capture& c_;
  const ExportRange& range_;
  ExportSink& sink_;
  JsonNames names_;
  std::vector<std::string> op_arguments_;                  // by op
  std::unordered_map<uint32_t, const StepRecord*> steps_;  // by index
  int64_t base_ns_ = 0;
  bool first_ = true;
  std::map<std::string, int> pid_of_group_;
  std::set<std::pair<int64_t, int64_t>> named_places_;  // devices and streams; tid -1: the device
  std::unordered_set<uint64_t> launches_, launched_;    // correlations of API calls, and of GPU work, that are written
  std::unordered_map<uint64_t, int64_t> external_of_launch_;  // by correlation: the op call that launched it
};

void Writer::event(const std::string& text) {
  sink_.write(first_ ? "\n  " : ",\n  ");
  first_ = false;
  sink_.write(text);
}

void figure(std::string& text, const char* key, int64_t value) {
  if (value >= 0) text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", key, value);
}

void Writer::place(const GpuPlace& p, std::string& text) const {
  figure(text, "device", p.device);
  figure(text, "context", p.context);
  figure(text, "stream", p.stream);
}

std::string Writer::kernel_arguments(const KernelRecord& k) const {
  std::string text;
  place(k.place, text);
  figure(text, "registers per thread", k.registers_per_thread);
  if (k.dynamic_shared_bytes >= 0)
    figure(text, "shared memory", k.dynamic_shared_bytes + std::max<int64_t>(0, k.static_shared_bytes));
  figure(text, "static shared memory", k.static_shared_bytes);
  figure(text, "local memory", k.local_bytes);
  for (const auto& [key, extents] :
       {std::pair{"grid", &k.grid}, std::pair{"block", &k.block}, std::pair{"cluster", &k.cluster}}) {
    if ((*extents)[0] >= 0)
      text += fmt::format("{}\"{}\": [{}, {}, {}]", text.empty() ? "" : ", ", key, (*extents)[0], (*extents)[1],
                          (*extents)[2]);
  }
  if (k.graph > 0) figure(text, "graph id", static_cast<int64_t>(k.graph));
  if (k.graph_node > 0) figure(text, "graph node id", static_cast<int64_t>(k.graph_node));
  return text;
}

/// Shapes of the inputs, and what the op computes in one call.
const std::string& Writer::op_arguments(const OpRecord& op) {
  std::string& text = op_arguments_[op.id];  // each made once: an op is called many times
  if (!text.empty()) return text;
  std::string shapes, types;
  for (const OperandRecord& operand : c_.operands(op)) {
    if (operand.output) continue;
    const TensorRecord& t = c_.tensors()[operand.tensor];
    shapes += fmt::format("{}[{}]", shapes.empty() ? "" : ", ", fmt::join(t.shape, ", "));
    types += fmt::format("{}\"{}\"", types.empty() ? "" : ", ", engine::name(t.dtype));
  }
  if (!shapes.empty()) text = fmt::format("\"Input Dims\": [{}], \"Input type\": [{}]", shapes, types);
  // calls were seen in the traced steps alone
  const auto steps = std::ranges::count_if(c_.steps(), &StepRecord::traced);
  ptrdiff_t calls = 0;
  bool named_so = true;  // whether its calls have the op's own name, as they do in our captures
  for (const uint32_t row : c_.activities_of(op.id)) {
    if (c_.activities().kind[row] != ActivityKind::op) continue;
    ++calls;
    named_so = named_so && c_.activities().name[row] == op.name;
  }
  const double per_call = op.flops * static_cast<double>(std::max<ptrdiff_t>(1, steps)) /
                          static_cast<double>(std::max<ptrdiff_t>(1, calls));
  if (op.flops >= 0 && per_call < 9e18) figure(text, "flops", std::llround(per_call));
  text += (text.empty() ? "" : ", ") + identity(op, named_so ? NameId{0} : op.name, op.kernel);
  return text;
}

/// The op that a graph's replay, or a compiled program, did this work for, where the call that launched it lies in
/// another op or in none.
std::string Writer::op_of_work(const Activity& a, uint32_t row) {
  if (a.op == kNoOp) return {};
  const auto launched = external_of_launch_.find(a.correlation);
  if (a.correlation != 0 && launched != external_of_launch_.end()) {
    const Activity call = c_.activities().row(static_cast<size_t>(launched->second - 1));
    if (call.op == a.op && range_.keeps(call.kind, call.start_ns, call.duration_ns)) return {};
  }
  const OpRecord& op = c_.ops()[a.op];
  // Work of no op stands in a row of its own, which has its name and no layer.
  const KernelRecord* kernel = c_.kernel_of(row);
  if (op.layer == 0 && op.name == (kernel != nullptr ? kernel->short_name : a.name)) return {};
  return identity(op, op.name, 0);  // the kernel is the event's own name
}

/// What an op is. `name` and `kernel`: 0 leaves them out.
std::string Writer::identity(const OpRecord& op, NameId name, NameId kernel) {
  std::string text = fmt::format("\"phase\": \"{}\"", phase_name(c_, op.phase));
  for (const auto& [key, id] : {std::pair{"op", name}, std::pair{"type", op.type},
                                std::pair{"Module Hierarchy", op.layer}, std::pair{"kernel", kernel}}) {
    if (!c_.name(id).empty()) text += fmt::format(", \"{}\": {}", key, names_[id]);
  }
  return text;
}

/// Marks of ours: our importer leaves such steps out of what it calls measured.
std::string step_arguments(const StepRecord& step) {
  std::string text;
  if (step.warmup) figure(text, "warmup", 1);
  if (!step.traced) figure(text, "untraced", 1);
  return text;
}

std::string Writer::arguments(const Activity& a, uint32_t row) {
  std::string text;
  if (a.kind == ActivityKind::step) {
    if (const auto step = steps_.find(a.step); step != steps_.end()) text = step_arguments(*step->second);
  }
  if (const KernelRecord* k = c_.kernel_of(row); k != nullptr) text = kernel_arguments(*k);
  if (const CopyRecord* r = c_.copy_of(row); r != nullptr) {
    place(r->place, text);
    figure(text, "bytes", r->bytes);
    if (r->bytes >= 0 && a.duration_ns > 0) {
      text += fmt::format(", \"memory bandwidth (GB/s)\": {:.6g}",
                          static_cast<double>(r->bytes) / static_cast<double>(a.duration_ns));
    }
    figure(text, "fromDevice", r->source_device);
    figure(text, "toDevice", r->destination_device);
    text += fmt::format("{}\"name\": {}", text.empty() ? "" : ", ",
                        names_[a.name]);  // the event's own name is as Kineto's are
    if (r->graph_node > 0) figure(text, "graph node id", static_cast<int64_t>(r->graph_node));
  }
  if (const MemsetRecord* r = c_.memset_of(row); r != nullptr) {
    place(r->place, text);
    figure(text, "bytes", r->bytes);
    figure(text, "value", r->value);
    text += fmt::format("{}\"name\": {}", text.empty() ? "" : ", ", names_[a.name]);
  }
  if (const SynchronizationRecord* r = c_.synchronization_of(row); r != nullptr) {
    place(r->place, text);
    text += fmt::format("{}\"cuda_sync_kind\": \"{}\"", text.empty() ? "" : ", ", kineto_sync(r->kind));
    figure(text, "wait_on_cuda_event_id", r->event);
  }
  if (const ApiCallRecord* r = c_.api_call_of(row); r != nullptr && r->return_value > 0)
    figure(text, "return value", r->return_value);
  if (a.kind == ActivityKind::op && a.op != kNoOp) text = op_arguments(c_.ops()[a.op]);
  if (a.kind == ActivityKind::kernel || a.kind == ActivityKind::copy || a.kind == ActivityKind::memset)
    if (const std::string op = op_of_work(a, row); !op.empty()) text += (text.empty() ? "" : ", ") + op;
  if (a.kind == ActivityKind::op) {
    figure(text, "External id", int64_t{row} + 1);
  } else if (const auto op = external_of_launch_.find(a.correlation); op != external_of_launch_.end()) {
    figure(text, "External id", op->second);
  }
  if (a.correlation > 0 && static_cast<int64_t>(a.correlation) > 0)
    figure(text, "correlation", static_cast<int64_t>(a.correlation));
  if (const CollectiveRecord* r = a.kind == ActivityKind::kernel ? c_.collective_of(a.correlation) : nullptr;
      r != nullptr) {
    text +=
        fmt::format(", \"Collective name\": {}, \"dtype\": {}, \"Process Group Name\": {}, \"Process Group Ranks\": {}",
                    names_[r->operation], names_[r->element_type], names_[r->group], names_[r->ranks]);
    figure(text, "In msg nelems", r->in_elements);
    figure(text, "Out msg nelems", r->out_elements);
    figure(text, "Group size", r->group_size);
  }
  return text;
}

void Writer::write_head() {
  std::string devices;
  for (const GpuDevice& d : c_.gpu().devices) {
    std::string text = fmt::format("\"id\": {}, \"name\": {}", d.device, json_text(d.name));
    figure(text, "totalGlobalMem", d.memory_bytes);
    figure(text, "computeMajor", d.compute_major);
    figure(text, "computeMinor", d.compute_minor);
    figure(text, "numSms", d.multiprocessors);
    devices += fmt::format("{}{{{}}}", devices.empty() ? "" : ", ", text);
  }
  // Holistic Trace Analysis refuses a trace without a rank; a run that says nothing of ranks is the only one of its
  // world
  const auto number = [this](const char* key, int64_t otherwise) {
    const auto found = c_.run().arguments.find(key);
    if (found == c_.run().arguments.end()) return otherwise;
    int64_t value = otherwise;
    const auto [end, error] = std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
    return error == std::errc() && value >= 0 ? value : otherwise;
  };
  const std::string distributed = fmt::format(",\n\"distributedInfo\": {{\"rank\": {}, \"world_size\": {}}}",
                                              number("rank", 0), number("world_size", 1));
  sink_.write(
      fmt::format("{{\n\"schemaVersion\": 1,\n\"deviceProperties\": [{}]{},\n\"tensortide\": {},\n\"displayTimeUnit\": "
                  "\"ms\",\n\"baseTimeNanoseconds\": {},\n\"traceEvents\": [",
                  devices, distributed, own_description(c_), base_ns_));
}

/// Groups become processes, tracks threads; GPU work goes by device and stream, as Kineto has it.
void Writer::write_tracks() {
  for (size_t i = 0; i < c_.tracks().size(); ++i) {
    const Track& t = c_.tracks()[i];
    const auto [entry, added] = pid_of_group_.try_emplace(t.group, static_cast<int>(kFirstPid + pid_of_group_.size()));
    if (added) {
      event(
          fmt::format("{{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": {}, \"tid\": 0, \"ts\": 0, \"args\": "
                      "{{\"name\": {}}}}}",
                      entry->second, json_text(t.group)));
    }
    event(fmt::format(
        "{{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": {}, \"tid\": {}, \"ts\": 0, \"args\": {{\"name\": {}}}}}",
        entry->second, i, json_text(t.name)));
  }
}

/// A device and its stream, named once, as their track is.
void Writer::name_place(int64_t pid, int64_t tid, const Track& track) {
  const auto name = [&](const char* what, int64_t thread, const std::string& text) {
    event(fmt::format(
        "{{\"ph\": \"M\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, \"ts\": 0, \"args\": {{\"name\": {}}}}}", what,
        pid, thread, json_text(text)));
  };
  if (named_places_.emplace(pid, -1).second) name("process_name", 0, track.group);
  if (named_places_.emplace(pid, tid).second)
    name("thread_name", tid, track.kind == TrackKind::stream ? track.name : fmt::format("stream {}", tid));
}

void Writer::write_activity(uint32_t row, const Activity& a) {
  std::string name = names_[a.name];
  int64_t pid = pid_of_group_.at(c_.tracks()[a.track].group), tid = a.track;
  const GpuPlace* where = nullptr;
  if (const KernelRecord* k = c_.kernel_of(row); k != nullptr) where = &k->place;
  if (const CopyRecord* r = c_.copy_of(row); r != nullptr) {
    where = &r->place;
    name = fmt::format("\"Memcpy {} ({} -> {})\"", kineto_copy(r->kind), kineto_memory(r->source),
                       kineto_memory(r->destination));
  }
  if (const MemsetRecord* r = c_.memset_of(row); r != nullptr) {
    where = &r->place;
    name = fmt::format("\"Memset ({})\"", kineto_memory(r->memory));
  }
  if (where != nullptr && where->device >= 0 && where->stream >= 0) pid = where->device, tid = where->stream;
  if (a.kind == ActivityKind::range && on_stream(c_, a)) {
    const Track& t = c_.tracks()[a.track];
    const int64_t device = number_after(t.group, "GPU "), stream = number_after(t.name, "annotations of stream ");
    if (device >= 0 && stream >= 0) pid = device, tid = stream;
  }
  if (where != nullptr && pid < kFirstPid) name_place(pid, tid, c_.tracks()[a.track]);
  std::string text = arguments(a, row);
  if (a.kind == ActivityKind::step && a.step != kNoStep) {
    name = fmt::format("\"ProfilerStep#{}\"", a.step);
    text += fmt::format("{}\"name\": {}", text.empty() ? "" : ", ", names_[a.name]);
  }
  if (a.kind == ActivityKind::layer) figure(text, "layer", 1);
  if (tid != a.track || pid < kFirstPid) figure(text, "track", a.track);
  event(fmt::format(
      "{{\"ph\": \"X\", \"cat\": \"{}\", \"name\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}, \"dur\": {}.{:03}, "
      "\"args\": {{{}}}}}",
      category_of(c_, a, row), name, pid, tid, time(a.start_ns), a.duration_ns / 1000, a.duration_ns % 1000, text));
  if (a.correlation == 0) return;
  if (a.kind == ActivityKind::api && launched_.contains(a.correlation)) {
    event(fmt::format(
        "{{\"ph\": \"s\", \"id\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}, \"cat\": \"ac2g\", \"name\": \"ac2g\"}}",
        a.correlation, pid, tid, time(a.start_ns)));
  } else if (where != nullptr && launches_.contains(a.correlation)) {
    event(
        fmt::format("{{\"ph\": \"f\", \"bp\": \"e\", \"id\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}, \"cat\": "
                    "\"ac2g\", \"name\": \"ac2g\"}}",
                    a.correlation, pid, tid, time(a.start_ns)));
  }
}

void Writer::write_counters() {
  for (const CounterSeries& s : c_.counters()) {
    const std::string_view group = c_.name(s.group), name = c_.name(s.name);
    const int64_t device = number_after(group, "GPU ");
    const bool memory = name == "allocated" && device >= 0;
    for (size_t i = 0; i < s.value.size(); ++i) {
      if (!range_.touches(s.time_ns[i], 0)) continue;
      if (memory) {
        event(
            fmt::format("{{\"ph\": \"i\", \"s\": \"t\", \"cat\": \"cpu_instant_event\", \"name\": \"[memory]\", "
                        "\"pid\": 99999, \"tid\": 0, \"ts\": {}, \"args\": "
                        "{{\"Bytes\": {:.0f}, \"Total Allocated\": {:.0f}, \"Device Type\": 1, \"Device Id\": {}}}}}",
                        time(s.time_ns[i]), i == 0 ? s.value[i] : s.value[i] - s.value[i - 1], s.value[i], device));
      } else {
        event(fmt::format("{{\"ph\": \"C\", \"name\": {}, \"pid\": {}, \"ts\": {}, \"args\": {{\"value\": {}}}}}",
                          names_[s.name], names_[s.group], time(s.time_ns[i]), s.value[i]));
      }
    }
  }
}

/// Steps that no span marks.
void Writer::write_steps() {
  const ActivityColumns& all = c_.activities();
  std::unordered_set<uint32_t> marked;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.kind[i] == ActivityKind::step) marked.insert(all.step[i]);
  }
  for (const StepRecord& step : c_.steps()) {
    if (marked.contains(step.index) || !range_.keeps(ActivityKind::step, step.start_ns, step.duration_ns)) continue;
    event(fmt::format(
        "{{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#{}\", \"pid\": 99998, \"tid\": 0, "
        "\"ts\": {}, \"dur\": {}.{:03}, "
        "\"args\": {{{}}}}}",
        step.index, time(step.start_ns), step.duration_ns / 1000, step.duration_ns % 1000, step_arguments(step)));
  }
}

/// "External id" ties op calls to what they launched: TensorBoard's plugin takes GPU work without one for
/// communication.
void Writer::find_external_ids() {
  struct Open {
    int64_t end_ns, id;
  };
  std::vector<std::vector<Open>> open(c_.tracks().size());
  std::vector<int64_t> last_call(c_.ops().size(), 0);
  const ActivityColumns& all = c_.activities();
  for (size_t i = 0; i < all.size(); ++i) {
    const Activity a = all.row(i);
    if (a.kind != ActivityKind::op && a.kind != ActivityKind::api) continue;
    auto& around = open[a.track];
    while (!around.empty() && around.back().end_ns <= a.start_ns) around.pop_back();
    if (a.kind == ActivityKind::op) {
      around.push_back({a.start_ns + a.duration_ns, static_cast<int64_t>(i) + 1});
      if (a.op != kNoOp) last_call[a.op] = around.back().id;
      continue;
    }
    // our own captures have calls on a track of their own, with their op
    const int64_t id = !around.empty() ? around.back().id : a.op != kNoOp ? last_call[a.op] : 0;
    if (a.correlation != 0 && id > 0) external_of_launch_.try_emplace(a.correlation, id);
  }
}

void Writer::write() {
  base_ns_ = c_.begin_ns();
  find_external_ids();
  write_head();
  write_tracks();
  const ActivityColumns& all = c_.activities();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.correlation[i] == 0 || !range_.touches(all.start_ns[i], all.duration_ns[i])) continue;
    const ActivityKind kind = all.kind[i];
    if (kind == ActivityKind::api) launches_.insert(all.correlation[i]);
    if (kind == ActivityKind::kernel || kind == ActivityKind::copy || kind == ActivityKind::memset)
      launched_.insert(all.correlation[i]);
  }
  for (size_t i = 0; i < all.size() && sink_.go_on(i, all.size()); ++i) {
    if (range_.keeps(all.kind[i], all.start_ns[i], all.duration_ns[i]))
      write_activity(static_cast<uint32_t>(i), all.row(i));
  }
  write_steps();
  write_counters();
  sink_.write(fmt::format("\n],\n\"traceName\": {}\n}}\n", json_text(c_.run().title)));
}

}  // namespace

Exporter chrome_exporter() {
  return {
      .name = "chrome",
      .extension = ".json",
      .help = "Perfetto, TensorBoard, Holistic Trace Analysis (as Kineto writes)",
      .write = [](const Capture& c, const ExportRange& range, ExportSink& sink) { Writer(c, range, sink).write(); }};
}

}  // namespace profiler
