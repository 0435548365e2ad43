// SPDX-License-Identifier: Apache-2.0
// Words of the playground's lines, for those that run them and those that build a graph of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor/tensor.h"

namespace app {

/// How a loop begins: "while x.norm() > 1: x = x * w".
inline constexpr std::string_view kLoopWord = "while ";

std::string stripped(std::string_view text);
/// Letters, digits and underscores; no digit first.
bool is_name(std::string_view text);
std::optional<double> number_of(std::string_view text);
/// "2x3", "4", "scalar".
std::optional<engine::Shape> shape_of(std::string_view text);

/// "f(a, b)": its name and arguments.
struct PlaygroundCall {
  std::string name;
  std::vector<std::string> arguments;
};
std::optional<PlaygroundCall> call_of(std::string_view text);

/// "z = x + y": what stands on both sides.
struct PlaygroundAssignment {
  std::string name, expression;
  std::string left;  ///< of the sign; empty without one
  char sign = 0;     ///< + - * @, or 0
  std::string right;
};
/// Nothing without an equals sign.
std::optional<PlaygroundAssignment> assignment_of(const std::string& line);

}  // namespace app
