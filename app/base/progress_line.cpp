// SPDX-License-Identifier: Apache-2.0
// From bytes to lines, from lines to what they tell.
#include "app/base/progress_line.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/json_text.h"

namespace app {
namespace {

constexpr size_t kLongestLine = size_t{1} << 20;  // what follows in a longer one is left out: progress lines are short
constexpr size_t kKeptLines = 20;
constexpr double kMostSteps = 2e9;

std::string text_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double number_at(const nlohmann::json& object, const char* key, double unknown) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : unknown;
}

/// The text of a key within an object within the line.
std::string text_in(const nlohmann::json& object, const char* part, const char* key) {
  const auto found = object.find(part);
  return found != object.end() && found->is_object() ? text_at(*found, key) : std::string();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(kBlanks);
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

std::optional<ProgressLine> parse_progress_line(std::string_view text) {
  const nlohmann::json object = engine::parse_json(text);
  if (!object.is_object()) return std::nullopt;
  ProgressLine line;
  if (object.contains("stage")) {
    line.is_progress = true;
    line.stage = text_at(object, "stage");
    if (const std::string point = text_at(object, "point"); !point.empty()) line.stage += " " + point;
    line.step = static_cast<int>(std::clamp(number_at(object, "step", 0), 0.0, kMostSteps));
    line.steps = static_cast<int>(std::clamp(number_at(object, "steps", 0), 0.0, kMostSteps));
    line.fraction = std::clamp(number_at(object, "fraction", 0), 0.0, 1.0);
    line.last_step_ns = number_at(object, "last_step_ns", line.last_step_ns);
  }
  line.result_file = text_in(object, "result", "file");
  line.result_note = text_in(object, "result", "note");
  line.error_message = text_in(object, "error", "message");
  return line;
}

void ProgressReader::add(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n') take_line();
    else if (line_.size() < kLongestLine) line_ += c;
  }
}

void ProgressReader::finish() {
  if (!line_.empty()) take_line();
}

void ProgressReader::take_line() {
  const std::string text = std::exchange(line_, {});
  std::optional<ProgressLine> line = parse_progress_line(text);
  if (!line) {
    if (const std::string_view other = trimmed(text); !other.empty()) other_lines_.emplace_back(other);
    if (other_lines_.size() > kKeptLines) other_lines_.erase(other_lines_.begin());
    return;
  }
  if (!line->result_file.empty()) result_file_ = std::move(line->result_file);
  if (!line->result_note.empty()) result_note_ = std::move(line->result_note);
  if (!line->error_message.empty()) error_ = std::move(line->error_message);
  if (line->is_progress && told_) told_(*line);
}

}  // namespace app
