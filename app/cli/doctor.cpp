// SPDX-License-Identifier: Apache-2.0
// tensortide doctor: what can be collected here; for what cannot, one sentence why and one command that helps.
#include <fmt/format.h>

#include <memory>

#include "app/base/gpu_chain.h"
#include "app/base/module_loader.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "profiler/record/catalog.h"

namespace app::cli {
namespace {

using nlohmann::json;

void print_line(bool available, const std::string& title, const std::string& why, const std::string& remedy) {
  fmt::print("{}  {}\n      {}\n", available ? "yes" : "no ", title, why);
  if (!remedy.empty()) fmt::print("      what helps: {}\n", remedy);
}

int doctor(bool as_json) {
  json list = json::array();
  const CudaAvailability& cuda = cuda_availability();
  if (!as_json) print_line(cuda.available, "NVIDIA GPUs: to run on", cuda.why, cuda.remedy);
  const std::vector<profiler::ChainLink> chain = gpu_chain(true);
  for (const profiler::CollectorEntry& collector : profiler::collectors()) {
    const profiler::Availability a = collector.check([&chain] { return chain; });
    if (as_json) {
      list.push_back({{"name", collector.name}, {"title", collector.title}, {"available", a.available}, {"why", a.why}, {"remedy", a.remedy}});
      continue;
    }
    print_line(a.available, std::string(collector.title), a.why, a.remedy);
  }
  const json devices = json::array({{{"name", "cuda"}, {"available", cuda.available}, {"why", cuda.why}, {"remedy", cuda.remedy}}});
  json links = json::array();
  for (const profiler::ChainLink& link : chain) {
    links.push_back({{"name", link.name}, {"works", link.works}, {"found", link.found}, {"remedy", link.remedy},
                     {"for_counters_only", link.for_counters_only}, {"for_samples_only", link.for_samples_only}});
  }
  if (as_json) print_json(json{{"devices", devices}, {"collectors", list}, {"gpu_chain", links}});
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
