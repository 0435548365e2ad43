// SPDX-License-Identifier: Apache-2.0
// The sentences that probes left until 2026-11-23, word by word.
#include "profiler/machine/fields_from_notes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/base/foreign_load.h"

namespace profiler {
namespace {

/// What stands between `before` and `after` where a text is of that form.
std::optional<std::string_view> between(std::string_view text, std::string_view before, std::string_view after) {
  if (!text.starts_with(before) || !text.ends_with(after) || text.size() < before.size() + after.size()) return {};
  return text.substr(before.size(), text.size() - before.size() - after.size());
}

/// The whole of it as a number that is not negative.
std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return {};
  return value;
}

/// Cut at the first `at`; nothing: it is not there.
std::optional<std::pair<std::string_view, std::string_view>> split(std::string_view text, std::string_view at) {
  const size_t found = text.find(at);
  if (found == std::string_view::npos) return {};
  return std::pair(text.substr(0, found), text.substr(found + at.size()));
}

/// "Others used 52 % of the processors."
bool read_load(std::string_view note, Machine& machine) {
  const auto text = between(note, "Others used ", " % of the processors.");
  const auto percent = text ? number(*text) : std::nullopt;
  if (!percent) return false;
  // Rounded; it was noted where it was above the limit, and nowhere else.
  machine.foreign_load_ratio =
      std::fmax(machine.foreign_load_ratio, std::max(*percent / 100.0, std::nextafter(kBusyLoad, 1.0)));
  return true;
}

/// "Time ran out before L2 read, 1 thread.", once "Not everything was measured: the budget of 20 s was used up before
/// \"L2 copy\"."
bool read_unfinished(std::string_view note, Machine& machine) {
  auto what = between(note, "Time ran out before ", ".");
  if (const auto once = between(note, "Not everything was measured: ", "."); once) {
    const auto parts = split(*once, " was used up before \"");
    what = parts && parts->second.ends_with('"') ? parts->second.substr(0, parts->second.size() - 1) : *once;
  }
  if (what) machine.unfinished.emplace_back(*what);
  return what.has_value();
}

/// "At 3 shapes of matrix products or convolutions others disturbed every run: which library ..."
bool read_unsettled(std::string_view note, Machine& machine) {
  const auto parts = split(note, " of matrix products or convolutions others disturbed every run");
  auto shapes = parts ? between(parts->first, "At ", " shapes") : std::nullopt;
  if (parts && !shapes) shapes = between(parts->first, "At ", " shape");
  const auto count = shapes ? number(*shapes) : std::nullopt;
  if (count) machine.unsettled_shapes = std::max(machine.unsettled_shapes, *count);
  return count.has_value();
}

/// "Kept from the probe of 2026-11-22T18:20:11+0000: f32 arithmetic, 2 threads; L3 copy, 1 thread."
bool read_kept(std::string_view note, Machine& machine) {
  const auto text = between(note, "Kept from the probe of ", ".");
  const auto parts = text ? split(*text, ": ") : std::nullopt;
  if (!parts) return false;
  for (std::string_view left = parts->second; !left.empty();) {
    const auto figures = split(left, "; ");
    machine.kept.push_back({std::string(figures ? figures->first : left), std::string(parts->first)});
    left = figures ? figures->second : std::string_view();
  }
  return true;
}

/// "DRAM bandwidth at 2 threads was not measured: memory is full", with or without a full stop.
bool read_unmeasured(std::string_view note, Machine& machine) {
  const auto parts = split(note, " bandwidth at ");
  const auto rest = parts ? split(parts->second, " was not measured: ") : std::nullopt;
  auto threads = rest ? between(rest->first, "", " threads") : std::nullopt;
  if (rest && !threads) threads = between(rest->first, "", " thread");
  const auto count = threads ? number(*threads) : std::nullopt;
  if (!count) return false;
  const std::string_view why =
      rest->second.ends_with('.') ? rest->second.substr(0, rest->second.size() - 1) : rest->second;
  machine.unmeasured.push_back({std::string(parts->first), *count, std::string(why)});
  return true;
}

}  // namespace

void set_fields_from_notes(Machine& machine) {
  std::erase_if(machine.notes, [&](const std::string& note) {
    return read_load(note, machine) || read_unfinished(note, machine) || read_unsettled(note, machine) ||
           read_kept(note, machine) || read_unmeasured(note, machine);
  });
}

}  // namespace profiler
