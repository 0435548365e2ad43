// SPDX-License-Identifier: Apache-2.0
// ScaleRecipes: recipes of factor * x + shift. Their constants come as attributes, which take long to compare.
#pragma once

#include <array>
#include <cstdint>

#include "engine/eager/runner.h"

namespace engine::eager {

class ScaleRecipes {
 public:
  explicit ScaleRecipes(OpRunner& runner) : runner_(runner) {}
  /// Null: refused, see refusal().
  Recipe* find(const TypeInfo* type, double factor, double shift);
  const Error& refusal() const { return refusal_; }

 private:
  struct Known {
    const TypeInfo* type = nullptr;
    double factor = 0, shift = 0;
    uint64_t generation = 0;
    Recipe* recipe = nullptr;
  };
  OpRunner& runner_;
  std::array<Known, 64> known_;
  Error refusal_;
};

}  // namespace engine::eager
