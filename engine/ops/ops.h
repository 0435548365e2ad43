// SPDX-License-Identifier: Apache-2.0
// One building function per op: what graph-building code calls. Each appends nodes and returns their values.
// Image tensors are logically [N,C,H,W]; their strides say how they lie in memory (channels last on the CPU).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/graph/builder.h"

namespace engine {

/// Every op, one line each in catalog.cpp; tests walk it.
std::span<const Op* const> op_catalog();
const Op* find_op(std::string_view name);
/// The kind of the attribute `key`, which is the same in all ops that take it; nothing: no op does.
std::optional<AttributeKind> attribute_kind(std::string_view key);

namespace ops {

// ---- movement (views copy nothing; `contiguous` is the visible copy)
// -----------------------------------------------------
/// A view where the strides allow it; otherwise inserts a `contiguous` node (a visible copy) before the view. One
/// extent may be -1.
ValueId reshape(GraphBuilder&, ValueId x, Shape shape);
/// [N, C, H, W] -> [N, C*H*W] from `axis` on (row-major logical order; copies visibly where the layout demands it).
ValueId flatten(GraphBuilder&, ValueId x, int64_t axis = 1);
ValueId permute(GraphBuilder&, ValueId x, std::vector<int64_t> axes);
ValueId transpose(GraphBuilder&, ValueId x, int64_t axis_a, int64_t axis_b);
ValueId slice(GraphBuilder&, ValueId x, int64_t axis, int64_t start, int64_t end, int64_t step = 1);
ValueId expand(GraphBuilder&, ValueId x, Shape shape);
ValueId squeeze(GraphBuilder&, ValueId x, int64_t axis);
ValueId unsqueeze(GraphBuilder&, ValueId x, int64_t axis);
/// Row-major copy; x itself when it is row-major already.
ValueId contiguous(GraphBuilder&, ValueId x);

// ---- elementwise
// ---------------------------------------------------------------------------------------------------------
/// Broadcasting (numpy). Types must have the same dtype.
ValueId add(GraphBuilder&, ValueId a, ValueId b);
ValueId subtract(GraphBuilder&, ValueId a, ValueId b);
ValueId multiply(GraphBuilder&, ValueId a, ValueId b);
/// y = scale * x + shift, constants.
ValueId scale(GraphBuilder&, ValueId x, double factor, double shift = 0);
ValueId copy(GraphBuilder&, ValueId x);                                  ///< y = x (STREAM copy)
ValueId scaled_add(GraphBuilder&, ValueId a, ValueId b, double factor);  ///< a + factor * b (STREAM triad)
ValueId relu(GraphBuilder&, ValueId x);
ValueId sigmoid(GraphBuilder&, ValueId x);

// ---- matrix products
// -----------------------------------------------------------------------------------------------------
/// c[..., m, n] = sum_k a[..., m, k] b[..., k, n]; rank 2 (batched: leading axes broadcast). Any strides (transposed
/// views are free).
ValueId matmul(GraphBuilder&, ValueId a, ValueId b);
/// The same by a vendor's library (matmul {library = 1}), even where the CPU's own loops are faster: there to be
/// compared with.
ValueId library_matmul(GraphBuilder&, ValueId a, ValueId b);
/// y[b, o] = sum_i x[b, i] weight[o, i] + bias[o]; bias may be kNoValue. The forward op is one node ("linear").
ValueId linear(GraphBuilder&, ValueId x, ValueId weight, ValueId bias);

// ---- convolution and pooling
// ---------------------------------------------------------------------------------------------
struct Conv2dOptions {
  std::array<int64_t, 2> stride{1, 1};
  std::array<int64_t, 4> padding{0, 0, 0, 0};  ///< top, left, bottom, right
  std::array<int64_t, 2> dilation{1, 1};
  int64_t groups = 1;
};
/// x [N,C,H,W], weight [O, C/groups, KH, KW], bias [O] or kNoValue -> [N,O,OH,OW], channels last.
ValueId conv2d(GraphBuilder&, ValueId x, ValueId weight, ValueId bias, const Conv2dOptions& = {});
struct Pool2dOptions {
  std::array<int64_t, 2> kernel{2, 2}, stride{2, 2};
  std::array<int64_t, 4> padding{0, 0, 0, 0};
  bool count_include_pad = false;  ///< average pooling only
  bool ceil_mode = false;
};
ValueId max_pool2d(GraphBuilder&, ValueId x, const Pool2dOptions&);
ValueId average_pool2d(GraphBuilder&, ValueId x, const Pool2dOptions&);
/// [N,C,H,W] -> [N,C,1,1].
ValueId global_average_pool(GraphBuilder&, ValueId x);

// ---- normalisation
// -------------------------------------------------------------------------------------------------------
struct BatchNormOptions {
  double epsilon = 1e-5;
  double momentum = 0.1;  ///< running = (1 - momentum) * running + momentum * batch statistic
};
/// Training: normalises with the batch's statistics over N,H,W; appends the in-place update of the running statistics
/// (states, may be kNoValue: not tracked), whose variance is the unbiased one, as in PyTorch. scale, bias [C].
ValueId batch_norm_training(GraphBuilder&, ValueId x, ValueId scale, ValueId bias, ValueId running_mean,
                            ValueId running_variance, const BatchNormOptions& = {});
ValueId batch_norm_inference(GraphBuilder&, ValueId x, ValueId scale, ValueId bias, ValueId mean, ValueId variance,
                             double epsilon);

// ---- reductions, softmax, loss
// -------------------------------------------------------------------------------------------
/// Over `axes` (-1 is the last); none named: over all.
ValueId sum(GraphBuilder&, ValueId x, std::vector<int64_t> axes, bool keep_axes = false);
ValueId softmax(GraphBuilder&, ValueId x, int64_t axis);
/// logits [B, classes], labels i64 or i32 [B] -> mean loss, a scalar (f32, or f64 for f64 logits); NaN when a label is
/// no class.
ValueId softmax_cross_entropy(GraphBuilder&, ValueId logits, ValueId labels);

// ---- optimisers (in place, no gradient)
// ----------------------------------------------------------------------------------
/// m = momentum * m + g + weight_decay * w;  w = w - rate * m.  `momentum_buffer` kNoValue: plain SGD. `nesterov`:
/// looks ahead by momentum * m. Others: optimizers.h.
void sgd_update(GraphBuilder&, ValueId weight, ValueId gradient, ValueId momentum_buffer, double rate, double momentum,
                double weight_decay, bool nesterov = false);

}  // namespace ops
}  // namespace engine
