// SPDX-License-Identifier: Apache-2.0
// Compulsory traffic and work, the parts most ops share.
#pragma once

#include "engine/graph/op.h"

namespace engine::ops {

/// Reads every distinct byte of all inputs, writes every byte of all outputs. Nothing is read for outputs without
/// elements.
Cost full_cost(const Call&, double flops);
/// full_cost with `flops_per_element` for each element of output 0.
Cost elementwise_cost(const Call&, double flops_per_element);
/// Views and the like: nothing computed, nothing moved.
Cost no_cost(const Call&);

}  // namespace engine::ops
