// SPDX-License-Identifier: Apache-2.0
// The parts of attention and its gradient (attention_loops.h), over memory that is plain (attention.cpp) or, in a test,
// notes each access.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "engine/kernels/attention/attention_loops.h"
#include "engine/kernels/core/rows_simd.h"
#include "engine/kernels/gemm/gemm_simd.h"

namespace engine::cpu {

inline constexpr double kNothing = -std::numeric_limits<double>::infinity();

/// A matrix with neighbours side by side along its rows.
template <class T>
struct Rows {
  T* data = nullptr;
  int64_t stride = 0;
  T* row(int64_t i) const { return data + i * stride; }
  Rows from(int64_t i) const { return {row(i), stride}; }
  operator Rows<const T>() const requires(!std::is_const_v<T>) { return {data, stride}; }
};

/// One such matrix per head and sample.
template <class T>
struct Heads {
  T* data = nullptr;
  int64_t batch = 0, head = 0, row = 0;  ///< elements from one to the next
  Rows<T> of(int64_t b, int64_t h) const { return {data + b * batch + h * head, row}; }
};

/// Of every score one number or flag; those that a mask repeats have stride 0.
struct AttentionMask {
  const void* data = nullptr;
  bool flags = false;  ///< bool, else the type of the scores
  int64_t strides[4] = {0, 0, 0, 0};
};

/// What both ops have in common. Product: (transposed a, transposed b, m, n, k, alpha, a, b, add, c), c (+)= alpha a b.
template <class T, class M, class Product>
class AttentionScores : public loops::Computes {
 public:
  using Block = loops::AttentionBlock;
  using Range = loops::Range;

  bool mask(const Block& block, int64_t query, int64_t seen) {
    const int64_t(&s)[4] = mask_.strides;
    const int64_t at = block.batch * s[0] + block.head * s[1] + query * s[2] + block.keys.begin * s[3];
    T* const row = row_of(block, query);
    if (!mask_.flags)
      return masked(row, seen, [bias = static_cast<const T*>(mask_.data) + at, step = s[3]](T x, int64_t j) {
        return x + M::load(bias + j * step);
      });
    const auto of_flag = [flags = static_cast<const uint8_t*>(mask_.data) + at, step = s[3]](T x, int64_t j) {
      return M::load(flags + j * step) == 0 ? static_cast<T>(kNothing) : x;
    };
    return masked(row, seen, of_flag);
  }
  void clear(const Block& block, int64_t query, Range keys) {
    M::fill(row_of(block, query) + keys.begin, keys.size(), T{0});
  }

 protected:
  AttentionScores(const loops::AttentionShape& shape, double scale, const Heads<const T>& q, const Heads<const T>& k,
                  const Heads<const T>& v, const AttentionMask& mask, const RowLoops<T>& lines, const Product& product,
                  T* scratch)
      : p_(shape),
        scale_(scale),
        q_(q),
        k_(k),
        v_(v),
        mask_(mask),
        lines_(lines),
        product_(product),
        scratch_(scratch) {}

  Rows<T> scores_of(const Block& block) const { return {scratch_, block.keys.size()}; }
  T* row_of(const Block& block, int64_t query) const { return scores_of(block).row(query - block.queries.begin); }
  static Rows<const T> queries_of(const Heads<const T>& rows, const Block& block) {
    return rows.of(block.batch, block.head).from(block.queries.begin);
  }
  static Rows<const T> keys_of(const Heads<const T>& rows, const Block& block) {
    return rows.of(block.batch, block.kv_head).from(block.keys.begin);
  }

  template <class Seen>
  static bool masked(T* row, int64_t count, const Seen& seen) {
    bool any = false;
    for (int64_t j = 0; j < count; ++j) {
      const T x = seen(M::load(row + j), j);
      M::store(x, row + j);
      any |= x != static_cast<T>(kNothing);  // NaN is something
    }
    return any;
  }

  const loops::AttentionShape& p_;
  const double scale_;
  const Heads<const T>&q_, &k_, &v_;
  const AttentionMask& mask_;
  const RowLoops<T>& lines_;
  const Product& product_;
  T* const scratch_;
};

template <class T>
struct AttentionArguments {
  Heads<const T> q, k, v;
  AttentionMask mask;
  Heads<T> y;
  void* sums = nullptr;  ///< one per query
  bool double_sums = false;
};

template <class T, class M, class Product>
class AttentionParts : public AttentionScores<T, M, Product> {
  using Base = AttentionScores<T, M, Product>;

 public:
  using typename Base::Block, typename Base::Range;

  AttentionParts(const loops::AttentionShape& shape, double scale, const AttentionArguments<T>& arguments,
                 const RowLoops<T>& lines, const GemmLoops<T>& gemm, const Product& product,
                 const loops::AttentionScratch& places, T* scratch)
      : Base(shape, scale, arguments.q, arguments.k, arguments.v, arguments.mask, lines, product, scratch),
        a_(arguments),
        gemm_(gemm),
        places_(places) {}

  /// [features][keys of the panel].
  void pack(int64_t batch, int64_t kv_head, Range keys, int64_t to) {
    const Rows<const T> k = this->k_.of(batch, kv_head);
    T* const panel = this->scratch_ + places_.packed_keys + to;
    const T scale = static_cast<T>(this->scale_);
    for (int64_t j = 0; j < keys.size(); ++j) {
      const T* row = k.row(keys.begin + j);
      for (int64_t e = 0; e < this->p_.features; ++e)
        M::store(M::load(row + e) * scale, panel + e * this->p_.panel + j);
    }
  }
  void begin(const Block& block) { std::fill_n(sums_, block.queries.size(), kNothing); }
  void scores(const Block& block) {
    this->product_(false, true, block.queries.size(), block.keys.size(), this->p_.features, this->scale_,
                   this->queries_of(this->q_, block), this->keys_of(this->k_, block), false, this->scores_of(block));
  }
  void panel_scores(const Block& block, Range keys, int64_t from) {
    const Rows<const T> q = this->queries_of(this->q_, block);
    GemmProblem<T> g{.a = {q.data, q.stride, 1}, .b = {this->scratch_ + places_.packed_keys + from, this->p_.panel, 1}};
    g.c = this->scratch_ + keys.begin;
    g.c_row = block.keys.size();
    g.m = block.queries.size();
    g.n = keys.size();
    g.k = this->p_.features;
    gemm_.multiply(g, this->scratch_ + places_.panels);
  }
  void soften(const Block& block, int64_t query, int64_t seen) {
    T* const row = this->row_of(block, query);
    here_ = this->lines_.softmax(row, seen, row);
    if (block.keys.begin == 0) sums_[query - block.queries.begin] = here_;
  }
  void merge(const Block& block, int64_t query) {
    double& sum = sums_[query - block.queries.begin];
    const double old_share = sum == kNothing ? 0 : 1 / (1 + std::exp(here_ - sum));
    T *const row = this->row_of(block, query), *const y = a_.y.of(block.batch, block.head).row(query);
    this->lines_.scaled(row, block.keys.size(), static_cast<T>(1 - old_share), row);
    this->lines_.scaled(y, this->p_.value_features, static_cast<T>(old_share), y);
    sum = sum == kNothing ? here_ : std::max(sum, here_) + std::log1p(std::exp(-std::abs(sum - here_)));
  }
  void weigh(const Block& block) {
    const Rows<const T> weights = this->scores_of(block), v = this->keys_of(this->v_, block);
    const Rows<T> y = a_.y.of(block.batch, block.head).from(block.queries.begin);
    const bool add = block.keys.begin > 0;
    if (this->p_.panel == 0)
      return this->product_(false, false, block.queries.size(), this->p_.value_features, block.keys.size(), 1, weights,
                            v, add, y);
    GemmProblem<T> g{.a = {weights.data, weights.stride, 1}, .b = {v.data, v.stride, 1}};
    g.c = y.data;
    g.c_row = y.stride;
    g.m = block.queries.size();
    g.n = this->p_.value_features;
    g.k = block.keys.size();
    g.accumulate = add;
    gemm_.multiply(g, this->scratch_ + places_.panels);
  }
  void keep(const Block& block) {
    for (int64_t i = 0; i < block.queries.size(); ++i) {
      const double sum = sums_[i] == kNothing ? 0 : sums_[i];
      const int64_t at = (block.batch * this->p_.heads + block.head) * this->p_.queries + block.queries.begin + i;
      if (a_.double_sums) M::store(sum, static_cast<double*>(a_.sums) + at);
      else M::store(static_cast<float>(sum), static_cast<float*>(a_.sums) + at);
    }
  }

 private:
  const AttentionArguments<T>& a_;
  const GemmLoops<T>& gemm_;
  const loops::AttentionScratch& places_;
  double here_ = kNothing;  ///< log sum of the row that was softened last
  double sums_[loops::kQueryBlock];
};

template <class T>
struct AttentionGradientArguments {
  Heads<const T> q, k, v;
  AttentionMask mask;
  Heads<const T> dy, y;
  Heads<T> dq, dk, dv;
  const void* sums = nullptr;
  bool double_sums = false;
  int64_t sum_strides[3] = {0, 0, 0};
};

template <class T, class M, class Product>
class AttentionGradientParts : public AttentionScores<T, M, Product> {
  using Base = AttentionScores<T, M, Product>;

 public:
  using typename Base::Block;

  AttentionGradientParts(const loops::AttentionShape& shape, double scale,
                         const AttentionGradientArguments<T>& arguments, const RowLoops<T>& lines,
                         const Product& product, T* scratch)
      : Base(shape, scale, arguments.q, arguments.k, arguments.v, arguments.mask, lines, product, scratch),
        a_(arguments) {}

  void clear_gradients(int64_t batch, int64_t kv_head) {
    const Rows<T> dk = a_.dk.of(batch, kv_head), dv = a_.dv.of(batch, kv_head);
    for (int64_t j = 0; j < this->p_.keys; ++j) {
      M::fill(dk.row(j), this->p_.features, T{0});
      M::fill(dv.row(j), this->p_.value_features, T{0});
    }
  }
  void begin(const Block& block) {
    const Rows<const T> dy = this->queries_of(a_.dy, block), y = this->queries_of(a_.y, block);
    for (int64_t i = 0; i < block.queries.size(); ++i) {
      both_[i] = 0;
      for (int64_t e = 0; e < this->p_.value_features; ++e) {
        const auto gradient = static_cast<double>(M::load(dy.row(i) + e));
        both_[i] += gradient * static_cast<double>(M::load(y.row(i) + e));
      }
    }
  }
  void scores(const Block& block) {
    this->product_(false, true, block.queries.size(), block.keys.size(), this->p_.features, this->scale_,
                   this->queries_of(this->q_, block), this->keys_of(this->k_, block), false, this->scores_of(block));
  }
  void slopes(const Block& block) {
    this->product_(false, true, block.queries.size(), block.keys.size(), this->p_.value_features, 1,
                   this->queries_of(a_.dy, block), this->keys_of(this->v_, block), false, slopes_of(block));
  }
  void soften(const Block& block, int64_t query, int64_t seen) {
    T* const row = this->row_of(block, query);
    here_ = this->lines_.softmax(row, seen, row);
  }
  void gradient(const Block& block, int64_t query, bool any) {
    const int64_t i = query - block.queries.begin;
    T *const weights = this->row_of(block, query), *const ds = slopes_of(block).row(i);
    const double factor = any ? std::exp(here_ - log_sum(block, query)) : 0;
    this->lines_.scaled(weights, block.keys.size(), static_cast<T>(factor), weights);
    const T total = static_cast<T>(both_[i]), scale = static_cast<T>(this->scale_);
    for (int64_t j = 0; j < block.keys.size(); ++j) {
      const T weight = M::load(weights + j);
      M::store(weight * (M::load(ds + j) - total) * scale, ds + j);
    }
  }
  void to_values(const Block& block) {
    this->product_(true, false, block.keys.size(), this->p_.value_features, block.queries.size(), 1,
                   this->scores_of(block), this->queries_of(a_.dy, block), true,
                   a_.dv.of(block.batch, block.kv_head).from(block.keys.begin));
  }
  void to_queries(const Block& block) {
    this->product_(false, false, block.queries.size(), this->p_.features, block.keys.size(), 1, slopes_of(block),
                   this->keys_of(this->k_, block), block.keys.begin > 0,
                   a_.dq.of(block.batch, block.head).from(block.queries.begin));
  }
  void to_keys(const Block& block) {
    this->product_(true, false, block.keys.size(), this->p_.features, block.queries.size(), 1, slopes_of(block),
                   this->queries_of(this->q_, block), true,
                   a_.dk.of(block.batch, block.kv_head).from(block.keys.begin));
  }

 private:
  Rows<T> slopes_of(const Block& block) const {
    return {this->scratch_ + loops::kQueryBlock * loops::kKeyBlock, block.keys.size()};
  }
  double log_sum(const Block& block, int64_t query) const {
    const int64_t at = block.batch * a_.sum_strides[0] + block.head * a_.sum_strides[1] + query * a_.sum_strides[2];
    if (a_.double_sums) return M::load(static_cast<const double*>(a_.sums) + at);
    return static_cast<double>(M::load(static_cast<const float*>(a_.sums) + at));
  }

  const AttentionGradientArguments<T>& a_;
  double here_ = kNothing;
  double both_[loops::kQueryBlock];  ///< sum of dy * y
};

}  // namespace engine::cpu
