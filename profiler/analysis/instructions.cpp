// SPDX-License-Identifier: Apache-2.0
// A sink that counts what descriptions of ops say, instead of simulating it.
#include "profiler/analysis/instructions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/memory/captured_access.h"

namespace profiler {
namespace {

/// Parts of one op that are listened to: a table is to take seconds at most.
constexpr uint64_t kMostParts = 4'000'000;

class InstructionCount final : public engine::AccessSink {
 public:
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    ++parts_;
    if (iterations <= 0) return;
    branches += static_cast<double>(iterations);
    for (const engine::AccessStream& s : streams) add(s.kind, static_cast<double>(iterations));
  }
  void nest(int64_t outer, int64_t inner, std::span<const engine::NestedGroup> groups) override {
    ++parts_;
    if (outer <= 0 || inner <= 0) return;
    for (const engine::NestedGroup& g : groups) {
      if (g.iterations <= 0) continue;
      const double turns = static_cast<double>(outer) * static_cast<double>(inner) * static_cast<double>(g.iterations);
      branches += turns;
      for (const engine::NestedStream& s : g.streams) add(s.stream.kind, turns);
    }
  }
  bool stopped() const override { return parts_ >= kMostParts; }

  double loads = 0, stores = 0, branches = 0;

 private:
  void add(engine::AccessKind kind, double count) { (kind == engine::AccessKind::load ? loads : stores) += count; }

  uint64_t parts_ = 0;
};

}  // namespace

std::vector<LoopInstructions> loop_instructions(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  const auto step = CapturedStep::make(analyzed.capture, std::numeric_limits<uint64_t>::max() / 2);
  std::vector<LoopInstructions> all;
  for (const OpRecord& op : capture.ops()) {
    if (op.view) continue;
    LoopInstructions& found = all.emplace_back();
    found.op = op.id;
    found.multiply_adds = op.flops / 2;
    found.why_unknown = !step ? step.error().message : step->objection(op.id);
    InstructionCount count;
    if (found.why_unknown.empty()) {
      const engine::access::Fidelity how = step->describe(op.id, count);
      found.origin = how == engine::access::Fidelity::loops ? Origin::exact : Origin::modelled;
      if (how == engine::access::Fidelity::assumed) found.why_unknown = say("its loops have no description");
      if (count.stopped()) found.why_unknown = say("it has too many parts to count");
    }
    const bool known = found.why_unknown.empty();
    found.loads = known ? count.loads : kUnknown, found.stores = known ? count.stores : kUnknown,
    found.branches = known ? count.branches : kUnknown;
  }
  return all;
}

Table instructions_table(const Analyzed& analyzed) {
  Table table;
  table.name = "instructions";
  table.columns = {
      {"op", "Op", Quantity::text, Origin::exact, "Name of the op"},
      {"loads_count", "Loads", Quantity::count, Origin::exact, "Instructions that read memory; a vector is one"},
      {"stores_count", "Stores", Quantity::count, Origin::exact, "Instructions that write memory; a vector is one"},
      {"branches_count", "Branches", Quantity::count, Origin::exact,
       "Turns of loops: each ends in a conditional jump, unless the compiler unrolls"},
      {"multiply_adds_count", "Multiply-adds", Quantity::count, Origin::exact, "FLOPs / 2"},
      {"accesses_per_multiply_add_ratio", "Accesses each", Quantity::ratio, Origin::exact,
       "(Loads + stores) / multiply-adds"},
      {"branches_per_multiply_add_ratio", "Branches each", Quantity::ratio, Origin::exact, "Branches / multiply-adds"},
      {"counts_origin", "Known how", Quantity::text, Origin::exact,
       "exact: counted from the loops of our kernel; modelled: tiles of a library are assumed"},
      {"note", "Why not", Quantity::text, Origin::exact, "Why counts are unknown"}};
  const auto cell = [](double value) { return std::isfinite(value) ? Cell(value) : Cell(); };
  for (const LoopInstructions& i : loop_instructions(analyzed)) {
    const bool known = i.why_unknown.empty();
    Cell note;
    if (!known) note = i.why_unknown;
    table.rows.push_back({std::string(analyzed.capture->name(analyzed.capture->ops()[i.op].name)), cell(i.loads),
                          cell(i.stores), cell(i.branches), cell(i.multiply_adds),
                          cell((i.loads + i.stores) / i.multiply_adds), cell(i.branches / i.multiply_adds),
                          known ? std::string(name(i.origin)) : std::string("unknown"), note});
    table.row_ops.push_back(i.op);
  }
  return table;
}

std::vector<std::string> instructions_sentences(const Analyzed& analyzed) {
  const std::vector<LoopInstructions> all = loop_instructions(analyzed);
  const LoopInstructions *most = nullptr, *fewest = nullptr;
  const auto each = [](const LoopInstructions& i) { return i.branches / i.multiply_adds; };
  for (const LoopInstructions& i : all) {
    if (i.origin != Origin::exact || !std::isfinite(each(i))) continue;
    if (most == nullptr || each(i) > each(*most)) most = &i;
    if (fewest == nullptr || each(i) < each(*fewest)) fewest = &i;
  }
  if (most == nullptr) return {};
  const auto words = [&](const LoopInstructions& i) {
    return say("{}: {:.3g} loads and stores and {:.3g} branches per multiply-add.",
               analyzed.capture->name(analyzed.capture->ops()[i.op].name), (i.loads + i.stores) / i.multiply_adds,
               each(i));
  };
  std::vector<std::string> sentences{words(*most)};
  if (fewest != most) sentences.push_back(words(*fewest));
  return sentences;
}

}  // namespace profiler
