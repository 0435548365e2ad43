// SPDX-License-Identifier: Apache-2.0
// Tables and words that follow from the origin of a capture's times.
#include "profiler/analysis/base/time_origin.h"
#include "profiler/base/say.h"

namespace profiler {
namespace {

bool is_rate(Quantity quantity) { return quantity == Quantity::flop_per_s || quantity == Quantity::bytes_per_s; }

}  // namespace

std::string no_rates_reason(const Capture& capture) {
  if (capture.rates_known()) return {};
  if (!capture.computed()) return say("the null device computes nothing and moves nothing");
  return say("the GPU was emulated, and its rates are not a GPU's");
}

std::string no_rates_words(const Capture& capture) {
  const std::string reason = no_rates_reason(capture);
  return reason.empty() ? reason : say("Unknown: {}.", reason);
}

Table with_time_origin(Table table, const Capture& capture) {
  const Origin origin = capture.time_origin();
  if (origin == Origin::measured) return table;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    Column& column = table.columns[c];
    if (column.origin != Origin::measured) continue;
    column.origin = origin;
    if (!is_rate(column.quantity)) continue;
    column.help += ". " + no_rates_words(capture);
    for (std::vector<Cell>& row : table.rows) row[c] = Cell();
  }
  return table;
}

}  // namespace profiler
