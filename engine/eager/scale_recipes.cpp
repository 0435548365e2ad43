// SPDX-License-Identifier: Apache-2.0
// ScaleRecipes: a small table by hash, in front of the runner's.
#include "engine/eager/scale_recipes.h"

#include <bit>

#include "engine/ops/op_list.h"

namespace engine::eager {

Recipe* ScaleRecipes::find(const TypeInfo* type, double factor, double shift) {
  const uint64_t bits = std::bit_cast<uint64_t>(factor) ^ (std::bit_cast<uint64_t>(shift) >> 1) ^
                        (reinterpret_cast<uintptr_t>(type) >> 4);
  Known& known = known_[bits * 0x9E3779B97F4A7C15u >> 58];  // the 6 bits that Fibonacci hashing mixes best
  const bool same = known.type == type && std::bit_cast<uint64_t>(known.factor) == std::bit_cast<uint64_t>(factor) &&
                    std::bit_cast<uint64_t>(known.shift) == std::bit_cast<uint64_t>(shift);
  if (same && known.generation == runner_.generation()) return known.recipe;
  const Attributes attributes{{"factor", factor}, {"shift", shift}};
  Recipe* recipe = runner_.find(ops::kScale, {&type, 1}, attributes);
  if (recipe == nullptr) {
    Result<Recipe*> made = runner_.make(ops::kScale, {&type, 1}, attributes);
    if (!made) {
      refusal_ = made.error();
      return nullptr;
    }
    recipe = *made;
  }
  known = {type, factor, shift, runner_.generation(), recipe};
  return recipe;
}

}  // namespace engine::eager
