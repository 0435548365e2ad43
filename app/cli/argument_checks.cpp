// SPDX-License-Identifier: Apache-2.0
// Numbers of options, read as a whole or not at all.
#include "app/cli/argument_checks.h"

#include <fmt/format.h>

#include <charconv>

namespace app::cli {

CLI::Validator whole_number(int64_t low, int64_t high) {
  const auto check = [=](std::string& text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole) return fmt::format("\"{}\" is not a whole number", text);
    if (value < low || value > high) return fmt::format("{} is out of range: {} to {}", value, low, high);
    text = std::to_string(value);
    return std::string();
  };
  return {check, ""};
}

CLI::Validator real_number(double low, double high) {
  const auto check = [=](std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool fits = error == std::errc() && end == text.data() + text.size() && value >= low && value <= high;
    return fits ? std::string() : fmt::format("\"{}\" is not a number from {} to {}", text, low, high);
  };
  return {check, ""};
}

engine::Result<Counts> parse_counts(const char* flag, const std::string& text, int64_t low, int64_t high) {
  const size_t dots = text.find("..");
  std::string least = text.substr(0, dots), most = dots == std::string::npos ? least : text.substr(dots + 2);
  std::string wrong = whole_number(low, high)(least);
  if (wrong.empty()) wrong = whole_number(std::stoll(least), high)(most);
  if (!wrong.empty()) return engine::usage_error(fmt::format("[{}] {}", flag, wrong));
  return Counts{std::stoi(least), std::stoi(most)};
}

}  // namespace app::cli
