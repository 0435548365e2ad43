// SPDX-License-Identifier: Apache-2.0
// The table of run settings: each row through command line, capture, sweep, trial and comparison, and each finding's
// change through trials.
#include "app/base/run_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "app/base/sweep.h"
#include "app/base/trial.h"
#include "app/base/workbench.h"
#include "engine/workloads/arguments.h"
#include "profiler/compare/comparison.h"
#include "tests/support/op_lab.h"

namespace app {
namespace {

using profiler::RunChange;
using Words = std::vector<std::string>;
using About = RunSetting::About;

/// Values to try a row with, the usual one among them where it is a value.
std::vector<std::string> values_of(const RunSetting& s) {
  const engine::Parameter& p = s.parameter;
  if (p.kind == engine::ParameterKind::choice) return p.choices;
  if (p.kind == engine::ParameterKind::integer)
    return {fmt::format("{}", static_cast<int64_t>(p.minimum)), fmt::format("{}", static_cast<int64_t>(p.maximum))};
  const std::map<std::string, std::vector<std::string>> texts{{"device", {"cpu", "null", "sim:1"}},
                                                              {"batch", {"8"}},
                                                              {"dtype", {"bf16"}},
                                                              {"mode", {"training"}},
                                                              {"phase", {"prefill"}},
                                                              {"context", {"64"}},
                                                              {"without", {"nothing", "onednn", "onednn,openblas"}},
                                                              {"collect", {"ops,simulate", "ops,perf,hit_rates"}}};
  const auto found = texts.find(s.name());
  EXPECT_NE(found, texts.end()) << s.name() << " takes any text: say here which to try";
  return found == texts.end() ? std::vector<std::string>() : found->second;
}

/// The row's value in the words of a request; empty: they leave it out.
std::string said(const RunRequest& request, const RunSetting& s) {
  const Words words = words_of(request);
  const auto at = std::ranges::find(words, s.flag());
  return at == words.end() ? std::string() : *(at + 1);
}

TEST(RunSettings, EachRowIsWhole) {
  std::set<std::string> names;
  for (const RunSetting& s : run_settings()) {
    EXPECT_TRUE(names.insert(s.name()).second) << s.name() << " stands there twice";
    EXPECT_FALSE(s.parameter.label.empty()) << s.name();
    EXPECT_LE(s.help_line().size(), 72u) << "one line of --help: " << s.help_line();
    EXPECT_TRUE(checked_value(s, s.usual()).ok()) << s.name();
    EXPECT_EQ(value_of(RunRequest(), s), s.usual()) << s.name() << ": what nobody has set is usual";
    EXPECT_EQ(s.where == RunSetting::Where::anywhere, std::string(s.why).empty()) << s.name();
    EXPECT_EQ(find_run_setting(s.name()), &s);
  }
  EXPECT_EQ(find_run_setting("tf33"), nullptr);
}

TEST(RunSettings, ArgumentsOfCapturesMeanOneThing) {
  std::set<std::string> parameters;
  for (const engine::Workload& workload : engine::workloads()) {
    for (const engine::Parameter& p : workload.parameters) parameters.insert(p.name);
  }
  for (const RunSetting& s : run_settings()) {
    if (!s.varies()) continue;
    EXPECT_EQ(parameters.contains(s.name()), s.about == About::workload) << s.name();
  }
}

TEST(RunSettings, EachValueGoesIntoARequestItsWordsAndTheAxisOfASweep) {
  for (const RunSetting& s : run_settings()) {
    for (const std::string& value : values_of(s)) {
      RunRequest request;
      request.workload = "mlp";
      if (s.name() == "simulate-limit") request.collect = {"simulate"};  // which it says nothing without
      const auto checked = checked_value(s, value);
      ASSERT_TRUE(checked.ok()) << s.name() << ": " << checked.error().message;
      set_value(request, s, *checked);
      EXPECT_EQ(value_of(request, s), value) << s.name();
      EXPECT_EQ(said(request, s), value == s.usual() ? "" : value) << s.name();
      if (!s.varies()) continue;
      const auto point = with_setting({}, s.name(), value);
      ASSERT_TRUE(point.ok()) << s.name() << ": " << point.error().message;
      EXPECT_EQ(value_of(*point, s), value);
    }
    const bool checks = s.parameter.kind != engine::ParameterKind::text || s.name() == "without";
    if (!checks || !s.varies()) continue;
    const auto wrong = with_setting({}, s.name(), "maybe");
    ASSERT_FALSE(wrong.ok()) << s.name();
    EXPECT_NE(wrong.error().message.find(s.name()), std::string::npos) << wrong.error().message;
    EXPECT_NE(wrong.error().message.find("maybe"), std::string::npos) << wrong.error().message;
  }
  EXPECT_FALSE(with_setting({}, "threads", "0").ok()) << "all cores are no place on an axis";
  EXPECT_EQ(with_setting({}, "threads", "007")->threads, 7);
  EXPECT_EQ(with_setting({}, "without", "openblas,onednn")->run.at("without"), "onednn,openblas") << "one spelling";
  EXPECT_EQ(with_setting({}, "steps", "3")->settings.at("steps"), "3")
      << "a parameter of the workload, as measurements do not vary";
}

TEST(RunSettings, ACaptureIsTurnedBackIntoItsRequest) {
  int told = 0;
  for (const RunSetting& s : run_settings()) {
    if (!s.varies()) continue;
    for (const std::string& value : values_of(s)) {
      for (const bool fused : {false, true}) {
        RunRequest request;
        request.workload = "mlp";
        request.settings = {{"input", "16"}};
        request.threads = 2, request.seed = 3;
        if (fused) request.run["fuse"] = "on";
        set_value(request, s, value);
        profiler::RunInfo run;
        run.workload = request.workload, run.device = request.device, run.threads = request.threads,
        run.seed = request.seed;
        run.arguments = request.settings;
        for (const auto& [key, text] : recorded_settings(request)) run.arguments[key] = text;
        if (s.recorded != nullptr && !s.recorded(request)) continue;
        ++told;
        EXPECT_EQ(words_of(request_of(run, "mlp")), words_of(request)) << s.name() << " " << value;
        EXPECT_EQ(captured_value(run, s), value) << s.name();
      }
    }
  }
  EXPECT_GT(told, 30);
  profiler::RunInfo before;
  before.arguments = {{"fuse", "on"}, {"content", "xxh3:1"}};
  EXPECT_EQ(request_of(before, "net.onnx").setting("winograd"), "off")
      << "of captures that do not say so, convolutions were direct sums";
  EXPECT_TRUE(request_of(before, "net.onnx").settings.empty());
  before.arguments = {{"fp8", "e3m4"}};
  EXPECT_EQ(request_of(before, "mlp").settings.at("fp8"), "e3m4") << "nonsense is refused by the plan, which names it";
}

TEST(RunSettings, DevicesGetWhatTheSettingsSay) {
  RunRequest request;
  for (const auto& [name, value] : engine::Arguments{{"tf32", "on"},
                                                     {"fp8", "e5m2"},
                                                     {"deterministic", "on"},
                                                     {"transfer", "pageable"},
                                                     {"winograd", "off"},
                                                     {"without", "openblas"},
                                                     {"threads", "3"}}) {
    set_value(request, *find_run_setting(name), value);
  }
  const DeviceOptions o = request.device_options();
  EXPECT_TRUE(o.tf32 && o.deterministic && o.pageable && o.without_openblas && !o.without_onednn);
  EXPECT_EQ(o.fp8, engine::Fp8::e5m2);
  EXPECT_EQ(o.winograd, engine::WinogradUse::never);
  EXPECT_EQ(o.threads, 3);
  const DeviceOptions usual = RunRequest().device_options();
  EXPECT_TRUE(!usual.tf32 && !usual.deterministic && !usual.pageable && !usual.without_openblas &&
              !usual.without_onednn);
  EXPECT_EQ(usual.winograd, engine::WinogradUse::fastest);
}

TEST(RunSettings, WhatMeansNothingOnADeviceIsRefusedThere) {
  const auto refused = [](const char* name, const char* value, const char* device) {
    return !check_device(*find_run_setting(name), value, device).ok();
  };
  for (const char* name : {"tf32", "deterministic"})
    EXPECT_TRUE(refused(name, "on", "cpu") && !refused(name, "off", "cpu") && !refused(name, "on", "cuda:1")) << name;
  EXPECT_TRUE(refused("graph", "replay", "null") && !refused("graph", "eager", "null") &&
              !refused("graph", "replay", "emu:0"));
  EXPECT_TRUE(refused("transfer", "pinned", "cpu")) << "even the usual: nothing is transferred";
  EXPECT_TRUE(refused("without", "onednn", "cuda") && !refused("without", "onednn", "sim:0"));
  EXPECT_TRUE(refused("winograd", "on", "cuda") && !refused("winograd", "off", "cuda"));
}

TEST(RunSettings, EachChangeIsTakenByTry) {
  const Words words{"run", "mlp", "--set", "input=16"};
  for (const RunSetting& s : run_settings()) {
    for (const std::string& value : values_of(s)) {
      const RunChange change = RunChange::of_run(s.name(), "", value);
      const auto once = changed_words(words, change);
      ASSERT_EQ(once.ok(), s.varies()) << change.flag();
      if (!s.varies()) continue;
      EXPECT_EQ(Words(once->end() - 2, once->end()), (Words{s.flag(), value}));
      EXPECT_EQ(change.flag(), fmt::format("{} {}", s.flag(), value))
          << "a setting of the run is no parameter of the workload";
      EXPECT_EQ(*changed_words(*once, change), *once) << "it takes the place of what was said";
    }
  }
  EXPECT_FALSE(changed_words(words, RunChange::of_run("overlap", "off", "on")).ok())
      << "a parameter of data_pipeline, no option of run";
  EXPECT_FALSE(changed_words(words, RunChange::of_run("winograd", "auto", "of")).ok());
  EXPECT_EQ(
      *changed_words({"run", "tree", "--steps", "5", "--set", "steps=2"}, RunChange::of_workload("steps", "2", "4")),
      (Words{"run", "tree", "--steps", "5", "--set", "steps=4"}))
      << "a workload's parameter of that name leaves the option alone";
}

/// What stands in the rules' sources is what they may propose, whichever capture they meet.
TEST(RunSettings, EachChangeThatAFindingProposesIsTakenByTry) {
  static const std::regex call(R"re(RunChange::of_(run|workload)\("(\w+)",\s*[^,;]+,\s*(?:"(\w+)")?)re");
  std::map<std::string, std::vector<const engine::Parameter*>> parameters;
  for (const engine::Workload& workload : engine::workloads()) {
    for (const engine::Parameter& p : workload.parameters) parameters[p.name].push_back(&p);
  }
  size_t calls = 0, written = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(TENSORTIDE_SOURCE_DIR) /
                                                              "profiler" / "analysis" / "findings")) {
    std::stringstream text;
    text << std::ifstream(file.path()).rdbuf();
    const std::string source = text.str();
    for (size_t at = source.find("= RunChange::of_"); at != std::string::npos;
         at = source.find("= RunChange::of_", at + 1))
      ++written;
    for (size_t at = source.find("return RunChange::of_"); at != std::string::npos;
         at = source.find("return RunChange::of_", at + 1))
      ++written;
    for (std::sregex_iterator found(source.begin(), source.end(), call), end; found != end; ++found, ++calls) {
      const std::string scope = (*found)[1], name = (*found)[2], value = (*found)[3];
      SCOPED_TRACE(fmt::format("{}: {} {} {}", file.path().filename().string(), scope, name, value));
      if (scope == "run") {
        const RunSetting* s = find_run_setting(name);
        ASSERT_NE(s, nullptr);
        const std::string tried = !value.empty()                                       ? value
                                  : s->parameter.kind == engine::ParameterKind::choice ? s->usual()
                                                                                       : "8";
        EXPECT_TRUE(changed_words({"run", "mlp"}, RunChange::of_run(name, "", tried)).ok());
      } else {
        EXPECT_TRUE(parameters.contains(name)) << "no workload has it";
        const auto takes = [&](const engine::Parameter* p) {
          return value.empty() || engine::accepted_value(*p, value);
        };
        EXPECT_TRUE(std::ranges::any_of(parameters[name], takes));
        EXPECT_TRUE(changed_words({"run", "mlp"}, RunChange::of_workload(name, "", value.empty() ? "8" : value)).ok());
      }
    }
  }
  EXPECT_EQ(calls, written) << "a change that this test cannot read";
  EXPECT_GE(calls, 9u);
}

TEST(RunSettings, AComparisonSaysWhatEachSettingWas) {
  const auto side = [](const std::map<std::string, std::string>& arguments) {
    tests::OpLab lab(1);
    lab.builder().run().arguments = arguments;
    lab.op("relu", {lab.tensor(64)}, {lab.tensor(64)}, 1e3, 1e6);
    return profiler::side_of("a.tide", profiler::analyze(lab.finish()));
  };
  const profiler::CompareSide usual = side({});
  int compared = 0;
  for (const auto& [name, unsaid] : unsaid_settings()) {
    const RunSetting& s = *find_run_setting(name);
    for (const std::string& value : values_of(s)) {
      const auto notes = fmt::format(
          "{}", fmt::join(profiler::compare(usual, side({{name, value}}), {}, unsaid_settings()).notes, "\n"));
      const bool differs = unsaid && *unsaid != value;
      EXPECT_EQ(notes.find(fmt::format("{} {} → {}", name, unsaid.value_or(""), value)) != std::string::npos, differs)
          << name << " " << value << ": " << notes;
      EXPECT_EQ(notes.find("Set differently") != std::string::npos, differs) << notes;
      ++compared;
    }
  }
  EXPECT_GT(compared, 15);
  EXPECT_FALSE(unsaid_settings().at("winograd")) << "captures of older versions do not say it";
  EXPECT_FALSE(unsaid_settings().contains("threads")) << "each capture says it";
}

}  // namespace
}  // namespace app
