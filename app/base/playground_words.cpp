// SPDX-License-Identifier: Apache-2.0
// Names, numbers, shapes and calls out of a line's text.
#include "app/base/playground_words.h"

#include <algorithm>
#include <charconv>

namespace app {

using engine::Shape;

std::string stripped(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin));
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<Shape> shape_of(std::string_view text) {
  Shape shape;
  if (text == "scalar") return shape;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('x', begin), text.size());
    int64_t extent = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, extent);
    if (error != std::errc() || stop != text.data() + end || extent < 0) return std::nullopt;
    shape.push_back(extent);
    begin = end + 1;
  }
  return shape;
}

namespace {

/// "sim:0" of "\"sim:0\"" and of "'sim:0'": devices in quotes, as Python has them.
std::string unquoted(std::string text) {
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return quoted ? stripped(std::string_view(text).substr(1, text.size() - 2)) : text;
}

}  // namespace

std::optional<PlaygroundCall> call_of(std::string_view text) {
  const size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')') return std::nullopt;
  PlaygroundCall call{stripped(text.substr(0, open)), {}};
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!stripped(rest).empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    call.arguments.push_back(unquoted(stripped(rest.substr(0, comma))));
    rest = comma < rest.size() ? rest.substr(comma + 1) : std::string_view();
  }
  return call;
}

std::optional<PlaygroundAssignment> assignment_of(const std::string& line) {
  const size_t equals = line.find('=');
  if (equals == std::string::npos) return std::nullopt;
  PlaygroundAssignment found{stripped(line.substr(0, equals)), stripped(line.substr(equals + 1)), {}, 0, {}};
  size_t sign = std::string::npos;
  for (const char* op : {" + ", " - ", " * ", " @ "})
    if (const size_t at = found.expression.find(op); at != std::string::npos) sign = std::min(sign, at);
  if (sign != std::string::npos) {
    found.left = stripped(found.expression.substr(0, sign));
    found.sign = found.expression[sign + 1];
    found.right = stripped(found.expression.substr(sign + 3));
  }
  return found;
}

}  // namespace app
