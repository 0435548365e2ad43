// SPDX-License-Identifier: Apache-2.0
// Reads the built-in table of modelled GPUs.
#include "profiler/predict/modelled_gpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/check.h"
#include "engine/base/nearest_name.h"
#include "profiler/machine/gpu_data_sheet.h"
#include "profiler/predict/modelled_gpus_table.h"

namespace profiler {
namespace {

using nlohmann::json;

GpuLibrary library_of(const json& row) {
  GpuLibrary library{.key = row.at("key"),
                     .split_most = row.at("split_most"),
                     .split_least_depth = row.at("split_least_depth"),
                     .efficiency = row.at("efficiency"),
                     .transposed_ratio = row.at("transposed_ratio"),
                     .convolution_efficiency = row.at("convolution_efficiency"),
                     .winograd_efficiency = row.at("winograd_efficiency"),
                     .weight_gradient_ratio = row.at("weight_gradient_ratio"),
                     .winograd_batched = row.at("winograd_batched"),
                     .narrow_columns = row.at("narrow_columns")};
  for (const json& tile : row.at("tiles")) library.tiles.push_back({tile.at(0), tile.at(1)});
  for (const json& tile : row.at("convolution_tiles")) library.convolution_tiles.push_back({tile.at(0), tile.at(1)});
  CHECK(!library.tiles.empty() && !library.convolution_tiles.empty() && library.efficiency > 0);
  return library;
}

ModelErrors errors_of(const json& row, bool checked) {
  return {.product = row.at("product"),
          .convolution = row.at("convolution"),
          .gradient = row.at("gradient"),
          .recurrent = row.at("recurrent"),
          .checked = checked};
}

std::vector<ModelledGpu> read_built_in() {
  const json table = json::parse(modelled_gpus_text(), nullptr, false);
  CHECK(table.is_object() && table.contains("devices") && table.contains("libraries"));
  std::vector<GpuLibrary> libraries;
  for (const json& row : table["libraries"]) libraries.push_back(library_of(row));
  std::vector<ModelledGpu> gpus;
  for (const json& row : table["devices"]) {
    const auto named = [&](const json& key) {
      const auto found = std::ranges::find(libraries, key.get<std::string>(), &GpuLibrary::key);
      CHECK(found != libraries.end());
      return *found;
    };
    gpus.push_back({.key = row.at("key"),
                    .name = row.at("name"),
                    .multiprocessors = row.at("multiprocessors"),
                    .lanes = row.at("lanes"),
                    .base_hz = 1e6 * row.at("base_mhz").get<double>(),
                    .boost_hz = 1e6 * row.at("boost_mhz").get<double>(),
                    .memory_bytes_per_s = 1e9 * row.at("memory_gb_per_s").get<double>(),
                    .l2_bytes = static_cast<int64_t>(row.at("l2_mib").get<double>() * 1048576),
                    .library = named(row.at("library")),
                    .recurrent_library = named(row.value("recurrent_library", row.at("library"))),
                    .errors = row.contains("errors") ? errors_of(row["errors"], true)
                                                     : errors_of(table.at("errors_of_all"), false)});
  }
  return gpus;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

double ModelledGpu::sustained_hz() const { return boost_hz < 2 * base_hz ? base_hz : std::sqrt(base_hz * boost_hz); }

const std::vector<ModelledGpu>& modelled_gpus() {
  static const std::vector<ModelledGpu> gpus = read_built_in();
  return gpus;
}

engine::Result<ModelledGpu> modelled_gpu(std::string_view key) {
  std::vector<std::string> known;
  for (const ModelledGpu& gpu : modelled_gpus()) {
    if (gpu.key == lower(key)) return gpu;
    known.push_back(gpu.key);
  }
  std::vector<std::string> all = known;
  for (const GpuDataSheet& sheet : gpu_data_sheets()) all.push_back(sheet.name);
  return engine::usage_error(
      fmt::format("[--on] no modelled device \"{}\"{} There are: {}, systolic:ROWSxCOLUMNS, sheets, and each name that "
                  "--on sheets lists",
                  key, engine::did_you_mean(key, all), fmt::join(known, ", ")));
}

}  // namespace profiler
