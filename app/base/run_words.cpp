// SPDX-License-Identifier: Apache-2.0
// A request as the words of a command line.
#include <string_view>

#include "app/base/input_files.h"
#include "app/base/workbench.h"
#include "profiler/record/catalog.h"

namespace app {
std::string RunRequest::left_out() const {
  return std::string(without_onednn ? "onednn" : "") + (without_onednn && without_openblas ? "," : "") + (without_openblas ? "openblas" : "");
}

RunRequest stored_request(RunRequest request) {
  const std::filesystem::path folder = request.output.parent_path();
  if (is_input_file(request.workload)) request.workload = stored_path(request.workload, folder);
  if (!request.roofs.empty()) request.roofs = stored_path(request.roofs.string(), folder);
  return request;
}

std::vector<std::string> words_of(const RunRequest& r) {
  const RunRequest usual;
  std::vector<std::string> words{r.workload};
  const auto add = [&](bool given, std::string_view flag, std::string value) {
    if (given) words.insert(words.end(), {std::string(flag), std::move(value)});
  };
  add(!r.preset.empty(), "--preset", r.preset);
  add(r.device != usual.device, "--device", r.device);
  for (const char* key : {"batch", "dtype", "mode"}) {
    if (const auto found = r.settings.find(key); found != r.settings.end()) add(true, std::string("--") + key, found->second);
  }
  add(r.eager || r.replay, "--graph", r.replay ? "replay" : "eager");
  add(r.fuse, "--fuse", "on");
  add(r.winograd != usual.winograd, "--winograd", std::string(engine::name(r.winograd)));
  add(!r.left_out().empty(), "--without", r.left_out());
  add(r.tf32, "--tf32", "on");
  add(r.fp8 != usual.fp8, "--fp8", std::string(engine::name(r.fp8)));
  add(r.deterministic, "--deterministic", "on");
  add(r.pageable, "--transfer", "pageable");
  const std::string collect = profiler::collector_list(r.collect);
  add(!collect.empty(), "--collect", collect);
  add(r.threads > 0, "--threads", std::to_string(r.threads));
  add(r.steps > 0, "--steps", std::to_string(r.steps));
  add(r.warmup_steps >= 0, "--warmup", std::to_string(r.warmup_steps));
  add(r.seed != usual.seed, "--seed", std::to_string(r.seed));
  add(r.collect.contains("simulate") && r.simulate_seconds != usual.simulate_seconds, "--simulate-limit",
      std::to_string(static_cast<int64_t>(r.simulate_seconds)));
  for (const auto& [key, value] : r.settings) add(key != "batch" && key != "dtype" && key != "mode", "--set", key + "=" + value);
  add(!r.roofs.empty(), "--roofs", r.roofs.string());
  return words;
}

}  // namespace app
