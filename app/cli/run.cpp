// SPDX-License-Identifier: Apache-2.0
// tensortide run: runs a workload, shows progress, records a capture, prints the answers.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <csignal>
#include <memory>

#include "app/base/workbench.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "engine/base/nearest_name.h"
#include "profiler/record/catalog.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;

std::atomic<bool> g_stop{false};  // set by the signal handler, the one place that must be global

extern "C" void on_interrupt(int) {
  g_stop = true;
  std::signal(SIGINT, SIG_DFL);  // a second Ctrl+C ends the program at once
}

struct Options {
  std::string workload, preset, device = "cpu", batch, dtype, mode, graph = "static", fuse = "off", transfer, collect = "ops",
              threads = "0", steps = "auto", warmup = "auto", seed = "1", output, progress;
  std::vector<std::string> settings;
  bool json = false, no_probe = false, check_finite = false;
};

Result<int64_t> parse_integer(const char* flag, const std::string& text, int64_t minimum, int64_t maximum) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return engine::usage_error(fmt::format("[{}] \"{}\" is not a whole number", flag, text));
  }
  if (value < minimum || value > maximum) {
    return engine::usage_error(fmt::format("[{}] {} is out of range: {} to {}", flag, value, minimum, maximum));
  }
  return value;
}

Result<void> check_collector(const std::string& source) {
  std::vector<std::string> known;
  for (const profiler::CollectorEntry& collector : profiler::collectors()) {
    known.emplace_back(collector.name);
    if (collector.name != source) continue;
    const profiler::Availability a = collector.check();
    if (a.available) return {};
    return engine::refused_error(fmt::format("[--collect] {}: {}{}", source, a.why, a.remedy.empty() ? "" : "; what helps: " + a.remedy));
  }
  return engine::usage_error(
      fmt::format("[--collect] unknown source \"{}\"; did you mean \"{}\"?", source, engine::nearest_name(source, known)));
}

/// Flags of the contract whose other values need parts that this version has not got: said, not ignored.
Result<void> check_fixed_flags(const Options& options) {
  struct Fixed {
    const char* flag;
    const std::string& given;
    std::vector<std::string> now, known;
    const char* why;
  };
  const std::array fixed{
      Fixed{"--graph", options.graph, {"static", "eager"}, {"static", "eager"}, ""},
      Fixed{"--fuse", options.fuse, {"off"}, {"off", "on"}, "fusion is not part of this version"},
      Fixed{"--transfer", options.transfer, {""}, {"pinned", "pageable"},
            "the cpu and null devices share the host's memory, so nothing is transferred"},
  };
  for (const Fixed& f : fixed) {
    if (std::ranges::find(f.now, f.given) != f.now.end()) continue;
    if (std::ranges::find(f.known, f.given) != f.known.end()) {
      return engine::refused_error(fmt::format("[{}] {}: {}", f.flag, f.given, f.why));
    }
    return engine::usage_error(
        fmt::format("[{}] unknown value \"{}\"; did you mean \"{}\"?", f.flag, f.given, engine::nearest_name(f.given, f.known)));
  }
  for (size_t begin = 0; begin <= options.collect.size();) {
    const size_t end = std::min(options.collect.find(',', begin), options.collect.size());
    const std::string source = options.collect.substr(begin, end - begin);
    begin = end + 1;
    if (Result<void> available = check_collector(source); !available) return available.error();
  }
  return {};
}

Result<RunRequest> make_request(const Options& options) {
  if (Result<void> fixed = check_fixed_flags(options); !fixed) return fixed.error();
  RunRequest request;
  request.workload = options.workload;
  request.preset = options.preset;
  request.device = options.device;
  request.eager = options.graph == "eager";
  request.probe = !options.no_probe;
  if (!options.batch.empty()) request.settings["batch"] = options.batch;
  if (!options.dtype.empty()) request.settings["dtype"] = options.dtype;
  if (!options.mode.empty()) request.settings["mode"] = options.mode;
  for (const std::string& setting : options.settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return engine::usage_error(fmt::format("[--set] \"{}\" is not of the form key=value", setting));
    }
    request.settings[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  Result<int64_t> threads = parse_integer("--threads", options.threads, 0, 4096);
  if (!threads) return threads.error();
  request.threads = static_cast<int>(*threads);
  Result<int64_t> steps = options.steps == "auto" ? Result<int64_t>(0) : parse_integer("--steps", options.steps, 1, 1000000);
  if (!steps) return steps.error();
  request.steps = static_cast<int>(*steps);
  Result<int64_t> warmup = options.warmup == "auto" ? Result<int64_t>(-1) : parse_integer("--warmup", options.warmup, 0, 1000000);
  if (!warmup) return warmup.error();
  request.warmup_steps = static_cast<int>(*warmup);
  Result<int64_t> seed = parse_integer("--seed", options.seed, 0, INT64_MAX);
  if (!seed) return seed.error();
  request.seed = static_cast<uint64_t>(*seed);
  request.output = options.output.empty() ? new_capture_path(".", options.workload) : std::filesystem::path(options.output);
  return request;
}

/// A word as a POSIX shell has to be given it.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The command that repeats this run.
std::string reproducing_command(const Options& options) {
  std::string command = "tensortide run " + shell_word(options.workload);
  const auto add = [&](const char* flag, const std::string& value, const std::string& usual) {
    if (value != usual) command += fmt::format(" {} {}", flag, shell_word(value));
  };
  add("--preset", options.preset, "");
  add("--device", options.device, "cpu");
  add("--batch", options.batch, "");
  add("--dtype", options.dtype, "");
  add("--mode", options.mode, "");
  add("--graph", options.graph, "static");
  add("--threads", options.threads, "0");
  add("--steps", options.steps, "auto");
  add("--warmup", options.warmup, "auto");
  add("--seed", options.seed, "1");
  for (const std::string& setting : options.settings) command += " --set " + shell_word(setting);
  return command;
}

json progress_json(const profiler::RecordProgress& p) {
  return {{"stage", p.stage},
          {"step", p.step},
          {"steps", p.steps},
          {"fraction", json_number(p.fraction)},
          {"last_step_ns", p.step > 0 ? json_number(p.last_step_ns) : json(nullptr)}};
}

/// Prints a stage once, and on a terminal the steps on one line that is rewritten.
class TextProgress {
 public:
  void operator()(const profiler::RecordProgress& p) {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (p.stage != stage_) {
      if (open_line_) tell("\n");
      stage_ = p.stage;
      open_line_ = terminal;
      tell("{} ...{}", p.stage, terminal ? "" : "\n");
    }
    if (!terminal || p.step == 0) return;
    tell("\r{}: step {}{}, {} each \033[K", p.stage, p.step, p.steps > 0 ? fmt::format(" of {}", p.steps) : "",
               profiler::format_quantity(p.last_step_ns, profiler::Quantity::duration_ns));
    std::fflush(stderr);
  }
  ~TextProgress() {
    if (open_line_) tell("\n");
  }

 private:
  std::string stage_;
  bool open_line_ = false;
};

int fail(const Options& options, const engine::Error& error) {
  if (options.progress == "json") {
    const json line = {{"error",
                        {{"message", error.message}, {"kind", error.kind == engine::ErrorKind::usage ? "usage" : "refused"}}}};
    tell("{}\n", line.dump(-1, ' ', false, json::error_handler_t::replace));
    return error.kind == engine::ErrorKind::usage ? kUsage : kRefused;
  }
  return report(error);
}

/// --check-finite: exit 1 when some op made NaN or infinity.
int run_checked(const Options& options, const RunRequest& request) {
  const Result<std::optional<std::string>> found = check_finite(request, g_stop);
  if (!found) return fail(options, found.error());
  if (options.json) {
    const json document = {{"finite", !found->has_value()}, {"found", *found ? json(**found) : json(nullptr)}};
    fmt::print("{}\n", document.dump(2, ' ', false, json::error_handler_t::replace));
  } else {
    fmt::print("{}\n", *found ? **found : std::string("all results of all ops are finite"));
  }
  return *found ? kNo : kDone;
}

int run(const Options& options) {
  Result<RunRequest> request = make_request(options);
  if (!request) return fail(options, request.error());
  request->command = reproducing_command(options);

  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  if (options.check_finite) return run_checked(options, *request);
  const bool json_progress = options.progress == "json";
  auto text = json_progress ? nullptr : std::make_unique<TextProgress>();
  const Progress progress = [&](const profiler::RecordProgress& p) {
    if (json_progress) {
      tell("{}\n", progress_json(p).dump());
    } else {
      (*text)(p);
    }
  };
  std::error_code unreadable;
  const bool replaced = std::filesystem::exists(request->output, unreadable);
  auto capture = record(*request, progress, g_stop);
  text.reset();
  if (!capture) return fail(options, capture.error());

  const auto analyzed = profiler::analyze(*capture);
  const std::string file = std::filesystem::absolute(request->output).string();
  if (options.json) {
    const json document = {{"file", file}, {"run", run_json(**capture)}, {"summary", summary_json(*analyzed)}};
    fmt::print("{}\n", document.dump(2, ' ', false, json::error_handler_t::replace));
  } else if (!json_progress) {
    fmt::print("{}\nCapture: {}{}\n", summary_text(*analyzed), request->output.string(),
               replaced ? " (took the place of an older capture)" : "");
  }
  if (json_progress) {
    const json line = {{"result", {{"file", file}, {"complete", (*capture)->run().complete}}}};
    tell("{}\n", line.dump(-1, ' ', false, json::error_handler_t::replace));
  }
  return kDone;
}

}  // namespace

Handler add_run(CLI::App& verb) {
  // An empty text is a script's forgotten variable, not a wish for the default.
  const CLI::Validator not_empty([](const std::string& text) { return text.empty() ? std::string("is empty") : std::string(); }, "");
  auto o = std::make_shared<Options>();
  verb.add_option("workload", o->workload, "a workload's name (see `tensortide workloads`) an .onnx file, or a network in .json (what it holds: `tensortide workloads`)")->required();
  verb.add_option("--preset", o->preset, "a named set of parameters of the workload");
  verb.add_option("--device", o->device, "cpu or null (see `tensortide devices`)")->capture_default_str();
  verb.add_option("--batch", o->batch, "samples per step")->check(not_empty);
  verb.add_option("--dtype", o->dtype, "f32, f64, ... as the workload offers")->check(not_empty);
  verb.add_option("--mode", o->mode, "inference or training")->check(not_empty);
  verb.add_option("--graph", o->graph, "static: one plan, run again and again; eager: each step appends its ops anew, each runs at once")->capture_default_str();
  verb.add_option("--fuse", o->fuse, "off")->capture_default_str();
  verb.add_option("--threads", o->threads, "worker threads; 0: all physical cores")->capture_default_str();
  verb.add_option("--steps", o->steps, "timed steps, or auto: until the median is known within 2 %")->capture_default_str();
  verb.add_option("--warmup", o->warmup, "steps before timing, or auto: until two agree")->capture_default_str();
  verb.add_option("--seed", o->seed, "seed of weights and data")->capture_default_str();
  verb.add_option("--transfer", o->transfer, "pinned or pageable, on devices with a memory of their own");
  verb.add_option("--collect", o->collect, "what to record: ops, alloc")->capture_default_str();
  verb.add_option("--set", o->settings, "key=value: any parameter of the workload")->expected(1)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
  verb.add_option("-o,--output", o->output, "the capture to write (default: WORKLOAD.tide here, numbered)");
  verb.add_option("--progress", o->progress, "json: one JSON object a line on stderr")->check(CLI::IsMember({"json", "text"}));
  verb.add_flag("--check-finite", o->check_finite,
                "record nothing: look at what every op makes (3 steps by default), name the first that makes NaN or infinity, exit 1");
  verb.add_flag("--json", o->json, "print one JSON document on stdout");
  verb.add_flag("--no-probe", o->no_probe, "do not measure the roofs first when they are not remembered");
  verb.footer("Example: tensortide run resnet50 --batch 4 --mode training -o r.tide --json");
  return [o] { return run(*o); };
}

}  // namespace app::cli
