// SPDX-License-Identifier: Apache-2.0
// Kernels of the ops that show a machine: chains of multiply-adds on vectors, one load after the other.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/base/clock.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/elementwise/elementwise_rows.h"
#include "engine/kernels/probes/probes_simd.h"

namespace engine::cpu {
namespace {

template <class T>
class MultiplyAddChain final : public PreparedOp {
 public:
  MultiplyAddChain(const PrepareRequest& request, ChainLoop<T> loop, int threads)
      : x_(request.arguments.inputs[0]), y_(request.arguments.outputs[0]), loop_(loop), threads_(threads) {
    const Attributes& a = request.node.attributes;
    rounds_ = a.get_int("rounds", 1);
    chains_ = static_cast<int>(std::bit_floor(static_cast<uint64_t>(a.get_int("chains", 1))));
    factor_ = static_cast<T>(a.get_double("factor", 1));
    shift_ = static_cast<T>(a.get_double("shift", 0));
  }
  void run() override {
    const T* x = x_.data_as<const T>();
    T* y = y_.data_as<T>();
    const int64_t count = y_.type().elements();
    // Whole vectors to each thread; a chain is long, so a fork pays from the second vector on.
    parallel_parts(threads_, count, loop_.lanes, count * rounds_, [&](int64_t begin, int64_t end) {
      loop_.run(x + begin, y + begin, end - begin, rounds_, chains_, factor_, shift_);
    });
  }
  KernelFacts facts() const override {
    return {.name = fmt::format("own multiply_add_chain, {} lanes x {}", loop_.lanes, chains_)};
  }

 private:
  Tensor x_, y_;
  ChainLoop<T> loop_;
  int threads_, chains_ = 1;
  int64_t rounds_ = 0;
  T factor_ = 0, shift_ = 0;
};

template <class T>
std::unique_ptr<PreparedOp> make_chain(Context& context, const PrepareRequest& request, ChainLoop<T> loop) {
  if (loop.run == nullptr) return nullptr;
  return std::make_unique<MultiplyAddChain<T>>(request, loop, context.threads);
}

std::unique_ptr<PreparedOp> prepare_chain(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  if (!is_dense(x.shape(), x.strides()) || x.strides() != y.strides()) return nullptr;
  if (x.dtype() == DType::float32) return make_chain(context, request, chain_loop_f32());
  if (x.dtype() == DType::float64) return make_chain(context, request, chain_loop_f64());
  return nullptr;
}

template <class T>
class PointerChase final : public PreparedOp {
 public:
  explicit PointerChase(const PrepareRequest& request)
      : next_(request.arguments.inputs[0]),
        last_(request.arguments.outputs[0]),
        accesses_(request.node.attributes.get_int("accesses", 0)) {}
  void run() override {
    const T* next = next_.data_as<const T>();
    const auto count = static_cast<T>(next_.type().elements());
    T position = 0;
    for (int64_t i = 0; i < accesses_; ++i) {
      position = next[position];
      // Predicted, so that it adds nothing to the chain of loads.
      if (position < 0 || position >= count) {
        position = -1;
        break;
      }
    }
    *last_.data_as<T>() = position;
  }
  KernelFacts facts() const override {
    return {
        .name = "own pointer_chase, one thread, one load after the other", .single_thread = true, .indivisible = true};
  }

 private:
  Tensor next_, last_;
  int64_t accesses_;
};

std::unique_ptr<PreparedOp> prepare_chase(Context&, const PrepareRequest& request) {
  const Tensor& next = request.arguments.inputs[0];
  if (!is_contiguous(next.shape(), next.strides())) return nullptr;
  if (next.dtype() == DType::int64) return std::make_unique<PointerChase<int64_t>>(request);
  if (next.type().elements() > INT32_MAX) return nullptr;
  return std::make_unique<PointerChase<int32_t>>(request);
}

/// What lanes in lockstep do: for each path among `lanes` neighbours, all of them work. Unknown where the paths may
/// change from step to step.
LaneWork lane_work(const PrepareRequest& request, int64_t lanes) {
  LaneWork work{.lanes = static_cast<int>(lanes)};
  const Tensor& path = request.arguments.inputs[1];
  if (request.inputs_constant.size() < 2 || !request.inputs_constant[1] ||
      !is_contiguous(path.shape(), path.strides()) || path.data() == nullptr) {
    return work;
  }
  const int64_t paths = request.node.attributes.get_int("paths", 1), count = path.type().elements();
  const auto* of = path.data_as<const int32_t>();
  for (int64_t from = 0; from < count; from += lanes) {
    uint64_t among = 0;
    for (int64_t i = from; i < std::min(count, from + lanes); ++i) {
      if (of[i] < 0 || of[i] >= paths) continue;
      among |= uint64_t{1} << of[i];
      ++work.kept;
    }
    work.done += std::popcount(among) * lanes;
  }
  return work;
}

template <class T>
class DivergentChain final : public PreparedOp {
 public:
  /// Without `loop` one element after the other.
  DivergentChain(const PrepareRequest& request, int threads, MaskedLoop<T> loop)
      : x_(request.arguments.inputs[0]),
        path_(request.arguments.inputs[1]),
        y_(request.arguments.outputs[0]),
        loop_(loop),
        threads_(threads),
        rounds_(request.node.attributes.get_int("rounds", 1)),
        paths_(request.node.attributes.get_int("paths", 1)),
        work_(lane_work(request, loop.run != nullptr ? loop.lanes : 1)) {}
  void run() override {
    const T* x = x_.data_as<const T>();
    const int32_t* path = path_.data_as<const int32_t>();
    T* y = y_.data_as<T>();
    const int64_t count = y_.type().elements();
    if (loop_.run != nullptr) {
      parallel_parts(threads_, count, loop_.lanes, count * (rounds_ + 1), [&](int64_t begin, int64_t end) {
        loop_.run(x + begin, path + begin, y + begin, end - begin, rounds_, paths_);
      });
      return;
    }
    parallel_for(threads_, count, count * (rounds_ + 1), [&](int64_t i) {
      T value = x[i];
      if (path[i] >= 0 && path[i] < paths_) {
        const T shift = static_cast<T>(path[i] + 1) / 64;
        for (int64_t round = 0; round < rounds_; ++round) value = T(0.75) * value + shift;
      }
      y[i] = value;
    });
  }
  KernelFacts facts() const override {
    if (loop_.run != nullptr)
      return {.name = fmt::format("own divergent_chain, {} lanes under masks", loop_.lanes), .lane_work = work_};
    return {.name = "own divergent_chain, one element after the other", .indivisible = true, .lane_work = work_};
  }

 private:
  Tensor x_, path_, y_;
  MaskedLoop<T> loop_;
  int threads_;
  int64_t rounds_, paths_;
  LaneWork work_;
};

std::unique_ptr<PreparedOp> prepare_divergent(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &path = request.arguments.inputs[1], &y = request.arguments.outputs[0];
  if (!is_dense(x.shape(), x.strides()) || x.strides() != y.strides() || path.strides() != x.strides()) return nullptr;
  const bool masked = request.node.attributes.get_int("masked", 0) != 0;
  if (x.dtype() == DType::float32) {
    return std::make_unique<DivergentChain<float>>(request, context.threads,
                                                   masked ? masked_loop_f32() : MaskedLoop<float>());
  }
  if (x.dtype() == DType::float64) {
    return std::make_unique<DivergentChain<double>>(request, context.threads,
                                                    masked ? masked_loop_f64() : MaskedLoop<double>());
  }
  return nullptr;
}

/// Two copies within the host's memory: there and back, by the engine's own loop, of which it is known whether it
/// stores past the caches (the C library's memcpy decides that by thresholds of its own).
class RoundTrip final : public PreparedOp {
 public:
  RoundTrip(const PrepareRequest& request, Tensor host, RowFunction loop, bool streams)
      : x_(request.arguments.inputs[0]),
        host_(std::move(host)),
        y_(request.arguments.outputs[0]),
        bytes_(size_of(x_)),
        copy_(loop),
        streams_(streams) {}
  void run() override {
    const int64_t begin = now_ticks();
    copy(x_, host_);
    const int64_t turn = now_ticks();
    copy(host_, y_);
    there_ = {.size_bytes = bytes_, .begin_ticks = begin, .end_ticks = turn};
    back_ = {.size_bytes = bytes_, .begin_ticks = turn, .end_ticks = now_ticks()};
  }
  static int64_t size_of(const Tensor& x) { return x.type().elements() * size_bytes(x.dtype()); }
  KernelFacts facts() const override {
    return {.name = fmt::format("own copy there and back ({}, one thread{})", vector_unit(),
                                streams_ ? ", non-temporal stores" : ""),
            .single_thread = true,
            .streaming_stores = streams_,
            .round_trip = true};
  }
  bool reports() const override { return true; }
  void report(Observer& observer, uint32_t op) override {
    observer.transfer_done(op, there_);
    observer.transfer_done(op, back_);
  }

 private:
  /// Bits as they are, whatever the dtype: in words of four bytes, then the rest.
  void copy(const Tensor& from, const Tensor& to) const {
    constexpr int64_t kWord = sizeof(float);
    RowArguments words;
    words.in[0] = from.data();
    words.out[0] = to.data();
    words.count = bytes_ / kWord;
    copy_(words);
    const int64_t copied = words.count * kWord;
    if (copied < bytes_) std::memcpy(to.data() + copied, from.data() + copied, static_cast<size_t>(bytes_ - copied));
  }

  Tensor x_, host_, y_;
  int64_t bytes_;
  RowFunction copy_;
  bool streams_;
  Transfer there_, back_;
};

std::unique_ptr<PreparedOp> prepare_round_trip(Context&, const PrepareRequest& request) {
  const Tensor& x = request.arguments.inputs[0];
  Result<Tensor> host = Tensor::empty(x.type());
  if (!host) return nullptr;
  const bool streams = RoundTrip::size_of(x) >= kStreamingFromBytes;
  return std::make_unique<RoundTrip>(request, *std::move(host), find_row_function("copy", DType::float32, streams),
                                     streams);
}

constexpr Kernel kKernels[] = {{"multiply_add_chain", prepare_chain},
                               {"pointer_chase", prepare_chase},
                               {"divergent_chain", prepare_divergent},
                               {"round_trip", prepare_round_trip}};

}  // namespace

std::span<const Kernel> probe_kernels() { return kKernels; }

}  // namespace engine::cpu
