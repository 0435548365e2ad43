// SPDX-License-Identifier: Apache-2.0
// Quotes, and apostrophes before formulas.
#include "profiler/base/csv_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/base/display_text.h"

namespace profiler {
namespace {

/// Whether a spreadsheet would take the text for a formula: it begins, perhaps behind spaces, with a sign that starts
/// one (also in full width), and is no plain number. Source: OWASP, CSV Injection.
bool starts_formula(std::string_view text) {
  constexpr std::array<std::string_view, 8> kSigns{"=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"};
  const std::string_view trimmed = text.substr(std::min(text.find_first_not_of(' '), text.size()));
  if (trimmed.size() == 1 ||
      std::ranges::none_of(kSigns, [&](std::string_view sign) { return trimmed.starts_with(sign); }))
    return false;
  const std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  double number = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error != std::errc() || rest != digits.data() + digits.size();
}

/// In quotes where a reader, whatever sign it takes between fields, could find several fields in it.
std::string in_quotes(const std::string& text) {
  if (text.find_first_of(",;\"\t\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string csv_text(std::string_view text) {
  const std::string line = engine::display_line(text);
  // Spreadsheets of countries with decimal commas end fields at semicolons, in the middle of ours too: no formula may
  // stand behind one.
  std::string safe;
  size_t begin = 0;
  for (size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = line.find(';', begin);
    const std::string part = line.substr(begin, end == std::string::npos ? end : end - begin);
    if (starts_formula(part)) safe += '\'';
    safe += part;
    if (end != std::string::npos) safe += line[end];
  }
  return in_quotes(safe);
}

}  // namespace profiler
