// SPDX-License-Identifier: Apache-2.0
// Every workload in the catalog: complete enough for a form, its presets valid, its graph sound.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/workloads/workload.h"

namespace engine {
namespace {

const Parameter* find_parameter(const Workload& workload, std::string_view name) {
  const auto found = std::ranges::find(workload.parameters, name, &Parameter::name);
  return found == workload.parameters.end() ? nullptr : &*found;
}

TEST(WorkloadCatalog, HasFormTextsForEveryParameter) {
  for (const Workload& workload : workloads()) {
    EXPECT_FALSE(workload.title.empty() || workload.description.empty()) << workload.name;
    // Forms and cards show the description; options and commands are for the command line.
    for (const char* typed : {"--", "`", "=off", "=on"})
      EXPECT_EQ(workload.description.find(typed), std::string::npos) << workload.name << ": " << typed;
    std::set<std::string> names;
    for (const Parameter& parameter : workload.parameters) {
      EXPECT_TRUE(names.insert(parameter.name).second) << workload.name << ": " << parameter.name << " is there twice";
      EXPECT_FALSE(parameter.label.empty() || parameter.help.empty()) << workload.name << ": " << parameter.name;
      const bool choice = parameter.kind == ParameterKind::choice;
      EXPECT_EQ(parameter.choices.size() >= 2, choice) << parameter.name;
      const bool number = parameter.kind == ParameterKind::integer || parameter.kind == ParameterKind::real;
      EXPECT_EQ(parameter.minimum < parameter.maximum, number) << parameter.name;
    }
  }
}

TEST(WorkloadCatalog, FindsByNameAndSuggests) {
  for (const Workload& workload : workloads()) {
    const Result<const Workload*> found = find_workload(workload.name);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(*found, &workload);
  }
  const Result<const Workload*> unknown = find_workload("restnet50");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("did you mean \"resnet50\"?"), std::string::npos) << unknown.error().message;
}

TEST(WorkloadCatalog, BuildsADefaultGraphWithAnOutput) {
  for (const Workload& workload : workloads()) {
    const Result<Arguments> arguments = resolve(workload, {});
    ASSERT_TRUE(arguments.ok()) << arguments.error().message;
    const Result<Graph> graph = build_graph(workload, *arguments);
    ASSERT_TRUE(graph.ok()) << workload.name << ": " << graph.error().message;
    EXPECT_FALSE(graph->nodes().empty()) << workload.name;
    EXPECT_FALSE(graph->outputs().empty()) << workload.name;
  }
}

TEST(WorkloadCatalog, EveryChoiceBuilds) {
  for (const Workload& workload : workloads()) {
    for (const Parameter& parameter : workload.parameters) {
      for (const std::string& choice : parameter.choices) {
        const Result<Arguments> arguments = resolve(workload, {{parameter.name, choice}});
        ASSERT_TRUE(arguments.ok()) << arguments.error().message;
        const Result<Graph> graph = build_graph(workload, *arguments);
        EXPECT_TRUE(graph.ok()) << workload.name << ", " << parameter.name << " = " << choice;
      }
    }
  }
}

TEST(WorkloadCatalog, EveryPresetBuilds) {
  for (const Workload& workload : workloads()) {
    for (const Preset& preset : workload.presets) {
      const Result<Arguments> arguments = resolve(workload, preset.arguments);
      ASSERT_TRUE(arguments.ok()) << preset.name << ": " << arguments.error().message;
      const Result<Graph> graph = build_graph(workload, *arguments);
      EXPECT_TRUE(graph.ok()) << preset.name << ": " << graph.error().message;
    }
  }
}

// Building moves no data, so that what cannot run can be refused with its size: 2^34 samples build,
// 2^62 have no address.
TEST(WorkloadCatalog, BuildsAbsurdBatchesOrRefusesThemWithTheirSize) {
  for (const Workload& workload : workloads()) {
    const Parameter* batch = find_parameter(workload, "batch");
    if (batch == nullptr) continue;
    if (batch->maximum < 4611686018427387904.0) {  // a loop is written out once per sample
      EXPECT_FALSE(resolve(workload, {{"batch", "4611686018427387904"}}).ok()) << workload.name;
      continue;
    }
    const Result<Graph> large = build_graph(workload, *resolve(workload, {{"batch", "17179869184"}}));
    EXPECT_TRUE(large.ok()) << workload.name << ": " << large.error().message;
    const Result<Graph> absurd = build_graph(workload, *resolve(workload, {{"batch", "4611686018427387904"}}));
    ASSERT_FALSE(absurd.ok()) << workload.name;
    EXPECT_NE(absurd.error().message.find("4611686018427387904"), std::string::npos) << absurd.error().message;
  }
}

TEST(WorkloadCatalog, RefusesEveryLargestExtent) {
  for (const Workload& workload : workloads()) {
    Arguments largest;
    for (const Parameter& parameter : workload.parameters) {
      if (parameter.kind != ParameterKind::integer) continue;
      largest[parameter.name] = std::to_string(static_cast<int64_t>(parameter.maximum));
    }
    const Result<Arguments> arguments = resolve(workload, largest);
    ASSERT_TRUE(arguments.ok()) << arguments.error().message;
    EXPECT_FALSE(build_graph(workload, *arguments).ok()) << workload.name;
  }
}

}  // namespace
}  // namespace engine
