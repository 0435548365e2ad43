// SPDX-License-Identifier: Apache-2.0
// Pairs of a token and an expert are sorted by expert. Each thread takes a part of the rows of every matrix that some
// token meets, so that threads have equal work however the tokens are spread.
#include "engine/kernels/gemm/expert_linear.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/kernels/core/casting.h"
#include "engine/kernels/core/index_reader.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/whole_lines.h"
#include "engine/kernels/gemm/gemm_simd.h"
#include "engine/kernels/gemm/mixed_products.h"

namespace engine::cpu {
namespace {

constexpr size_t kX = 0, kWeights = 1, kExperts = 2, kScales = 3;

struct Extents {
  explicit Extents(std::span<const TensorType> in)
      : tokens(in[kExperts].shape[0]),
        each(in[kExperts].shape[1]),
        experts(in[kWeights].shape[0]),
        n(in[kWeights].shape[1]),
        k(in[kX].shape.back()),
        shared(in[kX].rank() == 2),
        products(*mixed_format(in[kWeights].dtype), k, in.size() > kScales) {}
  int64_t pairs() const { return tokens * each; }

  int64_t tokens, each, experts, n, k;
  bool shared;  ///< a row of x is one for all experts of its token
  MixedProducts products;
};

/// Where in the workspace lies what; offsets in bytes.
struct Places {
  Places(const Extents& e, int threads)
      : rows(0),
        room(whole_lines_of(e.pairs() * e.k * 4)),
        results(room + whole_lines_of(e.products.room_bytes(e.pairs()))),
        scratch(results + whole_lines_of(e.pairs() * e.n * 4)),
        each(whole_lines_of(e.products.scratch_bytes(e.pairs()))),
        all(scratch + each * threads) {}
  int64_t rows, room, results, scratch, each, all;
};

ConvertRow row_from(DType from, DType to) {
  constexpr ConvertRow kCopy = [](const std::byte* row, std::byte* result, int64_t count) {
    std::memcpy(result, row, static_cast<size_t>(count) * sizeof(float));
  };
  return from == to ? kCopy : any_convert_row(from, to);
}

class ExpertLinear final : public PreparedOp {
 public:
  ExpertLinear(const PrepareRequest& request, const Extents& extents, int threads)
      : tensors_(request.arguments),
        e_(extents),
        places_(extents, threads),
        threads_(threads),
        workspace_(request.workspace),
        widen_(row_from(tensors_.inputs[kX].dtype(), DType::float32)),
        round_(row_from(DType::float32, tensors_.outputs[0].dtype())),
        first_(static_cast<size_t>(extents.experts) + 1),
        pair_(static_cast<size_t>(extents.pairs())),
        expert_(pair_.size()) {}

  void run() override {
    sort();
    const int64_t rows = first_.back();
    auto* const x = at<float>(places_.rows);
    const MixedProducts::Rows ready{x, at<std::byte>(places_.room), e_.pairs()};
    parallel_for(threads_, rows, rows * e_.k, [&](int64_t row) { make_ready(ready, x, row); });
    const double work = static_cast<double>(rows) * static_cast<double>(e_.n) * static_cast<double>(e_.k);
    parallel_parts(threads_, e_.n, kFewestPanelRows, streaming_work(work), [&](int64_t begin, int64_t end) {
      for (int64_t expert = 0; expert < e_.experts; ++expert) products_of(expert, ready, begin, end);
      refuse(begin, end);
    });
  }

  KernelFacts facts() const override {
    const int64_t met = std::max<int64_t>(1, std::min(e_.experts, e_.pairs())), mean = (e_.pairs() + met - 1) / met;
    return {.name = e_.products.kernel_name(mean) + " by experts",
            .format = e_.products.product_format(mean),
            .own_gemm = !MixedProducts::streams(mean)};
  }

 private:
  template <class T>
  T* at(int64_t place) const {
    return reinterpret_cast<T*>(workspace_ + place);
  }

  /// By expert, of one in the order of tokens; pairs without one behind all.
  void sort() {
    const IndexReader chosen(tensors_.inputs[kExperts]);
    std::ranges::fill(first_, 0);
    for (int64_t i = 0; i < e_.pairs(); ++i) {
      const int64_t expert = chosen.at(i, e_.experts);
      expert_[static_cast<size_t>(i)] = expert;
      if (expert >= 0) ++first_[static_cast<size_t>(expert) + 1];
    }
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    next_.assign(first_.begin(), first_.end());
    for (int64_t i = 0; i < e_.pairs(); ++i) {
      const int64_t expert = expert_[static_cast<size_t>(i)];
      const size_t of = expert < 0 ? static_cast<size_t>(e_.experts) : static_cast<size_t>(expert);
      pair_[static_cast<size_t>(next_[of]++)] = i;
    }
  }
  int64_t count(int64_t expert) const {
    return first_[static_cast<size_t>(expert) + 1] - first_[static_cast<size_t>(expert)];
  }

  void make_ready(const MixedProducts::Rows& ready, float* x, int64_t row) const {
    const int64_t pair = pair_[static_cast<size_t>(row)], from = e_.shared ? pair / e_.each : pair;
    const Tensor& given = tensors_.inputs[kX];
    widen_(given.data() + from * e_.k * size_bytes(given.dtype()), reinterpret_cast<std::byte*>(x + row * e_.k), e_.k);
    if (const int64_t blocks = e_.products.blocks_in_row(); blocks > 0)
      e_.products.round(ready, count(expert_[static_cast<size_t>(pair)]), row * blocks, (row + 1) * blocks);
  }

  /// Rows [begin, end) of one matrix, for all that meet it.
  void products_of(int64_t expert, const MixedProducts::Rows& ready, int64_t begin, int64_t end) const {
    const int64_t rows = count(expert), first = first_[static_cast<size_t>(expert)];
    if (rows == 0) return;
    const int64_t blocks = e_.products.blocks_in_row(), row = expert * e_.n + begin;
    const MixedWeights weights{tensors_.inputs[kWeights].data() + row * e_.products.weight_row_bytes(),
                               blocks > 0 ? tensors_.inputs[kScales].data_as<const uint16_t>() + row * blocks : nullptr,
                               end - begin};
    float* const y = at<float>(places_.results) + first * e_.n + begin;
    e_.products.multiply(ready, first, rows, weights, y, e_.n,
                         at<std::byte>(places_.scratch + team_member() * places_.each));
    for (int64_t i = 0; i < rows; ++i)
      round_(reinterpret_cast<const std::byte*>(y + i * e_.n), result(first + i, begin), end - begin);
  }
  std::byte* result(int64_t row, int64_t column) const {
    const Tensor& y = tensors_.outputs[0];
    return y.data() + (pair_[static_cast<size_t>(row)] * e_.n + column) * size_bytes(y.dtype());
  }

  /// Columns [begin, end) of pairs without an expert.
  void refuse(int64_t begin, int64_t end) const {
    for (int64_t row = first_.back(); row < e_.pairs(); ++row) {
      float* const none = at<float>(places_.results) + row * e_.n + begin;
      std::fill(none, none + (end - begin), std::numeric_limits<float>::quiet_NaN());
      round_(reinterpret_cast<const std::byte*>(none), result(row, begin), end - begin);
    }
  }

  KernelArguments tensors_;
  Extents e_;
  Places places_;
  int threads_;
  std::byte* workspace_;
  ConvertRow widen_, round_;
  std::vector<int64_t> first_, next_;   ///< by expert: of its rows the first, in the order of pair_
  std::vector<int64_t> pair_, expert_;  ///< by row; by pair, below 0: none
};

bool takes(std::span<const TensorType> in, const TensorType& y) {
  const TensorType &x = in[kX], &w = in[kWeights];
  const auto dense = [](const TensorType& type) { return is_contiguous(type.shape, type.strides); };
  const bool floats = x.dtype == DType::float32 || x.dtype == DType::bfloat16 || x.dtype == DType::float16;
  return floats && mixed_format(w.dtype).has_value() && x.elements() > 0 && w.elements() > 0 && y.elements() > 0 &&
         std::ranges::all_of(in, dense) && dense(y) && gemm_loops_f32().multiply != nullptr;
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_expert_linear(Context& context, const PrepareRequest& request) {
  std::vector<TensorType> types;
  for (const Tensor& input : request.arguments.inputs) types.push_back(input.type());
  if (!takes(types, request.arguments.outputs[0].type())) return nullptr;
  return std::make_unique<ExpertLinear>(request, Extents(types), context.threads);
}

int64_t expert_linear_workspace(Context& context, const Node& /*node*/, const Call& call) {
  return takes(call.inputs, call.outputs[0]) ? Places(Extents(call.inputs), context.threads).all : 0;
}

}  // namespace engine::cpu
