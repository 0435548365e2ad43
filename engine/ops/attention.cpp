// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention and its gradient (A. Vaswani et al., NeurIPS 2017; the gradient from log_sum as in T.
// Dao et al., FlashAttention, NeurIPS 2022, appendix B).
#include "engine/ops/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"

namespace engine::ops {
namespace {

struct Problem {
  int64_t batch, heads, kv_heads, queries, keys, features, value_features;
  double scale;
  bool causal;

  /// Keys that query i may see, were there no mask.
  int64_t visible(int64_t i) const { return causal ? std::clamp<int64_t>(i + 1 + keys - queries, 0, keys) : keys; }
  /// Pairs of a query and a key it may see, over all heads.
  double pairs() const {
    const auto s = static_cast<double>(queries), t = static_cast<double>(keys);
    const double seen = !causal ? s * t : keys >= queries ? s * (t - s + 1) + s * (s - 1) / 2 : t * (t + 1) / 2;
    return static_cast<double>(batch) * static_cast<double>(heads) * seen;
  }
  Shape statistic() const { return {batch, heads, queries}; }
  Shape scores() const { return {batch, heads, queries, keys}; }
};

Problem problem_of(const Shape& q, const Shape& k, const Shape& v, const Attributes& attributes) {
  const double scale = attributes.get_double("scale", 0);
  return {.batch = q[0],
          .heads = q[1],
          .kv_heads = k[1],
          .queries = q[2],
          .keys = k[2],
          .features = q[3],
          .value_features = v[3],
          .scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(q[3])),
          .causal = attributes.get_int("causal", 0) != 0};
}

/// q, k, v at operands `first` to first + 2, perhaps a mask at `mask`.
bool check_operands(OperandCheck& check, std::span<const TensorType> inputs, size_t first, size_t mask) {
  const TensorType &q = inputs[first], &k = inputs[first + 1], &v = inputs[first + 2];
  if (!check.floating(first) || !check.same_dtype(first, first + 3)) return false;
  for (size_t i = first; i < first + 3; ++i) {
    if (!check.rank(i, 4)) return false;
  }
  if (!check.that(k.shape[0] == q.shape[0] && v.shape[0] == q.shape[0], "batches differ: q has {}, k has {}, v has {}",
                  q.shape[0], k.shape[0], v.shape[0]) ||
      !check.that(k.shape[1] == v.shape[1] && k.shape[2] == v.shape[2], "k {} and v {} differ in heads or keys",
                  to_string(k.shape), to_string(v.shape)) ||
      !check.that(k.shape[1] > 0 && q.shape[1] % k.shape[1] == 0, "{} heads of q do not divide among {} heads of k",
                  q.shape[1], k.shape[1]) ||
      !check.that(q.shape[3] == k.shape[3], "features differ: q has D = {}, k has D = {}", q.shape[3], k.shape[3]) ||
      !check.that(q.shape[3] > 0 && k.shape[2] > 0, "there must be features and keys: k is {}", to_string(k.shape)) ||
      !check.addressable("the result", DType::float64, {q.shape[0], q.shape[1], q.shape[2], v.shape[3]}) ||
      !check.addressable("the sums", DType::float64, {q.shape[0], q.shape[1], q.shape[2]})) {
    return false;
  }
  if (inputs.size() <= mask) return true;
  const TensorType& m = inputs[mask];
  const Shape scores{q.shape[0], q.shape[1], q.shape[2], k.shape[2]};
  const Result<Shape> both = broadcast_shapes(m.shape, scores);
  return check.that(m.dtype == DType::boolean || m.dtype == q.dtype, "mask is {}: must be bool or {}", name(m.dtype),
                    name(q.dtype)) &&
         check.that(both.ok() && *both == scores, "mask {} does not broadcast to the scores {}", to_string(m.shape),
                    to_string(scores));
}

TensorType lying_as(const Shape& shape, const TensorType& like) {
  return {like.dtype, shape, dense_strides_like(shape, like.strides)};
}
DType sum_dtype(DType dtype) { return dtype == DType::float64 ? DType::float64 : DType::float32; }

InferResult infer_forward(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("attention", inputs, {"q", "k", "v", "mask"}, 1);
  if (!check.operand_count() || !check_operands(check, inputs, 0, 3)) return check.error();
  const Problem p = problem_of(inputs[0].shape, inputs[1].shape, inputs[2].shape, attributes);
  return std::vector{lying_as({p.batch, p.heads, p.queries, p.value_features}, inputs[0]),
                     TensorType::contiguous(sum_dtype(inputs[0].dtype), p.statistic())};
}

InferResult infer_grad(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("attention_grad", inputs, {"dy", "q", "k", "v", "y", "log_sum", "mask"}, 1);
  if (!check.operand_count() || !check_operands(check, inputs, 1, 6)) return check.error();
  const Problem p = problem_of(inputs[1].shape, inputs[2].shape, inputs[3].shape, attributes);
  const DType dtype = inputs[1].dtype, sums = inputs[5].dtype;
  const Shape result{p.batch, p.heads, p.queries, p.value_features};
  if (!check.shape(0, result, "the shape of y") || !check.shape(4, result, "one row per query") ||
      !check.shape(5, p.statistic(), "one sum per query") ||
      !check.that(inputs[0].dtype == dtype && inputs[4].dtype == dtype && (sums == dtype || sums == DType::float32),
                  "dy and y must be {} and log_sum {} or f32, got {}, {} and {}", name(dtype), name(dtype),
                  name(inputs[0].dtype), name(inputs[4].dtype), name(sums))) {
    return check.error();
  }
  std::vector<TensorType> outputs;
  for (size_t i = 1; i <= 3; ++i) outputs.push_back(lying_as(inputs[i].shape, inputs[i]));
  if (attributes.get_int("mask_gradient", 0) == 0) return outputs;
  if (!check.that(inputs.size() == 7 && inputs[6].dtype == dtype, "mask_gradient needs a mask of {}", name(dtype)))
    return check.error();
  outputs.push_back(lying_as(inputs[6].shape, inputs[6]));
  return outputs;
}

// ---- references
// -------------------------------------------------------------------------------------------------------------

/// Operands as row-major doubles, and how to walk them.
struct Loaded {
  Problem p;
  std::vector<double> q, k, v, mask;
  bool boolean = false;

  Loaded(const KernelArguments& arguments, size_t first)
      : p(problem_of(arguments.inputs[first].shape(), arguments.inputs[first + 1].shape(),
                     arguments.inputs[first + 2].shape(), *arguments.attributes)),
        q(load(arguments.inputs[first])),
        k(load(arguments.inputs[first + 1])),
        v(load(arguments.inputs[first + 2])) {}
  void set_mask(const Tensor& tensor) {
    mask = load_expanded(tensor, p.scores());
    boolean = tensor.dtype() == DType::boolean;
  }
  /// Which head of k and v serves this head of q (both counted through the batch).
  int64_t kv_head(int64_t head) const { return head / p.heads * p.kv_heads + head % p.heads / (p.heads / p.kv_heads); }
  const double* query(int64_t head, int64_t i) const { return q.data() + (head * p.queries + i) * p.features; }
  const double* key(int64_t head, int64_t j) const { return k.data() + (kv_head(head) * p.keys + j) * p.features; }
  const double* value(int64_t head, int64_t j) const {
    return v.data() + (kv_head(head) * p.keys + j) * p.value_features;
  }
  /// Scores of query i; -infinity for keys it does not see.
  std::vector<double> scores(int64_t head, int64_t i) const {
    std::vector<double> row(static_cast<size_t>(p.keys), -std::numeric_limits<double>::infinity());
    const double* bias = mask.empty() ? nullptr : mask.data() + (head * p.queries + i) * p.keys;
    for (int64_t j = 0; j < p.visible(i); ++j) {
      if (boolean && bias[j] == 0) continue;
      double total = 0;
      for (int64_t d = 0; d < p.features; ++d) total += query(head, i)[d] * key(head, j)[d];
      row[j] = total * p.scale + (bias != nullptr && !boolean ? bias[j] : 0);
    }
    return row;
  }
  template <class Visit>
  void for_each_query(Visit visit) const {
    for (int64_t head = 0; head < p.batch * p.heads; ++head) {
      for (int64_t i = 0; i < p.queries; ++i) visit(head, i);
    }
  }
};

void reference_forward(KernelArguments& arguments) {
  Loaded in(arguments, 0);
  if (arguments.inputs.size() > 3) in.set_mask(arguments.inputs[3]);
  const Problem& p = in.p;
  std::vector<double> y(static_cast<size_t>(arguments.outputs[0].type().elements()), 0.0), sums;
  in.for_each_query([&](int64_t head, int64_t i) {
    const std::vector<double> scores = in.scores(head, i);
    const double largest = *std::ranges::max_element(scores);
    if (largest == -std::numeric_limits<double>::infinity()) return sums.push_back(0);
    double total = 0;
    for (const double score : scores) total += std::exp(score - largest);
    for (int64_t j = 0; j < p.keys; ++j) {
      const double weight = std::exp(scores[j] - largest) / total;
      for (int64_t e = 0; e < p.value_features; ++e)
        y[(head * p.queries + i) * p.value_features + e] += weight * in.value(head, j)[e];
    }
    sums.push_back(largest + std::log(total));
  });
  store(arguments.outputs[0], y);
  store(arguments.outputs[1], sums);
}

/// Adds `full` ([B, H, S, T], row-major) up over the axes along which `mask` was broadcast.
std::vector<double> reduced_to(const Shape& mask, const std::vector<double>& full, const Shape& scores) {
  std::vector<double> result(static_cast<size_t>(element_count(mask).value_or(0)), 0.0);
  const Strides dense = contiguous_strides(mask);
  for (size_t i = 0; i < full.size(); ++i) {
    int64_t rest = static_cast<int64_t>(i), at = 0;
    for (size_t axis = 4; axis-- > 0; rest /= scores[axis]) {
      const int64_t own = static_cast<int64_t>(axis + mask.size()) - 4;
      if (own >= 0 && mask[own] != 1) at += rest % scores[axis] * dense[own];
    }
    result[at] += full[i];
  }
  return result;
}

/// With p = exp(scores - log_sum): dv_j = sum_i p_ij dy_i; ds_ij = p_ij (dy_i v_j - dy_i y_i); dq_i = scale sum_j ds_ij
/// k_j and dk_j = scale sum_i ds_ij q_i.
void reference_grad(KernelArguments& arguments) {
  Loaded in(arguments, 1);
  if (arguments.inputs.size() > 6) in.set_mask(arguments.inputs[6]);
  const Problem& p = in.p;
  const std::vector<double> dy = load(arguments.inputs[0]), y = load(arguments.inputs[4]),
                            sums = load(arguments.inputs[5]);
  std::vector<double> dq(in.q.size(), 0.0), dk(in.k.size(), 0.0), dv(in.v.size(), 0.0);
  std::vector<double> dmask(arguments.outputs.size() > 3 ? in.mask.size() : 0, 0.0);
  in.for_each_query([&](int64_t head, int64_t i) {
    const std::vector<double> scores = in.scores(head, i);
    const int64_t row = head * p.queries + i;
    const double *dy_row = dy.data() + row * p.value_features, *y_row = y.data() + row * p.value_features;
    double both = 0;
    for (int64_t e = 0; e < p.value_features; ++e) both += dy_row[e] * y_row[e];
    for (int64_t j = 0; j < p.keys; ++j) {
      const double weight = std::exp(scores[j] - sums[row]);
      if (weight == 0) continue;
      double dp = 0;
      double* dv_row = dv.data() + (in.value(head, j) - in.v.data());
      for (int64_t e = 0; e < p.value_features; ++e) {
        dp += dy_row[e] * in.value(head, j)[e];
        dv_row[e] += weight * dy_row[e];
      }
      const double ds = weight * (dp - both);
      if (!dmask.empty()) dmask[row * p.keys + j] = ds;
      double* dk_row = dk.data() + (in.key(head, j) - in.k.data());
      for (int64_t d = 0; d < p.features; ++d) {
        dq[row * p.features + d] += p.scale * ds * in.key(head, j)[d];
        dk_row[d] += p.scale * ds * in.query(head, i)[d];
      }
    }
  });
  store(arguments.outputs[0], dq);
  store(arguments.outputs[1], dk);
  store(arguments.outputs[2], dv);
  if (arguments.outputs.size() > 3)
    store(arguments.outputs[3], reduced_to(arguments.outputs[3].shape(), dmask, p.scores()));
}

// ---- cost, gradient
// -----------------------------------------------------------------------------------------------------------

/// Per pair: 2 D for the score, 1 for the scale, 1 for the mask, 3 for exp(score - max) and its sum, 1 for the maximum,
/// 2 E for y; per query: E divisions and 2 for log_sum.
Cost cost_forward(const Call& call) {
  const Problem p = problem_of(call.inputs[0].shape, call.inputs[1].shape, call.inputs[2].shape, call.attributes);
  const auto d = static_cast<double>(p.features), e = static_cast<double>(p.value_features);
  const double queries = static_cast<double>(call.outputs[1].elements());
  return full_cost(call, p.pairs() * (2 * d + 2 * e + 5 + (call.inputs.size() > 3 ? 1 : 0)) + queries * (e + 2));
}

/// Per pair: the score again (2 D + 1, mask 1, exp and difference 2), dp 2 E, dv 2 E, ds 2, dq and dk 2 D each; per
/// query 2 E for dy y and D for the scale.
Cost cost_grad(const Call& call) {
  const Problem p = problem_of(call.inputs[1].shape, call.inputs[2].shape, call.inputs[3].shape, call.attributes);
  const auto d = static_cast<double>(p.features), e = static_cast<double>(p.value_features);
  const double queries = static_cast<double>(call.inputs[5].elements());
  return full_cost(call, p.pairs() * (6 * d + 4 * e + 5 + (call.inputs.size() > 6 ? 1 : 0)) + queries * (2 * e + d));
}

void gradient_forward(GradientContext& context) {
  GraphBuilder& builder = context.builder();
  if (context.output_gradient(1) != kNoValue) {
    builder.fail(usage_error("[attention] has no gradient through log_sum, only through y"));
    return;
  }
  Attributes attributes = context.attributes();
  ValueId dy = context.output_gradient(0);
  const TensorType type = builder.type(dy);
  // Kernels take rows of neighbours: one number for all, the gradient of a sum, is copied out, once, where it can be
  // seen.
  if (type.rank() == 4 && type.elements() > 0 &&
      ((type.shape[3] > 1 && type.strides[3] != 1) || (type.shape[2] > 1 && type.strides[2] < type.shape[3])))
    dy = contiguous(builder, dy);
  std::vector<ValueId> inputs{
      dy, context.input(0), context.input(1), context.input(2), context.output(0), context.output(1)};
  if (context.input_count() > 3) {
    inputs.push_back(context.input(3));
    if (context.needed(3)) attributes.set("mask_gradient", int64_t{1});
  }
  const std::vector<ValueId> gradients = builder.append(kAttentionGrad, std::move(inputs), std::move(attributes));
  for (size_t i = 0; i < context.input_count(); ++i) {
    if (context.needed(i)) context.set_input_gradient(i, gradients[i]);
  }
}

}  // namespace

const Op kAttention{
    .name = "attention",
    .formula = "y = softmax(scale * q k^T + mask) v; log_sum = log sum exp of each row of scores",
    .infer = infer_forward,
    .cost = cost_forward,
    .reference = reference_forward,
    .gradient = gradient_forward,
    .matrix_product = true,
    .attributes = {AttributeSpec::real("scale", 0), AttributeSpec::whole("causal", 0)},
    .fusion = FusionPart::reduction,
};

const Op kAttentionGrad{
    .name = "attention_grad",
    .formula =
        "p = exp(scores - log_sum), ds = p * (dy v^T - sum(dy * y)); dq = scale * ds k; dk = scale * ds^T q; dv = p^T "
        "dy",
    .infer = infer_grad,
    .cost = cost_grad,
    .reference = reference_grad,
    .matrix_product = true,
    .attributes = {AttributeSpec::real("scale", 0), AttributeSpec::whole("causal", 0),
                   AttributeSpec::whole("mask_gradient", 0)},
    .fusion = FusionPart::reduction,
};

std::span<const Op* const> attention_ops() {
  static constexpr const Op* kOps[] = {&kAttention, &kAttentionGrad};
  return kOps;
}

}  // namespace engine::ops
