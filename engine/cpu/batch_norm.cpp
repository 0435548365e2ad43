// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of channels-last tensors: statistics, normalisation and gradient in two
// passes over the data each (engine/loops/batch_norm.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/cpu/batch_norm_simd.h"
#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/finish.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/parallel.h"
#include "engine/loops/batch_norm.h"

namespace engine::cpu {
namespace {

/// Elements written before they are finished: half a first-level cache.
constexpr int64_t kFinishedElements = 4096;

using Rows = loops::ChannelRows;

Rows as_rows(const TensorType& type) { return loops::channel_rows(type.shape, type.strides, channels_last_strides(type.shape)); }

bool is_vector(const TensorType& type, DType dtype, int64_t channels) {
  return type.dtype == dtype && type.rank() == 1 && type.shape[0] == channels &&
         (channels == 1 || type.strides[0] == 1);
}

template <class T>
BatchNormLoops<T> loops_of() {
  if constexpr (std::is_same_v<T, float>)
    return batch_norm_loops_f32();
  else
    return batch_norm_loops_f64();
}

/// Per block: 2 C doubles of sums and 2 C elements of scratch.
int64_t sums_bytes(const Rows& r) {
  return r.blocks() * 2 * r.channels * static_cast<int64_t>(2 * sizeof(double));
}

template <class T>
class BatchNormOp : public PreparedOp {
 public:
  BatchNormOp(const PrepareRequest& request, Rows rows, int threads)
      : arguments_(request.arguments),
        rows_(rows),
        threads_(threads),
        epsilon_(request.node.attributes.get_double("epsilon", 1e-5)),
        workspace_(request.workspace),
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {}
  std::string kernel_name() const override { return name_; }
  void set_finish(Finish finish) { finish_ = std::move(finish); }

  // Parts of the sums:
  void clear_sums(int64_t block) const { std::fill_n(sums(block), width(), 0.0); }
  void join(int64_t block) const {
    double *all = sums(), *own = sums(block);
    for (int64_t i = 0; i < width(); ++i) all[i] += own[i];
  }

 protected:
  const T* in(size_t i) const { return arguments_.inputs[i].data_as<T>(); }
  T* out(size_t i) const { return arguments_.outputs[i].data_as<T>(); }
  int64_t width() const { return 2 * rows_.channels; }
  /// Of a block; the first block's become those of all.
  double* sums(int64_t block = 0) const { return reinterpret_cast<double*>(workspace_) + block * width(); }
  T* scratch(int64_t block) const { return reinterpret_cast<T*>(sums(rows_.blocks())) + block * width(); }
  template <class Visitor>
  void over_blocks(Visitor& visitor) const {
    parallel_for(threads_, rows_.blocks(), rows_.rows * rows_.channels, [&](int64_t block) { loops::sum_block(rows_, block, visitor); });
  }
  /// body(first element, rows) for parts of all rows.
  template <class Body>
  void over_rows(const Body& body) const {
    parallel_parts(threads_, rows_.rows, 1, rows_.rows * rows_.channels,
                   [&](int64_t begin, int64_t end) { body(begin * rows_.channels, end - begin); });
  }

  /// The same for what body writes to output 0, in stretches that are finished at once where that is wanted.
  template <class Body>
  void over_output_rows(const Body& body) const {
    if (!finish_) return over_rows(body);
    const int64_t most = std::max<int64_t>(1, kFinishedElements / rows_.channels);
    over_rows([&](int64_t first, int64_t rows) {
      for (int64_t row = 0; row < rows; row += most) {
        const int64_t at = first + row * rows_.channels, count = std::min(most, rows - row);
        body(at, count);
        finish_(at, count * rows_.channels);
      }
    });
  }

  KernelArguments arguments_;
  Rows rows_;
  Finish finish_;
  int threads_;
  double epsilon_;
  std::byte* workspace_;
  std::string name_;
  BatchNormLoops<T> loops_ = loops_of<T>();
};

/// (x, scale, bias) -> y, mean, inv_std. Variances are sums of squares about the median of three
/// rows: one pass, and little cancellation, for neither a mean far from zero nor one outlier moves
/// that point far from the mean.
template <class T>
class Training final : public BatchNormOp<T> {
 public:
  Training(const PrepareRequest& request, Rows rows, int threads)
      : BatchNormOp<T>(request, rows, threads),
        factor_(static_cast<size_t>(rows.channels)),
        shift_(factor_.size()) {}

  void run() override { loops::batch_norm_training(this->rows_, *this); }

  // The parts:
  void shift() {
    const Rows& r = this->rows_;
    const T *x = this->in(0), *middle = x + r.rows / 2 * r.channels, *last = x + (r.rows - 1) * r.channels;
    for (int64_t c = 0; c < r.channels; ++c) {
      const T low = std::min(x[c], middle[c]), high = std::max(x[c], middle[c]);
      shift_[static_cast<size_t>(c)] = std::max(low, std::min(high, last[c]));
    }
  }
  void sum_blocks() { this->over_blocks(*this); }
  void sum(int64_t block, loops::Range rows) const {
    const int64_t channels = this->rows_.channels;
    this->loops_.moments(this->in(0) + rows.begin * channels, rows.size(), channels, shift_.data(), this->scratch(block), this->sums(block));
  }
  void statistics() {
    const int64_t channels = this->rows_.channels;
    const double *sums = this->sums(), count = static_cast<double>(this->rows_.rows);
    const T* scale = this->in(1);
    T *mean = this->out(1), *inv_std = this->out(2);
    for (int64_t c = 0; c < channels; ++c) {
      const double from_shift = sums[c] / count;
      // max's first operand is the one a NaN stays in.
      const double variance = std::max(sums[channels + c] / count - from_shift * from_shift, 0.0);
      const double inverse = 1 / std::sqrt(variance + this->epsilon_);
      mean[c] = static_cast<T>(static_cast<double>(shift_[static_cast<size_t>(c)]) + from_shift);
      inv_std[c] = static_cast<T>(inverse);
      factor_[static_cast<size_t>(c)] = static_cast<T>(inverse * static_cast<double>(scale[c]));
    }
  }
  void normalize() const {
    this->over_output_rows([this](int64_t first, int64_t rows) {
      this->loops_.normalize(this->in(0) + first, rows, this->rows_.channels, this->out(1), factor_.data(), this->in(2), this->out(0) + first);
    });
  }

 private:
  std::vector<T> factor_, shift_;
};

/// (x, scale, bias, mean, variance) -> y.
template <class T>
class Inference final : public BatchNormOp<T> {
 public:
  Inference(const PrepareRequest& request, Rows rows, int threads)
      : BatchNormOp<T>(request, rows, threads), factor_(static_cast<size_t>(rows.channels)) {}

  void run() override { loops::batch_norm_inference(*this); }

  // The parts:
  void factors() {
    const T *scale = this->in(1), *variance = this->in(4);
    for (int64_t c = 0; c < this->rows_.channels; ++c) {
      factor_[static_cast<size_t>(c)] =
          static_cast<T>(static_cast<double>(scale[c]) / std::sqrt(static_cast<double>(variance[c]) + this->epsilon_));
    }
  }
  void normalize() const {
    this->over_output_rows([this](int64_t first, int64_t rows) {
      this->loops_.normalize(this->in(0) + first, rows, this->rows_.channels, this->in(3), factor_.data(), this->in(2), this->out(0) + first);
    });
  }

 private:
  std::vector<T> factor_;
};

/// (dy, x, mean, inv_std, scale) -> dx, dscale, dbias:
/// dx = scale inv_std (dy - sum(dy) / n - (x - mean) inv_std^2 sum(dy (x - mean)) / n).
template <class T>
class Gradient final : public BatchNormOp<T> {
 public:
  Gradient(const PrepareRequest& request, Rows rows, int threads)
      : BatchNormOp<T>(request, rows, threads),
        coefficients_(static_cast<size_t>(3 * rows.channels)) {}

  void run() override { loops::batch_norm_gradient(this->rows_, *this); }

  // The parts:
  void sum_blocks() { this->over_blocks(*this); }
  void sum(int64_t block, loops::Range rows) const {
    const int64_t channels = this->rows_.channels, at = rows.begin * channels;
    this->loops_.gradient_sums(this->in(0) + at, this->in(1) + at, rows.size(), channels, this->in(2), this->scratch(block), this->sums(block));
  }
  void coefficients() {
    const int64_t channels = this->rows_.channels;
    const double *sums = this->sums(), count = static_cast<double>(this->rows_.rows);
    const T *inv_std = this->in(3), *scale = this->in(4);
    T *dscale = this->out(1), *dbias = this->out(2), *factor = coefficients_.data(), *a = factor + channels, *b = a + channels;
    for (int64_t c = 0; c < channels; ++c) {
      const double inverse = static_cast<double>(inv_std[c]);
      dbias[c] = static_cast<T>(sums[c]);
      dscale[c] = static_cast<T>(sums[channels + c] * inverse);
      factor[c] = static_cast<T>(static_cast<double>(scale[c]) * inverse);
      a[c] = static_cast<T>(sums[c] / count);
      b[c] = static_cast<T>(sums[channels + c] * inverse * inverse / count);
    }
  }
  void gradient() const {
    this->over_rows([this](int64_t first, int64_t rows) {
      const int64_t channels = this->rows_.channels;
      const T *factor = coefficients_.data(), *a = factor + channels, *b = a + channels;
      this->loops_.gradient(this->in(0) + first, this->in(1) + first, rows, channels, this->in(2), factor, a, b, this->out(0) + first);
    });
  }

 private:
  std::vector<T> coefficients_;
};

/// In place on (running_mean, running_variance) from (mean, inv_std): running = (1 - momentum)
/// running + momentum statistic, the variance unbiased (count / (count - 1)).
template <class T>
class RunningUpdate final : public PreparedOp {
 public:
  explicit RunningUpdate(const PrepareRequest& request) : arguments_(request.arguments) {
    const Attributes& a = request.node.attributes;
    epsilon_ = a.get_double("epsilon", 1e-5);
    momentum_ = a.get_double("momentum", 0.1);
    const double count = static_cast<double>(a.get_int("count", 1));
    unbias_ = count > 1 ? count / (count - 1) : 1;
  }
  void run() override {
    T *mean = arguments_.outputs[0].data_as<T>(), *variance = arguments_.outputs[1].data_as<T>();
    const T *batch_mean = arguments_.inputs[2].data_as<T>(),
            *inv_std = arguments_.inputs[3].data_as<T>();
    const int64_t channels = arguments_.outputs[0].type().elements();
    for (int64_t c = 0; c < channels; ++c) {
      const double inverse = static_cast<double>(inv_std[c]);
      const double batch_variance = std::max(1 / (inverse * inverse) - epsilon_, 0.0) * unbias_;
      mean[c] = static_cast<T>((1 - momentum_) * static_cast<double>(mean[c]) +
                               momentum_ * static_cast<double>(batch_mean[c]));
      variance[c] = static_cast<T>((1 - momentum_) * static_cast<double>(variance[c]) +
                                   momentum_ * batch_variance);
    }
  }
  std::string kernel_name() const override { return "own batch_norm_running_update"; }

 private:
  KernelArguments arguments_;
  double epsilon_, momentum_, unbias_;
};

/// The shape all kernels here share: tensors of `rows` (the first `tensors` inputs and output 0),
/// vectors for the rest.
Rows checked_rows(const PrepareRequest& request, size_t tensors) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  const DType dtype = in[0].dtype();
  if (dtype != DType::float32 &&
      (dtype != DType::float64 || batch_norm_loops_f64().moments == nullptr))
    return {};
  const Rows rows = as_rows(in[0].type());
  const auto whole = [&](const Tensor& t) {
    return t.dtype() == dtype && t.shape() == in[0].shape() && as_rows(t.type()).rows > 0;
  };
  const auto vector = [&](const Tensor& t) { return is_vector(t.type(), dtype, rows.channels); };
  const bool fits = rows.rows > 0 && whole(out[0]) &&
                    std::all_of(in.begin(), in.begin() + static_cast<int64_t>(tensors), whole) &&
                    std::all_of(in.begin() + static_cast<int64_t>(tensors), in.end(), vector) &&
                    std::all_of(out.begin() + 1, out.end(), vector);
  return fits ? rows : Rows{};
}

template <template <class> class Op>
std::unique_ptr<PreparedOp> make(Context& context, const PrepareRequest& request, size_t tensors, Finish finish = {}) {
  const Rows rows = checked_rows(request, tensors);
  if (rows.rows == 0) return nullptr;
  const auto made = [&](auto op) -> std::unique_ptr<PreparedOp> {
    op->set_finish(std::move(finish));
    return op;
  };
  if (request.arguments.inputs[0].dtype() == DType::float32)
    return made(std::make_unique<Op<float>>(request, rows, context.threads));
  return made(std::make_unique<Op<double>>(request, rows, context.threads));
}

}  // namespace

int64_t batch_norm_workspace(Context&, const Node& node, const Call& call) {
  const Rows rows = as_rows(call.inputs[node.op->name == "batch_norm_grad" ? 1 : 0]);
  return rows.rows > 0 ? sums_bytes(rows) : 0;
}

std::unique_ptr<PreparedOp> prepare_batch_norm_training(Context& context,
                                                        const PrepareRequest& request) {
  return make<Training>(context, request, 1);
}

std::unique_ptr<PreparedOp> prepare_batch_norm_inference(Context& context,
                                                         const PrepareRequest& request) {
  return make<Inference>(context, request, 1);
}

std::unique_ptr<PreparedOp> prepare_finished_batch_norm(Context& context, const PrepareRequest& request, Finish finish) {
  if (request.node.op->name == "batch_norm_training") return make<Training>(context, request, 1, std::move(finish));
  if (request.node.op->name == "batch_norm_inference") return make<Inference>(context, request, 1, std::move(finish));
  return nullptr;
}

std::unique_ptr<PreparedOp> prepare_batch_norm_grad(Context& context,
                                                    const PrepareRequest& request) {
  return make<Gradient>(context, request, 2);
}

std::unique_ptr<PreparedOp> prepare_batch_norm_running_update(Context&,
                                                              const PrepareRequest& request) {
  const auto& in = request.arguments.inputs;
  const DType dtype = in[0].dtype();
  const bool fits = std::all_of(in.begin(), in.end(), [&](const Tensor& t) {
    return is_vector(t.type(), dtype, in[0].shape()[0]);
  });
  if (fits && dtype == DType::float32) return std::make_unique<RunningUpdate<float>>(request);
  if (fits && dtype == DType::float64) return std::make_unique<RunningUpdate<double>>(request);
  return nullptr;
}

}  // namespace engine::cpu
