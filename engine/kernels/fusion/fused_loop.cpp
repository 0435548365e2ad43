// SPDX-License-Identifier: Apache-2.0
// Steps of a fused loop: where their operands are, which buffer takes their result, and the walk over tiles.
#include "engine/kernels/fusion/fused_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "engine/base/check.h"
#include "engine/kernels/core/copy.h"
#include "engine/kernels/core/vector_unit.h"

namespace engine::cpu {
namespace {

/// Tiles that go past the caches: short, so that reading the next one and the stores in flight keep pace with each
/// other. Measured on Zen 5 with relu(a x + b): 512 to 1024 elements take 0.9 of the time that 2048 do, 4096 take 1.2
/// of it.
constexpr int64_t kStreamedTile = 768;
/// Where operands lie as they are computed on: as long as three of them fit into half a first-level cache.
constexpr int64_t kLongTile = 2048;
/// Shorter rows go through the members several at a time.
constexpr int64_t kShortRow = 128;
constexpr int64_t kMostTile = std::max({kStreamedTile, kLongTile, 2 * kChunk});

}  // namespace

std::optional<FusedLoop> FusedLoop::make(const FusedProgram& program, size_t first, const std::vector<Tensor>& inputs,
                                         const std::vector<Tensor>& made, const Tensor& result, int threads) {
  FusedLoop loop;
  loop.threads_ = threads;
  std::vector<TensorType> input_types, operand_types_of_loop{result.type()};
  for (const Tensor& input : inputs) input_types.push_back(input.type());
  const std::vector<TensorType> values = value_types(program, input_types);
  std::vector<Tensor> operands{result};
  std::vector<ChainOperand> input_sources(inputs.size()), value_sources(values.size());
  std::vector<bool> placed(inputs.size(), false);
  const auto place = [&](const Tensor& tensor) {
    operands.push_back(tensor);
    operand_types_of_loop.push_back(tensor.type());
    return ChainOperand{.between = false, .index = static_cast<int>(operands.size()) - 1};
  };
  int number = 0;
  for (size_t i = 0; i < first; ++i) number += static_cast<int>(program.members[i].outputs.size());
  for (size_t i = first; i < program.members.size(); ++i) {
    for (const int operand : program.members[i].operands) {
      const size_t index = static_cast<size_t>(operand >= 0 ? operand : ~operand);
      if (operand >= 0 && !placed[index]) {
        input_sources[index] = place(inputs[index]);
        placed[index] = true;
      } else if (operand < 0 && index < static_cast<size_t>(number) && index < made.size() &&
                 value_sources[index].index == 0) {
        value_sources[index] = place(made[index]);
      }
      if (operands.size() > static_cast<size_t>(kMaxFusedOperands)) return std::nullopt;
    }
  }
  for (const TensorType& type : operand_types_of_loop) {
    if (type.rank() > result.type().rank()) return std::nullopt;
  }
  loop.loops_ = make_loops_of<kMaxFusedOperands>(result.shape(), operand_types_of_loop, 0);
  for (int k = 0; k < loop.loops_.operands; ++k) {
    const DType dtype = operands[static_cast<size_t>(k)].dtype();
    loop.passages_.push_back(
        {dtype, compute_dtype(dtype), loop.loops_.inner_stride[k], k > 0 && loop.loops_.inner_stride[k] == 0});
    loop.base_[static_cast<size_t>(k)] = operands[static_cast<size_t>(k)].data();
  }
  if (has_short_rows(loop.loops_, kShortRow)) loop.join_rows();
  for (size_t i = first; i < program.members.size(); ++i) {
    if (!loop.add_member(program.members[i], number, values, input_sources, value_sources)) return std::nullopt;
    number += static_cast<int>(program.members[i].outputs.size());
  }
  const bool direct = std::ranges::all_of(loop.passages_, [](const Passage& p) { return p.direct(); });
  const bool in_place =
      std::ranges::any_of(made, [&](const Tensor& t) { return t.defined() && t.data() == result.data(); });
  if (direct && !in_place && loop.loops_.rows() == 1 &&
      result.type().elements() * size_bytes(result.dtype()) >= kStreamingFromBytes) {
    loop.stream_ = find_row_function("copy", result.dtype(), true);
    if (loop.stream_ != nullptr) loop.tile_ = kStreamedTile;
    // Where the last op has such a loop of its own, its results need no copy.
    const RowFunction own = find_row_function(program.members.back().op->name, result.dtype(), true);
    loop.streams_itself_ = loop.stream_ != nullptr && own != nullptr;
    if (loop.streams_itself_) loop.steps_.back().function = own;
  }
  if (direct && loop.stream_ == nullptr) loop.tile_ = loop.loops_.operands <= 4 ? kLongTile : 2 * kChunk;
  loop.assign_slots();
  if (direct) loop.make_chain();
  Result<std::shared_ptr<Storage>> scratch = Storage::allocate_host(loop.scratch_bytes_ * std::max(1, threads));
  if (!scratch) throw std::bad_alloc();
  loop.scratch_ = *std::move(scratch);
  return loop;
}

/// `number`: of the member's output among the values. False: it has no inner loop.
bool FusedLoop::add_member(const FusedMember& member, int number, std::span<const TensorType> values,
                           const std::vector<ChainOperand>& inputs, std::vector<ChainOperand>& sources_of_values) {
  if (member.outputs.size() != 1) return false;
  const auto dtype_of = [&](const ChainOperand& s) {
    return s.between ? steps_[static_cast<size_t>(s.index)].computed : passages_[static_cast<size_t>(s.index)].computed;
  };
  Step step;
  step.op = member.op->name;
  for (const int operand : member.operands)
    step.sources.push_back(operand >= 0 ? inputs[static_cast<size_t>(operand)]
                                        : sources_of_values[static_cast<size_t>(~operand)]);
  step.dtype = values[static_cast<size_t>(number)].dtype;
  step.computed = compute_dtype(step.dtype);
  const DType given = dtype_of(step.sources.back());
  if (member.op->name == "cast") {
    step.from = given;
  } else {
    step.function = find_elementwise_row(member.op->name, given);
    if (step.function == nullptr || step.sources.size() > std::size(RowArguments{}.in)) return false;
    step.constants = elementwise_constants(*member.op, member.attributes);
  }
  sources_of_values[static_cast<size_t>(number)] = {.between = true, .index = static_cast<int>(steps_.size())};
  steps_.push_back(std::move(step));
  return true;
}

/// A value lives from the step that makes it to the last that reads it; an output may take the place of an operand that
/// ends there, for the inner loops read before they write. After the values: a buffer for rounding, one for each
/// operand that is gathered or converted.
void FusedLoop::assign_slots() {
  std::vector<size_t> last(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    last[i] = i;
    for (const ChainOperand& s : steps_[i].sources) {
      if (s.between) last[static_cast<size_t>(s.index)] = i;
    }
  }
  std::vector<int> free;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const bool same_size = std::ranges::all_of(steps_[i].sources, [&](const ChainOperand& s) {
      return !s.between || size_bytes(steps_[static_cast<size_t>(s.index)].computed) == size_bytes(steps_[i].computed);
    });
    const auto release = [&] {
      for (size_t k = 0; k < i; ++k) {
        if (last[k] != i) continue;
        free.push_back(steps_[k].slot);
        last[k] = steps_.size();  // once
      }
    };
    if (same_size) release();
    if (free.empty()) free.push_back(slots_++);
    steps_[i].slot = free.back();
    free.pop_back();
    release();
  }
  first_input_slot_ = slots_ + 1;
  first_apart_slot_ = first_input_slot_ + loops_.operands;
  scratch_bytes_ = (first_apart_slot_ + (by_blocks_ ? loops_.operands : 0)) * tile_ * 8;
}

/// From here on an operand's stretch lies side by side, in memory or where it was gathered, or is one element for all.
void FusedLoop::join_rows() {
  by_blocks_ = true;
  for (int k = 0; k < loops_.operands; ++k) {
    Passage& passage = passages_[static_cast<size_t>(k)];
    lies_.push_back(lies(loops_, k, passage.bytes()));
    nests_.push_back(NestOperand::of(loops_, k, passage.bytes()));
    passage.single = k > 0 && lies_.back() == Lies::single;
    passage.stride = passage.single ? 0 : passage.bytes();
  }
}

/// Behind assign_slots(), whose buffers the rest of a stretch, less than a block, goes through.
void FusedLoop::make_chain() {
  const DType dtype = passages_[0].dtype;
  std::vector<ChainMember> members;
  for (const Step& step : steps_) {
    if (step.function == nullptr || step.dtype != dtype || step.computed != dtype) return;
    members.push_back({step.op, step.constants, step.sources});
  }
  std::vector<bool> repeated;
  for (const Passage& passage : passages_) {
    if (passage.dtype != dtype) return;
    repeated.push_back(passage.single);
  }
  chain_ = RegisterChain::make(members, repeated, dtype, loops_.rows() * loops_.inner, stream_ != nullptr);
  if (chain_ && (by_blocks_ ? tile_ / loops_.inner : 1) * loops_.inner < chain_->block()) chain_.reset();
  if (!chain_) return;
  kept_at_ = scratch_bytes_;
  scratch_bytes_ += chain_->kept_bytes();
}

void FusedLoop::run_step(const Step& step, const std::byte* const* operands, int64_t count, bool goes_on,
                         std::byte* scratch, std::byte* out) const {
  std::byte* const narrow = slot(scratch, slots_);
  if (step.function != nullptr) {
    RowArguments row{.count = count, .constants = step.constants.data(), .goes_on = goes_on};
    row.out[0] = out;
    for (size_t k = 0; k < step.sources.size(); ++k) {
      const ChainOperand& s = step.sources[k];
      row.in[k] = s.between ? slot(scratch, steps_[static_cast<size_t>(s.index)].slot) : operands[s.index];
      if (!s.between && passages_[static_cast<size_t>(s.index)].single) row.repeated |= 1u << k;
    }
    step.function(row);
    if (step.dtype != step.computed) convert_elements(step.computed, out, step.dtype, narrow, count);
  } else {
    const ChainOperand& s = step.sources[0];
    const bool single = !s.between && passages_[static_cast<size_t>(s.index)].single;
    const std::byte* from = s.between ? slot(scratch, steps_[static_cast<size_t>(s.index)].slot) : operands[s.index];
    std::byte* const to = step.dtype != step.computed ? narrow : out;
    if (!single && step.from == step.dtype) {
      std::memmove(to, from, static_cast<size_t>(count * size_bytes(step.dtype)));
    } else {
      // Not onto itself: the elements may grow.
      alignas(64) std::byte converted[kMostTile * 8];
      convert_elements(step.from, from, step.dtype, converted, single ? 1 : count);
      const int64_t bytes = size_bytes(step.dtype);
      copy_row(converted, single ? 0 : bytes, to, bytes, count, bytes);
    }
  }
  if (step.dtype != step.computed) convert_elements(step.dtype, narrow, step.computed, out, count);
}

/// One of `parts` of the lines that long operands have in [from, from + count): the processor's own prefetchers see the
/// gaps in which a tile is computed as the end of the stream.
void FusedLoop::prefetch(const AddressesOf<kMaxFusedOperands>& at, int64_t from, int64_t count, size_t part,
                         size_t parts) const {
  constexpr int64_t kLine = 64;
  for (int k = 1; k < loops_.operands; ++k) {
    const Passage& passage = passages_[static_cast<size_t>(k)];
    if (passage.single || passage.stride != passage.bytes()) continue;
    const int64_t bytes = count * passage.stride, share = (bytes / static_cast<int64_t>(parts) + kLine) / kLine * kLine;
    const std::byte* const first = at[static_cast<size_t>(k)] + from * passage.stride;
    const int64_t begin = static_cast<int64_t>(part) * share, end = std::min(bytes, begin + share);
    for (int64_t offset = begin; offset < end; offset += kLine) __builtin_prefetch(first + offset);
  }
}

void FusedLoop::run_tile(const AddressesOf<kMaxFusedOperands>& at, int64_t from, int64_t count, int64_t ahead,
                         std::byte* scratch) const {
  const std::byte* operands[kMaxFusedOperands];
  for (int k = 1; k < loops_.operands; ++k) {
    const Passage& passage = passages_[static_cast<size_t>(k)];
    operands[k] =
        passage.read(at[static_cast<size_t>(k)] + from * passage.stride, count, slot(scratch, first_input_slot_ + k));
  }
  const Passage& result = passages_[0];
  std::byte* const target = at[0] + from * result.stride;
  const bool through_buffer = (stream_ != nullptr && !streams_itself_) || !result.direct();
  for (const Step& step : steps_) {
    const bool last = &step == &steps_.back();
    if (ahead > 0) prefetch(at, from + count, ahead, static_cast<size_t>(&step - steps_.data()), steps_.size());
    run_step(step, operands, count, ahead > 0, scratch, last && !through_buffer ? target : slot(scratch, step.slot));
  }
  if (!through_buffer) return;
  std::byte* const computed = slot(scratch, steps_.back().slot);
  if (stream_ == nullptr) return result.write(computed, count, target);
  RowArguments row{.count = count, .goes_on = ahead > 0};
  row.in[0] = computed;
  row.out[0] = target;
  stream_(row);
}

void FusedLoop::run_stretch(const AddressesOf<kMaxFusedOperands>& at, int64_t count, std::byte* scratch) const {
  int64_t from = 0;
  if (chain_ && count >= chain_->block()) {
    const int64_t bytes = passages_[0].bytes(), vector = chain_->vector_bytes();
    const int64_t beyond =
        stream_ != nullptr ? static_cast<int64_t>(reinterpret_cast<uintptr_t>(at[0]) % static_cast<uintptr_t>(vector))
                           : 0;
    if (beyond % bytes == 0) {
      const int64_t head = beyond > 0 ? (vector - beyond) / bytes : 0;  // up to the first whole vector
      if (head > 0) run_tile(at, 0, head, 0, scratch);
      from = head + chain_->in_blocks(count - head);
      const std::byte* operands[kMaxFusedOperands];
      for (int k = 0; k < loops_.operands; ++k)
        operands[k] = at[static_cast<size_t>(k)] + head * passages_[static_cast<size_t>(k)].stride;
      chain_->run(operands, from - head, scratch + kept_at_);
    }
  }
  for (; from < count; from += tile_) {
    const int64_t own = std::min(tile_, count - from),
                  ahead = stream_ != nullptr ? std::min(tile_, count - from - own) : 0;
    run_tile(at, from, own, ahead, scratch);
  }
}

void FusedLoop::run_blocks(int64_t first, int64_t count, std::byte* scratch) const {
  const int64_t block = tile_ / loops_.inner * loops_.inner;
  for (int64_t end = first + count, part = 0; first < end; first += part) {
    part = std::min(end - first, block);
    AddressesOf<kMaxFusedOperands> at = base_;
    for (int k = 0; k < loops_.operands; ++k) {
      const auto number = static_cast<size_t>(k);
      if (lies_[number] == Lies::together) at[number] += first * passages_[number].bytes();
      if (lies_[number] != Lies::apart) continue;
      at[number] = slot(scratch, first_apart_slot_ + k);
      if (k > 0) nests_[number].gather(base_[number], first, part, at[number]);
    }
    run_stretch(at, part, scratch);
    if (lies_[0] == Lies::apart) nests_[0].scatter(at[0], first, part, base_[0]);
  }
}

void FusedLoop::run() const {
  if (by_blocks_) {
    const int64_t elements = loops_.rows() * loops_.inner, block = tile_ / loops_.inner * loops_.inner;
    return parallel_parts(threads_, (elements + block - 1) / block, 1, elements, [&](int64_t begin, int64_t end) {
      run_blocks(begin * block, std::min(elements, end * block) - begin * block,
                 scratch_->data() + team_member() * scratch_bytes_);
    });
  }
  run_loops(loops_, base_, threads_, [this](const AddressesOf<kMaxFusedOperands>& at, int64_t count) {
    run_stretch(at, count, scratch_->data() + team_member() * scratch_bytes_);
  });
}

void FusedLoop::run_range(int64_t first, int64_t count) const {
  std::byte* const scratch = scratch_->data() + team_member() * scratch_bytes_;
  if (by_blocks_) return run_blocks(first, count, scratch);
  while (count > 0) {
    const int64_t offset = first % loops_.inner, part = std::min(count, loops_.inner - offset);
    AddressesOf<kMaxFusedOperands> at = loops_.row(base_, first / loops_.inner);
    for (int k = 0; k < loops_.operands; ++k)
      at[static_cast<size_t>(k)] += offset * loops_.inner_stride[static_cast<size_t>(k)];
    run_stretch(at, part, scratch);
    first += part;
    count -= part;
  }
}

std::string FusedLoop::description() const {
  return fmt::format("{}, {} op{} on {} elements at a time{}{}", vector_unit(), steps_.size(),
                     steps_.size() == 1 ? "" : "s", chain_ ? chain_->block() : tile_, chain_ ? " in registers" : "",
                     stream_ != nullptr ? ", non-temporal stores" : "");
}

}  // namespace engine::cpu
