// SPDX-License-Identifier: Apache-2.0
// Quantised products out of what stands for them: their operands dequantised, a product in f32, its result quantised
// again (QDQ), as frameworks export quantised models.
#pragma once

#include <optional>

#include "engine/graph/graph.h"

namespace engine {

/// The graph with qlinear_conv and qlinear_matmul in place of such nodes; nothing where there are none. Folded are
/// convolutions of 2 axes and products of matrices with u8 or i8 operands, one scale for x and y, and one per output
/// channel for weights; a bias that is dequantised from i32 by constant scales equal to those of x and w; and a relu
/// before a result whose zero point, a constant, is its least number, which cuts the same off. Sums are exact then,
/// where f32 rounds: a result may differ by one quantum where the f32 product lies next to the middle between two.
/// Value ids stay; what nobody reads any longer has no bytes. Pure.
std::optional<Graph> fold_quantized(const Graph&);

}  // namespace engine
