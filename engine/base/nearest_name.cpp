// SPDX-License-Identifier: Apache-2.0
// Edit distance, for "did you mean".
#include "engine/base/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace engine {
namespace {

/// Names are short; a pasted megabyte must not cost a quadratic table.
constexpr size_t kLongestCompared = 64;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Insertions, deletions, substitutions and swaps of neighbours that turn a into b, case ignored
/// (optimal string alignment).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y && x != y;
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view wanted, std::span<const std::string> names) {
  wanted = wanted.substr(0, kLongestCompared);
  std::string best;
  size_t best_distance = 0;
  for (const std::string& name : names) {
    const size_t distance = edit_distance(wanted, std::string_view(name).substr(0, kLongestCompared));
    if (best.empty() || distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

std::string close_name(std::string_view wanted, std::span<const std::string> names) {
  const auto bare = [](std::string_view name) {
    const size_t start = std::min(name.find_first_not_of('-'), name.size());
    return name.substr(start, kLongestCompared);
  };
  const auto begins = [](std::string_view name, std::string_view with) {
    return with.size() >= 3 && name.size() > with.size() && edit_distance(name.substr(0, with.size()), with) == 0;
  };
  const std::string_view meant = bare(wanted);
  for (const std::string& name : names) {
    if (begins(bare(name), meant) || begins(meant, bare(name))) return name;
  }
  std::string nearest = nearest_name(wanted, names);
  const size_t longer = std::max(meant.size(), bare(nearest).size());
  return edit_distance(meant, bare(nearest)) <= std::max<size_t>(1, longer / 3) ? nearest : std::string();
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> names) {
  const std::string close = close_name(wanted, names);
  return close.empty() ? std::string(".") : "; did you mean \"" + close + "\"?";
}

}  // namespace engine
