// SPDX-License-Identifier: Apache-2.0
// tensortide doctor: what can be collected here; for what cannot, one sentence why and one command that helps.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "app/base/answers.h"
#include "app/base/gpu_chain.h"
#include "app/base/module_loader.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "profiler/record/catalog.h"

namespace app::cli {
namespace {

using nlohmann::json;

void print_line(bool available, const std::string& title, const std::string& why, const std::string& remedy) {
  show("{}  {}\n      {}\n", available ? "yes" : "no ", title, why);
  if (!remedy.empty()) show("      what helps: {}\n", remedy);
}

/// The modules of GPUs, save emulated ones.
std::vector<const DeviceModule*> gpu_modules() {
  std::vector<const DeviceModule*> found;
  for (const DeviceModule& module : device_modules()) {
    if (!engine::traits_of(module.kind).emulated) found.push_back(&module);
  }
  return found;
}

/// What a module opens by name; none where there is no module.
std::vector<engine::LibraryReport> libraries_of(const DeviceModule& of) {
  const auto& module = loaded(of);
  return module && module->entry->libraries != nullptr ? module->entry->libraries()
                                                       : std::vector<engine::LibraryReport>{};
}

/// Where one was looked for, what was taken, what was refused and why.
json describe(const DeviceModule& module, const engine::LibraryReport& library, bool as_json) {
  using State = engine::LibraryAttempt::State;
  const engine::LibraryAttempt* taken = library.search.taken();
  const std::vector<std::string> folders = library.search.folders();
  json refused = json::array();
  for (const engine::LibraryAttempt& attempt : library.search.attempts) {
    if (attempt.state == State::refused) refused.push_back({{"file", attempt.file}, {"why", attempt.words}});
  }
  const std::string why = taken != nullptr ? fmt::format("{}, {}", taken->words, taken->file) : library.search.why();
  if (!as_json) {
    print_line(taken != nullptr, fmt::format("{}: opened by the {}", library.name, module.what), why,
               taken != nullptr ? "" : library.remedy);
    for (size_t i = taken != nullptr ? 0 : 1; i < refused.size();
         ++i) {  // where nothing was taken, the first is the reason
      show("      refused: {}: {}\n", refused[i]["file"].get<std::string>(), refused[i]["why"].get<std::string>());
    }
    if (!folders.empty()) show("      looked in: {}\n", fmt::join(folders, ", "));
  }
  return {{"name", library.name},
          {"available", taken != nullptr},
          {"version", taken == nullptr ? json(nullptr) : json(taken->words)},
          {"file", taken == nullptr ? json(nullptr) : json(taken->file)},
          {"why", why},
          {"remedy", taken != nullptr ? "" : library.remedy},
          {"refused", refused},
          {"looked_in", folders}};
}

int doctor(bool as_json) {
  json list = json::array(), of_build = json::array();
  for (const MachinePart& library : build_libraries()) {
    if (!as_json) print_line(library.works, library.title + ": in this build", library.why, library.remedy);
    of_build.push_back(
        {{"name", library.title}, {"available", library.works}, {"why", library.why}, {"remedy", library.remedy}});
  }
  json devices = json::array(), of_module = json::array();
  for (const DeviceModule* module : gpu_modules()) {
    const ModuleAvailability& gpus = availability(*module);
    if (!as_json) print_line(gpus.available, fmt::format("{}: to run on", module->people), gpus.why, gpus.remedy);
    devices.push_back(
        {{"name", module->kind}, {"available", gpus.available}, {"why", gpus.why}, {"remedy", gpus.remedy}});
    for (const engine::LibraryReport& library : libraries_of(*module))
      of_module.push_back(describe(*module, library, as_json));
  }
  const std::vector<profiler::ChainLink> chain = gpu_chain(true);
  for (const profiler::Collector* collector : profiler::collectors()) {
    const profiler::Availability a = collector->check([&chain] { return chain; });
    if (as_json) {
      list.push_back({{"name", collector->name},
                      {"title", collector->title},
                      {"available", a.available},
                      {"why", a.why},
                      {"remedy", a.remedy}});
      continue;
    }
    print_line(a.available, std::string(collector->title), a.why, a.remedy);
  }
  json links = json::array();
  for (const profiler::ChainLink& link : chain) {
    links.push_back({{"name", link.name},
                     {"works", link.works},
                     {"found", link.found},
                     {"remedy", link.remedy},
                     {"for_counters_only", link.for_counters_only},
                     {"for_samples_only", link.for_samples_only}});
  }
  if (as_json)
    print_json(json{{"libraries", of_build},
                    {"devices", devices},
                    {"module_libraries", of_module},
                    {"collectors", list},
                    {"gpu_chain", links}});
  return kDone;
}

}  // namespace

Handler add_doctor(CLI::App& verb) {
  auto as_json = std::make_shared<bool>(false);
  verb.add_flag("--json", *as_json, "Print one JSON document")->group("Output");
  verb.footer("Example: tensortide doctor");
  return [as_json] { return doctor(*as_json); };
}

}  // namespace app::cli
