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

/// The pace of the whole numbers before a range; nothing when they have none.
std::optional<Pace> pace_of(const std::vector<std::string>& values) {
  std::vector<int64_t> numbers;
  for (const std::string& value : values) {
    const std::optional<int64_t> number = integer(value);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  const size_t n = numbers.size();
  if (n < 2) return Pace{};
  const int64_t last = numbers[n - 1], before = numbers[n - 2];
  const bool geometric = n > 2 && before > 0 && last > before && last % before == 0 && numbers[n - 3] > 0 &&
                         before % numbers[n - 3] == 0 && before / numbers[n - 3] == last / before;
  if (geometric) return Pace{true, last / before};
  if (last <= before) return std::nullopt;
  return Pace{false, last - before};
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
  const std::optional<Pace> pace = end->pace ? end->pace : pace_of(axis.values);
  if (!pace) return refuse("the values before it grow by no step or factor; write one, as in 4..512*2 or 0..100+20");
  if (end->last < *first || end->last > kLargest) return refuse(fmt::format("{} is not reached from {}", end->last, *first));
  if (pace->multiply && *first < 1) return refuse(fmt::format("{} cannot be multiplied up to {}; write a step, as in 0..100+20", *first, end->last));
  for (int64_t value = *first; value < end->last;) {
    if (axis.values.size() > kMostValues) return refuse(fmt::format("there are over {} values", kMostValues));
    const bool beyond = pace->multiply ? value > end->last / pace->by : value > end->last - pace->by;
    // A range ends exactly at its end: a size that was written is a size that is wanted.
    value = beyond ? end->last : pace->multiply ? value * pace->by : value + pace->by;
    axis.values.push_back(std::to_string(value));
  }
  return {};
}

}  // namespace

Result<SweepAxis> parse_axis(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return usage_error(fmt::format("[--axis] \"{}\" is not of the form name=values, as in batch=1,2,4..512 or dtype=f32,bf16", text));
  }
  SweepAxis axis{text.substr(0, equals), {}};
  for (size_t begin = equals + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (item.empty()) return usage_error(fmt::format("[--axis] {}: there is an empty value in \"{}\"", axis.name, text));
    if (const size_t dots = item.find(".."); dots != std::string_view::npos) {
      if (Result<void> done = append_range(item, dots, axis); !done) return done.error();
    } else {
      axis.values.emplace_back(item);
    }
    if (axis.values.size() > kMostValues) return usage_error(fmt::format("[--axis] {} has over {} values", axis.name, kMostValues));
  }
  std::vector<std::string> sorted = axis.values;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return usage_error(fmt::format("[--axis] {}: the value {} is there twice", axis.name, *twice));
  }
  return axis;
}

}  // namespace profiler
