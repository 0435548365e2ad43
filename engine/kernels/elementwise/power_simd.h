// SPDX-License-Identifier: Apache-2.0
// Powers of f32, compiled for every vector unit and chosen at run time (Highway).
#pragma once

#include <cstdint>

namespace engine::cpu {

/// y[i] = a[i]^b[i], or a[i]^b[0] where `one_exponent`: exp(b log a) in doubles, rounded once, so within 0.51 units in
/// the last place; what a logarithm does not take (zero, negative numbers, what is no finite number) goes to the C
/// library's pow. An element's result does not depend on where it stands.
using PowerRow = void (*)(const float* a, const float* b, bool one_exponent, int64_t count, float* y);

/// Null where the vector unit has no doubles.
PowerRow power_row();

}  // namespace engine::cpu
