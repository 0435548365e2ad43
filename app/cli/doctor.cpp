// SPDX-License-Identifier: Apache-2.0
// tensortide doctor: what can be collected here; for what cannot, one sentence why and one command that helps.
#include <fmt/format.h>

#include <memory>

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "profiler/record/catalog.h"

namespace app::cli {
namespace {

using nlohmann::json;

int doctor(bool as_json) {
  json list = json::array();
  for (const profiler::CollectorEntry& collector : profiler::collectors()) {
    const profiler::Availability a = collector.check();
    if (as_json) {
      list.push_back({{"name", collector.name}, {"title", collector.title}, {"available", a.available}, {"why", a.why}, {"remedy", a.remedy}});
      continue;
    }
    fmt::print("{}  {}\n      {}\n", a.available ? "yes" : "no ", collector.title, a.why);
    if (!a.remedy.empty()) fmt::print("      what helps: {}\n", a.remedy);
  }
  if (as_json) fmt::print("{}\n", json{{"collectors", list}}.dump(2));
  return kDone;
}

}  // namespace

Handler add_doctor(CLI::App& verb) {
  auto as_json = std::make_shared<bool>(false);
  verb.add_flag("--json", *as_json, "print one JSON document");
  verb.footer("Example: tensortide doctor");
  return [as_json] { return doctor(*as_json); };
}

}  // namespace app::cli
