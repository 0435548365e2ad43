// SPDX-License-Identifier: Apache-2.0
// Checks of a capture's records, but for activities, GPU records and traffic, which have files of their own.
#include "profiler/capture/capture_checks.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace profiler {

using engine::refused_error;
using engine::Result;

Result<void> check_ops(const Capture& c) {
  std::unordered_set<NameId> seen;
  for (const OpRecord& op : c.ops()) {
    for (const NameId id : {op.name, op.type, op.layer, op.kernel}) {
      if (id >= c.names().size()) {
        return impossible("op {}: name {} does not exist, there are {}", op.id, id, c.names().size());
      }
    }
    if (!seen.insert(op.name).second) {
      return impossible("op {}: its name \"{}\" is taken by an earlier op", op.id, c.names()[op.name]);
    }
    if (op.phase > Phase::update) {
      return impossible("op {}: phase {} is unknown", op.id, static_cast<int>(op.phase));
    }
    if (op.threads < 0)
      return impossible("op {} ({}): {} threads are impossible", op.id, c.names()[op.name], op.threads);
    if (op.flops < 0 || std::isinf(op.flops)) {
      return impossible("op {} ({}): {} FLOPs are impossible", op.id, c.names()[op.name], op.flops);
    }
  }
  // Sums of bytes are whole numbers of 64 bits: no sum of some operands may exceed them.
  constexpr double kMostBytes = 4e18;
  double bytes = 0;
  for (const OperandRecord& operand : c.operands()) {
    if (operand.tensor >= c.tensors().size()) {
      return impossible("operand of op {}: tensor {} does not exist, there are {}", operand.op, operand.tensor,
                        c.tensors().size());
    }
    if (operand.read_bytes < 0 || operand.written_bytes < 0) {
      return impossible("operand of op {}: reads {} and writes {} bytes", operand.op, operand.read_bytes,
                        operand.written_bytes);
    }
    bytes += static_cast<double>(operand.read_bytes) + static_cast<double>(operand.written_bytes);
    if (bytes > kMostBytes) {
      return impossible(
          "operand of op {}: reads {} and writes {} bytes, in sum with the operands before more than {:g}", operand.op,
          operand.read_bytes, operand.written_bytes, kMostBytes);
    }
    if (static_cast<int>(operand.role) >= engine::kRoleCount) {
      return impossible("operand of op {}: role {} is unknown", operand.op, static_cast<int>(operand.role));
    }
  }
  return {};
}

Result<void> check_tensors(const Capture& c) {
  for (const TensorRecord& tensor : c.tensors()) {
    if (tensor.name >= c.names().size()) {
      return impossible("tensor {}: name {} does not exist, there are {}", tensor.id, tensor.name, c.names().size());
    }
    const std::string& called = c.names()[tensor.name];
    if (tensor.dtype > engine::DType::boolean || static_cast<int>(tensor.role) >= engine::kRoleCount) {
      return impossible("tensor {} ({}): data type {} or role {} is unknown", tensor.id, called,
                        static_cast<int>(tensor.dtype), static_cast<int>(tensor.role));
    }
    if (tensor.shape.size() != tensor.strides.size()) {
      return impossible("tensor {} ({}): {} extents but {} strides", tensor.id, called, tensor.shape.size(),
                        tensor.strides.size());
    }
    if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](int64_t e) { return e < 0; })) {
      return impossible("tensor {} ({}): a negative extent", tensor.id, called);
    }
    if (tensor.size_bytes < 0 || tensor.offset_bytes < 0) {
      return impossible("tensor {} ({}): {} bytes at offset {}", tensor.id, called, tensor.size_bytes,
                        tensor.offset_bytes);
    }
    if (tensor.alias_of != kNoTensor &&
        (tensor.alias_of >= c.tensors().size() || c.tensors()[tensor.alias_of].alias_of != kNoTensor)) {
      return impossible("tensor {} ({}): shares the bytes of tensor {}, which owns none", tensor.id, called,
                        tensor.alias_of);
    }
    for (const OpId op : {tensor.first_op, tensor.last_op}) {
      if (op != kNoOp && op >= c.ops().size()) {
        return impossible("tensor {} ({}): lives until op {}, there are {}", tensor.id, called, op, c.ops().size());
      }
    }
  }
  return {};
}

Result<void> check_steps(const Capture& c) {
  std::unordered_set<uint32_t> seen;
  for (const StepRecord& step : c.steps()) {
    if (!seen.insert(step.index).second || step.index == kNoStep) {
      return impossible("step {}: listed twice", step.index);
    }
    if (!span_is_possible(step.start_ns, step.duration_ns)) {
      return impossible("step {}: starts at {} ns and lasts {} ns", step.index, step.start_ns, step.duration_ns);
    }
  }
  return {};
}

Result<void> check_ranks(const Capture& c) {
  std::unordered_set<uint32_t> steps;
  for (const StepRecord& step : c.steps()) steps.insert(step.index);
  std::unordered_set<TrackId> taken;
  for (size_t i = 0; i < c.ranks().size(); ++i) {
    const RankRecord& rank = c.ranks()[i];
    if (rank.name >= c.names().size()) return impossible("rank {}: its name does not exist", i);
    for (const TrackId track : rank.tracks) {
      if (track >= c.tracks().size() || !taken.insert(track).second)
        return impossible("rank {}: track {} does not exist or is listed twice", i, track);
    }
    std::unordered_set<uint32_t> seen;
    for (const StepRecord& step : rank.steps) {
      if (!steps.contains(step.index) || !seen.insert(step.index).second)
        return impossible("rank {}: step {} does not exist or is listed twice", i, step.index);
      if (!span_is_possible(step.start_ns, step.duration_ns)) {
        return impossible("rank {}: step {} starts at {} ns and lasts {} ns", i, step.index, step.start_ns,
                          step.duration_ns);
      }
    }
  }
  return {};
}

namespace {

Result<void> check_results(const Capture& c) {
  std::unordered_set<uint64_t> seen;
  for (const ResultRecord& r : c.results()) {
    if (r.tensor != kNoTensor && r.tensor >= c.tensors().size())
      return impossible("a result is of tensor {}, there are {}", r.tensor, c.tensors().size());
    if (!seen.insert(uint64_t{r.tensor} << 32 | r.step).second)
      return impossible("the result of tensor {} after step {} is listed twice", r.tensor, r.step);
    if (r.dtype > engine::DType::boolean || r.elements < 0 || r.not_finite < 0 || r.not_finite > r.elements)
      return impossible("result of tensor {}: {} of {} elements are not finite", r.tensor, r.not_finite, r.elements);
    const auto width = static_cast<size_t>(engine::size_bytes(r.dtype));
    if (r.kept.size() % width != 0 || r.kept.size() / width > static_cast<uint64_t>(r.elements))
      return impossible("result of tensor {}: {} bytes are kept of {} elements", r.tensor, r.kept.size(), r.elements);
    if (r.tensor == kNoTensor) continue;
    const TensorRecord& tensor = c.tensors()[r.tensor];
    if (tensor.dtype != r.dtype || engine::element_count(tensor.shape) != r.elements)
      return impossible("result of tensor {}: its data type or its {} elements are not the tensor's", r.tensor,
                        r.elements);
  }
  return {};
}

}  // namespace

Result<void> check_observations(const Capture& c) {
  const auto named = [&c](NameId id) { return id < c.names().size(); };
  for (const CounterSeries& series : c.counters()) {
    if (!named(series.name) || !named(series.group) || !named(series.unit)) {
      return refused_error("[capture] a counter has a name that does not exist");
    }
    if (series.time_ns.size() != series.value.size() ||
        std::any_of(series.value.begin(), series.value.end(), [](double v) { return !std::isfinite(v); })) {
      return refused_error(fmt::format("[capture] counter {}: {} instants and {} values, or one that is not finite",
                                       c.names()[series.name], series.time_ns.size(), series.value.size()));
    }
  }
  std::unordered_set<uint64_t> seen;
  for (const CollectiveRecord& r : c.collectives()) {
    if (!named(r.operation) || !named(r.element_type) || !named(r.group) || !named(r.ranks)) {
      return refused_error(fmt::format("[capture] collective {}: a name does not exist", r.correlation));
    }
    if (r.correlation == 0 || !seen.insert(r.correlation).second) {
      return refused_error(fmt::format("[capture] collective {}: its correlation is 0 or listed twice", r.correlation));
    }
    if (r.in_elements < -1 || r.out_elements < -1 || r.in_bytes < -1 || r.out_bytes < -1 || r.group_size < -1) {
      return refused_error(fmt::format("[capture] collective {}: a negative figure", r.correlation));
    }
  }
  return check_results(c);
}

Result<void> check_fusion(const Capture& c) {
  const FusionRecords& fusion = c.fusion();
  const auto named = [&c](NameId id) { return id < c.names().size(); };
  for (const FusedMemberRecord& m : fusion.members) {
    if (m.op >= c.ops().size() || !named(m.name) || !named(m.type) || !std::isfinite(m.flops) || m.flops < 0) {
      return refused_error(
          fmt::format("[capture] a member of fused op {}: the op, a name or its FLOPs are impossible", m.op));
    }
  }
  if (!std::ranges::is_sorted(fusion.members, {}, &FusedMemberRecord::op)) {
    return refused_error("[capture] the members of fused ops are not in the order of their ops");
  }
  for (const FusionPairRecord& p : fusion.pairs) {
    if (p.producer_op >= c.ops().size() || p.consumer_op >= c.ops().size() || p.tensor >= c.tensors().size() ||
        !named(p.producer) || !named(p.consumer) || p.written_bytes < 0 || p.read_bytes < 0) {
      return refused_error(fmt::format(
          "[capture] a pair of ops {} and {} on tensor {}: one of them does not exist, or bytes are negative",
          p.producer_op, p.consumer_op, p.tensor));
    }
    if ((p.outcome == engine::FusionOutcome::fused) != (p.producer_op == p.consumer_op)) {
      return refused_error(fmt::format("[capture] a pair of ops {} and {} is {}: only fused pairs are inside one op",
                                       p.producer_op, p.consumer_op, name(p.outcome)));
    }
    if (p.outcome == engine::FusionOutcome::fused &&
        !std::ranges::binary_search(fusion.members, p.consumer_op, {}, &FusedMemberRecord::op)) {
      return refused_error(
          fmt::format("[capture] a pair is inside op {}, which has no members and is not fused", p.consumer_op));
    }
  }
  return {};
}

}  // namespace profiler
