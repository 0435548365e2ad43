// SPDX-License-Identifier: Apache-2.0
// RunSetting: one option of `tensortide run` that says what is run and how. An option is a row in run_settings.cpp. The
// command line, recorded commands, sweeps, trials, comparisons and the window's form are made from these rows.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/workloads/workload.h"

namespace profiler {
struct RunInfo;
}

namespace app {

struct DeviceOptions;
struct RunRequest;

struct RunSetting {
  /// workload: a parameter of the workload that has an option of its own (--batch). graph: what becomes of the
  /// workload's ops (--fuse). execution: who runs them and how (--threads). measurement: what is recorded of it
  /// (--steps), which changes no result and no time.
  enum class About : uint8_t { workload, graph, execution, measurement };
  enum class Where : uint8_t { anywhere, gpu, cpu };

  /// name: of the option ("tf32" is --tf32), of a sweep's axis, of the argument in captures. label: in forms. help: in
  /// --help, without values and default. default_value: the usual value, which is taken even where the range leaves it
  /// out ("auto"); empty: the workload or the program decides.
  engine::Parameter parameter;
  About about = About::execution;
  const char* group = "Execution";  ///< heading in --help
  const char* metavar = "VALUE";    ///< what stands for the value in --help
  std::string values = {};          ///< in --help, where `parameter.choices` do not say them: "cpu, null, sim:0..7"

  /// Where these values (empty: all) mean something; elsewhere they are refused, because `why`.
  Where where = Where::anywhere;
  std::vector<std::string> where_values = {};
  const char* why = "";

  bool in_form = false;         ///< shown in the window's form
  const char* tip = "";         ///< there; empty: parameter.help
  const char* empty_text = "";  ///< there, of a number that is left empty; empty: the usual value
  std::string first_look =
      {};  ///< values of an axis worth a first look, for the window's sweep dialog; empty: not offered there

  /// What the setting does to a device; null: the code that obeys it asks RunRequest::is() or setting().
  void (*apply)(DeviceOptions&, const std::string& value) = nullptr;
  /// Where a request keeps it; null: in RunRequest::run, of a parameter of the workload in RunRequest::settings.
  std::string (*get)(const RunRequest&) = nullptr;
  void (*set)(RunRequest&, const std::string& value) = nullptr;
  /// Where a capture keeps it; null: among its arguments.
  std::string (*captured)(const profiler::RunInfo&) = nullptr;
  /// Whether the capture of a request says it; null: where it is not usual.
  bool (*recorded)(const RunRequest&) = nullptr;
  /// What a run had whose capture does not say it; null: the usual.
  std::string (*unsaid)(const profiler::RunInfo&) = nullptr;

  const std::string& name() const { return parameter.name; }
  const std::string& usual() const { return parameter.default_value; }
  std::string flag() const { return "--" + name(); }
  /// "TF32 in f32 matrix multiplications [off, on] (default off)".
  std::string help_line() const;
  /// Whether a sweep may vary it and a trial may change it.
  bool varies() const { return about != About::measurement; }
  bool also_axis = false;  ///< of a measurement: a sweep may vary it all the same
  bool is_axis() const { return varies() || also_axis; }
};

/// All of them, in the order in which a recorded command says them.
std::span<const RunSetting> run_settings();
/// Null: there is none of that name.
const RunSetting* find_run_setting(std::string_view name);

/// The value in its one spelling. Fails (usage) saying what a value is; the caller puts the name in front.
engine::Result<std::string> checked_value(const RunSetting&, const std::string& text);
/// As checked_value(), of a point of a sweep: a usual value outside the range ("0" for all cores) is no place on an
/// axis.
engine::Result<std::string> checked_axis_value(const RunSetting&, const std::string& text);
/// Fails (usage) where the value means nothing on this device, naming the option.
engine::Result<void> check_device(const RunSetting&, const std::string& value, std::string_view device);

std::string value_of(const RunRequest&, const RunSetting&);
/// `value`: as checked_value() gave it.
void set_value(RunRequest&, const RunSetting&, const std::string& value);

/// What a run had, as its capture says or leaves unsaid.
std::string captured_value(const profiler::RunInfo&, const RunSetting&);
/// The arguments that the capture of a request says beside those of its workload.
engine::Arguments recorded_settings(const RunRequest&);
/// The settings that captures keep among their arguments, with the value of a run whose capture lacks it. Nothing:
/// unknown.
std::map<std::string, std::optional<std::string>> unsaid_settings();

}  // namespace app
