// SPDX-License-Identifier: Apache-2.0
// Options of everything that runs: declared and checked.
#include "app/cli/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "app/base/gpu_chain.h"
#include "app/base/run_settings.h"
#include "engine/base/nearest_name.h"
#include "engine/files/picture.h"
#include "profiler/record/catalog.h"

namespace app::cli {

using engine::Result;

namespace {

/// The run settings that were given, checked, into the request.
Result<void> set_given(const RunOptions& options, RunRequest& request) {
  for (const RunSetting& s : run_settings()) {  // the device is the first
    const std::string text = options.value(s.name());
    if (text.empty() || s.about == RunSetting::About::workload) continue;  // of the workload: see settings_of()
    const Result<std::string> value = checked_value(s, text);
    if (!value) return engine::usage_error(fmt::format("[{}] {}", s.flag(), value.error().message));
    if (Result<void> here = check_device(s, *value, request.device); !here) return here;
    set_value(request, s, *value);
  }
  return {};
}

/// The workload's parameters, by options of their own and by --set, together; one parameter with two values is wrong
/// usage, whichever came last.
Result<engine::Arguments> settings_of(const RunOptions& options) {
  engine::Arguments settings;
  std::map<std::string, std::string> flags;  // by parameter: the words that gave it
  const auto give = [&](const std::string& key, const std::string& value, const std::string& words) -> Result<void> {
    const auto [entry, added] = settings.emplace(key, value);
    const std::string& before = flags.emplace(key, words).first->second;
    if (added || entry->second == value) return {};
    return engine::usage_error(
        fmt::format("[{}] it has two values, by {} and by {}: leave one of them out", key, before, words));
  };
  for (const RunSetting& s : run_settings()) {
    const std::string value = options.value(s.name());
    if (s.about == RunSetting::About::workload && !value.empty())
      static_cast<void>(give(s.name(), value, s.flag() + " " + value).ok());
  }
  for (const std::string& setting : options.settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return engine::usage_error(fmt::format("[--set] \"{}\" is not of the form key=value", setting));
    }
    if (const Result<void> ok = give(setting.substr(0, equals), setting.substr(equals + 1), "--set " + setting); !ok)
      return ok.error();
  }
  return settings;
}

/// The files of inputs, into the request.
Result<void> set_inputs(const RunOptions& options, RunRequest& request) {
  request.inputs.files = options.inputs;
  for (const auto& [flag, text, numbers] : {std::tuple("--mean", &options.mean, &request.inputs.mean),
                                            std::tuple("--scale", &options.scale, &request.inputs.scale)}) {
    if (text->empty()) continue;
    Result<std::vector<double>> parsed = parse_reals(flag, *text);
    if (!parsed) return parsed.error();
    *numbers = *std::move(parsed);
    const bool picture = std::ranges::any_of(
        options.inputs, [](const std::string& word) { return engine::names_picture(split_input(word).file); });
    if (!picture)
      return engine::usage_error(
          fmt::format("[{}] {}: it scales the pixels of pictures, and no --input is one; leave it out", flag, *text));
  }
  return {};
}

/// The file of --config in place of the workload.
Result<void> set_config(const RunOptions& options, RunRequest& request) {
  if (options.workload != "llm")
    return engine::usage_error(
        fmt::format("[--config] {}: it goes with the workload llm, not with {}", options.config, options.workload));
  if (!options.config.ends_with(".json"))
    return engine::usage_error(
        fmt::format("[--config] {}: its name must end in .json, as config.json does", options.config));
  request.workload = options.config;
  return {};
}

}  // namespace

Result<RunRequest> make_request(const RunOptions& options) {
  RunRequest request;
  request.workload = options.workload;
  if (!options.config.empty()) {
    if (Result<void> named = set_config(options, request); !named) return named.error();
  }
  request.preset = options.preset;
  if (Result<void> given = set_given(options, request); !given) return given.error();
  if (const std::string sources = options.value("collect"); !sources.empty()) {
    Result<profiler::CollectorNames> collect =
        profiler::parse_collectors(sources, request.device, [&] { return gpu_chain_of(request.device); });
    if (!collect) return collect.error();
    request.collect = *std::move(collect);
  }
  if (const std::string limit = options.value("simulate-limit");
      !limit.empty() && !request.collect.contains("simulate")) {
    return engine::usage_error(fmt::format(
        "[--simulate-limit] {}: nothing is simulated without --collect simulate; add it, or leave --simulate-limit out",
        limit));
  }
  Result<engine::Arguments> settings = settings_of(options);
  if (!settings) return settings.error();
  request.settings = *std::move(settings);
  request.weights = options.weights;
  if (Result<void> set = set_inputs(options, request); !set) return set.error();
  return request;
}

std::string RunOptions::value(const std::string& name) const {
  const auto found = values.find(name);
  return found == values.end() ? std::string() : found->second;
}

namespace {

void add_setting(CLI::App& verb, RunOptions& o, const RunSetting& s) {
  // An empty text is a script's forgotten variable, not a wish for the default.
  const CLI::Validator not_empty(
      [](const std::string& text) { return text.empty() ? std::string("is empty") : std::string(); }, "");
  verb.add_option(s.flag(), o.values[s.name()], s.help_line())
      ->check(not_empty)
      ->option_text(s.metavar)
      ->group(s.group);
}

/// What says the graph: an option of whatever looks at one.
bool of_graph(const RunSetting& s) {
  return s.about == RunSetting::About::workload || s.about == RunSetting::About::graph;
}

}  // namespace

void add_graph_options(CLI::App& verb, RunOptions& o, const std::string& subject) {
  const char* group = "Workload";
  verb.add_option("workload", o.workload, subject)->required()->option_text("NAME|FILE");
  verb.add_option("--preset", o.preset, "Named set of parameters")->option_text("NAME")->group(group);
  verb.add_option("--config", o.config, "config.json of a language model, with the workload llm")
      ->option_text("FILE")
      ->group(group);
  for (const RunSetting& s : run_settings()) {
    if (of_graph(s)) add_setting(verb, o, s);
  }
  verb.add_option("--set", o.settings, "Any parameter of the workload; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("KEY=VALUE")
      ->group(group);
}

void add_input_options(CLI::App& verb, RunOptions& o) {
  const char* group = "Inputs and outputs";
  verb.add_option("--input", o.inputs, "File for an input: .npy, .npz, .pb, .png, .jpg, a test_data_set folder")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("[NAME=]FILE")
      ->group(group);
  verb.add_option("--weights", o.weights, "File of weights: model.safetensors, or the .index.json of several")
      ->option_text("FILE")
      ->group(group);
  verb.add_option("--mean", o.mean, "Subtracted from pixels 0..255, one or one per channel (default 0)")
      ->option_text("R,G,B")
      ->group(group);
  verb.add_option("--scale", o.scale, "Multiplied with pixels after that (default 1/255; u8 inputs: 1)")
      ->option_text("R,G,B")
      ->group(group);
}

void add_run_options(CLI::App& verb, RunOptions& o) {
  add_graph_options(verb, o, "Workload (`tensortide workloads` lists them), ONNX or JSON file");
  for (const RunSetting& s : run_settings()) {
    if (!of_graph(s)) add_setting(verb, o, s);
  }
}

}  // namespace app::cli
