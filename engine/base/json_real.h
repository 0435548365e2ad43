// SPDX-License-Identifier: Apache-2.0
// Reals in JSON, which has neither NaN nor infinities: those are texts.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace engine {

/// The number, or "nan", "inf", "-inf".
template <class Json = nlohmann::json>
Json real_to_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/// The inverse; nothing: it is neither a number nor one of these texts.
template <class Json>
std::optional<double> real_from_json(const Json& value) {
  if (value.is_number()) return value.template get<double>();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

}  // namespace engine
