// SPDX-License-Identifier: Apache-2.0
// The syntax of an axis: lists, ranges and log ranges.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "profiler/sweep/sweep.h"

namespace profiler {
namespace {

using engine::Result;
using engine::usage_error;

constexpr size_t kMostValues = 1000;
constexpr int64_t kLargest = int64_t{1} << 62;

std::optional<int64_t> integer(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// How a range goes on: by adding, or by multiplying.
struct Pace {
  bool multiply = true;
  int64_t by = 2;
};

/// The values after the first one of a range, up to its end; nothing: they are over the most an axis may have.
std::optional<std::vector<int64_t>> values_of(int64_t first, int64_t last, Pace pace) {
  std::vector<int64_t> values;
  for (int64_t value = first; value < last;) {
    if (values.size() > kMostValues) return std::nullopt;
    const bool beyond = pace.multiply ? value > last / pace.by : value > last - pace.by;
    // A range ends exactly at its end: a size that was written is a size that is wanted.
    value = beyond ? last : pace.multiply ? value * pace.by : value + pace.by;
    values.push_back(value);
  }
  return values;
}

/// "4..256*4 (4, 16, 64, 256)": a range as it can be written without doubt, and what it means, in short.
std::string spelling(int64_t first, int64_t last, Pace pace) {
  constexpr size_t kShown = 5;
  std::string text = fmt::format("{}..{}{}{} ({}", first, last, pace.multiply ? '*' : '+', pace.by, first);
  const auto values = values_of(first, last, pace);
  for (size_t i = 0; values && i < values->size(); ++i) {
    const bool skip = values->size() > kShown && i >= kShown - 2 && i + 1 < values->size();
    if (!skip) text += fmt::format(", {}", (*values)[i]);
    else if (i == kShown - 2) text += ", ...";
  }
  return text + (values ? ")" : ", ...)");
}

/// Two values and an end may mean a factor or a step. What reaches the end alone is meant; where both do, a factor of
/// more than 2 is (1,4..256 are powers: 4 is no multiple of the step 3), and 2 is either, as in 10,20..80. `why`: says
/// so where there is no answer.
std::optional<Pace> pace_of_two(int64_t before, int64_t value, int64_t last, std::string& why) {
  const Pace step{false, value - before};
  if (value == last) return step;
  const bool steps = (last - before) % step.by == 0;
  const bool whole = before > 0 && value % before == 0;
  const Pace factor{true, whole ? value / before : 2};
  bool multiplies = whole;
  for (int64_t power = value; multiplies && power < last;) {
    if (power > last / factor.by) multiplies = false;
    else power *= factor.by, multiplies = power <= last;
  }
  if (multiplies && (factor.by > 2 || !steps)) return factor;
  if (steps && !multiplies) return step;
  why =
      fmt::format("{},{}..{} goes on {}; write {}{}", before, value, last,
                  multiplies ? "by doubling as well as by adding" : "neither by a factor nor by a step that ends there",
                  whole ? spelling(value, last, factor) + " or " : "", spelling(value, last, step));
  return std::nullopt;
}

/// The pace of the whole numbers before a range, the last of which begins it; nothing when they have none: `why`.
std::optional<Pace> pace_of(const std::vector<std::string>& values, int64_t last, std::string& why) {
  why = "the values before it grow by no step or factor; write one, as in 4..512*2 or 0..100+20";
  std::vector<int64_t> numbers;
  for (const std::string& value : values) {
    const std::optional<int64_t> number = integer(value);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  const size_t n = numbers.size();
  if (n < 2) return Pace{};
  const int64_t value = numbers[n - 1], before = numbers[n - 2];
  if (value <= before || before < 0) return std::nullopt;
  if (n == 2) return pace_of_two(before, value, last, why);
  const int64_t first = numbers[n - 3];
  if (first >= 0 && value - before == before - first) return Pace{false, value - before};
  const bool geometric = first > 0 && value % before == 0 && before % first == 0 && before / first == value / before;
  if (geometric) return Pace{true, value / before};
  return std::nullopt;
}

/// "512", "100+20", "81*3": the end of a range and its pace where one is written.
struct RangeEnd {
  int64_t last = 0;
  std::optional<Pace> pace;
};

std::optional<RangeEnd> parse_end(std::string_view text) {
  RangeEnd end;
  const size_t mark = text.find_first_of("+*");
  const std::optional<int64_t> last = integer(text.substr(0, mark));
  if (!last) return std::nullopt;
  end.last = *last;
  if (mark == std::string_view::npos) return end;
  const std::optional<int64_t> by = integer(text.substr(mark + 1));
  const bool multiply = text[mark] == '*';
  if (!by || *by < (multiply ? 2 : 1)) return std::nullopt;
  end.pace = Pace{multiply, *by};
  return end;
}

Result<void> append_range(std::string_view item, size_t dots, SweepAxis& axis) {
  const auto refuse = [&](const std::string& why) {
    return usage_error(fmt::format("[--axis] {}: in the range \"{}\", {}", axis.name, item, why));
  };
  const std::optional<int64_t> first = integer(item.substr(0, dots));
  const std::optional<RangeEnd> end = parse_end(item.substr(dots + 2));
  if (!first || !end) return refuse("write whole numbers as in 1..16, 0..100+20 or 1..81*3");
  axis.values.push_back(std::to_string(*first));
  if (end->last < *first || end->last > kLargest)
    return refuse(fmt::format("{} is not reached from {}", end->last, *first));
  std::string why;
  const std::optional<Pace> pace = end->pace ? end->pace : pace_of(axis.values, end->last, why);
  if (!pace) return refuse(why);
  if (pace->multiply && *first < 1)
    return refuse(fmt::format("{} cannot be multiplied up to {}; write a step, as in 0..100+20", *first, end->last));
  const auto values = values_of(*first, end->last, *pace);
  if (!values) return refuse(fmt::format("there are over {} values", kMostValues));
  for (const int64_t value : *values) axis.values.push_back(std::to_string(value));
  return {};
}

}  // namespace

Result<SweepAxis> parse_axis(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return usage_error(
        fmt::format("[--axis] \"{}\" is not of the form name=values, as in batch=1,2,4..512 or dtype=f32,bf16", text));
  }
  SweepAxis axis{text.substr(0, equals), {}};
  for (size_t begin = equals + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string_view item = std::string_view(text).substr(begin, end - begin);
    while (item.starts_with(' ')) item.remove_prefix(1);  // "1, 2, 4"
    while (item.ends_with(' ')) item.remove_suffix(1);
    begin = end + 1;
    if (item.empty())
      return usage_error(fmt::format("[--axis] {}: there is an empty value in \"{}\"", axis.name, text));
    if (const size_t dots = item.find(".."); dots != std::string_view::npos) {
      if (Result<void> done = append_range(item, dots, axis); !done) return done.error();
    } else {
      axis.values.emplace_back(item);
    }
    if (axis.values.size() > kMostValues)
      return usage_error(fmt::format("[--axis] {} has over {} values", axis.name, kMostValues));
  }
  std::vector<std::string> sorted = axis.values;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return usage_error(fmt::format("[--axis] {}: the value {} is there twice", axis.name, *twice));
  }
  return axis;
}

}  // namespace profiler
