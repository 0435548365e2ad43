// SPDX-License-Identifier: Apache-2.0
// tensortide devices, tensortide workloads: what can be run, and on what.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/base/device_sheets.h"
#include "app/base/devices.h"
#include "app/cli/command.h"
#include "app/cli/foreign.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "engine/netfile/network_file.h"
#include "engine/tensor/device_name.h"
#include "engine/workloads/workload.h"
#include "profiler/base/words.h"
#include "profiler/predict/modelled_gpu.h"

namespace app::cli {
namespace {

using nlohmann::json;

json unknown_or(int64_t value) { return value > 0 ? json(value) : json(nullptr); }

json device_json(const DeviceEntry& device) {
  const engine::DeviceInfo info = device.describe();
  json caches = json::array();
  for (const engine::CacheLevel& level : info.caches) {
    caches.push_back({{"name", level.name},
                      {"size_bytes", unknown_or(level.size_bytes)},
                      {"line_bytes", level.line_bytes},
                      {"ways", unknown_or(level.ways)},
                      {"shared_by_cores", level.shared_by_cores},
                      {"origin", "specified"}});
  }
  return {{"name", device.name},
          {"help", device.help},
          {"available", true},
          {"model", info.model},
          {"cores", unknown_or(info.cores)},
          {"hardware_threads", unknown_or(info.hardware_threads)},
          {"vector_bits", unknown_or(info.vector_bits)},
          {"features", info.features},
          {"caches", caches},
          {"memory_bytes", unknown_or(info.memory_bytes)},
          {"libraries", info.libraries},
          {"origin", "specified"}};
}

/// Simulated devices are alike: the first stands for all.
void print_device(const DeviceEntry& device) {
  const engine::DeviceInfo info = device.describe();
  const bool simulated = info.traits().simulated;
  if (simulated && info.device.index > 0) return;
  show("{:8} {}\n", simulated ? fmt::format("sim:0..{}", engine::kSimulatedDevices - 1) : device.name, device.help);
  if (!info.traits().computes) return;
  const bool gpu = info.traits().is_gpu;
  const bool counts_multiprocessors = info.traits().vendor != engine::Vendor::none || info.traits().emulated;
  show("         {}, {}, {}, {} memory\n", info.model,
       profiler::counted(static_cast<uint64_t>(std::max(0, info.cores)), !gpu                     ? "core"
                                                                         : counts_multiprocessors ? "multiprocessor"
                                                                                                  : "compute unit"),
       gpu ? fmt::format("{}", fmt::join(info.features, ", ")) : fmt::format("{}-bit vectors", info.vector_bits),
       profiler::format_quantity(static_cast<double>(info.memory_bytes), profiler::Quantity::capacity_bytes));
  for (const engine::CacheLevel& level : info.caches) {
    show(
        "         {:4} {} as the system claims (may be wrong in virtual machines; `tensortide "
        "probe` measures)\n",
        level.name,
        profiler::format_quantity(static_cast<double>(level.size_bytes), profiler::Quantity::capacity_bytes));
  }
  if (!info.libraries.empty()) show("         {}\n", fmt::join(info.libraries, ", "));
}

int list_devices(bool as_json) {
  if (as_json) {
    json list = json::array();
    for (const DeviceEntry& device : devices()) list.push_back(device_json(device));
    for (const AbsentDevice& absent : absent_devices()) {
      list.push_back({{"name", absent.name}, {"available", false}, {"why", absent.why}, {"remedy", absent.remedy}});
    }
    json modelled = json::array();
    for (const profiler::ModelledGpu& gpu : profiler::modelled_gpus())
      modelled.push_back({{"name", gpu.key}, {"title", gpu.name}, {"for", "predict --on"}, {"origin", "specified"}});
    print_json(json{{"devices", list}, {"modelled_devices", modelled}});
    return kDone;
  }
  for (const DeviceEntry& device : devices()) print_device(device);
  for (const AbsentDevice& absent : absent_devices())
    show("{:8} not here: {}; {}\n", absent.name, absent.why, absent.remedy);
  std::vector<std::string> modelled;
  for (const profiler::ModelledGpu& gpu : profiler::modelled_gpus()) modelled.push_back(gpu.key);
  show(
      "\nModelled devices run nothing: `tensortide predict WORKLOAD --on NAME` models the time of "
      "a step on\n  {}\n  "
      "systolic:ROWSxCOLUMNS (an array of multiply-adds)\n  sheets (bounds of all data sheets), or the name of one of "
      "them\n",
      fmt::join(modelled, ", "));
  return kDone;
}

struct DeviceArguments {
  std::vector<std::string> beside;
  std::string balance, disk;
  bool json = false;
};

json figures_json(const profiler::DeviceFigures& device) {
  json figures = json::object();
  for (size_t i = 0; i < profiler::kDeviceTraits; ++i) {
    const auto trait = static_cast<profiler::DeviceTrait>(i);
    const profiler::DeviceFigure& figure = device.of(trait);
    json one = json_figure(figure.value, figure.origin);
    if (!figure.note.empty()) one["note"] = figure.note;
    figures[std::string(profiler::key_of(trait))] = std::move(one);
  }
  return {{"name", device.name}, {"what", device.what}, {"figures", figures}, {"sources", device.sources}};
}

int print_table(const profiler::Table& table, const std::vector<std::string>& sentences) {
  show("{}", profiler::to_text(table));
  for (const std::string& sentence : sentences) show("{}\n", sentence);
  return kDone;
}

/// --beside: this processor and the GPUs that are named, or that captures describe.
int devices_beside(const DeviceArguments& options) {
  std::vector<profiler::DeviceFigures> all{this_processor()};
  for (const std::string& name : options.beside) {
    std::error_code code;
    if (std::filesystem::is_regular_file(name, code)) {
      const auto capture = open_any(name);
      if (!capture) return report(capture.error());
      auto gpus = recorded_gpus(**capture, std::filesystem::path(name).filename().string());
      if (!gpus) return report(gpus.error());
      all.insert(all.end(), gpus->begin(), gpus->end());
      continue;
    }
    auto device = other_device(name);
    if (!device) return report(device.error());
    all.push_back(*std::move(device));
  }
  if (!options.json) return print_table(profiler::beside_table(all), profiler::beside_sentences(all));
  json list = json::array();
  for (const profiler::DeviceFigures& device : all) {
    list.push_back(figures_json(device));
    list.back()["number"] = list.size();
  }
  print_json(json{{"devices", list}, {"sentences", profiler::beside_sentences(all)}});
  return kDone;
}

/// --balance: what each level gives beside the arithmetic.
int show_balance(const DeviceArguments& options) {
  const auto balance = machine_balance(options.balance, options.disk, stop_on_interrupt());
  if (!balance) return report(balance.error());
  const std::vector<std::string> sentences = profiler::balance_sentences(*balance);
  if (options.json) {
    print_json(json{{"machine", balance->name},
                    {"flop_per_s", json_figure(balance->flop_per_s, balance->flop_origin)},
                    {"table", table_json(profiler::balance_table(*balance))},
                    {"sentences", sentences}});
    return kDone;
  }
  show("{}\n", balance->name);
  return print_table(profiler::balance_table(*balance), sentences);
}

int device_lists(const DeviceArguments& options) {
  if (!options.balance.empty() && !options.beside.empty())
    return report(engine::usage_error("[--balance] and --beside answer different questions: give one of them"));
  if (options.balance.empty() && !options.disk.empty())
    return report(
        engine::usage_error("[--disk] goes with --balance here; `tensortide probe --disk` measures it alone"));
  if (!options.balance.empty()) return show_balance(options);
  return options.beside.empty() ? list_devices(options.json) : devices_beside(options);
}

json parameter_json(const engine::Parameter& p) {
  json out = {{"name", p.name}, {"label", p.label}, {"help", p.help}, {"default", p.default_value}, {"unit", p.unit}};
  switch (p.kind) {
    case engine::ParameterKind::integer: out["kind"] = "integer"; break;
    case engine::ParameterKind::real: out["kind"] = "real"; break;
    case engine::ParameterKind::choice: out["kind"] = "choice"; break;
    default: out["kind"] = "text"; break;
  }
  if (p.kind == engine::ParameterKind::choice) {
    out["choices"] = p.choices;
  } else if (out["kind"] != "text") {
    out["minimum"] = p.minimum;
    out["maximum"] = p.maximum;
  }
  return out;
}

void print_workload(const engine::Workload& workload) {
  show("{} - {}\n  {}\n", workload.name, workload.title, workload.description);
  if (!workload.on_command_line.empty()) show("  {}\n", workload.on_command_line);
  for (const engine::Parameter& p : workload.parameters) {
    const std::string choices = p.choices.empty() ? "" : fmt::format(" ({})", fmt::join(p.choices, ", "));
    show("    {:16} = {:<20} {}{}\n", p.name, p.default_value + (p.unit.empty() ? "" : " " + p.unit), p.help, choices);
  }
  for (const engine::Preset& preset : workload.presets) show("    --preset {:<9} {}\n", preset.name, preset.title);
}

void print_all_workloads() {
  for (const engine::Workload& workload : engine::workloads()) show("  {:16}  {}\n", workload.name, workload.title);
  show("  {:16}  Your own ONNX model\n  {:16}  Your own network\n", "FILE.onnx", "FILE.json");
  show("\n`tensortide workloads NAME` shows what a workload does, its parameters and presets.\n");
}

/// `name`: one of them in full; empty: all.
int list_workloads(const std::string& name, bool as_json) {
  if (name == "FILE.onnx" || name == "FILE.json") {
    show("{}\n", name == "FILE.onnx" ? "Any ONNX model file whose ops are supported. Ops that are not are listed."
                                     : engine::network_file_help());
    return kDone;
  }
  std::vector<const engine::Workload*> wanted;
  if (!name.empty()) {
    const engine::Result<const engine::Workload*> found = engine::find_workload(name);
    if (!found) return report(found.error());
    wanted.push_back(*found);
  }
  if (!as_json) {
    if (wanted.empty()) print_all_workloads();
    for (const engine::Workload* workload : wanted) print_workload(*workload);
    return kDone;
  }
  if (wanted.empty()) {
    for (const engine::Workload& workload : engine::workloads()) wanted.push_back(&workload);
  }
  json list = json::array();
  for (const engine::Workload* each : wanted) {
    const engine::Workload& workload = *each;
    json parameters = json::array(), presets = json::array();
    for (const engine::Parameter& p : workload.parameters) parameters.push_back(parameter_json(p));
    for (const engine::Preset& p : workload.presets) {
      presets.push_back({{"name", p.name}, {"title", p.title}, {"arguments", p.arguments}});
    }
    list.push_back({{"name", workload.name},
                    {"title", workload.title},
                    {"description", workload.description},
                    {"on_command_line", workload.on_command_line},
                    {"parameters", parameters},
                    {"presets", presets}});
  }
  print_json(json{{"workloads", list}});
  return kDone;
}

}  // namespace

Handler add_devices(CLI::App& verb) {
  auto o = std::make_shared<DeviceArguments>();
  verb.add_option("--beside", o->beside, "Hold this processor beside GPUs [a key, a data sheet, a device, FILE]")
      ->option_text("GPU");
  verb.add_option("--balance", o->balance, "Rates of disk, memory and links beside arithmetic [here, dgx-1]")
      ->option_text("MACHINE");
  verb.add_option("--disk", o->disk, "With --balance here: read the disk of this folder, uncached")
      ->option_text("FOLDER");
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer("Example: tensortide devices --beside v100");
  return [o] { return device_lists(*o); };
}

Handler add_workloads(CLI::App& verb) {
  auto as_json = std::make_shared<bool>(false);
  auto name = std::make_shared<std::string>();
  verb.add_option("name", *name, "Workload to show in full; none: a list of all")->option_text("[NAME]");
  verb.add_flag("--json", *as_json, "Print one JSON document")->group("Output");
  verb.footer("Example: tensortide workloads mlp");
  return [as_json, name] { return list_workloads(*name, *as_json); };
}

}  // namespace app::cli
