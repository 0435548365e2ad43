// SPDX-License-Identifier: Apache-2.0
// Balances from the probe's roofs, and from data sheets of machines that are not here.
#include "profiler/machine/machine_balance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/json_text.h"
#include "engine/base/nearest_name.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

using nlohmann::json;

const json& presets() {
  static const json all = engine::parse_json(machine_presets_text());  // our own text, held by a test
  return all;
}

/// Read by as many threads as were measured: the highest rate.
const BandwidthRoof* best_read(const Machine& machine, const std::string& level) {
  const BandwidthRoof* best = nullptr;
  for (const BandwidthRoof& roof : machine.bandwidth) {
    if (roof.level != level || roof.mix != AccessMix::read || !roof.bytes_per_s.known()) continue;
    if (best == nullptr || roof.bytes_per_s.median > best->bytes_per_s.median) best = &roof;
  }
  return best;
}

}  // namespace

MachineBalance balance_of(const Machine& machine, const Measured& disk) {
  MachineBalance balance;
  balance.name = machine.info.model.empty() ? say("This machine") : machine.info.model;
  const ComputeRoof* peak = nullptr;
  for (const ComputeRoof& roof : machine.compute) {
    if (roof.dtype != engine::DType::float32 || !roof.flop_per_s.known()) continue;
    if (peak == nullptr || roof.flop_per_s.median > peak->flop_per_s.median) peak = &roof;
  }
  if (peak != nullptr) {
    balance.flop_per_s = peak->flop_per_s.median;
    balance.flop_how = say("{} on {}", peak->method, counted(static_cast<uint64_t>(peak->threads), "thread"));
  }
  BalanceLevel cold{"Disk", say("read past the page cache"), kUnknown, Origin::measured, say("not measured")};
  if (disk.known()) {
    cold.bytes_per_s = disk.median;
    cold.how = say("one block after the other, O_DIRECT");
  }
  balance.levels.push_back(std::move(cold));
  std::vector<std::string> levels;
  for (const MemoryLevel& level : machine.levels) levels.push_back(level.name);
  if (std::ranges::find(levels, "DRAM") == levels.end()) levels.emplace_back("DRAM");
  std::ranges::reverse(levels);
  for (const std::string& name : levels) {
    const BandwidthRoof* roof = best_read(machine, name);
    balance.levels.push_back({name, "read", roof == nullptr ? kUnknown : roof->bytes_per_s.median, Origin::measured,
                              roof == nullptr ? say("no probe has measured it")
                                              : say("by {}", counted(static_cast<uint64_t>(roof->threads), "thread"))});
  }
  return balance;
}

const std::vector<std::string>& machine_presets() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> all;
    for (const json& row : presets().at("machines")) all.push_back(row.at("key").get<std::string>());
    return all;
  }();
  return keys;
}

engine::Result<MachineBalance> preset_balance(std::string_view key) {
  constexpr double kGiga = 1e9, kTera = 1e12;
  for (const json& row : presets().at("machines")) {
    if (row.at("key").get<std::string>() != key) continue;
    MachineBalance balance;
    balance.name = row.at("name").get<std::string>();
    balance.flop_per_s = row.at("f32_tflop_per_s").get<double>() * kTera;
    balance.flop_origin = Origin::specified;
    balance.flop_how = row.at("flop_how").get<std::string>();
    balance.sources = row.at("sources").get<std::string>();
    for (const json& level : row.at("levels")) {
      balance.levels.push_back({level.at("level").get<std::string>(), level.at("what").get<std::string>(),
                                level.at("gb_per_s").get<double>() * kGiga, Origin::specified,
                                level.at("how").get<std::string>()});
    }
    return balance;
  }
  return engine::usage_error(fmt::format("[--balance] there is no machine \"{}\"{} There are: here, {}", key,
                                         engine::did_you_mean(key, machine_presets()),
                                         fmt::join(machine_presets(), ", ")));
}

Table balance_table(const MachineBalance& balance) {
  Table table;
  table.name = "balance";
  const Origin origin = balance.flop_origin;
  table.columns = {
      {"level", "Level", Quantity::text, Origin::exact, "Where bytes come from, the farthest first"},
      {"what", "What", Quantity::text, Origin::exact, "The part, or the way it is read"},
      {"bytes_per_s", "Rate", Quantity::bytes_per_s, origin, "Bytes per second of the whole machine, one direction"},
      {"flop_per_byte", "Balance", Quantity::intensity, origin,
       "Arithmetic peak of f32 / rate: work with fewer FLOPs per byte waits for this level"},
      {"origin", "Origin", Quantity::text, Origin::exact, "How the rate is known"},
      {"how", "How", Quantity::text, Origin::exact, "What the rate is made of"}};
  const auto cell = [](double value) { return value == value ? Cell(value) : Cell(); };
  for (const BalanceLevel& level : balance.levels) {
    const bool known = level.bytes_per_s == level.bytes_per_s;
    table.rows.push_back({level.level, level.what, cell(level.bytes_per_s), cell(balance.flop_per_byte(level)),
                          known ? Cell(std::string(name(level.origin))) : Cell(), level.how});
  }
  return table;
}

std::vector<std::string> balance_sentences(const MachineBalance& balance) {
  std::vector<std::string> sentences;
  if (balance.flop_per_s == balance.flop_per_s) {
    sentences.push_back(say("Arithmetic of f32: {} ({}: {}).",
                            format_quantity(balance.flop_per_s, Quantity::flop_per_s), name(balance.flop_origin),
                            balance.flop_how));
    sentences.emplace_back(
        say("Work that does fewer FLOPs per byte than the balance of a level waits for that level."));
  } else {
    sentences.emplace_back(say("The arithmetic peak is unknown: `tensortide probe` measures it."));
  }
  if (!balance.sources.empty()) sentences.push_back(say("Sources: {}.", balance.sources));
  return sentences;
}

}  // namespace profiler
