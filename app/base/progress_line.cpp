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

/// The object of a key; null where there is none.
const nlohmann::json* object_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

int count_at(const nlohmann::json& object, const char* key) {
  return static_cast<int>(std::clamp(number_at(object, key, 0), 0.0, kMostSteps));
}

/// What a run tells of its steps and their plan.
void read_steps(const nlohmann::json& object, ProgressLine& line) {
  const auto failed = object.find("loss_failed");
  line.loss_failed = failed != object.end() && failed->is_boolean() && failed->get<bool>();
  line.loss = number_at(object, "loss", line.loss);
  if (const nlohmann::json* recent = object_at(object, "recent"); recent != nullptr) {
    line.recent_steps = count_at(*recent, "steps");
    line.shortest_ns = number_at(*recent, "shortest_ns", line.shortest_ns);
    line.longest_ns = number_at(*recent, "longest_ns", line.longest_ns);
  }
  if (const nlohmann::json* planned = object_at(object, "planned"); planned != nullptr) {
    line.planned.emplace();
    line.planned->ops = count_at(*planned, "ops");
    line.planned->flops = number_at(*planned, "flops", line.planned->flops);
    line.planned->operand_bytes = number_at(*planned, "operand_bytes", line.planned->operand_bytes);
    line.planned->memory_bytes = number_at(*planned, "memory_bytes", line.planned->memory_bytes);
  }
}

/// The text of a key within an object within the line.
std::string text_in(const nlohmann::json& object, const char* part, const char* key) {
  const nlohmann::json* found = object_at(object, part);
  return found != nullptr ? text_at(*found, key) : std::string();
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
    if (const auto changed = object.find("changed"); changed != object.end() && changed->is_boolean())
      line.changed = changed->get<bool>();
    line.step = count_at(object, "step");
    line.steps = count_at(object, "steps");
    line.fraction = std::clamp(number_at(object, "fraction", 0), 0.0, 1.0);
    line.last_step_ns = number_at(object, "last_step_ns", line.last_step_ns);
    read_steps(object, line);
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
