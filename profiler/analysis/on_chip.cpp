// SPDX-License-Identifier: Apache-2.0
// Each access of an operand has a size of memory from which on it stays on the chip.
#include "profiler/analysis/on_chip.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "profiler/analysis/reuse.h"
#include "profiler/base/say.h"
#include "profiler/base/unknown.h"

namespace profiler {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

TensorId owner_of(const Capture& capture, TensorId id) {
  const TensorId owner = capture.tensors()[id].alias_of;
  return owner == kNoTensor ? id : owner;
}

/// Distances of the uses of one buffer, as the step goes on.
class Uses {
 public:
  Uses(const BufferReuse& reuse, const TensorRecord& tensor)
      : distances_(reuse.distances),
        writes_(reuse.uses),
        uses_(reuse.uses),
        persistent_(tensor.persistent),
        fresh_(tensor.role == Role::input) {}
  void begin(OpId op) {
    if (op != op_) op_ = op, ++use_;
  }
  /// Notes that this use writes. All are noted before the first question; rewind() begins the step again.
  void note_write() { writes_[use_] = true; }
  void rewind() { op_ = kNoOp, use_ = SIZE_MAX; }
  /// From the use before to this one.
  double before() const {
    if (use_ == 0) return persistent_ && !fresh_ ? distances_.front() : kNever;
    return distances_[persistent_ ? use_ : use_ - 1];
  }
  /// The farthest way between uses from this write to the next one, which writes all anew: beyond it the buffer leaves.
  double kept_from() const {
    if (use_ + 1 == uses_ && !persistent_) return kNever;
    double size = 0;
    for (size_t use = use_ + 1;; ++use) {
      if (use == uses_) {
        if (!persistent_) return size;
        use = 0;
      }
      size = std::max(size, distances_[persistent_ ? use : use - 1]);
      if (writes_[use] || use == use_) return size;
    }
  }

 private:
  const std::vector<double>& distances_;
  std::vector<bool> writes_;
  size_t uses_, use_ = SIZE_MAX;
  bool persistent_, fresh_;
  OpId op_ = kNoOp;
};

}  // namespace

double OnChipCurve::at(double on_chip_bytes) const {
  if (points.empty()) return kUnknown;
  const auto beyond = std::ranges::upper_bound(points, on_chip_bytes, {}, &OnChipPoint::on_chip_bytes);
  return beyond == points.begin() ? points.front().off_chip_bytes : (beyond - 1)->off_chip_bytes;
}

OnChipCurve on_chip_curve(const Capture& capture) {
  OnChipCurve curve;
  if (!capture.run().source.empty() || capture.ops().empty()) return curve;
  const std::vector<BufferReuse> reuses = buffer_reuse(capture);
  std::unordered_map<TensorId, Uses> uses;
  for (const BufferReuse& reuse : reuses) {
    const TensorRecord& tensor = capture.tensors()[reuse.tensor];
    uses.emplace(reuse.tensor, Uses(reuse, tensor));
    if (tensor.persistent && tensor.role == Role::weight) curve.weight_bytes += reuse.bytes;
  }
  std::map<double, double> stays;  // bytes that stay from this size of memory on
  double all = 0;
  const auto add = [&](double size, double bytes, double& never) {
    all += bytes;
    if (std::isinf(size)) never += bytes;
    else stays[size] += bytes;
  };
  const auto each_use = [&](const auto& visit) {
    for (const OpRecord& op : capture.ops()) {
      if (op.view) continue;
      for (const OperandRecord& operand : capture.operands(op)) {
        if (operand.read_bytes + operand.written_bytes == 0) continue;
        Uses& use = uses.at(owner_of(capture, operand.tensor));
        use.begin(op.id);
        visit(use, operand);
      }
    }
  };
  each_use([](Uses& use, const OperandRecord& operand) {
    if (operand.written_bytes > 0) use.note_write();
  });
  for (auto& [tensor, use] : uses) use.rewind();
  each_use([&](const Uses& use, const OperandRecord& operand) {
    if (operand.read_bytes > 0) add(use.before(), static_cast<double>(operand.read_bytes), curve.input_bytes);
    if (operand.written_bytes > 0) add(use.kept_from(), static_cast<double>(operand.written_bytes), curve.output_bytes);
  });
  curve.points.push_back({0, all});
  for (const auto& [size, bytes] : stays) curve.points.push_back({size, curve.points.back().off_chip_bytes - bytes});
  return curve;
}

Table on_chip_table(const Analyzed& analyzed) {
  const OnChipCurve curve = on_chip_curve(*analyzed.capture);
  Table table;
  table.name = "on_chip";
  table.columns = {
      {"on_chip_bytes", "On-chip memory", Quantity::capacity_bytes, Origin::exact, "Size of the memory on the chip"},
      {"off_chip_bytes", "Off-chip bytes", Quantity::bytes, Origin::modelled,
       "Bytes of a step to and from off-chip memory: buffers used last stay on the chip"},
      {"saved_ratio", "Saved", Quantity::percent_of, Origin::modelled, "Of the bytes of all operands"},
      {"note", "Note", Quantity::text, Origin::exact, "What this size is"}};
  if (curve.points.empty()) return table;
  const double none = curve.points.front().off_chip_bytes, most = curve.points.back().on_chip_bytes;
  std::map<double, std::string> sizes{{0, say("none: the bytes of all operands")}};
  for (double size = 1024; size < most; size *= 2) sizes.emplace(size, "");
  for (const MemoryLevel& level : analyzed.capture->machine().levels) {
    if (level.name == "DRAM" || level.effective_size_bytes <= 0) continue;
    std::string& note = sizes[static_cast<double>(level.effective_size_bytes)];
    note += say("{}{} of this machine", note.empty() ? "" : ", ", level.name);
  }
  if (curve.weight_bytes > 0) {
    std::string& note = sizes[curve.weight_bytes];
    note += say("{}bytes of all weights", note.empty() ? "" : ", ");
  }
  std::string& last = sizes[most];
  last += say("{}all: inputs and outputs alone", last.empty() ? "" : ", ");
  for (const auto& [size, note] : sizes) {
    const double bytes = curve.at(size);
    table.rows.push_back({size, bytes, none > 0 ? Cell(1 - bytes / none) : Cell(), note.empty() ? Cell() : Cell(note)});
  }
  return table;
}

std::vector<std::string> on_chip_sentences(const Analyzed& analyzed) {
  const OnChipCurve curve = on_chip_curve(*analyzed.capture);
  if (curve.points.empty()) return {};
  const OnChipPoint& all = curve.points.back();
  const auto bytes = [](double value) { return format_quantity(value, Quantity::bytes); };
  return {say("Without on-chip memory a step moves {}: the bytes of all operands (exact).",
              bytes(curve.points.front().off_chip_bytes)),
          say("With {} on the chip it moves {}: {} of inputs and {} of outputs (modelled).",
              format_quantity(all.on_chip_bytes, Quantity::capacity_bytes), bytes(all.off_chip_bytes),
              bytes(curve.input_bytes), bytes(curve.output_bytes))};
}

}  // namespace profiler
