// SPDX-License-Identifier: Apache-2.0
// Elementwise ops and SGD in any dtype and layout: loops over strided operands around the inner loops of
// elementwise_simd.cpp, functions_simd.cpp and whole_simd.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/loop_nest.h"
#include "engine/kernels/core/row_blocks.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/elementwise/elementwise_rows.h"

namespace engine::cpu {
namespace {

/// Shorter rows go through the inner loop several at a time: there, calls and elements beyond whole vectors take the
/// most of the time.
constexpr int64_t kShortRow = 48;

class ElementwiseOp final : public PreparedOp {
 public:
  ElementwiseOp(const PrepareRequest& request, LoopNest loops, std::vector<Passage> passages, RowFunction function,
                std::vector<double> constants, int threads, KernelFacts facts)
      : loops_(std::move(loops)),
        passages_(std::move(passages)),
        function_(function),
        constants_(std::move(constants)),
        threads_(threads),
        facts_(std::move(facts)),
        outputs_(static_cast<int>(request.arguments.outputs.size())) {
    int k = 0;
    for (const Tensor& t : request.arguments.outputs) base_[k++] = t.data();
    for (const Tensor& t : request.arguments.inputs) base_[k++] = t.data();
    for (int i = 0; i < loops_.operands; ++i) {
      direct_ = direct_ && passages_[i].direct();
      if (passages_[i].single) repeated_ |= 1u << (i - outputs_);
    }
    if (has_short_rows(loops_, kShortRow)) join_rows();
  }

  void run() override {
    if (block_ > 0) return run_blocks();
    run_loops(loops_, base_, threads_, [this](const Addresses& at, int64_t count) {
      if (!direct_) return run_chunks(at, count);
      RowArguments row{.count = count, .repeated = repeated_, .constants = constants_.data()};
      for (int i = 0; i < outputs_; ++i) row.out[i] = at[i];
      for (int i = outputs_; i < loops_.operands; ++i) row.in[i - outputs_] = at[i];
      function_(row);
    });
  }
  KernelFacts facts() const override { return facts_; }

 private:
  void run_chunks(const Addresses& at, int64_t count) const {
    alignas(64) std::byte buffers[kMaxOperands][kChunk * 8];
    for (int64_t from = 0; from < count; from += kChunk) {
      RowArguments row{.count = std::min(kChunk, count - from), .repeated = repeated_, .constants = constants_.data()};
      for (int i = outputs_; i < loops_.operands; ++i)
        row.in[i - outputs_] = passages_[i].read(at[i] + from * passages_[i].stride, row.count, buffers[i]);
      for (int i = 0; i < outputs_; ++i)
        row.out[i] = passages_[i].direct() ? at[i] + from * passages_[i].stride : buffers[i];
      function_(row);
      for (int i = 0; i < outputs_; ++i) {
        if (!passages_[i].direct()) passages_[i].write(buffers[i], row.count, at[i] + from * passages_[i].stride);
      }
    }
  }

  void join_rows() {
    block_ = kChunk / loops_.inner * loops_.inner;
    repeated_ = 0;
    for (int i = 0; i < loops_.operands; ++i) {
      Passage& passage = passages_[i];
      Lies how = lies(loops_, i, passage.bytes());
      if (how == Lies::single && !passage.single) how = Lies::apart;
      passage.single = how == Lies::single;
      passage.stride = passage.bytes();
      if (passage.single) repeated_ |= 1u << (i - outputs_);
      lies_.push_back(how);
      nests_.push_back(NestOperand::of(loops_, i, passage.bytes()));
    }
  }

  /// Elements of several rows at a time, gathered where they do not follow one another.
  void run_blocks() const {
    const int64_t elements = loops_.rows() * loops_.inner;
    parallel_parts(threads_, (elements + block_ - 1) / block_, 1, elements, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block)
        run_block(block * block_, std::min(block_, elements - block * block_));
    });
  }
  void run_block(int64_t first, int64_t count) const {
    alignas(64) std::byte buffers[kMaxOperands][kChunk * 8];
    alignas(64) std::byte apart[kMaxOperands][kChunk * 8];
    RowArguments row{.count = count, .repeated = repeated_, .constants = constants_.data()};
    for (int i = outputs_; i < loops_.operands; ++i) {
      const std::byte* at = base_[i] + (lies_[i] == Lies::together ? first * passages_[i].bytes() : 0);
      if (lies_[i] == Lies::apart) {
        nests_[i].gather(base_[i], first, count, apart[i]);
        at = apart[i];
      }
      row.in[i - outputs_] = passages_[i].read(at, count, buffers[i]);
    }
    const auto place = [&](int i) {
      return lies_[i] == Lies::apart ? apart[i] : base_[i] + first * passages_[i].bytes();
    };
    for (int i = 0; i < outputs_; ++i) row.out[i] = passages_[i].direct() ? place(i) : buffers[i];
    function_(row);
    for (int i = 0; i < outputs_; ++i) {
      if (!passages_[i].direct()) passages_[i].write(buffers[i], count, place(i));
      if (lies_[i] == Lies::apart) nests_[i].scatter(apart[i], first, count, base_[i]);
    }
  }

  LoopNest loops_;
  std::vector<Passage> passages_;  ///< outputs, then inputs
  int64_t block_ = 0;              ///< elements of several rows that are computed on at once; 0: it goes row by row
  std::vector<Lies> lies_;         ///< by blocks: as passages_
  std::vector<NestOperand> nests_;
  RowFunction function_;
  std::vector<double> constants_;
  int threads_;
  KernelFacts facts_;
  int outputs_;
  bool direct_ = true;
  uint32_t repeated_ = 0;
  Addresses base_{};
};

/// What operands of several dtypes are computed in, where an op takes such: whole numbers in 64 bits, of which a
/// narrower result takes the lowest; others in doubles.
std::optional<DType> common_dtype(std::string_view op, std::span<const TensorType> types) {
  if (op != "power" || std::ranges::all_of(types, [&](const TensorType& type) { return type.dtype == types[0].dtype; }))
    return std::nullopt;
  const bool whole = std::ranges::none_of(types, [](const TensorType& type) { return is_floating(type.dtype); });
  return whole ? DType::int64 : DType::float64;
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_elementwise(Context& context, const PrepareRequest& request) {
  const std::string_view op = request.node.op->name;
  const Tensor& y = request.arguments.outputs[0];
  std::vector<TensorType> types;
  for (const Tensor& t : request.arguments.outputs) types.push_back(t.type());
  for (const Tensor& t : request.arguments.inputs) types.push_back(t.type());
  const std::optional<DType> common = common_dtype(op, types);
  const DType given = common.value_or(request.arguments.inputs.back().dtype());
  const bool moves = op == "where" || op == "copy";  // bits, whatever they mean
  const DType dtype = moves ? given : compute_dtype(given);
  for (const TensorType& type : types) {
    if ((!common && type.dtype != given && type.dtype != DType::boolean) || type.rank() > y.type().rank())
      return nullptr;
  }

  const int outputs = static_cast<int>(request.arguments.outputs.size());
  const LoopNest loops = make_tiled_loops(y.shape(), types, 0);
  const bool in_place = op == "sgd" || op == "sgd_momentum";  // their inner loops take no single elements
  std::vector<Passage> passages;
  bool direct = true;
  for (int k = 0; k < loops.operands; ++k) {
    const DType own = types[static_cast<size_t>(k)].dtype;
    passages.push_back({own,
                        moves    ? own
                        : common ? *common
                                 : compute_dtype(own),
                        loops.inner_stride[k], loops.inner_stride[k] == 0 && k >= outputs && !in_place});
    direct = direct && passages.back().direct();
  }

  RowFunction function = nullptr;
  const bool streaming =
      direct && loops.rows() == 1 && y.type().elements() * size_bytes(y.dtype()) >= kStreamingFromBytes;
  if (streaming) function = find_row_function(op, dtype, true);
  const bool streams = function != nullptr;
  if (function == nullptr) function = find_elementwise_row(op, dtype);
  if (function == nullptr) return nullptr;
  std::string name = fmt::format("own {} ({}{}{})", op, vector_unit(), streams ? ", non-temporal stores" : "",
                                 given != dtype ? ", computed as f32"
                                 : common       ? fmt::format(", computed as {}", engine::name(dtype))
                                                : "");
  return std::make_unique<ElementwiseOp>(
      request, loops, std::move(passages), function, elementwise_constants(*request.node.op, request.node.attributes),
      context.threads, KernelFacts{.name = std::move(name), .streaming_stores = streams});
}

std::span<const Kernel> elementwise_kernels() {
  static constexpr Kernel kKernels[] = {
      {"sgd", prepare_elementwise},
      {"sgd_momentum", prepare_elementwise},
  };
  return kKernels;
}

}  // namespace engine::cpu
