// SPDX-License-Identifier: Apache-2.0
// Reads the built-in table and a user's changes to it.
#include "profiler/analysis/base/verdict_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "engine/base/check.h"
#include "engine/base/display_text.h"
#include "engine/base/json_text.h"
#include "engine/base/nearest_name.h"
#include "engine/base/read_file.h"
#include "profiler/analysis/base/verdict_rules_table.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;
using engine::refused_error;
using engine::Result;
using nlohmann::json;

constexpr uint64_t kLargestFile = 1 << 20;  // a full table has some 6 KiB

/// In the order of Rule.
constexpr std::array<const char*, kRuleCount> kKeys{
    "too_short_ticks",       "inconsistent_ratio",   "waiting_ratio",        "dispatch_ratio",
    "saturated_ratio",       "busy_ratio",           "balanced_ratio",       "waves_count",
    "slack_ratio",           "latency_ratio",        "parallel_misses",      "prefetch_page_bytes",
    "prefetch_stride_bytes", "roof_band_ratio",      "compulsory_ratio",     "reuse_lost_ratio",
    "conflict_ratio",        "sectors_ratio",        "write_allocate_ratio", "transfer_ratio",
    "communication_ratio",   "link_use_ratio",       "launch_ratio",         "launch_idle_ratio",
    "launch_host_ratio",     "small_copy_bytes",     "many_small_copies",    "worth_finding_ratio",
    "topdown_backend_ratio", "topdown_memory_ratio", "topdown_l1_ratio",     "topdown_l2_ratio",
    "topdown_l3_ratio",      "topdown_dram_ratio",   "topdown_store_ratio",  "topdown_bandwidth_ratio",
    "topdown_latency_ratio", "topdown_core_ratio"};

std::vector<VerdictRule> read_built_in() {
  const json table = json::parse(verdict_rules_text(), nullptr, false);
  CHECK(table.is_object() && table.contains("rules") && table["rules"].size() == kRuleCount);
  std::vector<VerdictRule> rows;
  for (const json& row : table["rules"]) {
    VerdictRule rule{row["key"], row["meaning"], row["source"], row["value"], row["value"], row["low"], row["high"]};
    CHECK(rule.key == kKeys[rows.size()] && rule.low <= rule.value && rule.value <= rule.high);
    rows.push_back(std::move(rule));
  }
  return rows;
}

std::string limits_text(const VerdictRule& rule) {
  return fmt::format("it takes {} to {} and is {} by itself", rule.low, rule.high, rule.usual);
}

}  // namespace

const VerdictRules& VerdictRules::built_in() {
  static const VerdictRules rules = [] {
    VerdictRules r;
    r.rows_ = read_built_in();
    return r;
  }();
  return rules;
}

std::string text(const Threshold& limit) {
  return limit.value != limit.usual ? fmt::format("{} instead of {}", limit.value, limit.usual)
                                    : fmt::format("{}", limit.value);
}

Result<VerdictRules> VerdictRules::changed_by(const std::string& json_text, const std::string& file) {
  const json given = engine::parse_json(json_text);
  if (!given.is_object()) {
    return refused_error(
        fmt::format("{}: is not a JSON object of thresholds, such as {{\"saturated_ratio\": 0.85}}; "
                    "correct or remove it",
                    file));
  }
  VerdictRules rules = built_in();
  for (const auto& [key, value] : given.items()) {
    const auto row = std::ranges::find(rules.rows_, key, &VerdictRule::key);
    if (row == rules.rows_.end()) {
      const std::vector<std::string> known(kKeys.begin(), kKeys.end());
      return refused_error(fmt::format("{}: unknown threshold \"{}\"; did you mean \"{}\"?", file,
                                       engine::display_line(key, 60), engine::nearest_name(key, known)));
    }
    if (!value.is_number())
      return refused_error(fmt::format(
          "{}: {} is {}, not a number; {}", file, key,
          engine::display_line(value.dump(-1, ' ', false, json::error_handler_t::replace), 60), limits_text(*row)));
    const double number = value;
    if (!(number >= row->low && number <= row->high)) {
      return refused_error(fmt::format("{}: {} is {}, out of bounds; {}", file, key, number, limits_text(*row)));
    }
    row->value = number;
  }
  return rules;
}

fs::path VerdictRules::user_file() {
  // The XDG specification: a relative path is to be ignored.
  if (const char* folder = std::getenv("XDG_CONFIG_HOME"); folder != nullptr && fs::path(folder).is_absolute()) {
    return fs::path(folder) / "tensortide" / "verdict_rules.json";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / ".config" / "tensortide" / "verdict_rules.json";
  }
  return {};
}

Result<VerdictRules> VerdictRules::of_user() {
  const fs::path file = user_file();
  std::error_code code;
  if (file.empty() || !fs::exists(file, code)) return built_in();
  Result<std::string> text = engine::read_file(file, kLargestFile);
  if (!text) return refused_error(text.error().message + "; thresholds are a JSON object; correct or remove the file");
  return changed_by(*text, engine::display_line(file.native()));
}

}  // namespace profiler
