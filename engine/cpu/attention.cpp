// SPDX-License-Identifier: Apache-2.0
// attention and attention_grad: blocks of queries against blocks of keys, so that scores stay in the L2 cache, split over threads
// by heads and blocks of queries. Products forward are our own, on keys packed once per head; those of few queries and of the gradient are
// whoever's products.h finds. Blocks of keys are merged by their log sums (M. Milakov, N. Gimelshein, "Online normalizer calculation for
// softmax", 2018). One query per head (a step of generation) streams once over keys and values.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/gemm_simd.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/lines_simd.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/products.h"

namespace engine::cpu {
namespace {

constexpr int64_t kQueryBlock = 84, kKeyBlock = 1024;  // 336 KiB of f32 scores; whole tiles of our products (6 rows)
constexpr double kNothing = -std::numeric_limits<double>::infinity();

/// A matrix with neighbours side by side along its rows.
template <class T>
struct Rows {
  T* data;
  int64_t stride;
  T* row(int64_t i) const { return data + i * stride; }
};

/// c = alpha * a b + beta * c; a [m, k] or, transposed, [k, m]; b [k, n] or, transposed, [n, k].
template <class T>
void product(const Products<T>& products, bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha, const Rows<const T>& a, const Rows<const T>& b, double beta,
             const Rows<T>& c) {
  const ProductOperand<T> of_b{b.data, b.stride, tb};
  if (m == 1 && !ta) return products.vector_times_matrix(n, k, static_cast<T>(alpha), a.data, of_b, static_cast<T>(beta), c.data);
  products.run(m, n, k, static_cast<T>(alpha), {a.data, a.stride, ta}, of_b, static_cast<T>(beta), c.data, c.stride);
}

/// What both ops are computed from. Heads are counted through the batch.
struct Problem {
  Tensor q, k, v, mask;  ///< mask: perhaps undefined
  int64_t batch, heads, kv_heads, queries, keys, features, value_features;
  double scale;
  bool causal;
  Strides mask_strides = {0, 0, 0, 0};

  int64_t share() const { return heads / kv_heads; }
  /// Keys that query i may see, were there no mask.
  int64_t visible(int64_t i) const { return causal ? std::clamp<int64_t>(i + 1 + keys - queries, 0, keys) : keys; }
  int64_t pairs() const { return batch * heads * queries * keys; }
};

/// Rows of one head of a [B, H, rows, columns] tensor.
template <class T>
Rows<T> head_of(const Tensor& t, int64_t batch, int64_t head) {
  const int64_t rows = t.shape()[2];
  return {t.data_as<T>() + batch * t.strides()[0] + head * t.strides()[1], rows == 1 ? std::max<int64_t>(t.shape()[3], 1) : t.strides()[2]};
}

bool has_rows(const Tensor& t) {
  const Shape& shape = t.shape();
  return (shape[3] == 1 || t.strides()[3] == 1) && (shape[2] == 1 || t.strides()[2] >= shape[3]) &&
         std::max({shape[2], shape[3], t.strides()[2]}) <= INT32_MAX;
}

/// The problem of q, k, v at inputs `first` and a mask perhaps at `mask`; false: not for these kernels.
bool make_problem(const PrepareRequest& request, size_t first, size_t mask, Problem& p) {
  const auto& in = request.arguments.inputs;
  p.q = in[first];
  p.k = in[first + 1];
  p.v = in[first + 2];
  const DType dtype = p.q.dtype();
  if (dtype != DType::float32 && (dtype != DType::float64 || line_loops_f64().softmax == nullptr)) return false;
  for (const Tensor* t : {&p.q, &p.k, &p.v}) {
    if (!has_rows(*t)) return false;
  }
  p.batch = p.q.shape()[0];
  p.heads = p.q.shape()[1];
  p.kv_heads = p.k.shape()[1];
  p.queries = p.q.shape()[2];
  p.keys = p.k.shape()[2];
  p.features = p.q.shape()[3];
  p.value_features = p.v.shape()[3];
  const double scale = request.node.attributes.get_double("scale", 0);
  p.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(p.features));
  p.causal = request.node.attributes.get_int("causal", 0) != 0;
  if (in.size() <= mask) return true;
  const Result<Tensor> expanded = in[mask].expand({p.batch, p.heads, p.queries, p.keys});
  if (!expanded) return false;
  p.mask = *expanded;
  p.mask_strides = p.mask.strides();
  return true;
}

template <class T>
LineLoops<T> loops_of() {
  if constexpr (std::is_same_v<T, float>)
    return line_loops_f32();
  else
    return line_loops_f64();
}

/// One row of scores against keys [first, first + count): masks it, turns it into its softmax and returns the log of its sum of
/// exponentials; -infinity, and a row of zeros, when no key is seen.
template <class T>
double soften(const Problem& p, const LineLoops<T>& loops, int64_t batch, int64_t head, int64_t query, int64_t first, int64_t count, T* row) {
  const int64_t seen = std::clamp<int64_t>(p.visible(query) - first, 0, count);
  bool any = seen > 0;
  if (p.mask.defined() && any) {
    const Strides& s = p.mask_strides;
    const int64_t at = batch * s[0] + head * s[1] + query * s[2] + first * s[3];
    any = false;
    for (int64_t j = 0; j < seen; ++j) {
      if (p.mask.dtype() == DType::boolean) {
        if (p.mask.data_as<const uint8_t>()[at + j * s[3]] == 0) row[j] = static_cast<T>(kNothing);
      } else {
        row[j] += p.mask.data_as<const T>()[at + j * s[3]];
      }
      any = any || row[j] > static_cast<T>(kNothing) || std::isnan(row[j]);
    }
  }
  std::fill(row + (any ? seen : 0), row + count, T{0});
  return any ? loops.softmax(row, seen, row) : kNothing;
}

/// Products by our own loops pay where several queries share the packed keys.
constexpr int64_t kFewestQueriesToPack = 14;
template <class T>
bool packs_keys(int64_t queries) {
  return queries >= kFewestQueriesToPack && gemm_loops_of<T>().multiply != nullptr;
}

/// Elements of scratch per thread, in whole lines: scores, packed keys, and what our products need of their own.
struct ForwardScratch {
  int64_t keys = 0, gemm = 0, all = 0;  ///< where the parts behind the scores begin
};

template <class T>
ForwardScratch forward_scratch(int64_t queries, int64_t keys, int64_t features, int64_t value_features) {
  ForwardScratch s;
  s.keys = s.gemm = s.all = kQueryBlock * kKeyBlock;
  if (!packs_keys<T>(queries)) return s;
  const GemmLoops<T> loops = gemm_loops_of<T>();
  const int64_t panels = (keys + loops.tile_columns - 1) / loops.tile_columns;
  s.gemm = s.keys + panels * loops.tile_columns * features;
  const int64_t needed = std::max(loops.workspace_elements(kQueryBlock, loops.tile_columns, features),
                                  loops.workspace_elements(kQueryBlock, value_features, std::min(keys, kKeyBlock)));
  s.all = (s.gemm + needed + 15) / 16 * 16;
  return s;
}

/// Of a block of queries against a block of keys, where our products are not of packed keys.
std::array<ProductShape, 2> forward_products(int64_t keys, int64_t features, int64_t value_features) {
  const int64_t width = std::min(keys, kKeyBlock);
  return {{{kQueryBlock, width, features, true}, {kQueryBlock, value_features, width}}};
}
/// Scores; dy times v; dv, dq, dk.
std::array<ProductShape, 5> gradient_products(int64_t keys, int64_t features, int64_t value_features) {
  const int64_t width = std::min(keys, kKeyBlock);
  return {{{kQueryBlock, width, features, true},
           {kQueryBlock, width, value_features},
           {width, value_features, kQueryBlock},
           {kQueryBlock, features, width},
           {width, features, kQueryBlock}}};
}
/// Of each thread: weights and their gradients.
constexpr int64_t kGradientScratch = 2 * kQueryBlock * kKeyBlock;

std::string shown_name(const Node& node, const char* products) {
  return fmt::format("own {} ({}, {})", node.op->name, products, vector_unit());
}

// ---- forward ----------------------------------------------------------------------------------------------------------------

template <class T>
class AttentionOp final : public PreparedOp {
 public:
  AttentionOp(const Context& context, const PrepareRequest& request, Problem problem)
      : p_(std::move(problem)), y_(request.arguments.outputs[0]), sums_(request.arguments.outputs[1]),
        scratch_(reinterpret_cast<T*>(request.workspace)), threads_(context.threads), packs_(packs_keys<T>(p_.queries)), products_(context, /*shared=*/false),
        parts_(forward_scratch<T>(p_.queries, p_.keys, p_.features, p_.value_features)),
        name_(shown_name(request.node, packs_ ? "own gemm" : products_.name())) {
    if (!packs_) products_.bind(reinterpret_cast<std::byte*>(scratch_ + threads_ * parts_.all), forward_products(p_.keys, p_.features, p_.value_features));
  }

  void run() override {
    const int64_t blocks = (p_.queries + kQueryBlock - 1) / kQueryBlock, heads = p_.batch * p_.heads;
    set_calling_thread_count(threads_);
    parallel_parts(threads_, heads * blocks, 1, p_.pairs() * p_.features, [&](int64_t begin, int64_t end) {
      T* scratch = scratch_ + team_member() * parts_.all;
      int64_t packed = -1;  // head of keys that lies packed
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t head = unit / blocks, from = unit % blocks * kQueryBlock;
        if (packs_ && packed != head / p_.share()) {
          packed = head / p_.share();
          pack_keys(head_of<const T>(p_.k, packed / p_.kv_heads, packed % p_.kv_heads), scratch + parts_.keys);
        }
        block(head / p_.heads, head % p_.heads, from, std::min(p_.queries - from, kQueryBlock), scratch);
      }
    });
  }
  std::string kernel_name() const override { return name_; }

 private:
  /// Panels of tile_columns keys, [features][keys of the panel], times the scale.
  void pack_keys(const Rows<const T>& k, T* to) const {
    const int64_t wide = gemm_.tile_columns;
    const T scale = static_cast<T>(p_.scale);
    for (int64_t first = 0; first < p_.keys; first += wide, to += wide * p_.features) {
      const int64_t count = std::min(wide, p_.keys - first);
      for (int64_t j = 0; j < count; ++j) {
        const T* row = k.row(first + j);
        for (int64_t e = 0; e < p_.features; ++e) to[e * wide + j] = row[e] * scale;
      }
    }
  }

  /// Scores of `count` queries against keys [first, first + width); first begins a panel.
  void scores(const Rows<const T>& q, const Rows<const T>& k, int64_t count, int64_t first, int64_t width, T* scratch) const {
    if (!packs_) {
      product(products_, false, true, count, width, p_.features, p_.scale, q, Rows<const T>{k.row(first), k.stride}, 0, Rows<T>{scratch, width});
      return;
    }
    const int64_t wide = gemm_.tile_columns;
    for (int64_t j = 0; j < width; j += wide) {
      GemmProblem<T> g{.a = {q.data, q.stride, 1}, .b = {scratch + parts_.keys + (first + j) * p_.features, wide, 1}};
      g.c = scratch + j;
      g.c_row = width;
      g.m = count;
      g.n = std::min(wide, width - j);
      g.k = p_.features;
      gemm_.multiply(g, scratch + parts_.gemm);
    }
  }

  void weigh(const Rows<const T>& v, int64_t count, int64_t width, bool accumulate, T* scratch, const Rows<T>& y) const {
    if (!packs_) {
      product(products_, false, false, count, p_.value_features, width, 1, Rows<const T>{scratch, width}, v, accumulate ? 1 : 0, y);
      return;
    }
    GemmProblem<T> g{.a = {scratch, width, 1}, .b = {v.data, v.stride, 1}};
    g.c = y.data;
    g.c_row = y.stride;
    g.m = count;
    g.n = p_.value_features;
    g.k = width;
    g.accumulate = accumulate;
    gemm_.multiply(g, scratch + parts_.gemm);
  }

  void block(int64_t b, int64_t h, int64_t from, int64_t count, T* scratch) const {
    const Rows<const T> q = head_of<const T>(p_.q, b, h), k = head_of<const T>(p_.k, b, h / p_.share()), v = head_of<const T>(p_.v, b, h / p_.share());
    const Rows<T> y = head_of<T>(y_, b, h), block_y{y.row(from), y.stride};
    double sums[kQueryBlock];
    std::fill_n(sums, count, kNothing);
    const int64_t keys = std::max<int64_t>(p_.visible(from + count - 1), 1);  // one at least, so that y is written
    for (int64_t first = 0; first < keys; first += kKeyBlock) {
      const int64_t width = std::min(keys - first, kKeyBlock);
      const Rows<T> s{scratch, width};
      scores({q.row(from), q.stride}, k, count, first, width, scratch);
      for (int64_t i = 0; i < count; ++i) {
        const double here = soften(p_, loops_, b, h, from + i, first, width, s.row(i));
        if (first > 0) merge(sums[i], here, s.row(i), width, block_y.row(i));
        sums[i] = sums[i] == kNothing ? here : here == kNothing ? sums[i] : std::max(sums[i], here) + std::log1p(std::exp(-std::abs(sums[i] - here)));
      }
      weigh({v.row(first), v.stride}, count, width, first > 0, scratch, block_y);
    }
    for (int64_t i = 0; i < count; ++i) {
      const double sum = sums[i] == kNothing ? 0 : sums[i];
      const int64_t at = (b * p_.heads + h) * p_.queries + from + i;
      if (sums_.dtype() == DType::float64)
        sums_.data_as<double>()[at] = sum;
      else
        sums_.data_as<float>()[at] = static_cast<float>(sum);
    }
  }

  /// Weighs what was summed so far and the new row so that both count by their exponentials.
  void merge(double before, double here, T* row, int64_t width, T* y) const {
    if (here == kNothing) return;  // a row of zeros
    const double old_share = before == kNothing ? 0 : 1 / (1 + std::exp(here - before));
    loops_.scaled(row, width, static_cast<T>(1 - old_share), row);
    loops_.scaled(y, p_.value_features, static_cast<T>(old_share), y);
  }

  Problem p_;
  Tensor y_, sums_;
  T* scratch_;
  int threads_;
  bool packs_;
  Products<T> products_;
  ForwardScratch parts_;
  std::string name_;
  LineLoops<T> loops_ = loops_of<T>();
  GemmLoops<T> gemm_ = gemm_loops_of<T>();
};

// ---- gradient ---------------------------------------------------------------------------------------------------------------

template <class T>
class AttentionGradOp final : public PreparedOp {
 public:
  AttentionGradOp(const Context& context, const PrepareRequest& request, Problem problem)
      : p_(std::move(problem)), dy_(request.arguments.inputs[0]), y_(request.arguments.inputs[4]), sums_(request.arguments.inputs[5]),
        out_(request.arguments.outputs), scratch_(reinterpret_cast<T*>(request.workspace)), threads_(context.threads), products_(context, /*shared=*/false),
        name_(shown_name(request.node, products_.name())) {
    products_.bind(reinterpret_cast<std::byte*>(scratch_ + threads_ * kGradientScratch), gradient_products(p_.keys, p_.features, p_.value_features));
  }

  /// Heads of keys are split over the threads: all queries that share one add to the same dk and dv.
  void run() override {
    set_calling_thread_count(threads_);
    parallel_parts(threads_, p_.batch * p_.kv_heads, 1, p_.pairs() * p_.features, [&](int64_t begin, int64_t end) {
      T* scratch = scratch_ + team_member() * kGradientScratch;
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t b = unit / p_.kv_heads, g = unit % p_.kv_heads;
        const Rows<T> dk = head_of<T>(out_[1], b, g), dv = head_of<T>(out_[2], b, g);
        for (int64_t j = 0; j < p_.keys; ++j) {
          std::fill_n(dk.row(j), p_.features, T{0});
          std::fill_n(dv.row(j), p_.value_features, T{0});
        }
        for (int64_t h = g * p_.share(); h < (g + 1) * p_.share(); ++h) {
          for (int64_t from = 0; from < p_.queries; from += kQueryBlock) block(b, g, h, from, std::min(p_.queries - from, kQueryBlock), scratch);
        }
      }
    });
  }
  std::string kernel_name() const override { return name_; }

 private:
  double log_sum(int64_t b, int64_t h, int64_t i) const {
    const Strides& s = sums_.strides();
    const int64_t at = b * s[0] + h * s[1] + i * s[2];
    return sums_.dtype() == DType::float64 ? sums_.data_as<const double>()[at] : static_cast<double>(sums_.data_as<const float>()[at]);
  }

  void block(int64_t b, int64_t g, int64_t h, int64_t from, int64_t count, T* scratch) const {
    const Rows<const T> q = head_of<const T>(p_.q, b, h), k = head_of<const T>(p_.k, b, g), v = head_of<const T>(p_.v, b, g);
    const Rows<const T> dy = head_of<const T>(dy_, b, h), y = head_of<const T>(y_, b, h);
    const Rows<T> dq = head_of<T>(out_[0], b, h), dk = head_of<T>(out_[1], b, g), dv = head_of<T>(out_[2], b, g);
    double both[kQueryBlock];  // sum of dy * y
    for (int64_t i = 0; i < count; ++i) {
      both[i] = 0;
      for (int64_t e = 0; e < p_.value_features; ++e)
        both[i] += static_cast<double>(dy.row(from + i)[e]) * static_cast<double>(y.row(from + i)[e]);
    }
    const int64_t keys = std::max<int64_t>(p_.visible(from + count - 1), 1);  // one at least, so that dq is written
    for (int64_t first = 0; first < keys; first += kKeyBlock) {
      const int64_t width = std::min(keys - first, kKeyBlock);
      const Rows<T> weights{scratch, width}, ds{scratch + kQueryBlock * kKeyBlock, width};
      const Rows<const T> q_block{q.row(from), q.stride}, k_block{k.row(first), k.stride}, dy_block{dy.row(from), dy.stride};
      product(products_, false, true, count, width, p_.features, p_.scale, q_block, k_block, 0, weights);
      product(products_, false, true, count, width, p_.value_features, 1, dy_block, Rows<const T>{v.row(first), v.stride}, 0, ds);
      for (int64_t i = 0; i < count; ++i) {
        const double here = soften(p_, loops_, b, h, from + i, first, width, weights.row(i));
        const double factor = here == kNothing ? 0 : std::exp(here - log_sum(b, h, from + i));
        loops_.scaled(weights.row(i), width, static_cast<T>(factor), weights.row(i));
        const T total = static_cast<T>(both[i]), scale = static_cast<T>(p_.scale);
        for (int64_t j = 0; j < width; ++j) ds.row(i)[j] = weights.row(i)[j] * (ds.row(i)[j] - total) * scale;
      }
      product(products_, true, false, width, p_.value_features, count, 1, Rows<const T>{scratch, width}, dy_block, 1, Rows<T>{dv.row(first), dv.stride});
      product(products_, false, false, count, p_.features, width, 1, Rows<const T>{ds.data, width}, k_block, first > 0 ? 1 : 0, Rows<T>{dq.row(from), dq.stride});
      product(products_, true, false, width, p_.features, count, 1, Rows<const T>{ds.data, width}, q_block, 1, Rows<T>{dk.row(first), dk.stride});
    }
  }

  Problem p_;
  Tensor dy_, y_, sums_;
  std::vector<Tensor> out_;
  T* scratch_;
  int threads_;
  Products<T> products_;
  std::string name_;
  LineLoops<T> loops_ = loops_of<T>();
};

template <template <class> class Op>
std::unique_ptr<PreparedOp> make(const Context& context, const PrepareRequest& request, Problem problem) {
  if (problem.q.dtype() == DType::float32) return std::make_unique<Op<float>>(context, request, std::move(problem));
  return std::make_unique<Op<double>>(context, request, std::move(problem));
}

std::unique_ptr<PreparedOp> prepare_attention(Context& context, const PrepareRequest& request) {
  Problem p;
  if (!make_problem(request, 0, 3, p) || !has_rows(request.arguments.outputs[0])) return nullptr;
  return make<AttentionOp>(context, request, std::move(p));
}

std::unique_ptr<PreparedOp> prepare_attention_grad(Context& context, const PrepareRequest& request) {
  Problem p;
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  if (out.size() > 3 || !make_problem(request, 1, 6, p)) return nullptr;
  for (const Tensor* t : {&in[0], &in[4], &out[0], &out[1], &out[2]}) {
    if (!has_rows(*t)) return nullptr;
  }
  return make<AttentionGradOp>(context, request, std::move(p));
}

template <class T>
int64_t forward_bytes(Context& context, const Call& call) {
  const Shape &q = call.inputs[0].shape, &k = call.inputs[1].shape, &v = call.inputs[2].shape;
  const int64_t products = packs_keys<T>(q[2]) ? 0 : Products<T>(context, /*shared=*/false).workspace_bytes(forward_products(k[2], q[3], v[3]));
  return context.threads * forward_scratch<T>(q[2], k[2], q[3], v[3]).all * static_cast<int64_t>(sizeof(T)) + products;
}

/// Both for f64 and, as the kernels of 16-bit floats need it too, for f32.
int64_t forward_workspace(Context& context, const Node& /*node*/, const Call& call) {
  return call.outputs[0].dtype == DType::float64 ? forward_bytes<double>(context, call) : forward_bytes<float>(context, call);
}

template <class T>
int64_t gradient_bytes(Context& context, const Call& call) {
  const Shape &q = call.inputs[1].shape, &k = call.inputs[2].shape, &v = call.inputs[3].shape;
  return context.threads * kGradientScratch * static_cast<int64_t>(sizeof(T)) +
         Products<T>(context, /*shared=*/false).workspace_bytes(gradient_products(k[2], q[3], v[3]));
}

int64_t gradient_workspace(Context& context, const Node& /*node*/, const Call& call) {
  return call.outputs[0].dtype == DType::float64 ? gradient_bytes<double>(context, call) : gradient_bytes<float>(context, call);
}

}  // namespace

std::span<const Kernel> attention_kernels() {
  static constexpr Kernel kKernels[] = {
      {"attention", prepare_attention, forward_workspace},
      {"attention_grad", prepare_attention_grad, gradient_workspace},
  };
  return kKernels;
}

}  // namespace engine::cpu
