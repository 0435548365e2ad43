// SPDX-License-Identifier: Apache-2.0
// Holds modelled bytes against simulated and measured ones.
#include "profiler/analysis/bytes_apart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/known_bytes.h"
#include "profiler/base/say.h"
#include "profiler/base/table.h"
#include "profiler/memory/captured_access.h"

namespace profiler {
namespace {

/// Below a page, and below this part of what all ops in view move, nobody decides by an op's bytes.
constexpr double kPage = 4096, kWorthSaying = 0.01;

bool apart(double a, double b, double least) {
  return std::max(a, b) > kBytesApart * std::min(a, b) && std::max(a, b) >= least;
}

std::string bytes(double value) { return format_quantity(value, Quantity::bytes); }

}  // namespace

std::optional<BytesApart> bytes_apart(const Analyzed& analyzed, std::span<const OpId> ops, std::string_view outer) {
  BytesApart out;
  out.outer = outer;
  out.preferred = best_origin(analyzed, ops);
  const TrafficSource* source = analyzed.sources.of(out.preferred);
  if (out.preferred == Origin::modelled || source == nullptr || !analyzed.model.known) return {};
  struct Known {
    OpId op;
    double preferred, modelled;
  };
  std::vector<Known> known;
  for (const OpId op : ops) {
    if (analyzed.capture->ops()[op].view) continue;
    const double preferred = known_bytes(analyzed, out.preferred, op, outer),
                 modelled = known_bytes(analyzed, Origin::modelled, op, outer);
    if (std::isnan(preferred) || std::isnan(modelled)) continue;
    known.push_back({op, preferred, modelled});
    out.preferred_bytes += preferred, out.modelled_bytes += modelled;
  }
  out.ops = known.size();
  const double least = std::max(kPage, kWorthSaying * std::max(out.preferred_bytes, out.modelled_bytes));
  for (const auto& [op, preferred, modelled] : known) {
    if (!apart(preferred, modelled, least)) continue;
    ++out.apart;
    out.assumed_loops =
        out.assumed_loops || (op < source->op_notes.size() && source->op_notes[op].starts_with(kModelledAccesses));
    if (out.worst != kNoOp &&
        std::abs(preferred - modelled) <= std::abs(out.worst_preferred_bytes - out.worst_modelled_bytes))
      continue;
    out.worst = op, out.worst_preferred_bytes = preferred, out.worst_modelled_bytes = modelled;
  }
  if (out.apart == 0) return {};
  return out;
}

std::vector<BytesApart> bytes_apart(const Analyzed& analyzed, std::span<const OpId> ops) {
  std::vector<BytesApart> out;
  for (size_t l = 0; l + 1 < analyzed.model.links.size(); ++l) {
    if (auto found = bytes_apart(analyzed, ops, analyzed.model.links[l])) out.push_back(*std::move(found));
  }
  return out;
}

std::string bytes_apart_words(const Capture& capture, std::span<const BytesApart> links) {
  if (links.empty()) return {};
  const bool measured = links.front().preferred == Origin::measured;
  bool assumed = false;
  std::string where;
  for (size_t i = 0; i < links.size(); ++i) {
    const BytesApart& b = links[i];
    assumed = assumed || b.assumed_loops;
    where += say("{}at {} ",
                 i == 0                  ? std::string()
                 : i + 1 == links.size() ? say(" and ")
                                         : std::string(", "),
                 b.outer);
    if (b.ops > 1) where += i == 0 ? say("for {} of {} ops ", b.apart, b.ops) : say("for {} ", b.apart);
    const std::string pair = say("{} and {}", bytes(b.worst_preferred_bytes), bytes(b.worst_modelled_bytes));
    where += b.ops > 1 ? fmt::format("({}{}: {})", b.apart > 1 ? say("most for ") : "",
                                     capture.name(capture.ops()[b.worst].name), pair)
                       : fmt::format("({})", pair);
  }
  const std::string why = measured ? say("the processor counted them")
                          : assumed
                              ? say("they follow each access through the caches; the order of some accesses (loops of "
                                    "libraries, indices) is assumed")
                              : say("they follow each access through the caches; the model does not");
  return say("{} and modelled bytes are more than {:g}x apart {}. The {} ones count: {}.",
             measured ? say("Measured") : say("Simulated"), kBytesApart, where,
             say_marked(name(links.front().preferred)), why);
}

std::vector<std::string> bytes_apart_sentences(const Analyzed& analyzed, bool outermost_only) {
  auto links = bytes_apart(analyzed, ops_of(*analyzed.capture, {}));
  if (outermost_only)
    std::erase_if(links, [&](const BytesApart& b) { return b.outer != analyzed.model.links.front(); });
  if (links.empty()) return {};
  return {bytes_apart_words(*analyzed.capture, links)};
}

std::string last_cache_words(const TrafficModel& model) {
  if (!model.known || model.inner.size() < 2) return {};
  return say("the {} of {} that the {}", format_quantity(model.capacity_bytes.front(), Quantity::capacity_bytes),
             model.inner.front(),
             model.capacity_origin.front() == Origin::measured ? say("probe saw") : say("system claims"));
}

}  // namespace profiler
