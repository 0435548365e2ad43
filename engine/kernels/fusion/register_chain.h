// SPDX-License-Identifier: Apache-2.0
// RegisterChain: elementwise members computed one behind the other on values that stay in vector registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/tensor/dtype.h"

namespace engine::cpu {

/// A step function of one vector unit, whose own type only chain_simd.cpp knows.
using ChainFunction = void (*)();

/// One step of a block of eight vectors: what is done with them before the next step takes them.
struct ChainStep {
  ChainFunction function = nullptr;
  int operand = 0;        ///< what else it reads, or where it stores, among the addresses
  bool repeated = false;  ///< one element for all
  bool moves = true;      ///< the operand goes on with the blocks; one element, or a kept value, does not
  bool ahead = false;     ///< the next block's part of the operand is asked for: the caches do not hold it
  double constants[2] = {};
  float constants_f32[2] = {};
};

/// Sends elements [0, count) through the steps, block by block, from the first to the one that stores.
using ChainBlocks = void (*)(const ChainStep* steps, const std::byte* const* addresses, int64_t count);

/// What chains in a dtype are made of.
struct ChainFunctions {
  ChainFunction load = nullptr, keep = nullptr, store = nullptr;
  ChainBlocks blocks = nullptr;
  int64_t vector = 0;  ///< elements of a vector
  int64_t block = 0;   ///< elements of a block
};
/// Null functions for a dtype that this vector unit does not compute in. `streaming`: stores go past the caches.
ChainFunctions chain_functions(DType, bool streaming);
/// The step of an op; null: there is none. `second`: the vectors are its second operand, and the first one comes from
/// memory.
ChainFunction find_chain_step(std::string_view op, DType, bool second);

/// Where a member's operand is: operand `index` in memory, or the value of member `index` before it.
struct ChainOperand {
  bool between = false;
  int index = 0;
};

struct ChainMember {
  std::string_view op;
  std::span<const double> constants;
  std::span<const ChainOperand> operands;
};

/// Tiles that go through the members in memory, be it the first cache level, wait for operands first and compute then.
/// In a chain the loads of the next blocks are under way while this one is computed, and nothing between two members is
/// stored: only values that a later member reads again are, in a buffer of one block each.
class RegisterChain {
 public:
  /// Nothing where a member has no step: another op than the common ones, or another dtype than f32 and f64.
  /// `repeated[k]`: operand k is one element for all. Operand 0 is the result. `elements` of it tell whether the caches
  /// hold the operands.
  static std::optional<RegisterChain> make(std::span<const ChainMember> members, const std::vector<bool>& repeated,
                                           DType dtype, int64_t elements, bool streaming);

  /// Elements of a block, a power of two: what run() takes multiples of.
  int64_t block() const { return functions_.block; }
  /// Of `count` elements those in whole blocks.
  int64_t in_blocks(int64_t count) const { return count & -functions_.block; }
  /// What the result has to be aligned to if its stores go past the caches.
  int64_t vector_bytes() const { return functions_.vector * size_bytes(dtype_); }
  /// Bytes of the buffer for kept values.
  int64_t kept_bytes() const { return kept_ * block() * size_bytes(dtype_); }
  /// Elements [0, count) of the operands at `operands`, with a buffer of the calling thread for kept values.
  void run(const std::byte* const* operands, int64_t count, std::byte* kept) const;

 private:
  bool add_member(const ChainMember& member, int number, bool is_kept, const std::vector<bool>& repeated);
  /// A step's operand: where it is, and whether it goes on.
  void place(ChainStep& step, const ChainOperand& operand, const std::vector<bool>& repeated) const;

  ChainFunctions functions_;
  DType dtype_ = DType::float32;
  std::vector<ChainStep> steps_;
  std::vector<int> slot_of_;  ///< by member: the buffer that keeps its value; -1: it is in the registers alone
  int operands_ = 0, kept_ = 0;
  bool ahead_ = false;
};

}  // namespace engine::cpu
