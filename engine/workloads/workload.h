// SPDX-License-Identifier: Apache-2.0
// Workload: a named, parametrised graph; what forms, command-line flags and sweep axes are made from.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/graph/builder.h"

namespace engine {

enum class ParameterKind { integer, real, choice, text };

/// One parameter of a workload. Well-known names are "batch", "dtype" and "mode"; they have flags of their own.
struct Parameter {
  std::string name;   ///< "batch"
  std::string label;  ///< "Batch size"
  std::string help;   ///< one sentence for tooltips and --help
  ParameterKind kind = ParameterKind::integer;
  std::string default_value;
  double minimum = 0, maximum = 0;   ///< integer and real: inclusive
  std::vector<std::string> choices;  ///< choice
  std::string unit;                  ///< "samples", "elements"; empty: none
  std::string expected = {};         ///< text: what a value looks like, for messages: "layer widths such as 2048,2048"
  bool (*accepts)(std::string_view value) = nullptr;  ///< text: whether a value is one of those
};

/// Parameter values by name, as text. Complete and valid once it went through resolve().
using Arguments = std::map<std::string, std::string>;

/// A named set of arguments: mlp's "fcn-s".
struct Preset {
  std::string name, title;
  Arguments arguments;
};

struct Workload {
  std::string name;                  ///< "resnet50"
  std::string title;                 ///< "ResNet-50"
  std::string description;           ///< what it is and what one sees with it, one or two sentences for
                                     ///< every reader: no command or option of the command line
  std::string on_command_line = {};  ///< which commands and options show more of it; empty: nothing beside the usual
  std::vector<Parameter> parameters;
  std::vector<Preset> presets;
  Arguments small =
      {};  ///< a size that takes milliseconds and still uses every kind of layer: for smoke tests and first looks
  /// Appends the whole step to an empty builder, from complete, valid arguments.
  std::function<void(GraphBuilder&, const Arguments&)> build = nullptr;
};

/// The workload's graph; fails with the first error of its builder.
Result<Graph> build_graph(const Workload&, const Arguments&);

/// All workloads, one line each in catalog.cpp.
std::span<const Workload> workloads();
/// Fails (usage) naming the nearest valid name.
Result<const Workload*> find_workload(std::string_view name);
/// Fills in defaults and checks every value. Refused (usage): an unknown name, with the nearest one; text that is no
/// number; a value out of range. The message names parameter, value and range. Numbers come back in one spelling ("007"
/// is "7").
Result<Arguments> resolve(const Workload&, const Arguments& given);

// Readers for build functions (the arguments are resolved: CHECK on absence).
int64_t integer_argument(const Arguments&, std::string_view name);
double real_argument(const Arguments&, std::string_view name);
const std::string& text_argument(const Arguments&, std::string_view name);
DType dtype_argument(const Arguments&);

}  // namespace engine
