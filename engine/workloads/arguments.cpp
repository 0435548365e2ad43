// SPDX-License-Identifier: Apache-2.0
// Checks arguments against a workload's parameters, and reads them back for build functions.
#include "engine/workloads/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/nearest_name.h"

namespace engine {
namespace {

/// The whole text as one number; nothing when a part of it is none or it does not fit T.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// What a value of the parameter has to be: "an integer from 1 to 64".
std::string expectation(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::integer:
      return fmt::format("an integer from {} to {}", static_cast<int64_t>(parameter.minimum),
                         static_cast<int64_t>(parameter.maximum));
    case ParameterKind::real: return fmt::format("a number from {} to {}", parameter.minimum, parameter.maximum);
    case ParameterKind::choice: return fmt::format("one of {}", fmt::join(parameter.choices, ", "));
    case ParameterKind::text: return parameter.expected;
  }
  return {};
}

/// A value as a message quotes it: a pasted file must not fill the screen.
std::string in_quotes(std::string_view value) {
  constexpr size_t kLongest = 60;
  if (value.size() <= kLongest) return fmt::format("\"{}\"", value);
  return fmt::format("\"{}...\" ({} characters)", value.substr(0, kLongest), value.size());
}

Error wrong_value(const Workload& workload, const Parameter& parameter, const std::string& value) {
  std::string message =
      fmt::format("[{}] {} = {} is not {}", workload.name, parameter.name, in_quotes(value), expectation(parameter));
  if (!parameter.unit.empty()) message += fmt::format(" {}", parameter.unit);
  const bool switches =
      parameter.choices.size() == 2 && std::ranges::find(parameter.choices, "on") != parameter.choices.end();
  if (parameter.kind == ParameterKind::choice &&
      !switches) {  // "yes" is nearer to neither on nor off: the values are in the message
    message += did_you_mean(value, parameter.choices);
  }
  return usage_error(std::move(message));
}

Result<void> check_names(const Workload& workload, const Arguments& given) {
  std::vector<std::string> names;
  for (const Parameter& parameter : workload.parameters) names.push_back(parameter.name);
  for (const auto& [name, value] : given) {
    if (std::ranges::find(names, name) != names.end()) continue;
    return usage_error(fmt::format("[{}] has no parameter {}{} It has: {}", workload.name, in_quotes(name),
                                   did_you_mean(name, names), fmt::join(names, ", ")));
  }
  return {};
}

}  // namespace

std::optional<std::string> accepted_value(const Parameter& parameter, const std::string& value) {
  switch (parameter.kind) {
    case ParameterKind::integer: {
      const auto number = parse_number<int64_t>(value);
      if (!number || *number < static_cast<int64_t>(parameter.minimum) ||
          *number > static_cast<int64_t>(parameter.maximum)) {
        return std::nullopt;
      }
      return fmt::format("{}", *number);
    }
    case ParameterKind::real: {
      const auto number = parse_number<double>(value);
      if (!number || !std::isfinite(*number) || *number < parameter.minimum || *number > parameter.maximum) {
        return std::nullopt;
      }
      return fmt::format("{}", *number);
    }
    case ParameterKind::choice:
      if (std::ranges::find(parameter.choices, value) == parameter.choices.end()) return std::nullopt;
      return value;
    case ParameterKind::text:
      CHECK(parameter.accepts != nullptr);
      if (!parameter.accepts(value)) return std::nullopt;
      return value;
  }
  return std::nullopt;
}

Result<Arguments> resolve(const Workload& workload, const Arguments& given) {
  if (Result<void> known = check_names(workload, given); !known) return known.error();
  Arguments resolved;
  for (const Parameter& parameter : workload.parameters) {
    const auto found = given.find(parameter.name);
    const std::string& value = found == given.end() ? parameter.default_value : found->second;
    std::optional<std::string> spelled = accepted_value(parameter, value);
    if (!spelled) return wrong_value(workload, parameter, value);
    resolved[parameter.name] = std::move(*spelled);
  }
  return resolved;
}

const std::string& text_argument(const Arguments& arguments, std::string_view name) {
  const auto found = arguments.find(std::string(name));
  CHECK(found != arguments.end());
  return found->second;
}

int64_t integer_argument(const Arguments& arguments, std::string_view name) {
  const auto number = parse_number<int64_t>(text_argument(arguments, name));
  CHECK(number.has_value());
  return *number;
}

double real_argument(const Arguments& arguments, std::string_view name) {
  const auto number = parse_number<double>(text_argument(arguments, name));
  CHECK(number.has_value());
  return *number;
}

DType dtype_argument(const Arguments& arguments) {
  const auto dtype = parse_dtype(text_argument(arguments, "dtype"));
  CHECK(dtype.has_value());
  return *dtype;
}

}  // namespace engine
