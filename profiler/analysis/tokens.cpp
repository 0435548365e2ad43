// SPDX-License-Identifier: Apache-2.0
// Sorts the bytes of a step by what they are of.
#include "profiler/analysis/tokens.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/batch.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {
namespace {

/// A positive number among the arguments; NaN: none.
double argument(const Capture& capture, const char* name) {
  const auto found = capture.run().arguments.find(name);
  if (found == capture.run().arguments.end()) return kUnknown;
  double value = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [rest, error] = std::from_chars(found->second.data(), end, value);
  return error == std::errc() && rest == end && value > 0 ? value : kUnknown;
}

/// Whose bytes a tensor has.
const TensorRecord& root_of(const Capture& capture, TensorId id) {
  const TensorRecord* tensor = &capture.tensors()[id];
  while (tensor->alias_of != kNoTensor) tensor = &capture.tensors()[tensor->alias_of];
  return *tensor;
}

void add_bytes(const Capture& capture, TokenFigures& f) {
  for (const OpRecord& op : capture.ops()) {
    for (const OperandRecord& operand : capture.operands(op)) {
      const auto read = static_cast<double>(operand.read_bytes), written = static_cast<double>(operand.written_bytes);
      const TensorRecord& root = root_of(capture, operand.tensor);
      if (root.role == Role::weight) {
        f.weight_bytes += read + written;
      } else if (root.persistent && root.role == Role::activation) {
        f.cache_read_bytes += read;
        f.cache_written_bytes += written;
      } else {
        f.other_bytes += read + written;
      }
    }
  }
}

}  // namespace

double TokenFigures::first_token_ns() const { return decodes() ? kUnknown : step_ns; }

TokenFigures token_figures(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  TokenFigures f;
  const double batch = batch_of(capture), context = argument(capture, "context");
  const auto phase = capture.run().arguments.find("phase"), mode = capture.run().arguments.find("mode");
  const bool trains = mode != capture.run().arguments.end() && mode->second == "training";
  if (phase == capture.run().arguments.end() || trains || std::isnan(batch) || std::isnan(context)) return f;
  f.phase = phase->second;
  f.tokens = f.decodes() ? batch : batch * context;
  const std::vector<double> steps = timed_steps_ns(capture);
  f.step_ns = steps.empty() ? kUnknown : spread(steps).median;
  add_bytes(capture, f);
  return f;
}

Table tokens_table(const Analyzed& analyzed) {
  const TokenFigures f = token_figures(analyzed);
  const Origin timed = analyzed.capture->time_origin();
  Table table;
  table.name = "tokens";
  table.columns = {{"figure", "Figure", Quantity::text, Origin::exact, "What is counted"},
                   {"per_step", "Per step", Quantity::text, Origin::exact, "Of one step, over the whole batch"},
                   {"per_token", "Per token", Quantity::text, Origin::exact, "Divided by the tokens of a step"},
                   {"per_token_count", "Value", Quantity::count, Origin::exact, "The same in base units"},
                   {"unit", "Unit", Quantity::text, Origin::exact, "Of the value: B or ns; empty: a number of tokens"},
                   {"share_ratio", "Share", Quantity::percent_of, Origin::exact, "Of all compulsory bytes of the step"},
                   {"origin", "Origin", Quantity::text, Origin::exact, "How it was obtained"}};
  if (!f.known()) return table;
  const auto add = [&](std::string figure, double value, Quantity quantity, Cell share, Origin origin) {
    const double each = value / f.tokens;
    table.rows.push_back({std::move(figure), format_quantity(value, quantity), format_quantity(each, quantity),
                          std::isnan(each) ? Cell() : Cell(each),
                          std::string(quantity == Quantity::duration_ns ? "ns" : "B"), std::move(share),
                          std::string(name(origin))});
  };
  const auto add_part = [&](std::string figure, double bytes) {
    add(std::move(figure), bytes, Quantity::bytes, Cell(bytes / f.bytes()), Origin::exact);
  };
  table.rows.push_back({say("tokens"), format_quantity(f.tokens, Quantity::count), std::string("1"), Cell(1.0),
                        std::string(), Cell(), std::string(name(Origin::exact))});
  add("time", f.step_ns, Quantity::duration_ns, Cell(), timed);
  if (!f.decodes()) {
    table.rows.push_back({say("time to first token"), format_quantity(f.step_ns, Quantity::duration_ns), Cell(),
                          std::isnan(f.step_ns) ? Cell() : Cell(f.step_ns), std::string("ns"), Cell(),
                          std::string(name(timed))});
  }
  add_part(say("weights read"), f.weight_bytes);
  add_part(say("cache read"), f.cache_read_bytes);
  add_part(say("cache written"), f.cache_written_bytes);
  add_part(say("activations and the rest"), f.other_bytes);
  add(say("all compulsory bytes"), f.bytes(), Quantity::bytes, Cell(1.0), Origin::exact);
  return table;
}

std::string token_words(const TokenFigures& f) {
  if (!f.known() || std::isnan(f.step_ns)) return {};
  std::string words = say("{} tokens/s, {} per token", format_quantity(f.tokens_per_s(), Quantity::count),
                          format_quantity(f.bytes() / f.tokens, Quantity::bytes));
  if (!f.decodes()) words += say(", first token after {}", format_quantity(f.step_ns, Quantity::duration_ns));
  return words;
}

std::vector<std::string> token_sentences(const Analyzed& analyzed) {
  const TokenFigures f = token_figures(analyzed);
  if (!f.known()) return {};
  std::vector<std::string> sentences;
  if (std::string words = token_words(f); !words.empty())
    sentences.push_back(fmt::format("{}: {}.", f.decodes() ? say("Decode") : say("Prefill"), words));
  if (f.decodes() && f.tokens > 1)
    sentences.push_back(say("{} sequences share each read of the weights, none shares its cache.",
                            format_quantity(f.tokens, Quantity::count)));
  return sentences;
}

}  // namespace profiler
