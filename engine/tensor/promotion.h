// SPDX-License-Identifier: Apache-2.0
// Which dtype two operands are computed in where one of them is 0-d.
#pragma once

#include <optional>

#include "engine/tensor/dtype.h"

namespace engine {

/// As PyTorch promotes (torch.result_type): a 0-d operand takes part only where its kind (bool, integer, float) is
/// higher than that of the other one. Two 0-d operands, like two of one kind there, give the wider dtype; bf16 and f16
/// give f32. Nothing where both have axes and differ, and for u8 with i8, which need a 16-bit integer.
std::optional<DType> promoted(DType a, bool a_is_0d, DType b, bool b_is_0d);

}  // namespace engine
