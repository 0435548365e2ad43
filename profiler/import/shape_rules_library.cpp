// SPDX-License-Identifier: Apache-2.0
// Rules by shape for ops of libraries beside PyTorch. Weights of experts, and lengths of sequences in a cache of pages,
// are no inputs of some of these: what depends on them stays unknown. So do kernels that torch.compile made: a trace
// does not say which of their tensors they read, which they write, and which they do both with.
#include <algorithm>
#include <array>

#include "profiler/import/shape_known.h"

namespace profiler {
namespace {

using Name = std::string_view;
using Args = CallArguments;

KnownOperand like(const Args& args, size_t argument) { return {*args.tensor(argument), argument}; }

/// Places of the arguments that are tensors.
std::vector<size_t> tensors_of(const Args& args) {
  std::vector<size_t> places;
  for (size_t i = 0; i < args.shapes.size(); ++i) {
    if (args.tensor(i) != nullptr) places.push_back(i);
  }
  return places;
}

/// Products x [m, k] with a weight, [n, k] or [k, n].
struct Product {
  Name name;
  size_t x, weight;
  bool transposed;  ///< the weight is [n, k]
};
constexpr std::array kProducts{
    Product{"aiter::gemm_a16w16", 0, 1, true},           Product{"aiter::gemm_a8w8", 0, 1, true},
    Product{"aiter::gemm_a8w8_bpreshuffle", 0, 1, true}, Product{"aiter::gemm_a8w8_blockscale", 0, 1, true},
    Product{"vllm::rocm_unquantized_gemm", 0, 1, true},  Product{"vllm::apply_w8a8_block_fp8_linear", 0, 1, true},
    Product{"fbgemm::f8f8bf16_rowwise", 0, 1, true},     Product{"fbgemm::f8f8bf16_blockwise", 0, 1, true},
    Product{"aten::_weight_int8pack_mm", 0, 1, true},    Product{"_C::cutlass_scaled_mm", 1, 2, false},
    Product{"sgl_kernel::fp8_scaled_mm", 0, 1, false},   Product{"sgl_kernel::int8_scaled_mm", 0, 1, false}};

/// Bytes are known where both types are, and the result's: x's own, of a product of 16 or 32 bits.
std::optional<KnownCall> product(Name name, const Args& args) {
  const auto rule = std::ranges::find(kProducts, name, &Product::name);
  if (rule == kProducts.end() || std::max(rule->x, rule->weight) >= args.shapes.size()) return {};
  const auto &x = args.shapes[rule->x], &w = args.shapes[rule->weight];
  if (x.size() != 1 || w.size() != 1 || x[0].empty() || w[0].size() != 2) return {};
  const int64_t k = w[0][rule->transposed ? 1 : 0], n = w[0][rule->transposed ? 0 : 1];
  if (x[0].back() != k) return {};
  KnownCall known{2 * elements_of(x[0]) * static_cast<double>(n), {}, {}, false};
  const bool plain = args.tensor(rule->x) != nullptr && args.type(rule->x) == args.type(rule->weight) &&
                     engine::size_bytes(*args.type(rule->x)) >= 2;
  if (!plain) return known;
  TracedShape out = x[0];
  out.back() = n;
  known.inputs = {like(args, rule->x), like(args, rule->weight)};
  if (args.tensor(rule->weight + 1) != nullptr) known.inputs.push_back(like(args, rule->weight + 1));  // bias
  known.outputs = {{out, rule->x}}, known.whole = true;
  return known;
}

/// Root-mean-square norms of rows: (result, x, weight) or (x, weight); with a sum before: both sums and results are
/// written.
std::optional<KnownCall> rms_norm(Name name, const Args& args) {
  constexpr std::array kPlain{Name("_C::rms_norm"),
                              Name("aiter::rmsnorm"),
                              Name("aiter::rms_norm"),
                              Name("aiter::rmsnorm2d_fwd"),
                              Name("vllm::rocm_aiter_rms_norm"),
                              Name("sgl_kernel::rmsnorm")};
  constexpr std::array kAdding{Name("_C::fused_add_rms_norm"), Name("aiter::add_rmsnorm"),
                               Name("aiter::rmsnorm2d_fwd_with_add"), Name("vllm::rocm_aiter_rmsnorm2d_fwd_with_add"),
                               Name("sgl_kernel::fused_add_rmsnorm")};
  const bool plain = std::ranges::find(kPlain, name) != kPlain.end(),
             adds = std::ranges::find(kAdding, name) != kAdding.end();
  if (!plain && !adds) return {};
  const std::vector<size_t> all = tensors_of(args);
  if (all.size() < 2) return {};
  const auto found = std::ranges::find_if(all, [&](size_t i) { return args.tensor(i)->size() == 1; });
  const size_t weight = found == all.end() ? all.back() : *found;
  const TracedShape& x = *args.tensor(all.front());
  if (args.tensor(weight)->size() != 1 || x.size() < 2 || x.back() != args.tensor(weight)->front()) return {};
  const double count = elements_of(x), rows = count / static_cast<double>(std::max<int64_t>(1, x.back()));
  KnownCall known{(adds ? 6 : 5) * count + 3 * rows, {like(args, all.front()), like(args, weight)}, {{x, all.front()}}};
  if (adds) known.inputs.push_back({x, all.front()}), known.outputs.push_back({x, all.front()});
  return known;
}

/// A gate: activation of one half times the other one, (result [.., d], x [.., 2d]).
std::optional<KnownCall> gate(Name name, const Args& args) {
  const Name op = name.substr(name.rfind(':') + 1);
  const double flops = op == "silu_and_mul" ? 6 : op == "gelu_and_mul" ? 6 : op == "gelu_tanh_and_mul" ? 9 : -1;
  const TracedShape *out = args.tensor(0), *x = args.tensor(1);
  if (flops < 0 || out == nullptr || x == nullptr || elements_of(*x) != 2 * elements_of(*out)) return {};
  return KnownCall{flops * elements_of(*out), {like(args, 1)}, {like(args, 0)}};
}

/// rotary_embedding(positions [n], q, k, head size, cosines and sines [rows, width], ..): in place, on `width` of each
/// head.
std::optional<KnownCall> rotary(Name name, const Args& args) {
  const TracedShape *n = args.tensor(0), *q = args.tensor(1), *k = args.tensor(2), *table = args.tensor(4);
  const auto head = args.numbers(3);
  if (!name.ends_with("::rotary_embedding") || n == nullptr || q == nullptr || table == nullptr || !head ||
      head->size() != 1 || (*head)[0] < 1 || table->size() != 2)
    return {};
  KnownCall known{0, {like(args, 0)}, {}};
  const double rows = std::min(elements_of(*n), static_cast<double>((*table)[0]));
  known.inputs.push_back({{static_cast<int64_t>(rows), (*table)[1]}, 4});
  for (const size_t place : {size_t{1}, size_t{2}}) {
    const TracedShape* heads = place == 1 ? q : k;
    if (heads == nullptr) continue;
    const double turned = elements_of(*heads) / static_cast<double>((*head)[0]) * static_cast<double>((*table)[1]);
    if (!(turned <= 1e13)) return {};
    const KnownOperand part{{static_cast<int64_t>(turned)}, place};
    known.flops += 3 * turned;  // a cos - b sin
    known.inputs.push_back(part), known.outputs.push_back(part);
  }
  return known;
}

/// Keys and values of new positions are written to a cache of pages: (k, v, cache of k, cache of v, places, ..).
std::optional<KnownCall> cache_update(Name name, const Args& args) {
  constexpr std::array kNames{Name("_C_cache_ops::reshape_and_cache_flash"), Name("_C_cache_ops::reshape_and_cache"),
                              Name("sglang::store_cache"), Name("sgl_kernel::store_kv_cache")};
  if (name == "vllm::unified_kv_cache_update") return KnownCall{0, {}, {}, false};  // its cache is no input
  if (std::ranges::find(kNames, name) == kNames.end()) return {};
  KnownCall known{0, {}, {}, args.tensor(4) != nullptr};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (args.tensor(i) == nullptr || args.tensor(i + 2) == nullptr) return KnownCall{0, {}, {}, false};
    known.inputs.push_back(like(args, i));
    known.outputs.push_back({*args.tensor(i), i + 2});
  }
  if (known.whole) known.inputs.push_back(like(args, 4));
  return known;
}

/// Whether a call of flash_attn_3::fwd (q, k, v, new k, new v, second q, result, starts of sequences, used lengths, ..,
/// table of pages, rows of the cache, padding, ..) says by values how much of k and v it reads.
bool lengths_are_values(const Args& args) {
  constexpr size_t kPlaces[] = {3, 4, 5, 7, 8, 9, 10, 11, 14, 15, 16};
  return std::ranges::any_of(kPlaces, [&](size_t place) { return args.tensor(place) != nullptr; });
}

std::optional<KnownCall> attention_of_libraries(Name name, const Args& args) {
  struct Rule {
    Name name;
    size_t causal;  ///< which argument says whether it is; the next two are the reach of a window
    bool backward = false;
  };
  constexpr std::array kRules{Rule{"flash_attn::_flash_attn_forward", 5},
                              Rule{"flash_attn_3::fwd", 24},
                              Rule{"aiter::mha_fwd", 5},
                              Rule{"aiter::fmha_v3_fwd", 5},
                              Rule{"aiter::wrapper_fmha_v3_fwd", 5},
                              Rule{"flash_attn::_flash_attn_backward", 11, true}};
  const auto rule = std::ranges::find(kRules, name, &Rule::name);
  if (rule == kRules.end() || (name == "flash_attn_3::fwd" && lengths_are_values(args))) return {};
  const auto reach = [&](size_t place) {
    const auto number = args.numbers(rule->causal + place);
    return number && number->size() == 1 ? number->front() : int64_t{-1};
  };
  return known_attention(args, 1, rule->backward, args.constant(rule->causal) == "True" ? Seen::to_last : Seen::all,
                         {.before = reach(1), .behind = reach(2)});
}

/// Experts: x [m, k], weights [experts, 2 n, k] and [experts, k, n], chosen ones [m, each]: three products of n x k for
/// each choice. Whose weights are read depends on the choice.
std::optional<KnownCall> experts(Name name, const Args& args) {
  const Name op = name.substr(name.rfind(':') + 1);
  if (op == "_grouped_mm" && args.shapes.size() > 1 && args.shapes[0].size() == 1 && args.shapes[1].size() == 1) {
    const TracedShape &x = args.shapes[0][0], &w = args.shapes[1][0];
    if (x.size() != 2 || w.size() != 3 || x[1] != w[1]) return {};
    return KnownCall{2 * elements_of(x) * static_cast<double>(w[2]), {}, {}, false};
  }
  if (op != "outplace_fused_experts" && op != "inplace_fused_experts" && op != "rocm_aiter_fused_moe") return {};
  if (args.shapes.size() < 4) return {};
  for (size_t i = 0; i < 4; ++i) {
    if (args.shapes[i].size() != 1) return {};
  }
  const TracedShape &x = args.shapes[0][0], &up = args.shapes[1][0], &down = args.shapes[2][0],
                    &chosen = args.shapes[3][0];
  if (x.size() != 2 || up.size() != 3 || down.size() != 3 || chosen.size() != 2 || up[2] != x[1] || down[1] != x[1] ||
      up[1] != 2 * down[2] || chosen[0] != x[0])
    return {};
  return KnownCall{6 * elements_of(chosen) * static_cast<double>(down[2]) * static_cast<double>(x[1]), {}, {}, false};
}

}  // namespace

std::optional<KnownCall> known_library(std::string_view name, const CallArguments& args) {
  for (size_t i = 0; i < args.shapes.size(); ++i) {
    if (args.elements(i) > 1e15) return {};  // nobody's
  }
  for (const auto rule : {product, rms_norm, gate, rotary, cache_update, attention_of_libraries, experts}) {
    if (auto known = rule(name, args)) return known;
  }
  return {};
}

}  // namespace profiler
