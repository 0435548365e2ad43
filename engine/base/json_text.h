// SPDX-License-Identifier: Apache-2.0
// JSON of files that somebody named, parsed without exceptions and without deep recursion.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace engine {

/// Values of the JSON library are copied, printed and compared by recursion: a file that nests some hundred thousand
/// arrays would overflow the stack. Nothing that we read nests deeper than a dozen.
inline constexpr int kMostJsonDepth = 200;

/// Arrays and objects that are open at once in JSON text, at most; brackets inside strings do not count.
int json_depth(std::string_view json);

/// The parsed text; is_discarded() where it is no JSON, holds a number beyond double, or nests deeper than
/// kMostJsonDepth.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  if (json_depth(text) > kMostJsonDepth) return Json(nlohmann::json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace engine
