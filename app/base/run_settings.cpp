// SPDX-License-Identifier: Apache-2.0
// The table of run settings, and what is asked of its rows.
#include "app/base/run_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <thread>

#include "app/base/workbench.h"
#include "engine/base/check.h"
#include "engine/tensor/device_name.h"
#include "engine/workloads/arguments.h"
#include "engine/workloads/parameters.h"
#include "profiler/record/catalog.h"

namespace app {
namespace {

using engine::choice_parameter;
using engine::Parameter;
using engine::Result;
using engine::usage_error;
using profiler::RunInfo;
using About = RunSetting::About;
using Where = RunSetting::Where;

bool anything(std::string_view) { return true; }

Parameter text(std::string name, std::string label, std::string help, std::string usual = {}) {
  return engine::text_parameter(std::move(name), std::move(label), std::move(help), std::move(usual), {}, anything);
}

Parameter number(std::string name, std::string label, std::string help, std::string usual, double minimum,
                 double maximum) {
  Parameter parameter =
      engine::integer_parameter(std::move(name), std::move(label), std::move(help), 0, {}, minimum, maximum);
  parameter.default_value = std::move(usual);
  return parameter;
}

int64_t whole(const std::string& value) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  CHECK(error == std::errc() && end == value.data() + value.size());
  return number;
}

std::vector<std::string> listed(std::string_view list) {
  std::vector<std::string> items;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    items.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

bool lists(std::string_view list, std::string_view item) {
  const std::vector<std::string> items = listed(list);
  return std::ranges::find(items, item) != items.end();
}

/// A list of --without.
bool are_libraries(std::string_view list) {
  const std::vector<std::string> items = listed(list);
  return std::ranges::all_of(items, [](const std::string& item) { return item == "onednn" || item == "openblas"; });
}

/// In one order, each once.
std::string libraries(const std::string& list) {
  std::vector<std::string_view> all;
  for (const std::string_view library : {"onednn", "openblas"}) {
    if (lists(list, library)) all.push_back(library);
  }
  return all.empty() ? list : fmt::format("{}", fmt::join(all, ","));
}

Parameter without_parameter() {
  return engine::text_parameter("without", "Without", "Leave out libraries", "nothing",
                                "\"onednn\", \"openblas\" or \"onednn,openblas\"", are_libraries);
}

/// `list` names collectors that may be asked for: see profiler::parse_collectors().
void collect(RunRequest& r, const std::string& list) {
  r.collect.clear();
  for (std::string& name : listed(list)) {
    const profiler::Collector* collector = profiler::find_collector(name);
    if (collector != nullptr && collector->when != profiler::When::always) r.collect.insert(std::move(name));
  }
}

bool says_winograd(const RunRequest& r) { return engine::traits_of(r.device).is_processor; }
/// Of captures that do not say so, the convolutions were direct sums; on other devices it has no say.
std::string unsaid_winograd(const RunInfo& run) { return run.traits().is_processor ? "off" : "auto"; }

/// As a whole number and a double hold it alike.
constexpr double kLargestSeed = 9223372036854774784.0;

std::vector<RunSetting> make_settings() {
  const unsigned threads = std::max(2u, std::thread::hardware_concurrency());
  const char *graph = "Workload", *gpus = "NVIDIA GPUs", *measurement = "Measurement";
  return {
      {.parameter = text("device", "Device", "Device", "cpu"),
       .metavar = "NAME",
       .values = "cpu, null, sim:0..7, emu:0, opencl, cuda:0...",
       .in_form = true,
       .tip = "Where it runs. Devices in grey are not available; the reason is in their tooltip.",
       .get = [](const RunRequest& r) { return r.device; },
       .set = [](RunRequest& r, const std::string& v) { r.device = v; },
       .captured = [](const RunInfo& run) { return run.device; }},
      {.parameter = text("batch", "Batch size", "Samples per step"),
       .about = About::workload,
       .group = graph,
       .metavar = "N"},
      {.parameter = text("dtype", "Data type", "Data type"),
       .about = About::workload,
       .group = graph,
       .metavar = "TYPE",
       .values = "f32, f64, bf16, f16, as the workload offers"},
      {.parameter = text("mode", "Mode", "Mode"),
       .about = About::workload,
       .group = graph,
       .metavar = "MODE",
       .values = "inference, training"},
      {.parameter = text("phase", "Phase", "Phase of a language model"),
       .about = About::workload,
       .group = graph,
       .metavar = "PHASE",
       .values = "decode, prefill"},
      {.parameter = text("context", "Context", "Tokens in view of a language model"),
       .about = About::workload,
       .group = graph,
       .metavar = "N"},
      {.parameter = choice_parameter("graph", "Graph", "Graph", {"static", "eager", "replay"}),
       .where = Where::gpu,
       .where_values = {"replay"},
       .why = "a whole step is launched at once by NVIDIA's GPUs alone",
       .in_form = true,
       .tip = "static: planned once, memory placed ahead, then replayed. eager: each step builds "
              "its ops again and "
              "runs each at once, as scripts of other frameworks do.",
       .first_look = "static,eager"},
      {.parameter = choice_parameter("fuse", "Fusion", "Fuse ops", {"off", "on"}),
       .about = About::graph,
       .group = graph,
       .in_form = true,
       .tip = "off: each op alone. on: an op whose result has one reader is fused with it, and the "
              "result never "
              "reaches memory (static graphs).",
       .first_look = "off,on"},
      {.parameter = choice_parameter("winograd", "Winograd", "Winograd convolutions", {"auto", "off", "on"}),
       .where = Where::cpu,
       .where_values = {"on"},
       .why = "it chooses among convolutions of the CPU, and cuDNN chooses its own",
       .apply = [](DeviceOptions& o, const std::string& v) { o.winograd = *engine::winograd_use(v); },
       .recorded = says_winograd,
       .unsaid = unsaid_winograd},
      {.parameter = without_parameter(),
       .metavar = "LIST",
       .values = "onednn, openblas, both by comma",
       .where = Where::cpu,
       .why = "it leaves out libraries of the CPU",
       .apply =
           [](DeviceOptions& o, const std::string& v) {
             o.without_onednn = lists(v, "onednn"), o.without_openblas = lists(v, "openblas");
           },
       .set = [](RunRequest& r, const std::string& v) { r.run["without"] = libraries(v); }},
      {.parameter = choice_parameter("tf32", "TF32", "TF32 in f32 matrix multiplications", {"off", "on"}),
       .group = gpus,
       .where = Where::gpu,
       .where_values = {"on"},
       .why = "TF32 is a format of NVIDIA's tensor cores",
       .apply = [](DeviceOptions& o, const std::string& v) { o.tf32 = v == "on"; }},
      {.parameter = choice_parameter("fp8", "FP8", "FP8 in matrix multiplications",
                                     {engine::kFp8Names.begin(), engine::kFp8Names.end()}),
       .group = gpus,
       .where = Where::gpu,
       .where_values = {"e4m3", "e5m2"},
       .why = "FP8 is a format of NVIDIA's tensor cores",
       .apply =
           [](DeviceOptions& o, const std::string& v) {
             o.fp8 = static_cast<engine::Fp8>(std::ranges::find(engine::kFp8Names, v) - engine::kFp8Names.begin());
           }},
      {.parameter = choice_parameter("deterministic", "Deterministic", "Deterministic kernels only", {"off", "on"}),
       .group = gpus,
       .where = Where::gpu,
       .where_values = {"on"},
       .why = "it chooses among kernels of NVIDIA's GPUs",
       .apply = [](DeviceOptions& o, const std::string& v) { o.deterministic = v == "on"; }},
      {.parameter = choice_parameter("transfer", "Transfer", "Host memory of copies", {"pinned", "pageable"}),
       .group = gpus,
       .where = Where::gpu,
       .why = "it chooses how NVIDIA's GPUs are given bytes",
       .apply = [](DeviceOptions& o, const std::string& v) { o.pageable = v == "pageable"; }},
      {.parameter = text("collect", "Collect", "Sources"),
       .about = About::measurement,
       .group = measurement,
       .metavar = "LIST",
       .values = profiler::collector_choices(false),
       .get = [](const RunRequest& r) { return profiler::collector_list(r.collect); },
       .set = collect},
      {.parameter = number("threads", "Threads", "Worker threads; 0: all physical cores", "0", 1,
                           4.0 * std::max(1u, std::thread::hardware_concurrency())),  // as the CPU takes
       .metavar = "N",
       .in_form = true,
       .tip = "Worker threads; empty: all physical cores this process may use",
       .empty_text = "all cores",
       .first_look = fmt::format("1..{}", threads),
       .apply = [](DeviceOptions& o, const std::string& v) { o.threads = static_cast<int>(whole(v)); },
       .get = [](const RunRequest& r) { return std::to_string(r.threads); },
       .set = [](RunRequest& r, const std::string& v) { r.threads = static_cast<int>(whole(v)); },
       .captured = [](const RunInfo& run) { return std::to_string(run.threads); }},
      {.parameter = choice_parameter("pin", "Pinned threads", "Hold each thread on a processor", {"off", "on", "auto"}),
       .where = Where::cpu,
       .where_values = {"on", "auto"},
       .why = "it holds threads of the CPU",
       .tip =
           "on: thread k stays on one processor, cores in order, hyper-threads last; auto: where the workload has no "
           "threads of its own"},
      {.parameter =
           number("steps", "Steps", "Timed steps; auto: until the median is known within 2 %", "auto", 1, 1000000),
       .about = About::measurement,
       .group = measurement,
       .metavar = "N",
       .in_form = true,
       .tip = "Timed steps; empty: until the median is known within 2 %, 5 to 50 steps, at most 20 s",
       .get = [](const RunRequest& r) { return r.steps > 0 ? std::to_string(r.steps) : "auto"; },
       .set = [](RunRequest& r, const std::string& v) { r.steps = v == "auto" ? 0 : static_cast<int>(whole(v)); }},
      {.parameter = number("warmup", "Warm-up", "Steps before timing; auto: until two agree", "auto", 0, 1000000),
       .about = About::measurement,
       .group = measurement,
       .metavar = "N",
       .get = [](const RunRequest& r) { return r.warmup_steps >= 0 ? std::to_string(r.warmup_steps) : "auto"; },
       .set = [](RunRequest& r,
                 const std::string& v) { r.warmup_steps = v == "auto" ? -1 : static_cast<int>(whole(v)); }},
      {.parameter = number("seed", "Seed", "Seed of weights and data", "1", 0, kLargestSeed),
       .about = About::measurement,
       .group = measurement,
       .metavar = "N",
       .in_form = true,
       .tip = "Seed of weights and data: the same seed gives the same numbers",
       .get = [](const RunRequest& r) { return std::to_string(r.seed); },
       .set = [](RunRequest& r, const std::string& v) { r.seed = static_cast<uint64_t>(whole(v)); },
       .captured = [](const RunInfo& run) { return std::to_string(run.seed); },
       .also_axis = true},
      // It says nothing where nothing is simulated.
      {.parameter = number("simulate-limit", "Simulation", "Time budget of the cache simulation, then sets are sampled",
                           "60", 1, 86400),
       .about = About::measurement,
       .group = measurement,
       .metavar = "SECONDS",
       .get =
           [](const RunRequest& r) {
             return r.collect.contains("simulate") ? std::to_string(static_cast<int64_t>(r.simulate_seconds)) : "60";
           },
       .set = [](RunRequest& r, const std::string& v) { r.simulate_seconds = static_cast<double>(whole(v)); }},
  };
}

bool kept_as_argument(const RunSetting& s) { return s.varies() && s.about != About::workload && s.captured == nullptr; }

/// What a value of the parameter is, where `text` is none.
std::string refusal(const Parameter& p, const std::string& text) {
  if (p.kind == engine::ParameterKind::choice) {
    std::vector<std::string> values;
    for (const std::string& choice : p.choices) values.push_back(fmt::format("\"{}\"", choice));
    return fmt::format("unknown value \"{}\": it is {}", text, fmt::join(values, " or "));
  }
  if (p.kind != engine::ParameterKind::integer) return fmt::format("unknown value \"{}\": it is {}", text, p.expected);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return fmt::format("\"{}\" is not a whole number", text);
  const bool apart = !engine::accepted_value(p, p.default_value);
  return fmt::format("{} is out of range: {} to {}{}", value, static_cast<int64_t>(p.minimum),
                     static_cast<int64_t>(p.maximum), apart ? ", or " + p.default_value : std::string());
}

}  // namespace

std::string RunSetting::help_line() const {
  std::string line = parameter.help;
  if (!parameter.choices.empty()) line += fmt::format(" [{}]", fmt::join(parameter.choices, ", "));
  else if (!values.empty()) line += fmt::format(" [{}]", values);
  return usual().empty() ? line : fmt::format("{} (default {})", line, usual());
}

std::span<const RunSetting> run_settings() {
  static const std::vector<RunSetting> all = make_settings();
  return all;
}

const RunSetting* find_run_setting(std::string_view name) {
  const auto found = std::ranges::find(run_settings(), name, &RunSetting::name);
  return found == run_settings().end() ? nullptr : &*found;
}

Result<std::string> checked_axis_value(const RunSetting& s, const std::string& text) {
  std::optional<std::string> value = engine::accepted_value(s.parameter, text);
  if (!value && text == s.usual() && s.parameter.kind != engine::ParameterKind::integer) value = text;
  return value ? Result<std::string>(*std::move(value)) : usage_error(refusal(s.parameter, text));
}

Result<std::string> checked_value(const RunSetting& s, const std::string& text) {
  return text == s.usual() ? Result<std::string>(text) : checked_axis_value(s, text);
}

Result<void> check_device(const RunSetting& s, const std::string& value, std::string_view device) {
  const engine::DeviceTraits& traits = engine::traits_of(device);
  const bool by_cuda = traits.vendor == engine::Vendor::nvidia || traits.emulated;
  if (s.where == Where::anywhere || (s.where == Where::gpu ? by_cuda : !traits.is_gpu)) return {};
  if (!s.where_values.empty() && std::ranges::find(s.where_values, value) == s.where_values.end()) return {};
  return usage_error(fmt::format("[{0}] {1}: {2}; use --device {3}, or leave {0} out", s.flag(), value, s.why,
                                 s.where == Where::gpu ? "cuda" : "cpu"));
}

std::string value_of(const RunRequest& r, const RunSetting& s) {
  if (s.get != nullptr) return s.get(r);
  const engine::Arguments& kept = s.about == About::workload ? r.settings : r.run;
  const auto found = kept.find(s.name());
  return found == kept.end() ? s.usual() : found->second;
}

void set_value(RunRequest& r, const RunSetting& s, const std::string& value) {
  if (s.set != nullptr) s.set(r, value);
  else (s.about == About::workload ? r.settings : r.run)[s.name()] = value;
}

std::string captured_value(const RunInfo& run, const RunSetting& s) {
  if (s.captured != nullptr) return s.captured(run);
  const auto found = run.arguments.find(s.name());
  if (found != run.arguments.end()) return found->second;
  return s.unsaid != nullptr ? s.unsaid(run) : s.usual();
}

engine::Arguments recorded_settings(const RunRequest& r) {
  engine::Arguments said;
  for (const RunSetting& s : run_settings()) {
    if (!kept_as_argument(s)) continue;
    std::string value = value_of(r, s);
    if (s.recorded != nullptr ? s.recorded(r) : value != s.usual()) said[s.name()] = std::move(value);
  }
  return said;
}

std::map<std::string, std::optional<std::string>> unsaid_settings() {
  std::map<std::string, std::optional<std::string>> unsaid;
  for (const RunSetting& s : run_settings()) {
    if (kept_as_argument(s)) unsaid[s.name()] = s.unsaid == nullptr ? std::optional(s.usual()) : std::nullopt;
  }
  return unsaid;
}

std::string RunRequest::setting(std::string_view name) const {
  const RunSetting* s = find_run_setting(name);
  CHECK(s != nullptr);
  return value_of(*this, *s);
}

bool RunRequest::is(std::string_view name, std::string_view value) const {
  const RunSetting* s = find_run_setting(name);
  CHECK(s != nullptr && std::ranges::find(s->parameter.choices, value) != s->parameter.choices.end());
  return value_of(*this, *s) == value;
}

DeviceOptions RunRequest::device_options() const {
  DeviceOptions options;
  for (const RunSetting& s : run_settings()) {
    if (s.apply != nullptr) s.apply(options, value_of(*this, s));
  }
  return options;
}

}  // namespace app
