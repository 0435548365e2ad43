// SPDX-License-Identifier: Apache-2.0
// FusedLoop: the elementwise members of a fused op, computed tile by tile; what lies between them stays in the first
// cache level.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/fused.h"
#include "engine/kernels/core/loop_nest.h"
#include "engine/kernels/core/row_blocks.h"
#include "engine/kernels/elementwise/elementwise_rows.h"
#include "engine/kernels/fusion/register_chain.h"
#include "engine/tensor/tensor.h"

namespace engine::cpu {

/// Where every member has a step on registers and all are of one dtype, a RegisterChain. Else each tile of some
/// elements goes through all members before the next one begins, by the inner loops that compute the members alone.
/// Both ways the results are those of the members alone bit for bit: values between members are rounded to their dtype,
/// as if they had been stored.
class FusedLoop {
 public:
  /// The members of `program` from `first` on. `inputs` are those of the fused op, `made` the values of the members
  /// before `first` (undefined ones are not read), `result` takes the last member's output and may be one of `made`.
  /// Nothing where a member has no inner loop or the operands are too many.
  static std::optional<FusedLoop> make(const FusedProgram& program, size_t first, const std::vector<Tensor>& inputs,
                                       const std::vector<Tensor>& made, const Tensor& result, int threads);
  void run() const;
  /// Elements [first, first + count) of the result as it lies in memory (it is dense), on the calling thread of a team
  /// of run()'s.
  void run_range(int64_t first, int64_t count) const;
  /// "AVX2, 3 ops on 512 elements at a time"
  std::string description() const;
  /// Whether its stores go past the caches.
  bool streams() const { return stream_ != nullptr; }

 private:
  struct Step {
    std::string_view op;
    RowFunction function = nullptr;  ///< null: a cast
    std::vector<double> constants;
    std::vector<ChainOperand> sources;
    int slot = 0;                  ///< buffer of its output
    DType from = DType::float32;   ///< cast: computed dtype of its operand
    DType dtype = DType::float32;  ///< of its output, and what it is computed in
    DType computed = DType::float32;
  };

  bool add_member(const FusedMember& member, int number, std::span<const TensorType> values,
                  const std::vector<ChainOperand>& inputs, std::vector<ChainOperand>& sources_of_values);
  void assign_slots();
  void make_chain();
  void join_rows();
  /// Elements [first, first + count) of the result, several rows at a time.
  void run_blocks(int64_t first, int64_t count, std::byte* scratch) const;
  void run_stretch(const AddressesOf<kMaxFusedOperands>& at, int64_t count, std::byte* scratch) const;
  /// `ahead`: elements of the tile behind it, whose operands are asked for meanwhile.
  void run_tile(const AddressesOf<kMaxFusedOperands>& at, int64_t from, int64_t count, int64_t ahead,
                std::byte* scratch) const;
  void prefetch(const AddressesOf<kMaxFusedOperands>& at, int64_t from, int64_t count, size_t part, size_t parts) const;
  void run_step(const Step& step, const std::byte* const* operands, int64_t count, bool goes_on, std::byte* scratch,
                std::byte* out) const;
  std::byte* slot(std::byte* scratch, int number) const { return scratch + static_cast<int64_t>(number) * tile_ * 8; }

  FusedLoopNest loops_;  ///< operand 0 is the result
  std::vector<Passage> passages_;
  bool by_blocks_ = false;  ///< rows are short: several are computed on at once, as one stretch
  std::vector<Lies> lies_;  ///< by blocks: of each operand
  std::vector<NestOperand> nests_;
  AddressesOf<kMaxFusedOperands> base_{};
  std::vector<Step> steps_;
  int threads_ = 1, slots_ = 0, first_input_slot_ = 0, first_apart_slot_ = 0;
  int64_t tile_ = kChunk;
  std::optional<RegisterChain> chain_;
  RowFunction stream_ = nullptr;      ///< takes finished tiles past the caches
  bool streams_itself_ = false;       ///< the last op does
  std::shared_ptr<Storage> scratch_;  ///< one part per thread
  int64_t scratch_bytes_ = 0;         ///< of one thread: slots, then what the chain keeps
  int64_t kept_at_ = 0;               ///< where in the scratch that is
};

}  // namespace engine::cpu
