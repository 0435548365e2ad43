// SPDX-License-Identifier: Apache-2.0
// A request as the words of a command line, and as the capture that was made of it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "app/base/input_files.h"
#include "app/base/run_settings.h"
#include "app/base/workbench.h"

namespace app {

RunRequest stored_request(RunRequest request) {
  const std::filesystem::path folder = request.output.parent_path();
  if (is_input_file(request.workload)) request.workload = stored_path(request.workload, folder);
  if (!request.weights.empty()) request.weights = stored_path(request.weights.string(), folder);
  if (!request.roofs.empty()) request.roofs = stored_path(request.roofs.string(), folder);
  for (std::string& word : request.inputs.files) {
    InputWord split = split_input(word);
    split.file = stored_path(split.file, folder);
    word = join_input(split);
  }
  return request;
}

std::vector<std::string> words_of(const RunRequest& r) {
  std::vector<std::string> words{r.workload};
  const auto add = [&](std::string_view flag, std::string value) {
    words.insert(words.end(), {std::string(flag), std::move(value)});
  };
  if (!r.preset.empty()) add("--preset", r.preset);
  for (const RunSetting& s : run_settings()) {
    if (std::string value = value_of(r, s); value != s.usual()) add(s.flag(), std::move(value));
  }
  for (const auto& [key, value] : r.settings) {
    const RunSetting* s = find_run_setting(key);
    if (s == nullptr || s->about != RunSetting::About::workload) add("--set", key + "=" + value);
  }
  if (!r.weights.empty()) add("--weights", r.weights.string());
  for (const std::string& word : r.inputs.files) add("--input", word);
  if (!r.inputs.mean.empty()) add("--mean", fmt::format("{}", fmt::join(r.inputs.mean, ",")));
  if (!r.inputs.scale.empty()) add("--scale", fmt::format("{}", fmt::join(r.inputs.scale, ",")));
  if (!r.roofs.empty()) add("--roofs", r.roofs.string());
  return words;
}

RunRequest request_of(const profiler::RunInfo& run, const std::string& workload) {
  RunRequest request;
  request.workload = workload;
  request.seed = run.seed;
  request.settings = run.arguments;
  request.settings.erase(kContent);
  request.settings.erase(kInputs);  // their extents are settings of their own
  request.settings.erase(kWeights);
  if (run.workload.ends_with(".onnx"))
    request.settings.erase("mode"), request.settings.erase("dtype");  // facts of the file, no settings
  for (const RunSetting& s : run_settings()) {
    if (!s.varies() || s.about == RunSetting::About::workload) continue;
    const std::string value = captured_value(run, s);
    if (!checked_value(s, value)) continue;  // stays a parameter that no workload has: what is planned says so
    request.settings.erase(s.name());
    set_value(request, s, value);
  }
  return request;
}

}  // namespace app
