// SPDX-License-Identifier: Apache-2.0
// Reads the facts that are built into the program.
#include "profiler/sweep/published_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/check.h"
#include "engine/base/json_text.h"
#include "profiler/machine/gpu_data_sheet.h"
#include "reference_shi2016_facts.h"  // generated from resources/references

namespace profiler {
namespace {

using nlohmann::json;

constexpr double kGiga = 1e9;

std::string word(const json& row, const char* key) { return row.at(key).get<std::string>(); }

template <class T>
const T* found(const std::vector<T>& all, auto&& matches) {
  const auto at = std::ranges::find_if(all, matches);
  return at == all.end() ? nullptr : &*at;
}

PublishedNetwork network_of(const json& row) {
  return {.name = word(row, "name"),
          .workload = word(row, "workload"),
          .preset = word(row, "preset"),
          .what = word(row, "what"),
          .minibatch = row.at("minibatch").get<int>(),
          .weights = row.at("weights_count").get<double>(),
          .product_flops = row.at("product_flops").get<double>(),
          .arguments = row.at("arguments").get<std::map<std::string, std::string>>()};
}

PublishedPlatform platform_of(const json& row) {
  PublishedPlatform platform{.key = word(row, "key"),
                             .title = word(row, "title"),
                             .short_title = word(row, "short"),
                             .code = word(row, "code"),
                             .source = word(row, "source")};
  if (const auto sheet = row.find("data_sheet"); sheet != row.end()) {
    const auto& sheets = gpu_data_sheets();
    const auto at = std::ranges::find(sheets, sheet->get<std::string>(), &GpuDataSheet::name);
    CHECK(at != sheets.end());
    platform.gpu_flop_per_s = at->f32_flop_per_s;
    platform.source += "; " + at->sources;
    return platform;
  }
  platform.cores = row.at("cores").get<int>();
  platform.threads = row.at("threads").get<int>();
  platform.flop_per_s_of_core = row.at("flop_per_cycle").get<double>() * row.at("highest_ghz").get<double>() * kGiga;
  return platform;
}

PublishedMismatch mismatch_of(const json& row) {
  const auto flops = row.find("script_gflop");
  return {.network = word(row, "network"),
          .tool = word(row, "tool"),
          .kind = word(row, "kind"),
          .what = word(row, "what"),
          .script_flops = flops == row.end() ? kUnknown : flops->get<double>() * kGiga};
}

PublishedFacts read_facts() {
  const json all = engine::parse_json(kShi2016Facts);  // our own text, held by a test
  const json& paper = all.at("paper");
  PublishedFacts facts;
  facts.paper = fmt::format("{}, \"{}\", {}", word(paper, "authors"), word(paper, "title"), word(paper, "where"));
  facts.table = word(paper, "table");
  facts.read_from = word(paper, "read_from");
  facts.scripts = word(paper, "scripts");
  facts.free_arguments = all.at("free_arguments").get<std::vector<std::string>>();
  for (const json& row : all.at("networks")) facts.networks.push_back(network_of(row));
  for (const json& row : all.at("platforms")) facts.platforms.push_back(platform_of(row));
  for (const json& row : all.at("mismatches")) facts.mismatches.push_back(mismatch_of(row));
  const auto remark = [](const json& row, const char* what) {
    return PublishedRemark{word(row, "network"), word(row, "tool"), word(row, "side"), word(row, what)};
  };
  for (const json& row : all.at("gaps")) facts.gaps.push_back(remark(row, "why"));
  for (const json& row : all.at("remarks")) facts.remarks.push_back(remark(row, "what"));
  return facts;
}

}  // namespace

double PublishedPlatform::peak_flop_per_s(int of_threads) const {
  return gpu() ? gpu_flop_per_s : std::min(of_threads, cores) * flop_per_s_of_core;
}

const PublishedNetwork* PublishedFacts::network(std::string_view name) const {
  return found(networks, [&](const PublishedNetwork& n) { return n.name == name; });
}

const PublishedPlatform* PublishedFacts::platform(std::string_view key) const {
  return found(platforms, [&](const PublishedPlatform& p) { return p.key == key; });
}

const PublishedMismatch* PublishedFacts::mismatch(std::string_view network, std::string_view tool) const {
  return found(mismatches, [&](const PublishedMismatch& m) { return m.network == network && m.tool == tool; });
}

const PublishedFacts& shi2016_facts() {
  static const PublishedFacts facts = read_facts();
  return facts;
}

const PublishedRemark* find_remark(const std::vector<PublishedRemark>& all, std::string_view network,
                                   std::string_view tool, bool gpu) {
  return found(all, [&](const PublishedRemark& r) {
    return r.network == network && r.tool == tool && r.side == (gpu ? "gpu" : "cpu");
  });
}

}  // namespace profiler
