// SPDX-License-Identifier: Apache-2.0
// Rules by shape for elementwise ops, reductions, pooling, norms, attention, look-ups, losses and optimisers.
#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "profiler/import/shape_known.h"

namespace profiler {
namespace {

using Name = std::string_view;
using Args = CallArguments;
using engine::DType;

struct Rate {
  Name name;
  double flops;  ///< per element
};

const Rate* rate_of(Name name, std::span<const Rate> rates) {
  const auto found = std::ranges::find(rates, name, &Rate::name);
  return found == rates.end() ? nullptr : &*found;
}

struct PointwiseRule {
  Name name;
  double flops;  ///< per element
  /// Of the overload that makes its result. One that gets it (out=) has one more, at the end, which it only writes.
  /// Source: native_functions.yaml of PyTorch 2.9.
  size_t arguments;
};

const PointwiseRule* rule_of(Name name, std::span<const PointwiseRule> rules) {
  const auto found = std::ranges::find(rules, name, &PointwiseRule::name);
  return found == rules.end() ? nullptr : &*found;
}

// Per element of the result; inputs stretch to each other.
constexpr PointwiseRule kPointwise[] = {{"add", 1, 3},
                                        {"sub", 1, 3},
                                        {"rsub", 1, 3},
                                        {"mul", 1, 2},
                                        {"div", 1, 2},
                                        {"true_divide", 1, 2},
                                        {"floor_divide", 1, 2},
                                        {"remainder", 1, 2},
                                        {"pow", 1, 2},
                                        {"maximum", 1, 2},
                                        {"minimum", 1, 2},
                                        {"neg", 1, 1},
                                        {"abs", 1, 1},
                                        {"exp", 1, 1},
                                        {"expm1", 1, 1},
                                        {"log", 1, 1},
                                        {"log1p", 1, 1},
                                        {"log2", 1, 1},
                                        {"sqrt", 1, 1},
                                        {"rsqrt", 2, 1},
                                        {"reciprocal", 1, 1},
                                        {"square", 1, 1},
                                        {"sin", 1, 1},
                                        {"cos", 1, 1},
                                        {"erf", 1, 1},
                                        {"tanh", 1, 1},
                                        {"sigmoid", 4, 1},
                                        {"relu", 1, 1},
                                        {"threshold", 1, 3},
                                        {"clamp", 2, 3},
                                        {"clamp_min", 1, 2},
                                        {"clamp_max", 1, 2},
                                        {"hardtanh", 2, 3},
                                        {"leaky_relu", 1, 2},
                                        {"elu", 3, 4},
                                        {"celu", 4, 2},
                                        {"silu", 5, 1},
                                        {"mish", 5, 1},
                                        {"softplus", 3, 3},
                                        {"hardswish", 5, 1},
                                        {"hardsigmoid", 4, 1},
                                        {"floor", 1, 1},
                                        {"ceil", 1, 1},
                                        {"round", 1, 1},
                                        {"sign", 1, 1},
                                        {"addcmul", 3, 4},
                                        {"addcdiv", 3, 4},
                                        {"lerp", 3, 3},
                                        {"_softmax", 5, 3},
                                        {"_log_softmax", 5, 3},
                                        {"_softmax_backward_data", 4, 4},
                                        {"_log_softmax_backward_data", 4, 4},
                                        {"threshold_backward", 1, 3},
                                        {"sigmoid_backward", 3, 2},
                                        {"tanh_backward", 3, 2},
                                        {"silu_backward", 9, 2},
                                        {"leaky_relu_backward", 1, 4},
                                        {"elu_backward", 3, 6},
                                        {"hardswish_backward", 3, 2},
                                        {"hardsigmoid_backward", 1, 2},
                                        {"hardtanh_backward", 1, 4},
                                        {"softplus_backward", 4, 4},
                                        {"cumsum", 1, 3},
                                        {"masked_fill", 0, 3},
                                        {"tril", 0, 2},
                                        {"triu", 0, 2},
                                        {"clone", 0, 2},
                                        {"native_dropout_backward", 2, 3}};
// Their result is of truth values.
constexpr PointwiseRule kComparisons[] = {
    {"eq", 1, 2},    {"ne", 1, 2},          {"lt", 1, 2},          {"le", 1, 2},         {"gt", 1, 2},
    {"ge", 1, 2},    {"logical_not", 0, 1}, {"logical_and", 0, 2}, {"logical_or", 0, 2}, {"isnan", 1, 1},
    {"isinf", 1, 1}, {"isneginf", 1, 1},    {"isposinf", 1, 1}};
// Random values: what they compute is no arithmetic that anybody counts.
constexpr std::array kWriters{Name("bernoulli"), Name("uniform"), Name("normal"), Name("random"), Name("exponential")};
// Per element of the input. Where the dimensions stand among the constants; 0: there are none.
struct Reduction {
  Name name;
  double flops;
  size_t dimensions, keeps;
};
constexpr Reduction kReductions[] = {
    {"sum", 1, 1, 2},    {"mean", 1, 1, 2},         {"amax", 1, 1, 2}, {"amin", 1, 1, 2},
    {"argmax", 1, 1, 2}, {"argmin", 1, 1, 2},       {"prod", 1, 1, 2}, {"linalg_vector_norm", 2, 2, 3},
    {"norm", 2, 0, 0},   {"var", 3, 0, 0},          {"std", 3, 0, 0},  {"var_mean", 3, 0, 0},
    {"all", 0, 1, 2},    {"any", 0, 1, 2},          {"max", 1, 0, 0},  {"min", 1, 0, 0},
    {"topk", 1, 0, 0},   {"count_nonzero", 1, 0, 0}};
// Per element of the first list.
constexpr Rate kLists[] = {
    {"_foreach_add", 1},        {"_foreach_sub", 1},     {"_foreach_mul", 1},
    {"_foreach_div", 1},        {"_foreach_sqrt", 1},    {"_foreach_neg", 1},
    {"_foreach_reciprocal", 1}, {"_foreach_pow", 1},     {"_foreach_abs", 1},
    {"_foreach_exp", 1},        {"_foreach_maximum", 1}, {"_foreach_clamp_min", 1},
    {"_foreach_clamp_max", 1},  {"_foreach_addcmul", 3}, {"_foreach_addcdiv", 3},
    {"_foreach_lerp", 3},       {"_foreach_norm", 2},    {"_foreach_zero", 0},
    {"_foreach_copy", 0},       {"_fused_sgd", 4},       {"_fused_adam", 13},
    {"_fused_adamw", 15},       {"_fused_adagrad", 5},   {"_amp_foreach_non_finite_check_and_unscale", 1}};

constexpr Name kMarkOfAten = "aten::";

KnownOperand operand(const Args& args, size_t argument) { return {*args.tensor(argument), argument}; }

std::optional<KnownCall> pointwise(const PointwiseRule& rule, const Args& args, std::optional<DType> result) {
  KnownCall known;
  std::optional<TracedShape> out;
  // Overloads with one constant more: div and its mode, round and its decimals; and gelu before it had its
  // approximation.
  size_t expected = rule.arguments;
  const bool longer = (rule.name == "div" || rule.name == "true_divide" || rule.name == "round") &&
                      args.shapes.size() == expected + 2 && args.tensor(expected) == nullptr;
  if (longer) ++expected;
  if (rule.name == "gelu" && args.shapes.size() == expected && args.tensor(expected - 1) != nullptr) --expected;
  const bool receives = args.shapes.size() == expected + 1 && args.tensor(expected) != nullptr;
  // Before PyTorch 1.11 its last argument was the result of the forward pass, which it read.
  if (rule.name == "softplus_backward" && receives) return {};
  const size_t given = receives ? expected : args.shapes.size();
  for (size_t i = 0; i < given; ++i) {
    const TracedShape* shape = args.tensor(i);
    if (shape == nullptr) continue;
    out = out ? broadcast_shape(*out, *shape) : std::optional(*shape);
    if (!out) return {};
    known.inputs.push_back(operand(args, i));
  }
  if (!out) return {};
  known.flops = rule.flops * elements_of(*out);
  if (given < args.shapes.size() && *args.tensor(given) == *out) known.outputs.push_back(operand(args, given));
  else known.outputs.push_back({*out, known.inputs.front().typed_like, result});
  // a number beside a tensor of truth values or integers may make it another type
  known.whole = !(rule.name == "div" || rule.name == "true_divide") || args.type(0) == DType::float32 ||
                args.type(0) == DType::float16 || args.type(0) == DType::bfloat16 || args.type(0) == DType::float64;
  return known;
}

std::optional<KnownCall> elementwise(Name name, const Args& args) {
  if (const PointwiseRule* rule = rule_of(name, kPointwise)) return pointwise(*rule, args, {});
  if (const PointwiseRule* rule = rule_of(name, kComparisons)) return pointwise(*rule, args, DType::boolean);
  const bool by_tanh = args.constant(name == "gelu" ? 1 : 2) == "tanh";
  if (name == "gelu") return pointwise({name, by_tanh ? 8.0 : 5.0, 2}, args, {});
  if (name == "gelu_backward") return pointwise({name, by_tanh ? 18.0 : 11.0, 3}, args, {});
  if (name == "where" && args.tensor(0) != nullptr) {
    auto known = pointwise({name, 0, 3}, args, {});
    if (known && args.tensor(1) != nullptr) known->outputs.front().typed_like = 1;
    else if (known) known->whole = false;
    return known;
  }
  if (std::ranges::find(kWriters, name) != kWriters.end() && args.tensor(0) != nullptr)
    return KnownCall{0, {}, {operand(args, 0)}};
  if (name == "native_dropout" && args.tensor(0) != nullptr) {
    return KnownCall{
        2 * elements_of(*args.tensor(0)), {operand(args, 0)}, {operand(args, 0), {*args.tensor(0), 0, DType::boolean}}};
  }
  return {};
}

std::optional<KnownCall> reduction(Name name, const Args& args) {
  const auto rule = std::ranges::find(kReductions, name, &Reduction::name);
  const TracedShape* x = args.tensor(0);
  if (rule == std::end(kReductions) || x == nullptr) return {};
  KnownCall known{rule->flops * elements_of(*x), {operand(args, 0)}, {}, false};
  const auto type = name.starts_with("arg")          ? std::optional(DType::int64)
                    : name == "all" || name == "any" ? std::optional(DType::boolean)
                                                     : std::nullopt;
  const bool all =
      rule->dimensions > 0 && (args.shapes.size() <= rule->keeps || args.constant(rule->dimensions) == "[]");
  if (all) {
    known.outputs.push_back({{}, 0, type});
    known.whole = true;
    return known;
  }
  const auto dimensions = rule->dimensions > 0 ? args.numbers(rule->dimensions) : std::nullopt;
  const Name keeps = args.constant(rule->keeps);
  if (!dimensions || (keeps != "True" && keeps != "False")) return known;
  TracedShape out;
  const auto rank = static_cast<int64_t>(x->size());
  for (int64_t i = 0; i < rank; ++i) {
    const bool reduced = std::ranges::any_of(*dimensions, [&](int64_t d) { return d == i || d + rank == i; });
    if (!reduced || keeps == "True") out.push_back(reduced ? 1 : (*x)[static_cast<size_t>(i)]);
  }
  known.outputs.push_back({std::move(out), 0, type});
  known.whole = true;
  return known;
}

/// Ops on lists: all lists are read; the first is written, or a new one. Of fused optimisers the bytes stay unknown.
KnownCall of_lists(const Rate& rate, Name name, const Args& args) {
  KnownCall known{rate.flops * args.elements(0), {}, {}, args.list_dtype.has_value() && name.starts_with("_foreach_")};
  const bool writes_only = name.starts_with("_foreach_zero"), copies = name.starts_with("_foreach_copy");
  for (size_t i = 0; i < args.shapes.size(); ++i) {
    const bool list = i < args.types.size() && args.types[i] == "TensorList";
    if (!list || writes_only || (copies && i == 0)) continue;
    for (const TracedShape& shape : args.shapes[i]) known.inputs.push_back({shape, i, args.list_dtype});
  }
  for (const TracedShape& shape : args.shapes[0])
    known.outputs.push_back({name.starts_with("_foreach_norm") ? TracedShape{} : shape, 0, args.list_dtype});
  return known;
}

/// Extents behind a window of pooling: constants kernel, stride, padding and (max pooling) dilation from argument 1 on.
std::optional<TracedShape> pooled(const TracedShape& x, const Args& args, bool dilates, Name ceil) {
  const auto kernel = args.numbers(1), stride = args.numbers(2), padding = args.numbers(3),
             dilation = dilates ? args.numbers(4) : std::optional(std::vector<int64_t>{1});
  if (!kernel || !stride || !padding || !dilation || kernel->empty() || x.size() < kernel->size()) return {};
  TracedShape out = x;
  const size_t spatial = kernel->size() == 1 ? std::min<size_t>(2, x.size()) : kernel->size();
  for (size_t i = 0; i < spatial; ++i) {
    const auto at = [i](const std::vector<int64_t>& list) { return list.size() == 1 ? list[0] : list[i]; };
    const std::vector<int64_t>& steps = stride->empty() ? *kernel : *stride;
    for (const auto* list : {&*kernel, &steps, &*padding, &*dilation}) {
      if (list->size() != 1 && list->size() != spatial) return {};
    }
    int64_t& extent = out[x.size() - spatial + i];
    constexpr int64_t kMost = int64_t{1} << 40;
    if (at(steps) < 1 || at(*kernel) < 1 || at(*padding) < 0 || at(*dilation) < 1 || extent > kMost ||
        at(*kernel) > kMost || at(*padding) > kMost || at(*dilation) > (1 << 20))
      return {};
    const int64_t room = extent + 2 * at(*padding) - at(*dilation) * (at(*kernel) - 1) - 1;
    if (room < 0) return {};
    int64_t count = (room + (ceil == "True" ? at(steps) - 1 : 0)) / at(steps) + 1;
    if (ceil == "True" && (count - 1) * at(steps) >= extent + at(*padding)) --count;  // no window starts beyond the end
    extent = count;
  }
  return out;
}

double window(const Args& args, size_t argument) {
  double product = 1;
  const auto kernel = args.numbers(argument);
  if (!kernel || kernel->empty()) return -1;
  for (const int64_t extent : *kernel) product *= static_cast<double>(extent);
  return kernel->size() == 1 ? product * product : product;
}

std::optional<KnownCall> pooling(Name name, const Args& args) {
  const TracedShape* x = args.tensor(0);
  if (x == nullptr) return {};
  if (name == "max_pool2d_with_indices" || name == "max_pool3d_with_indices") {
    const auto out = pooled(*x, args, true, args.constant(5));
    if (!out) return {};
    return KnownCall{
        (window(args, 1) - 1) * elements_of(*out), {operand(args, 0)}, {{*out, 0}, {*out, 0, DType::int64}}};
  }
  if (name == "avg_pool2d" || name == "avg_pool3d") {
    const auto out = pooled(*x, args, false, args.constant(4));
    if (!out) return {};
    return KnownCall{window(args, 1) * elements_of(*out), {operand(args, 0)}, {{*out, 0}}};
  }
  if (name == "_adaptive_avg_pool2d") {
    const auto size = args.numbers(1);
    if (!size || size->size() != 2 || x->size() < 2) return {};
    TracedShape out = *x;
    out[out.size() - 2] = (*size)[0], out.back() = (*size)[1];
    return KnownCall{elements_of(*x) + elements_of(out), {operand(args, 0)}, {{out, 0}}};
  }
  const TracedShape* input = args.tensor(1);
  if (input == nullptr) return {};
  if (name == "max_pool2d_with_indices_backward" && args.tensor(7) != nullptr)
    return KnownCall{elements_of(*x), {operand(args, 0), operand(args, 7)}, {{*input, 0}}};
  if (name == "avg_pool2d_backward" && window(args, 2) > 0)
    return KnownCall{elements_of(*x) * (window(args, 2) + 1), {operand(args, 0)}, {{*input, 0}}};
  if (name == "_adaptive_avg_pool2d_backward") return KnownCall{elements_of(*input), {operand(args, 0)}, {{*input, 0}}};
  return {};
}

void add_inputs(KnownCall& known, const Args& args, std::initializer_list<size_t> arguments) {
  for (const size_t i : arguments) {
    if (args.tensor(i) != nullptr) known.inputs.push_back(operand(args, i));
  }
}

std::optional<KnownCall> batch_norm(Name name, const Args& args) {
  const bool forward = name == "native_batch_norm" || name == "cudnn_batch_norm" || name == "miopen_batch_norm" ||
                       name == "_native_batch_norm_legit" || name == "_batch_norm_with_update",
             native = name == "native_batch_norm_backward",
             backward = native || name == "cudnn_batch_norm_backward" || name == "miopen_batch_norm_backward";
  const TracedShape* x = args.tensor(native ? 1 : 0);
  if ((!forward && !backward) || x == nullptr || x->size() < 2) return {};
  const TracedShape channels{(*x)[1]};
  const double c = elements_of(channels);
  KnownCall known;
  if (backward) {
    known.flops = 9 * elements_of(*x) + 3 * c;
    add_inputs(known, args, {0, 1, 2, 5, 6});
    known.outputs = {{*x, 0}};
    if (args.tensor(2) != nullptr) known.outputs.insert(known.outputs.end(), {{channels, 2}, {channels, 2}});
    return known;
  }
  const bool updates = name == "_batch_norm_with_update", trains = updates || args.constant(5) == "True";
  if (!trains && args.constant(5) != "False") return {};
  const bool running = args.tensor(3) != nullptr;
  known.flops = (trains ? 6 : 2) * elements_of(*x) + 6 * c + (trains && running ? 10 * c : 0);
  add_inputs(known, args, {0, 1, 2, 3, 4});
  known.outputs = {{*x, 0}};
  if (trains) known.outputs.push_back({channels, 0, DType::float32}), known.outputs.push_back(known.outputs.back());
  if (trains && running) known.outputs.push_back(operand(args, 3)), known.outputs.push_back(operand(args, 4));
  if (trains && running && args.tensor(4) == nullptr) return {};
  return known;
}

std::optional<KnownCall> norm(Name name, const Args& args) {
  if (auto known = batch_norm(name, args)) return known;
  const TracedShape* x = args.tensor(0);
  if (x == nullptr) return {};
  const auto line = [&](size_t weight, size_t extents) -> double {
    if (const TracedShape* w = args.tensor(weight)) return elements_of(*w);
    const auto shape = args.numbers(extents);
    return shape ? elements_of(*shape) : -1;
  };
  KnownCall known;
  if (name == "native_layer_norm" || name == "_fused_rms_norm") {
    const bool centred = name == "native_layer_norm";
    const double width = line(2, 1);
    if (!(width > 0)) return {};
    const TracedShape rows{static_cast<int64_t>(elements_of(*x) / width)};
    known.flops = (centred ? 7.0 + (args.tensor(3) != nullptr ? 1 : 0) : 4.0 + (args.tensor(2) != nullptr ? 1 : 0)) *
                      elements_of(*x) +
                  3 * elements_of(rows);
    add_inputs(known, args, {0, 2, 3});
    known.outputs = {{*x, 0}, {rows, 0, DType::float32}};
    if (centred) known.outputs.push_back({rows, 0, DType::float32});
    return known;
  }
  const TracedShape* input = args.tensor(1);
  if (name == "native_layer_norm_backward" && input != nullptr) {
    known.flops = 13 * elements_of(*input);
    add_inputs(known, args, {0, 1, 3, 4, 5});
    known.outputs = {{*input, 1}};
    for (const size_t weight : {5, 6}) {
      if (args.tensor(weight) != nullptr) known.outputs.push_back(operand(args, weight));
    }
    return known;
  }
  if (name == "_fused_rms_norm_backward" && input != nullptr) {
    known.flops = 9 * elements_of(*input);
    add_inputs(known, args, {0, 1, 3, 4});
    known.outputs = {{*input, 1}};
    if (args.tensor(4) != nullptr) known.outputs.push_back(operand(args, 4));
    return known;
  }
  if (name == "native_group_norm") {
    known.flops = 8 * elements_of(*x);
    add_inputs(known, args, {0, 1, 2});
    known.outputs = {{*x, 0}};
    const auto groups = args.numbers(6);
    known.whole = groups && groups->size() == 1 && !x->empty();
    if (known.whole) {
      known.outputs.push_back({{(*x)[0], (*groups)[0]}, 0, DType::float32});
      known.outputs.push_back(known.outputs.back());
      known.flops += 3 * elements_of(known.outputs.back().shape);
    }
    return known;
  }
  if (name == "native_group_norm_backward" && input != nullptr) {
    known.flops = 13 * elements_of(*input);
    add_inputs(known, args, {0, 1, 2, 3, 4});
    known.outputs = {{*input, 1}};
    if (args.tensor(4) != nullptr) known.outputs.push_back(operand(args, 4)), known.outputs.push_back(operand(args, 4));
    return known;
  }
  return {};
}

/// Both GEMMs of each pair of a query and a key that it sees; backward five: scores again, and the gradients of scores,
/// values, queries and keys.
std::optional<KnownCall> attention(Name name, const Args& args) {
  enum class Says : uint8_t { causal, mask };  // True; or 0 no mask, 1 from the first, 2 to the last key
  struct Rule {
    Name name;
    Says says;
    size_t place;      ///< of the argument that says it
    size_t older = 0;  ///< and where it was before PyTorch 2.3 (efficient) or 2.5 (cuDNN), where fewer came before it
    Seen seen;         ///< where it is True
    bool backward = false;
  };
  // Source: native_functions.yaml of PyTorch 2.1 to 2.9. FlashAttention's masks end at the last key; others' begin at
  // the first (torch/nn/attention/bias.py).
  constexpr std::array kRules{
      Rule{"_scaled_dot_product_flash_attention", Says::causal, 4, 0, Seen::to_last},
      Rule{"_scaled_dot_product_flash_attention_for_cpu", Says::causal, 4, 0, Seen::from_first},
      Rule{"_scaled_dot_product_efficient_attention", Says::causal, 6, 0, Seen::from_first},
      Rule{"_scaled_dot_product_cudnn_attention", Says::causal, 6, 4, Seen::from_first},
      Rule{"_scaled_dot_product_fused_attention_overrideable", Says::causal, 5, 0, Seen::from_first},
      Rule{"_flash_attention_forward", Says::causal, 8, 0, Seen::to_last},
      Rule{"_efficient_attention_forward", Says::mask, 9, 8, Seen::all},
      Rule{"_scaled_dot_product_flash_attention_backward", Says::causal, 11, 0, Seen::to_last, true},
      Rule{"_scaled_dot_product_flash_attention_for_cpu_backward", Says::causal, 7, 0, Seen::from_first, true},
      Rule{"_scaled_dot_product_efficient_attention_backward", Says::causal, 11, 0, Seen::from_first, true},
      Rule{"_scaled_dot_product_cudnn_attention_backward", Says::causal, 14, 11, Seen::from_first, true},
      Rule{"_scaled_dot_product_fused_attention_overrideable_backward", Says::causal, 13, 0, Seen::from_first, true},
      Rule{"_flash_attention_backward", Says::causal, 11, 0, Seen::to_last, true},
      Rule{"_efficient_attention_backward", Says::mask, 14, 0, Seen::all, true}};
  const auto rule = std::ranges::find(kRules, name, &Rule::name);
  if (rule == kRules.end()) return {};
  // Sequences behind one another in one batch: their lengths are values of (.., bias, starts of q, starts of k, ..).
  if (name == "_efficient_attention_forward" && (args.tensor(4) != nullptr || args.tensor(5) != nullptr)) return {};
  const auto is_word = [&](Name text) {
    return rule->says == Says::causal ? text == "True" || text == "False" : text == "0" || text == "1" || text == "2";
  };
  Name word = args.constant(rule->place);
  if (!is_word(word) && rule->older > 0) word = args.constant(rule->older);
  const Seen seen = !is_word(word)   ? Seen::all
                    : word == "True" ? rule->seen
                    : word == "1"    ? Seen::from_first
                    : word == "2"    ? Seen::to_last
                                     : Seen::all;
  // [batch, heads, length, width]; the kernels inside: [batch, length, heads, width]
  return known_attention(args, name.starts_with("_scaled") ? 2 : 1, rule->backward, seen);
}

/// Of s queries and t keys.
double seen_pairs(Seen seen, double s, double t) {
  const double fewer = std::min(s, t);
  const double triangle = fewer * (fewer + 1) / 2;
  switch (seen) {
    case Seen::all: return s * t;
    case Seen::from_first: return triangle + (s - fewer) * t;
    case Seen::to_last: return triangle + fewer * (t - fewer);
  }
  return s * t;
}

/// Of s queries, of which the last stands at the last of t keys.
double pairs_in_window(const Window& window, Seen seen, int64_t s, int64_t t) {
  constexpr int64_t kMost = int64_t{1} << 22;  // beyond it the window is not counted
  if (s > kMost || t > kMost) return seen_pairs(seen, static_cast<double>(s), static_cast<double>(t));
  double pairs = 0;
  const int64_t behind = seen == Seen::all ? window.behind : 0;
  for (int64_t i = 0; i < s; ++i) {
    const int64_t at = i + t - s, first = window.before < 0 ? 0 : std::max<int64_t>(0, at - window.before),
                  last = behind < 0 ? t - 1 : std::min(t - 1, at + behind);
    pairs += static_cast<double>(std::max<int64_t>(0, last - first + 1));
  }
  return pairs;
}

}  // namespace

std::optional<KnownCall> known_attention(const CallArguments& args, size_t length, bool backward, Seen seen,
                                         Window window) {
  const bool forward = !backward;
  const size_t first = backward ? 1 : 0;
  const TracedShape *q = args.tensor(first), *k = args.tensor(first + 1), *v = args.tensor(first + 2);
  if (q == nullptr || k == nullptr || v == nullptr || q->size() != 4 || k->size() != 4 || v->size() != 4) return {};
  if ((*q)[0] != (*k)[0] || (*k)[0] != (*v)[0]) return {};  // of a cache of pages, whose lengths stand elsewhere
  if ((*q)[3] != (*k)[3] || (*k)[length] != (*v)[length]) return {};
  const double pairs = static_cast<double>((*q)[0]) * static_cast<double>((*q)[3 - length]) *
                       (window.before < 0 && window.behind < 0
                            ? seen_pairs(seen, static_cast<double>((*q)[length]), static_cast<double>((*k)[length]))
                            : pairs_in_window(window, seen, (*q)[length], (*k)[length]));
  const auto d = static_cast<double>((*q)[3]), e = static_cast<double>((*v)[3]);
  KnownCall known;
  TracedShape out = *q;
  out[3] = (*v)[3];
  known.flops = pairs * (backward ? 6 * d + 4 * e : 2 * d + 2 * e);
  add_inputs(known, args, {first, first + 1, first + 2});
  if (forward) {
    known.outputs = {{out, 0}};
    return known;
  }
  known.inputs.push_back({out, first});  // the result of the forward pass
  add_inputs(known, args, {0});          // its gradient
  known.outputs = {operand(args, first), operand(args, first + 1), operand(args, first + 2)};
  return known;
}

namespace {

/// Look-ups read at most the rows that exist, and losses one value of each row.
std::optional<KnownCall> look_up(Name name, const Args& args) {
  const TracedShape *a = args.tensor(0), *b = args.tensor(1);
  if (name == "embedding" && a != nullptr && b != nullptr && a->size() == 2) {
    TracedShape out = *b;
    out.push_back((*a)[1]);
    const auto rows = static_cast<int64_t>(std::min(static_cast<double>((*a)[0]), elements_of(*b)));
    return KnownCall{0, {{{rows, (*a)[1]}, 0}, operand(args, 1)}, {{out, 0}}};
  }
  if (name == "embedding_dense_backward" && a != nullptr && b != nullptr && !a->empty()) {
    KnownCall known{elements_of(*a), {operand(args, 0), operand(args, 1)}, {}, false};
    const auto rows = args.numbers(2);
    if (rows && rows->size() == 1) known.outputs = {{{(*rows)[0], a->back()}, 0}}, known.whole = true;
    return known;
  }
  if (name == "index_select" && a != nullptr && args.tensor(2) != nullptr) {
    KnownCall known{0, {operand(args, 2)}, {}, false};
    const auto axis = args.numbers(1);
    if (!axis || axis->size() != 1 || (*axis)[0] < 0 || (*axis)[0] >= static_cast<int64_t>(a->size())) return known;
    TracedShape out = *a, read = *a;
    const auto at = static_cast<size_t>((*axis)[0]);
    out[at] = static_cast<int64_t>(elements_of(*args.tensor(2)));
    read[at] = std::min(read[at], out[at]);
    known.inputs.push_back({read, 0}), known.outputs.push_back({out, 0});
    known.whole = true;
    return known;
  }
  if (name == "gather" && a != nullptr && args.tensor(2) != nullptr) {
    return KnownCall{0, {operand(args, 2), {*args.tensor(2), 0}}, {{*args.tensor(2), 0}}};
  }
  if ((name == "select_backward" || name == "slice_backward") && a != nullptr) {  // a gradient among zeros
    const auto whole = args.numbers(1);
    if (!whole) return KnownCall{0, {operand(args, 0)}, {}, false};
    return KnownCall{0, {operand(args, 0)}, {{*whole, 0}}};
  }
  if (name == "_local_scalar_dense" && a != nullptr) return KnownCall{0, {operand(args, 0)}, {}};
  if ((name == "nll_loss_forward" || name == "nll_loss2d_forward") && a != nullptr && b != nullptr) {
    return KnownCall{elements_of(*b), {{*b, 0}, operand(args, 1)}, {{{}, 0}, {{}, 0}}};
  }
  if ((name == "nll_loss_backward" || name == "nll_loss2d_backward") && b != nullptr && args.tensor(2) != nullptr) {
    return KnownCall{elements_of(*args.tensor(2)), {operand(args, 2)}, {{*b, 1}}};
  }
  if (name == "mse_loss" && a != nullptr && b != nullptr) {
    KnownCall known{3 * elements_of(*a), {operand(args, 0), operand(args, 1)}, {}, false};
    const auto reduction = args.numbers(2);  // 0: none, 1: mean, 2: sum
    if (!reduction || reduction->size() != 1) return known;
    known.outputs = {{(*reduction)[0] == 0 ? *a : TracedShape{}, 0}}, known.whole = true;
    return known;
  }
  if (name == "mse_loss_backward" && a != nullptr && b != nullptr && args.tensor(2) != nullptr)
    return KnownCall{3 * elements_of(*b), {operand(args, 0), operand(args, 1), operand(args, 2)}, {{*b, 1}}};
  return {};
}

/// mkldnn_rnn_layer(x, weights of x, weights of h, two biases, h, c, ...): an LSTM layer of 4 gates over [length,
/// batch, inputs]. Training keeps four gates and the cell of each step for the gradients; what the library keeps beside
/// them is its own.
std::optional<KnownCall> recurrent(Name name, const Args& args) {
  const bool backward = name == "mkldnn_rnn_layer_backward";
  const TracedShape *x = args.tensor(0), *wx = args.tensor(1), *wh = args.tensor(2);
  if ((!backward && name != "mkldnn_rnn_layer") || x == nullptr || wx == nullptr || wh == nullptr || x->size() != 3 ||
      wx->size() != 2 || wh->size() != 2)
    return {};
  const double cells = static_cast<double>((*x)[0]) * static_cast<double>((*x)[1]);
  const double forward = 2 * cells * (elements_of(*wx) + elements_of(*wh));
  const int64_t width = (*wh)[1];
  const TracedShape kept{(*x)[0], (*x)[1], 5, width}, out{(*x)[0], (*x)[1], width}, state{(*x)[1], width};
  KnownCall known{backward ? 2 * forward : forward, {}, {}, true};
  add_inputs(known, args, {0, 1, 2, 3, 4, 5, 6});
  if (backward) {
    add_inputs(known, args, {7, 8, 9, 10, 11, 12});
    known.inputs.push_back({kept, 0});
    for (size_t i = 0; i < 7; ++i) {
      if (args.tensor(i) != nullptr) known.outputs.push_back(operand(args, i));
    }
    return known;
  }
  constexpr size_t kTrains = 15;
  known.outputs = {{out, 0}, {state, 0}, {state, 0}};
  const Name trains = args.constant(kTrains);
  if (trains == "True") known.outputs.push_back({kept, 0});
  known.whole = trains == "True" || trains == "False";
  return known;
}

/// Lists of tensors joined to one. What the shapes alone do not tell is the dtype.
std::optional<KnownCall> joined(Name name, const Args& args) {
  const auto out = joined_shape(name == "cat" ? "aten::cat" : name == "_cat" ? "aten::_cat" : "", args);
  if (!out) return {};
  KnownCall known{0, {}, {{*out, 0, args.list_dtype}}, args.list_dtype.has_value()};
  for (const TracedShape& shape : args.shapes[0]) known.inputs.push_back({shape, 0, args.list_dtype});
  return known;
}

/// "[2., 2.]" of extents: what they are stretched to; nothing: no factors.
std::optional<std::vector<int64_t>> stretched_sizes(const TracedShape& x, Name factors) {
  std::vector<int64_t> sizes;
  if (factors.size() < 2 || factors.front() != '[' || factors.back() != ']' || x.size() < 3) return {};
  factors = factors.substr(1, factors.size() - 2);
  while (!factors.empty() && sizes.size() + 2 < x.size()) {
    double factor = 0;
    const auto [end, error] = std::from_chars(factors.data(), factors.data() + factors.size(), factor);
    const double size = static_cast<double>(x[sizes.size() + 2]) * factor;
    if (error != std::errc() || !(size >= 1) || size > 1e12) return {};
    sizes.push_back(static_cast<int64_t>(size));
    factors.remove_prefix(static_cast<size_t>(end - factors.data()));
    while (!factors.empty() && (factors.front() == ',' || factors.front() == ' ')) factors.remove_prefix(1);
  }
  return factors.empty() && sizes.size() + 2 == x.size() ? std::optional(std::move(sizes)) : std::nullopt;
}

/// Pictures stretched: a multiply-add per tap, nearest copies; gradients add.
std::optional<KnownCall> stretched(Name name, const Args& args) {
  struct Way {
    Name name;
    double taps;  ///< per element of the larger picture
  };
  constexpr std::array kWays{Way{"upsample_nearest1d", 0},  Way{"upsample_nearest2d", 0},
                             Way{"upsample_nearest3d", 0},  Way{"upsample_linear1d", 2},
                             Way{"upsample_bilinear2d", 4}, Way{"upsample_trilinear3d", 8},
                             Way{"upsample_bicubic2d", 16}};
  const bool backward = name.ends_with("_backward");
  if (backward) name.remove_suffix(9);
  const auto way = std::ranges::find(kWays, name, &Way::name);
  const TracedShape* x = args.tensor(0);
  if (way == kWays.end() || x == nullptr) return {};
  auto sizes = args.numbers(backward ? 2 : 1);
  if (!sizes && !backward)
    sizes = stretched_sizes(*x, args.constant(way->name.starts_with("upsample_nearest") ? 2 : 3));
  if (!sizes) return {};
  TracedShape other = *x;
  if (backward) {
    if (sizes->size() != x->size()) return {};
    other = *sizes;
  } else {
    if (sizes->size() + 2 != x->size()) return {};  // the size is given as factors
    std::ranges::copy(*sizes, other.begin() + 2);
  }
  const double larger = elements_of(backward ? *x : other);
  return KnownCall{way->taps > 0 ? 2 * way->taps * larger : backward ? larger : 0, {operand(args, 0)}, {{other, 0}}};
}

/// _transform_bias_rescale_qkv(qkv [n, t, 3d], bias [3d], heads): the bias is added, and queries are scaled.
std::optional<KnownCall> split_heads(Name name, const Args& args) {
  const TracedShape *qkv = args.tensor(0), *bias = args.tensor(1);
  if (name != "_transform_bias_rescale_qkv" || qkv == nullptr || bias == nullptr || qkv->size() != 3) return {};
  const double all = elements_of(*qkv);
  return KnownCall{all + all / 3, {operand(args, 0), operand(args, 1)}, {{*qkv, 0}}};
}

std::optional<KnownCall> products(Name name, const Args& args) {
  const TracedShape *a = args.tensor(0), *b = args.tensor(1);
  if (name == "_scaled_mm" || name == "_int_mm") {  // operands of 8 bits: their shapes say enough, their types not
    if (args.shapes.size() < 2 || args.shapes[0].size() != 1 || args.shapes[1].size() != 1) return {};
    const TracedShape &m = args.shapes[0][0], &n = args.shapes[1][0];
    if (m.size() != 2 || n.size() != 2 || m[1] != n[0]) return {};
    return KnownCall{2 * elements_of(m) * static_cast<double>(n[1]), {}, {}, false};
  }
  if (name == "mv" && a != nullptr && b != nullptr && a->size() == 2)
    return KnownCall{2 * elements_of(*a), {operand(args, 0), operand(args, 1)}, {{{(*a)[0]}, 0}}};
  if (name == "dot" && a != nullptr && b != nullptr)
    return KnownCall{2 * elements_of(*a), {operand(args, 0), operand(args, 1)}, {{{}, 0}}};
  return {};
}

}  // namespace

const TracedShape* CallArguments::tensor(size_t argument) const {
  if (argument >= shapes.size() || shapes[argument].size() != 1) return nullptr;
  const TracedShape& shape = shapes[argument].front();
  // without types, what has no extents may be a number
  const bool is = types.empty() ? !shape.empty() : type(argument).has_value();
  return is ? &shape : nullptr;
}

std::optional<DType> CallArguments::type(size_t argument) const {
  return argument < types.size() ? traced_dtype(types[argument]) : std::nullopt;
}

std::string_view CallArguments::constant(size_t argument) const {
  return argument < constants.size() ? constants[argument] : std::string_view();
}

std::optional<std::vector<int64_t>> CallArguments::numbers(size_t argument) const {
  Name text = constant(argument);
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  std::vector<int64_t> list;
  while (!text.empty() && list.size() < 64) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return {};
    list.push_back(value);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (!text.empty() && text.front() != ',') return {};
    while (!text.empty() && (text.front() == ',' || text.front() == ' ')) text.remove_prefix(1);
  }
  return constant(argument).empty() ? std::nullopt : std::optional(std::move(list));
}

double CallArguments::elements(size_t argument) const {
  double sum = 0;
  if (argument < shapes.size()) {
    for (const TracedShape& shape : shapes[argument]) sum += elements_of(shape);
  }
  return sum;
}

std::optional<TracedShape> joined_shape(std::string_view name, const CallArguments& args) {
  if ((name != "aten::cat" && name != "aten::_cat") || args.shapes.empty()) return {};
  const auto axis = args.numbers(1);
  std::optional<TracedShape> out;
  for (const TracedShape& shape : args.shapes[0]) {
    if (shape == TracedShape{0}) continue;  // PyTorch takes empty vectors for nothing
    if (!axis || axis->size() != 1) return {};
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t at = (*axis)[0] < 0 ? (*axis)[0] + rank : (*axis)[0];
    if (at < 0 || at >= rank || (out && out->size() != shape.size())) return {};
    if (!out) {
      out = shape;
    } else {
      int64_t& sum = (*out)[static_cast<size_t>(at)];
      if (sum > (int64_t{1} << 40) || shape[static_cast<size_t>(at)] > (int64_t{1} << 40)) return {};
      sum += shape[static_cast<size_t>(at)];
    }
  }
  return out;
}

std::optional<KnownCall> known_aten(std::string_view name, const CallArguments& args) {
  if (!name.starts_with(kMarkOfAten)) return {};
  name.remove_prefix(kMarkOfAten.size());
  for (size_t i = 0; i < args.shapes.size(); ++i) {
    if (args.elements(i) > 1e15) return {};  // nobody's
  }
  Name base = name;
  if (base.ends_with('_') && !base.ends_with("__")) base.remove_suffix(1);
  if (const Rate* list = rate_of(base, kLists)) {
    const bool shaped = !args.shapes.empty() && !args.shapes[0].empty();
    return shaped ? std::optional(of_lists(*list, name, args)) : std::nullopt;
  }
  for (const auto rule : {elementwise, reduction, pooling, norm, attention, look_up, recurrent, products, joined,
                          stretched, split_heads}) {
    if (auto known = rule(rule == elementwise ? base : name, args)) return known;
  }
  return {};
}

}  // namespace profiler
