// SPDX-License-Identifier: Apache-2.0
// Data sheets of GPUs by the names that drivers give them.
#include "profiler/machine/gpu_data_sheet.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

#include "engine/base/json_text.h"

namespace profiler {
namespace {

using nlohmann::json;

double figure(const json& row, const char* key, double unit) {
  const auto at = row.find(key);
  return at == row.end() ? kUnknown : at->get<double>() * unit;
}

GpuDataSheet sheet_of(const json& row) {
  constexpr double kMega = 1e6, kGiga = 1e9, kTera = 1e12, kMebi = 1024.0 * 1024, kGibi = 1024 * kMebi;
  GpuDataSheet sheet;
  sheet.name = row.at("name").get<std::string>();
  sheet.drivers = row.at("drivers").get<std::vector<std::string>>();
  sheet.sources = row.at("sources").get<std::string>();
  if (const auto compute = row.find("compute"); compute != row.end()) {
    const std::string text = compute->get<std::string>();
    const auto [dot, error] = std::from_chars(text.data(), text.data() + text.size(), sheet.compute_major);
    if (error == std::errc() && dot < text.data() + text.size())
      std::from_chars(dot + 1, text.data() + text.size(), sheet.compute_minor);
  }
  sheet.kind = row.value("kind", sheet.kind);
  sheet.multiprocessors = row.value("multiprocessors", -1);
  sheet.lanes = row.value("lanes", -1);
  sheet.boost_hz = figure(row, "boost_mhz", kMega);
  sheet.pod_chips = row.value("pod_chips", -1);
  sheet.operations_per_s = figure(row, "operations_tera_per_s", kTera);
  sheet.memory_bytes = figure(row, "memory_gib", kGibi);
  sheet.memory_bytes_per_s = figure(row, "memory_gb_per_s", kGiga);
  sheet.l2_bytes = figure(row, "l2_mb", kMebi);
  sheet.f32_flop_per_s = figure(row, "f32_tflop_per_s", kTera);
  sheet.f16_flop_per_s = figure(row, "f16_tflop_per_s", kTera);
  sheet.bf16_flop_per_s = figure(row, "bf16_tflop_per_s", kTera);
  sheet.tf32_flop_per_s = figure(row, "tf32_tflop_per_s", kTera);
  return sheet;
}

/// What systems report of a memory differs from its label by what is kept for error correction and by the system.
constexpr double kLeastOfLabel = 0.85, kMostOfLabel = 1.15;

bool contradicts(const NamedGpu& gpu, const GpuDataSheet& sheet) {
  const auto differ = [](int said, int specified) { return said >= 0 && specified >= 0 && said != specified; };
  if (differ(gpu.compute_major, sheet.compute_major) || differ(gpu.compute_minor, sheet.compute_minor) ||
      differ(gpu.multiprocessors, sheet.multiprocessors))
    return true;
  const double ratio = static_cast<double>(gpu.memory_bytes) / sheet.memory_bytes;
  return gpu.memory_bytes > 0 && (ratio < kLeastOfLabel || ratio > kMostOfLabel);
}

}  // namespace

const std::vector<GpuDataSheet>& gpu_data_sheets() {
  static const std::vector<GpuDataSheet> sheets = [] {
    std::vector<GpuDataSheet> all;
    const json table = engine::parse_json(gpu_data_sheets_text());  // our own text, held by a test
    for (const json& row : table.at("devices")) all.push_back(sheet_of(row));
    return all;
  }();
  return sheets;
}

std::string plain_gpu_name(std::string_view driver_name) {
  constexpr std::array<std::string_view, 8> kDropped{"nvidia",   "amd",    "geforce",  "tesla",
                                                     "instinct", "radeon", "graphics", "gpu"};
  std::string plain, word;
  const auto end_word = [&] {
    if (!word.empty() && std::ranges::find(kDropped, word) == kDropped.end())
      plain += (plain.empty() ? "" : " ") + word;
    word.clear();
  };
  for (const char c : driver_name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) end_word();
    else word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  end_word();
  return plain;
}

const GpuDataSheet* named_data_sheet(std::string_view name) {
  const std::string plain = plain_gpu_name(name);
  const std::vector<GpuDataSheet>& all = gpu_data_sheets();
  if (plain.empty()) return nullptr;
  const auto own = [](const GpuDataSheet& sheet) { return plain_gpu_name(sheet.name); };
  if (const auto at = std::ranges::find(all, plain, own); at != all.end()) return &*at;
  const GpuDataSheet* only = nullptr;
  for (const GpuDataSheet& sheet : all) {
    if (std::ranges::find(sheet.drivers, plain) == sheet.drivers.end()) continue;
    if (only != nullptr) return nullptr;
    only = &sheet;
  }
  return only;
}

const GpuDataSheet* find_data_sheet(const NamedGpu& gpu) {
  const std::vector<GpuDataSheet>& all = gpu_data_sheets();
  const auto same = std::ranges::find(all, gpu.name, &GpuDataSheet::name);
  if (same != all.end() && same->kind == "gpu" && !contradicts(gpu, *same)) return &*same;
  const std::string plain = plain_gpu_name(gpu.name);
  const GpuDataSheet* only = nullptr;
  for (const GpuDataSheet& sheet : all) {
    if (std::ranges::find(sheet.drivers, plain) == sheet.drivers.end() || contradicts(gpu, sheet)) continue;
    if (only != nullptr) return nullptr;  // two chips of one name, and the trace says nothing that tells them apart
    only = &sheet;
  }
  return only;
}

}  // namespace profiler
