// SPDX-License-Identifier: Apache-2.0
// Layer and root-mean-square normalisation of row-major tensors and their gradients: one line at a time stays in the cache; sums
// over lines (dscale, dbias) are gathered per thread, in doubles beyond a few hundred lines.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <type_traits>

#include "engine/cpu/whole_lines.h"
#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/lines_simd.h"
#include "engine/cpu/norms_simd.h"
#include "engine/cpu/parallel.h"
#include "engine/loops/lines.h"

namespace engine::cpu {
namespace {

bool is_rms(const Node& node) { return node.op->name.starts_with("rms"); }

/// Row-major operands of one type this backend has loops for.
bool computable(const PrepareRequest& request) {
  const DType dtype = request.arguments.inputs[0].dtype();
  if (dtype != DType::float32 && (dtype != DType::float64 || norm_loops_f64().squares == nullptr)) return false;
  for (const auto* list : {&request.arguments.inputs, &request.arguments.outputs}) {
    for (const Tensor& t : *list) {
      if (t.dtype() != dtype || !is_contiguous(t.shape(), t.strides())) return false;
    }
  }
  return true;
}

template <class T>
class NormOp : public PreparedOp {
 public:
  NormOp(const PrepareRequest& request, int threads)
      : in_(request.arguments.inputs), out_(request.arguments.outputs), rms_(is_rms(request.node)), threads_(threads),
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {}
  std::string kernel_name() const override { return name_; }

 protected:
  const T* in(size_t i) const { return in_[i].data_as<const T>(); }
  T* out(size_t i) const { return out_[i].data_as<T>(); }
  static NormLoops<T> loops_of() {
    if constexpr (std::is_same_v<T, float>)
      return norm_loops_f32();
    else
      return norm_loops_f64();
  }
  static LineLoops<T> lines_of() {
    if constexpr (std::is_same_v<T, float>)
      return line_loops_f32();
    else
      return line_loops_f64();
  }

  std::vector<Tensor> in_, out_;
  bool rms_;
  int threads_;
  std::string name_;
  NormLoops<T> loops_ = loops_of();
};

/// (x, scale, [bias]) -> y, [mean], inverse.
template <class T>
class Forward final : public NormOp<T> {
 public:
  Forward(const PrepareRequest& request, int threads)
      : NormOp<T>(request, threads), epsilon_(request.node.attributes.get_double("epsilon", 1e-5)) {}
  void run() override {
    const int64_t length = this->in_[1].type().elements(), count = this->out_[1].type().elements();
    T* const means = this->rms_ ? nullptr : this->out(1);
    T* const inverses = this->out(this->rms_ ? 1 : 2);
    parallel_for(this->threads_, count, count * length, [&](int64_t number) {
      Line line{.op = *this, .x = this->in(0) + number * length, .length = length, .y = this->out(0) + number * length,
                .kept_mean = this->rms_ ? nullptr : means + number, .kept_inverse = inverses + number};
      loops::norm_line(!this->rms_, line);
    });
  }

 private:
  /// The parts of one line.
  struct Line {
    const Forward& op;
    const T* x;
    int64_t length;
    T* y;
    T *kept_mean, *kept_inverse;
    T mean = 0, inverse = 0;

    void sum() { mean = static_cast<T>(op.lines_.sum(x, length) / static_cast<double>(length)); }
    void squares() { inverse = static_cast<T>(1 / std::sqrt(op.loops_.squares(x, length, mean) / static_cast<double>(length) + op.epsilon_)); }
    void normalize() { op.loops_.normalize(x, length, mean, inverse, op.in(1), op.in_.size() > 2 ? op.in(2) : nullptr, y); }
    void keep() {
      if (kept_mean != nullptr) *kept_mean = mean;
      *kept_inverse = inverse;
    }
  };

  double epsilon_;
  LineLoops<T> lines_ = NormOp<T>::lines_of();
};

/// Per thread: 2 * length sums in T, then 2 * length in double.
template <class T>
int64_t sums_bytes(int64_t length) {
  return static_cast<int64_t>(whole_lines(static_cast<size_t>(2 * length) * sizeof(T)) +
                              whole_lines(static_cast<size_t>(2 * length) * sizeof(double)));
}

/// (dy, x, [mean], inverse, scale) -> dx, dscale, [dbias].
template <class T>
class Gradient final : public NormOp<T> {
 public:
  Gradient(const PrepareRequest& request, int threads) : NormOp<T>(request, threads), workspace_(request.workspace) {}
  void run() override {
    const int64_t length = this->in_.back().type().elements(), count = this->in_[2].type().elements();
    const int64_t bytes = sums_bytes<T>(length);
    for (int thread = 0; thread < this->threads_; ++thread) std::fill_n(workspace_ + thread * bytes, bytes, std::byte{0});
    parallel_parts(this->threads_, count, 1, count * length, [&](int64_t begin, int64_t end) {
      std::byte* own = workspace_ + team_member() * bytes;
      const bool rms = this->rms_;
      Lines lines{{}, this->loops_, this->in(0), this->in(1), rms ? nullptr : this->in(2), this->in(rms ? 2 : 3), this->in(this->in_.size() - 1),
                  this->out(0), length, reinterpret_cast<T*>(own), far_sums(own, length)};
      loops::norm_gradient_lines({begin, end}, lines);
    });
    for (int64_t i = 0; i < length; ++i) {
      double scale = 0, bias = 0;
      for (int thread = 0; thread < this->threads_; ++thread) {
        const double* far = far_sums(workspace_ + thread * bytes, length);
        scale += far[i];
        bias += far[length + i];
      }
      this->out(1)[i] = static_cast<T>(scale);
      if (!this->rms_) this->out(2)[i] = static_cast<T>(bias);
    }
  }

 private:
  static double* far_sums(std::byte* own, int64_t length) {
    return reinterpret_cast<double*>(own + whole_lines(static_cast<size_t>(2 * length) * sizeof(T)));
  }
  /// The parts of some lines.
  struct Lines : loops::Computes {
    const NormLoops<T>& loops;
    const T *dy, *x, *means, *inverses, *scale;  ///< means: null without any
    T* dx;
    int64_t length;
    T* near;  ///< dscale and dbias of lines since the last flush
    double* far;
    double sums[2] = {0, 0};

    T mean(int64_t line) const { return means == nullptr ? T{0} : means[line]; }
    void gradient_sums(int64_t line) {
      loops.gradient_sums(dy + line * length, x + line * length, length, mean(line), inverses[line], scale, near, means == nullptr ? nullptr : near + length, sums);
    }
    void gradient(int64_t line) const {
      const auto values = static_cast<double>(length);
      loops.gradient(dy + line * length, x + line * length, length, mean(line), inverses[line], scale, means == nullptr ? T{0} : static_cast<T>(sums[0] / values),
                     static_cast<T>(sums[1] / values), dx + line * length);
    }
    void flush() {
      for (int64_t i = 0; i < 2 * length; ++i) {
        far[i] += static_cast<double>(near[i]);
        near[i] = 0;
      }
    }
  };

  std::byte* workspace_;
};

template <template <class> class Op>
std::unique_ptr<PreparedOp> prepare(Context& context, const PrepareRequest& request) {
  if (!computable(request)) return nullptr;
  if (request.arguments.inputs[0].dtype() == DType::float32) return std::make_unique<Op<float>>(request, context.threads);
  return std::make_unique<Op<double>>(request, context.threads);
}

int64_t gradient_workspace(Context& context, const Node&, const Call& call) {
  const int64_t length = call.outputs[1].elements();
  return context.threads * (call.inputs[0].dtype == DType::float64 ? sums_bytes<double>(length) : sums_bytes<float>(length));
}

}  // namespace

std::span<const Kernel> norms_kernels() {
  static constexpr Kernel kKernels[] = {
      {"layer_norm", prepare<Forward>},
      {"layer_norm_grad", prepare<Gradient>, gradient_workspace},
      {"rms_norm", prepare<Forward>},
      {"rms_norm_grad", prepare<Gradient>, gradient_workspace},
  };
  return kKernels;
}

}  // namespace engine::cpu
