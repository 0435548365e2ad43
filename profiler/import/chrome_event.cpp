// SPDX-License-Identifier: Apache-2.0
// One event with simdjson's On-Demand parser: every field is looked at once, in the order it stands.
#include "profiler/import/chrome_event.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "profiler/import/json_pieces.h"

namespace profiler {

namespace sj = simdjson;
using Value = sj::ondemand::value;

static_assert(sj::SIMDJSON_PADDING <= JsonPieces::kPadding);

namespace {

template <class T>
bool number_of(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

std::string_view trimmed(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  return text;
}

/// A number, or a text that holds one: its digits. Anything else: false.
bool digits_of(Value& value, std::string_view& digits) {
  sj::ondemand::json_type type{};
  if (value.type().get(type) != sj::SUCCESS) return false;
  if (type == sj::ondemand::json_type::number) {
    digits = trimmed(value.raw_json_token());
    return true;
  }
  return type == sj::ondemand::json_type::string && value.get_string().get(digits) == sj::SUCCESS;
}

/// An integer; 1.0 and "1" count as well; beyond int64: false.
bool integer_of(std::string_view digits, int64_t& out) {
  if (number_of(digits, out)) return true;
  double real = 0;
  if (!number_of(digits, real) || !(std::abs(real) < 9.2e18)) return false;
  out = static_cast<int64_t>(real);
  return true;
}

enum class Arg : uint8_t {
  correlation,
  external_id,
  device,
  context,
  stream,
  bytes,
  registers,
  shared,
  static_shared,
  graph,
  graph_node,
  address,
  memory_bytes,
  allocated,
  reserved,
  device_type,
  device_id,
  in_elements,
  out_elements,
  group_size,
  forward_thread,
  sequence,
  sort_index,
  event,
  wait_stream,
  from_device,
  to_device,
  in_device,
  flops,
  return_value,
  local_bytes,
  set_value,
  source_kind,
  destination_kind,
  grid,
  block,
  cluster,
  name,
  labels,
  collective,
  dtype,
  group_name,
  group_ranks,
  dims,
  types,
  sync_kind,
  kernel_details,
  memcpy_details,
  operation,
  module,
  constants,
  layer,
  op_type,
  op_name,
  kernel_name,
  step_number,
  warmup,
  untraced,
  is_layer,
  track,
  onnx_type,
  onnx_provider,
  onnx_inputs,
  onnx_outputs,
  phase
};

const std::unordered_map<std::string_view, Arg>& arg_names() {
  static const std::unordered_map<std::string_view, Arg> names{{"correlation", Arg::correlation},
                                                               {"correlation_id", Arg::correlation},
                                                               {"External id", Arg::external_id},
                                                               {"external id", Arg::external_id},
                                                               {"device", Arg::device},
                                                               {"context", Arg::context},
                                                               {"context_id", Arg::context},
                                                               {"stream", Arg::stream},
                                                               {"bytes", Arg::bytes},
                                                               {"registers per thread", Arg::registers},
                                                               {"shared memory", Arg::shared},
                                                               {"static shared memory", Arg::static_shared},
                                                               {"graph id", Arg::graph},
                                                               {"graph node id", Arg::graph_node},
                                                               {"Addr", Arg::address},
                                                               {"Bytes", Arg::memory_bytes},
                                                               {"Total Allocated", Arg::allocated},
                                                               {"Total Reserved", Arg::reserved},
                                                               {"Device Type", Arg::device_type},
                                                               {"Device Id", Arg::device_id},
                                                               {"In msg nelems", Arg::in_elements},
                                                               {"Out msg nelems", Arg::out_elements},
                                                               {"Group size", Arg::group_size},
                                                               {"Fwd thread id", Arg::forward_thread},
                                                               {"Sequence number", Arg::sequence},
                                                               {"sort_index", Arg::sort_index},
                                                               {"wait_on_cuda_event_id", Arg::event},
                                                               {"wait_on_stream", Arg::wait_stream},
                                                               {"fromDevice", Arg::from_device},
                                                               {"toDevice", Arg::to_device},
                                                               {"inDevice", Arg::in_device},
                                                               {"flops", Arg::flops},
                                                               {"Flops", Arg::flops},
                                                               {"return value", Arg::return_value},
                                                               {"local memory", Arg::local_bytes},
                                                               {"value", Arg::set_value},
                                                               {"source kind", Arg::source_kind},
                                                               {"destination kind", Arg::destination_kind},
                                                               {"grid", Arg::grid},
                                                               {"block", Arg::block},
                                                               {"cluster", Arg::cluster},
                                                               {"name", Arg::name},
                                                               {"labels", Arg::labels},
                                                               {"Collective name", Arg::collective},
                                                               {"dtype", Arg::dtype},
                                                               {"Process Group Name", Arg::group_name},
                                                               {"Process Group Ranks", Arg::group_ranks},
                                                               {"Input Dims", Arg::dims},
                                                               {"Input dims", Arg::dims},
                                                               {"Input type", Arg::types},
                                                               {"cuda_sync_kind", Arg::sync_kind},
                                                               {"kernel_details", Arg::kernel_details},
                                                               {"memcpy_details", Arg::memcpy_details},
                                                               {"hlo_op", Arg::operation},
                                                               {"hlo_module", Arg::module},
                                                               {"Concrete Inputs", Arg::constants},
                                                               {"Module Hierarchy", Arg::layer},
                                                               {"type", Arg::op_type},
                                                               {"kernel", Arg::kernel_name},
                                                               {"phase", Arg::phase},
                                                               {"op", Arg::op_name},
                                                               {"step_num", Arg::step_number},
                                                               {"warmup", Arg::warmup},
                                                               {"untraced", Arg::untraced},
                                                               {"layer", Arg::is_layer},
                                                               {"op_name", Arg::onnx_type},
                                                               {"provider", Arg::onnx_provider},
                                                               {"input_type_shape", Arg::onnx_inputs},
                                                               {"output_type_shape", Arg::onnx_outputs},
                                                               {"track", Arg::track}};
  return names;
}

int64_t ChromeArgs::*figure_of(Arg arg) {
  switch (arg) {
    case Arg::correlation: return &ChromeArgs::correlation;
    case Arg::external_id: return &ChromeArgs::external_id;
    case Arg::device: return &ChromeArgs::device;
    case Arg::context: return &ChromeArgs::context;
    case Arg::stream: return &ChromeArgs::stream;
    case Arg::bytes: return &ChromeArgs::bytes;
    case Arg::registers: return &ChromeArgs::registers;
    case Arg::shared: return &ChromeArgs::shared_bytes;
    case Arg::static_shared: return &ChromeArgs::static_shared_bytes;
    case Arg::graph: return &ChromeArgs::graph;
    case Arg::graph_node: return &ChromeArgs::graph_node;
    case Arg::address: return &ChromeArgs::address;
    case Arg::memory_bytes: return &ChromeArgs::memory_bytes;
    case Arg::allocated: return &ChromeArgs::total_allocated;
    case Arg::reserved: return &ChromeArgs::total_reserved;
    case Arg::device_type: return &ChromeArgs::device_type;
    case Arg::device_id: return &ChromeArgs::device_id;
    case Arg::in_elements: return &ChromeArgs::in_elements;
    case Arg::out_elements: return &ChromeArgs::out_elements;
    case Arg::group_size: return &ChromeArgs::group_size;
    case Arg::forward_thread: return &ChromeArgs::forward_thread;
    case Arg::sequence: return &ChromeArgs::sequence;
    case Arg::sort_index: return &ChromeArgs::sort_index;
    case Arg::event: return &ChromeArgs::event;
    case Arg::wait_stream: return &ChromeArgs::wait_stream;
    case Arg::from_device: return &ChromeArgs::from_device;
    case Arg::to_device: return &ChromeArgs::to_device;
    case Arg::in_device: return &ChromeArgs::in_device;
    case Arg::flops: return &ChromeArgs::flops;
    case Arg::return_value: return &ChromeArgs::return_value;
    case Arg::local_bytes: return &ChromeArgs::local_bytes;
    case Arg::set_value: return &ChromeArgs::value;
    case Arg::source_kind: return &ChromeArgs::source_kind;
    case Arg::destination_kind: return &ChromeArgs::destination_kind;
    case Arg::step_number: return &ChromeArgs::step_number;
    case Arg::warmup: return &ChromeArgs::warmup;
    case Arg::untraced: return &ChromeArgs::untraced;
    case Arg::is_layer: return &ChromeArgs::is_layer;
    case Arg::track: return &ChromeArgs::track;
    default: return nullptr;
  }
}

std::string_view ChromeArgs::*text_of(Arg arg) {
  switch (arg) {
    case Arg::name: return &ChromeArgs::name;
    case Arg::labels: return &ChromeArgs::labels;
    case Arg::collective: return &ChromeArgs::collective;
    case Arg::dtype: return &ChromeArgs::element_type;
    case Arg::group_name: return &ChromeArgs::group_name;
    case Arg::sync_kind: return &ChromeArgs::sync_kind;
    case Arg::kernel_details: return &ChromeArgs::kernel_details;
    case Arg::memcpy_details: return &ChromeArgs::memcpy_details;
    case Arg::operation: return &ChromeArgs::operation;
    case Arg::module: return &ChromeArgs::module;
    case Arg::layer: return &ChromeArgs::layer;
    case Arg::op_type: return &ChromeArgs::op_type;
    case Arg::op_name: return &ChromeArgs::op_name;
    case Arg::kernel_name: return &ChromeArgs::kernel_name;
    case Arg::onnx_type: return &ChromeArgs::onnx_type;
    case Arg::onnx_provider: return &ChromeArgs::onnx_provider;
    case Arg::phase: return &ChromeArgs::phase;
    default: return nullptr;
  }
}

/// Bytes of a UTF-8 sequence that begins at text[i]; 0: none does.
size_t sequence_at(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const size_t length = byte(i) < 0x80   ? 1
                        : byte(i) < 0xc2 ? 0
                        : byte(i) < 0xe0 ? 2
                        : byte(i) < 0xf0 ? 3
                        : byte(i) < 0xf5 ? 4
                                         : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
  }
  if (length == 3 && ((byte(i) == 0xe0 && byte(i + 1) < 0xa0) || (byte(i) == 0xed && byte(i + 1) >= 0xa0))) return 0;
  if (length == 4 && ((byte(i) == 0xf0 && byte(i + 1) < 0x90) || (byte(i) == 0xf4 && byte(i + 1) >= 0x90))) return 0;
  return length;
}

/// The code unit of "\uXXXX" at text[i]; -1: no such escape.
int unit_at(std::string_view text, size_t i) {
  int unit = -1;
  if (i + 6 > text.size() || text[i] != '\\' || text[i + 1] != 'u') return -1;
  const auto [end, error] = std::from_chars(text.data() + i + 2, text.data() + i + 6, unit, 16);
  return error == std::errc() && end == text.data() + i + 6 ? unit : -1;
}

/// Appends the escape at text[i] == '\\', mended where JSON does not know it, and goes behind it.
void take_escape(std::string_view text, size_t& i, std::string& out) {
  if (i + 1 < text.size() && text[i + 1] == 'u') {
    const int unit = unit_at(text, i);
    const bool high = unit >= 0xd800 && unit < 0xdc00, low = unit >= 0xdc00 && unit < 0xe000;
    const int next = high ? unit_at(text, i + 6) : -1;
    if (high && next >= 0xdc00 && next < 0xe000) {
      out += text.substr(i, 12);
      i += 12;
    } else if (unit >= 0 && !high && !low) {
      out += text.substr(i, 6);
      i += 6;
    } else {
      out += '?';
      i += unit < 0 ? 2 : 6;
    }
  } else if (i + 1 < text.size() && std::string_view("\"\\/bfnrt").find(text[i + 1]) != std::string_view::npos) {
    out += text.substr(i, 2);
    i += 2;
  } else {
    out += "\\\\";
    ++i;
  }
}

}  // namespace

int64_t nanoseconds_of(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  size_t i = negative ? 1 : 0;
  const size_t first = i;
  int64_t whole = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    if (i - first > 15) return kNoFigure;  // 10^16 us are 317 years
    whole = 10 * whole + (text[i] - '0');
  }
  if (i == first) return kNoFigure;
  int64_t ns = whole * 1000;
  if (i < text.size() && text[i] == '.') {
    int64_t weight = 100;
    for (++i; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i, weight /= 10) {
      if (weight == 0) {
        if (text[i] >= '5') ++ns;  // the fourth digit rounds
        while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
        break;
      }
      ns += weight * (text[i] - '0');
    }
  }
  if (i != text.size()) {  // an exponent
    double real = 0;
    if (!number_of(text, real) || !(std::abs(real) < 9e15)) return kNoFigure;
    return static_cast<int64_t>(std::llround(real * 1000));
  }
  return negative ? -ns : ns;
}

std::string repaired_json(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  bool inside = false;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (inside && c == '\\') {
      take_escape(text, i, out);
      continue;
    }
    if (c == '"') inside = !inside;
    const size_t length = sequence_at(text, i);
    const bool control = static_cast<unsigned char>(c) < 0x20 && (inside || (c != '\n' && c != '\r' && c != '\t'));
    if (length == 0) {
      out += '?';
    } else {
      out += control ? std::string_view(" ") : text.substr(i, length);
    }
    i += std::max<size_t>(length, 1);
  }
  return out;
}

void ChromeArgs::clear() {
  *this = {};
  for (int64_t ChromeArgs::*figure : {&ChromeArgs::rank, &ChromeArgs::value}) {
    this->*figure = kNoFigure;
  }
  for (int i = 0; i <= static_cast<int>(Arg::phase); ++i) {
    if (auto figure = figure_of(static_cast<Arg>(i)); figure != nullptr) this->*figure = kNoFigure;
  }
  grid = block = cluster = {-1, -1, -1};
}

struct ChromeEventParser::State {
  sj::ondemand::parser parser, args_parser;
  std::string repaired;
  Findings* findings;

  void id(Value& value, TraceId& out) {
    std::string_view digits;
    if (!digits_of(value, digits)) return;
    out.given = true;
    if (integer_of(digits, out.number)) return;
    uint64_t hex = 0;  // flow ids come as "0x1f"
    if (digits.starts_with("0x") &&
        std::from_chars(digits.data() + 2, digits.data() + digits.size(), hex, 16).ec == std::errc()) {
      out.number = static_cast<int64_t>(hex);
      return;
    }
    out.text = digits;
  }
  /// {"local": "0x1"} or {"global": "0x1"}.
  void scoped_id(Value& value, TraceId& out) {
    sj::ondemand::object object;
    sj::ondemand::json_type type{};
    if (value.type().get(type) != sj::SUCCESS || type != sj::ondemand::json_type::object ||
        value.get_object().get(object) != sj::SUCCESS)
      return;
    for (auto field : object) {
      std::string_view key;
      Value inner;
      if (field.unescaped_key().get(key) != sj::SUCCESS || field.value().get(inner) != sj::SUCCESS) return;
      if (key != "local" && key != "global") continue;
      id(inner, out);
      out.of_process = key == "local";
    }
  }
  int64_t time(Value& value, std::string_view& digits) {
    return digits_of(value, digits) ? nanoseconds_of(digits) : kNoFigure;
  }
  void extents(Value& value, std::array<int64_t, 3>& out) {
    sj::ondemand::array list;
    if (value.get_array().get(list) != sj::SUCCESS) return;
    size_t i = 0;
    for (auto item : list) {
      Value element;
      std::string_view digits;
      int64_t extent = 0;
      if (item.get(element) != sj::SUCCESS || i == 3) return;
      if (digits_of(element, digits) && integer_of(digits, extent) && extent >= 0 &&
          extent <= std::numeric_limits<int32_t>::max())
        out[i] = extent;
      ++i;
    }
  }
  /// Raw JSON of an array or an object; the text itself of a string.
  std::string_view raw(Value& value) {
    sj::ondemand::json_type type{};
    std::string_view text;
    if (value.type().get(type) != sj::SUCCESS) return {};
    if (type == sj::ondemand::json_type::array) {
      sj::ondemand::array list;
      if (value.get_array().get(list) == sj::SUCCESS && list.raw_json().get(text) == sj::SUCCESS) return text;
    } else if (type == sj::ondemand::json_type::string && value.get_string().get(text) == sj::SUCCESS) {
      return text;
    }
    return {};
  }
  void bad_figure(std::string_view key, std::string_view value) {
    findings->add(Finding::bad_figure, findings->count(Finding::bad_figure) > 0
                                           ? std::string()
                                           : fmt::format("{:.60} is {:.60}", key, value.empty() ? "no number" : value));
  }
  bool arg(Arg which, std::string_view key, Value& value, ChromeArgs& args) {
    if (const auto figure = figure_of(which); figure != nullptr) {
      std::string_view digits;
      if (digits_of(value, digits) && !integer_of(digits, args.*figure)) bad_figure(key, digits);
      return true;
    }
    if (const auto text = text_of(which); text != nullptr) {
      sj::ondemand::json_type type{};
      if (value.type().get(type) != sj::SUCCESS || type != sj::ondemand::json_type::string) return true;
      return value.get_string().get(args.*text) == sj::SUCCESS;
    }
    if (which == Arg::grid) extents(value, args.grid);
    if (which == Arg::block) extents(value, args.block);
    if (which == Arg::cluster) extents(value, args.cluster);
    if (which == Arg::group_ranks) args.group_ranks_json = raw(value);
    if (which == Arg::dims) args.input_dims_json = raw(value);
    if (which == Arg::types) args.input_types_json = raw(value);
    if (which == Arg::onnx_inputs) args.onnx_inputs_json = raw(value);
    if (which == Arg::onnx_outputs) args.onnx_outputs_json = raw(value);
    if (which == Arg::constants) args.constants_json = raw(value);
    return true;
  }
  /// The fields of "args"; of a counter: its series.
  bool args(sj::ondemand::object object, ChromeEvent& event) {
    for (auto field : object) {
      std::string_view key;
      Value value;
      if (field.unescaped_key().get(key) != sj::SUCCESS || field.value().get(value) != sj::SUCCESS) return false;
      if (event.phase == 'C') {
        std::string_view digits;
        double number = 0;
        if (!digits_of(value, digits) || !number_of(digits, number) || !std::isfinite(number)) {
          bad_figure(key, digits);
        } else {
          event.values.emplace_back(key, number);
        }
        continue;
      }
      const auto known = arg_names().find(key);
      if (known != arg_names().end() && !arg(known->second, key, value, event.args)) return false;
    }
    return true;
  }
  bool string(Value& value, std::string_view& out) {
    sj::ondemand::json_type type{};
    if (value.type().get(type) != sj::SUCCESS) return false;
    if (type == sj::ondemand::json_type::string) return value.get_string().get(out) == sj::SUCCESS;
    if (type == sj::ondemand::json_type::number) out = trimmed(value.raw_json_token());
    return true;
  }
};

ChromeEventParser::ChromeEventParser(Findings& findings) : findings_(findings), state_(std::make_unique<State>()) {
  state_->findings = &findings;
}
ChromeEventParser::~ChromeEventParser() = default;

bool ChromeEventParser::parse_once(std::string_view text, size_t capacity, ChromeEvent& event) {
  event.phase = 0;
  event.name = event.category = event.binding = event.scope = {};
  event.pid = event.tid = event.id = {};
  event.time_ns = event.duration_ns = kNoFigure;
  event.time_text = {};
  event.args.clear();
  event.values.clear();
  State& s = *state_;
  sj::ondemand::document document;
  sj::ondemand::object object;
  if (s.parser.iterate(text.data(), text.size(), capacity).get(document) != sj::SUCCESS) return false;
  if (document.get_object().get(object) != sj::SUCCESS) return false;
  std::string_view args_text;  // args that came before the phase
  std::string_view duration_text;
  bool duration_given = false;
  for (auto field : object) {
    std::string_view key, phase;
    Value value;
    if (field.unescaped_key().get(key) != sj::SUCCESS || field.value().get(value) != sj::SUCCESS) return false;
    bool fine = true;
    if (key == "ph") {
      fine = s.string(value, phase);
      event.phase = phase.size() == 1 ? phase[0] : '?';
    } else if (key == "name") {
      fine = s.string(value, event.name);
    } else if (key == "cat") {
      fine = s.string(value, event.category);
    } else if (key == "ts") {
      event.time_ns = s.time(value, event.time_text);
    } else if (key == "dur") {
      duration_given = true;
      event.duration_ns = s.time(value, duration_text);
    } else if (key == "pid") {
      s.id(value, event.pid);
    } else if (key == "tid") {
      s.id(value, event.tid);
    } else if (key == "id") {
      s.id(value, event.id);
    } else if (key == "id2") {
      s.scoped_id(value, event.id);
    } else if (key == "bp") {
      fine = s.string(value, event.binding);
    } else if (key == "s") {
      fine = s.string(value, event.scope);
    } else if (key == "args") {
      sj::ondemand::json_type type{};
      sj::ondemand::object args;
      if (value.type().get(type) != sj::SUCCESS) return false;
      if (type != sj::ondemand::json_type::object) continue;  // args of other types carry nothing we know
      if (value.get_object().get(args) != sj::SUCCESS) return false;
      fine = event.phase == 0 ? args.raw_json().get(args_text) == sj::SUCCESS : s.args(args, event);
    }
    if (!fine) return false;
  }
  if (duration_given && event.duration_ns == kNoFigure) s.bad_figure("dur", duration_text);
  if (args_text.empty()) return true;
  sj::ondemand::document later;
  sj::ondemand::object args;
  if (s.args_parser
              .iterate(args_text.data(), args_text.size(),
                       capacity - static_cast<size_t>(args_text.data() - text.data()))
              .get(later) != sj::SUCCESS ||
      later.get_object().get(args) != sj::SUCCESS) {
    return false;
  }
  return s.args(args, event);
}

bool ChromeEventParser::parse(std::string_view text, ChromeEvent& event) {
  if (parse_once(text, text.size() + JsonPieces::kPadding, event)) return true;
  std::string& repaired = state_->repaired;
  repaired = repaired_json(text);
  if (repaired == text) return false;
  const size_t size = repaired.size();
  repaired.append(JsonPieces::kPadding, ' ');
  if (!parse_once({repaired.data(), size}, repaired.size(), event)) return false;
  findings_.add(Finding::repaired_text);
  return true;
}

}  // namespace profiler
