// SPDX-License-Identifier: Apache-2.0
// Bins the kept values, and follows what is not finite back to its op.
#include "profiler/analysis/tensor_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "profiler/base/say.h"
#include "profiler/base/words.h"
#include "profiler/capture/results.h"

namespace profiler {
namespace {

Cell known(double value) { return std::isnan(value) ? Cell() : Cell(fmt::format("{:.9g}", value)); }

std::string op_words(const Capture& c, OpId op) {
  const std::string_view layer = c.name(c.ops()[op].layer);
  return say("op {} (node {}, layer {})", c.name(c.ops()[op].name), op, layer.empty() ? say("none") : layer);
}

/// Where NaN or infinity began.
struct Beginnings {
  std::vector<OpId> ops;
  bool unread = false;  ///< an op that put some out reads a tensor whose values are not known
};

Beginnings beginnings(const Capture& c) {
  std::unordered_map<TensorId, bool> bad;
  for (const ResultRecord& r : tensor_values(c)) bad[r.tensor] = r.not_finite > 0;
  Beginnings found;
  for (const OpRecord& op : c.ops()) {
    bool reads = false, writes = false, unread = false;
    for (const OperandRecord& o : c.operands(op)) {
      const auto known = bad.find(o.tensor);
      if (known == bad.end()) unread = unread || (!o.output && o.read_bytes > 0);
      else if (known->second) (o.output ? writes : reads) = true;
    }
    if (!writes || reads) continue;
    if (unread) found.unread = true;
    else found.ops.push_back(op.id);
  }
  return found;
}

std::string histogram_words(const ValueHistogram& h) { return fmt::format("{}", fmt::join(h.counts, " ")); }

}  // namespace

ValueHistogram histogram_of(const ResultRecord& r) {
  ValueHistogram h;
  h.least = r.least, h.most = r.most;
  // In halves: the range of two large numbers is no f64.
  const double width = (h.most / 2 - h.least / 2) / static_cast<double>(kHistogramBins);
  for (int64_t i = 0; i < kept_count(r); ++i) {
    const double value = kept_value(r, i);
    if (std::isnan(value)) ++h.nans;
    else if (std::isinf(value)) ++h.infinities;
    else {
      const double bin = width > 0 && std::isfinite(width) ? (value / 2 - h.least / 2) / width : 0;
      ++h.counts[static_cast<size_t>(std::clamp(bin, 0.0, static_cast<double>(kHistogramBins - 1)))];
      ++h.values;
    }
  }
  return h;
}

int64_t nan_count(const ResultRecord& r) {
  if (r.not_finite == 0) return 0;
  return is_whole(r) ? histogram_of(r).nans : -1;
}

std::vector<OpId> makers(const Capture& c) {
  std::vector<OpId> all(c.tensors().size(), kNoOp);
  for (const OperandRecord& o : c.operands())
    if (o.output && all[o.tensor] == kNoOp) all[o.tensor] = o.op;
  return all;
}

std::vector<OpId> first_not_finite(const Capture& c) { return beginnings(c).ops; }

std::string no_values_words(const Capture& c) {
  if (!tensor_values(c).empty()) return {};
  if (!c.run().source.empty()) return say("An imported trace holds no values.");
  if (!c.computed()) return say("The null device computes nothing.");
  return say("The run did not keep values; record it with the collector values.");
}

std::vector<std::string> values_sentences(const Capture& c) {
  std::vector<std::string> sentences;
  const auto values = tensor_values(c);
  if (values.empty()) return sentences;
  const auto [first, unread] = beginnings(c);
  const auto bad = std::ranges::count_if(values, [](const ResultRecord& r) { return r.not_finite > 0; });
  if (bad == 0) sentences.push_back(say("All values of {} are finite.", counted(values.size(), "tensor")));
  for (const OpId op : first) {
    if (sentences.size() == 3) break;
    sentences.push_back(say("NaN or infinity first appears in {}: its operands were finite.", op_words(c, op)));
  }
  if (bad > 0 && first.empty() && unread)
    sentences.emplace_back(
        say("Where NaN or infinity began is unknown: an op that put some out reads values that were not kept."));
  else if (bad > 0 && first.empty())
    sentences.emplace_back(say("NaN or infinity was there before the step: in an input, a weight or a state."));
  const auto cut = std::ranges::count_if(values, [](const ResultRecord& r) { return !is_whole(r); });
  if (cut > 0)
    sentences.push_back(
        say("Of {} tensors {} evenly spread values are kept. Their range and mean are of all "
            "values, the histogram is of those kept.",
            cut, kKeptElements));
  return sentences;
}

Table values_table(const Capture& c) {
  Table table;
  table.name = "values";
  table.columns = {{"tensor", "Tensor", Quantity::text, Origin::exact, "Name"},
                   {"op", "Op", Quantity::text, Origin::exact, "That made it; none: it is there before the step"},
                   {"role", "Role", Quantity::text, Origin::exact, "Whose bytes it is"},
                   {"dtype", "Data type", Quantity::text, Origin::exact, "Of its elements"},
                   {"shape", "Shape", Quantity::text, Origin::exact, "Extents"},
                   {"elements_count", "Elements", Quantity::count, Origin::exact, "Number of values"},
                   {"kept_count", "Kept", Quantity::count, Origin::exact, "Values that the capture holds"},
                   {"least", "Least", Quantity::text, Origin::exact, "Smallest finite value"},
                   {"most", "Largest", Quantity::text, Origin::exact, "Largest finite value"},
                   {"mean", "Mean", Quantity::text, Origin::exact, "Mean of the finite values"},
                   {"nan_count", "No number", Quantity::count, Origin::exact,
                    "Values that are no number; unknown where not all are kept"},
                   {"not_finite_count", "Not finite", Quantity::count, Origin::exact,
                    "Values that are no number, and infinities, together"},
                   {"histogram", "Histogram", Quantity::text, Origin::exact,
                    "Kept values in 16 bins from the least to the largest"}};
  const std::vector<OpId> made_by = makers(c);
  for (const ResultRecord& r : tensor_values(c)) {
    if (r.tensor == kNoTensor) continue;
    const TensorRecord& tensor = c.tensors()[r.tensor];
    const OpId op = made_by[r.tensor];
    const int64_t nans = nan_count(r);
    table.rows.push_back(
        {std::string(c.name(tensor.name)), op == kNoOp ? Cell() : Cell(std::string(c.name(c.ops()[op].name))),
         std::string(engine::name(tensor.role)), std::string(engine::name(tensor.dtype)),
         tensor.shape.empty() ? std::string("scalar") : fmt::format("{}", fmt::join(tensor.shape, "x")),
         static_cast<double>(r.elements), static_cast<double>(kept_count(r)), known(r.least), known(r.most),
         known(r.mean), nans < 0 ? Cell() : Cell(static_cast<double>(nans)), static_cast<double>(r.not_finite),
         histogram_words(histogram_of(r))});
  }
  return table;
}

}  // namespace profiler
