// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of channels-last tensors: statistics, normalisation and gradient in two
// passes over the data each (batch_norm_loops.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/kernels/core/finish.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/on_copies.h"
#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/norms/batch_norm-inl.h"

namespace engine::cpu {
namespace {

using Rows = loops::ChannelRows;

Rows as_rows(const TensorType& type) { return loops::channel_rows(type.shape, type.strides); }

bool is_vector(const TensorType& type, DType dtype, int64_t channels) {
  return type.dtype == dtype && type.rank() == 1 && type.shape[0] == channels &&
         (channels == 1 || type.strides[0] == 1);
}

template <class T>
BatchNormLoops<T> loops_of() {
  if constexpr (std::is_same_v<T, float>) return batch_norm_loops_f32();
  else return batch_norm_loops_f64();
}

template <class T>
class BatchNormOp : public PreparedOp {
 public:
  BatchNormOp(const PrepareRequest& request, Rows rows, int64_t kept, int threads)
      : arguments_(request.arguments),
        kept_(static_cast<size_t>(kept * rows.channels)),
        plan_{.rows = rows,
              .loops = loops_of<T>(),
              .sums = reinterpret_cast<double*>(request.workspace),
              .kept = kept_.data(),
              .threads = threads,
              .epsilon = request.node.attributes.get_double("epsilon", 1e-5)},
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {}
  KernelFacts facts() const override { return {.name = name_}; }
  void set_finish(Finish finish) { plan_.finish = std::move(finish); }

 protected:
  const T* in(size_t i) const { return arguments_.inputs[i].data_as<T>(); }
  T* out(size_t i) const { return arguments_.outputs[i].data_as<T>(); }
  const BatchNormPlan<T>& plan() const { return plan_; }

 private:
  KernelArguments arguments_;
  std::vector<T> kept_;
  BatchNormPlan<T> plan_;
  std::string name_;
};

/// (x, scale, bias) -> y, mean, inv_std.
template <class T>
class Training final : public BatchNormOp<T> {
  using Parts = BatchNormTraining<T, ScalarMemory>;

 public:
  Training(const PrepareRequest& request, Rows rows, int threads)
      : BatchNormOp<T>(request, rows, Parts::kKept, threads) {}
  void run() override {
    Parts parts(this->plan(), {this->in(0), this->in(1), this->in(2), this->out(0), this->out(1), this->out(2)});
    loops::batch_norm_training(this->plan().rows, parts);
  }
};

/// (x, scale, bias, mean, variance) -> y.
template <class T>
class Inference final : public BatchNormOp<T> {
  using Parts = BatchNormInference<T, ScalarMemory>;

 public:
  Inference(const PrepareRequest& request, Rows rows, int threads)
      : BatchNormOp<T>(request, rows, Parts::kKept, threads) {}
  void run() override {
    Parts parts(this->plan(), {this->in(0), this->in(1), this->in(2), this->in(3), this->in(4), this->out(0)});
    loops::batch_norm_inference(parts);
  }
};

/// (dy, x, mean, inv_std, scale) -> dx, dscale, dbias.
template <class T>
class Gradient final : public BatchNormOp<T> {
  using Parts = BatchNormGradient<T, ScalarMemory>;

 public:
  Gradient(const PrepareRequest& request, Rows rows, int threads)
      : BatchNormOp<T>(request, rows, Parts::kKept, threads) {}
  void run() override {
    Parts parts(this->plan(), {this->in(0), this->in(1), this->in(2), this->in(3), this->in(4), this->out(0),
                               this->out(1), this->out(2)});
    loops::batch_norm_gradient(this->plan().rows, parts);
  }
};

/// (dy, x, scale, mean, variance) -> dx, dscale, dbias, dmean, dvariance.
template <class T>
class InferenceGradient final : public BatchNormOp<T> {
  using Parts = BatchNormInferenceGradient<T, ScalarMemory>;

 public:
  InferenceGradient(const PrepareRequest& request, Rows rows, int threads)
      : BatchNormOp<T>(request, rows, Parts::kKept, threads) {}
  void run() override {
    Parts parts(this->plan(), {this->in(0), this->in(1), this->in(2), this->in(3), this->in(4), this->out(0),
                               this->out(1), this->out(2), this->out(3), this->out(4)});
    loops::batch_norm_gradient(this->plan().rows, parts);
  }
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
    const T *batch_mean = arguments_.inputs[2].data_as<T>(), *inv_std = arguments_.inputs[3].data_as<T>();
    const int64_t channels = arguments_.outputs[0].type().elements();
    for (int64_t c = 0; c < channels; ++c) {
      const double inverse = static_cast<double>(inv_std[c]);
      const double batch_variance = std::max(1 / (inverse * inverse) - epsilon_, 0.0) * unbias_;
      mean[c] = static_cast<T>((1 - momentum_) * static_cast<double>(mean[c]) +
                               momentum_ * static_cast<double>(batch_mean[c]));
      variance[c] = static_cast<T>((1 - momentum_) * static_cast<double>(variance[c]) + momentum_ * batch_variance);
    }
  }
  KernelFacts facts() const override { return {.name = "own batch_norm_running_update"}; }

 private:
  KernelArguments arguments_;
  double epsilon_, momentum_, unbias_;
};

/// The shape all kernels here share: tensors of `rows` (the first `tensors` inputs and output 0),
/// vectors for the rest.
Rows checked_rows(const PrepareRequest& request, size_t tensors) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  const DType dtype = in[0].dtype();
  if (dtype != DType::float32 && (dtype != DType::float64 || batch_norm_loops_f64().moments == nullptr)) return {};
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

/// Signals [N, C, L] as images of height 1.
TensorType as_image(TensorType type) {
  if (type.rank() != 3) return type;
  type.shape.insert(type.shape.begin() + 2, 1);
  type.strides.insert(type.strides.begin() + 2, type.strides[2]);
  return type;
}
std::vector<TensorType> as_images(std::span<const TensorType> types) {
  std::vector<TensorType> images;
  for (const TensorType& type : types) images.push_back(as_image(type));
  return images;
}
void see_as_images(std::vector<Tensor>& tensors) {
  for (Tensor& tensor : tensors) tensor = Tensor(tensor.storage(), as_image(tensor.type()), tensor.offset_elements());
}

int64_t batch_norm_workspace(Context&, const Node& node, const Call& call) {
  const Rows rows = as_rows(call.inputs[node.op->name == "batch_norm_grad" ? 1 : 0]);
  return rows.rows > 0 ? batch_norm_sums_bytes(rows) : 0;
}

/// `prepare` on signals as images, in channels-last copies where they do not lie so.
template <PrepareKernel prepare>
std::unique_ptr<PreparedOp> prepare_signals(Context& context, const PrepareRequest& request) {
  if (request.arguments.outputs[0].type().rank() != 3) return nullptr;
  PrepareRequest images = request;
  see_as_images(images.arguments.inputs);
  see_as_images(images.arguments.outputs);
  return prepare_on_copies(context, images, kChannelsLast, prepare);
}
int64_t signals_workspace(Context& context, const Node& node, const Call& call) {
  if (call.outputs[0].rank() != 3) return 0;
  const std::vector<TensorType> inputs = as_images(call.inputs), outputs = as_images(call.outputs);
  return workspace_on_copies(context, node, {call.attributes, inputs, outputs}, kChannelsLast,
                             node.op->name == "batch_norm_inference" ? nullptr : batch_norm_workspace);
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

std::unique_ptr<PreparedOp> prepare_batch_norm_training(Context& context, const PrepareRequest& request) {
  return make<Training>(context, request, 1);
}

std::unique_ptr<PreparedOp> prepare_batch_norm_inference(Context& context, const PrepareRequest& request) {
  return make<Inference>(context, request, 1);
}

std::unique_ptr<PreparedOp> prepare_batch_norm_grad(Context& context, const PrepareRequest& request) {
  return make<Gradient>(context, request, 2);
}

std::unique_ptr<PreparedOp> prepare_inference_grad(Context& context, const PrepareRequest& request) {
  return make<InferenceGradient>(context, request, 2);
}

std::unique_ptr<PreparedOp> prepare_batch_norm_running_update(Context&, const PrepareRequest& request) {
  const auto& in = request.arguments.inputs;
  const DType dtype = in[0].dtype();
  const bool fits =
      std::all_of(in.begin(), in.end(), [&](const Tensor& t) { return is_vector(t.type(), dtype, in[0].shape()[0]); });
  if (fits && dtype == DType::float32) return std::make_unique<RunningUpdate<float>>(request);
  if (fits && dtype == DType::float64) return std::make_unique<RunningUpdate<double>>(request);
  return nullptr;
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_finished_batch_norm(Context& context, const PrepareRequest& request,
                                                        Finish finish) {
  if (request.node.op->name == "batch_norm_training") return make<Training>(context, request, 1, std::move(finish));
  if (request.node.op->name == "batch_norm_inference") return make<Inference>(context, request, 1, std::move(finish));
  return nullptr;
}

std::span<const Kernel> batch_norm_kernels() {
  static constexpr Kernel kKernels[] = {
      {"batch_norm_training", prepare_batch_norm_training, batch_norm_workspace},
      {"batch_norm_inference", prepare_batch_norm_inference},
      {"batch_norm_grad", prepare_batch_norm_grad, batch_norm_workspace},
      {"batch_norm_running_update", prepare_batch_norm_running_update},
      // Signals [N, C, L].
      {"batch_norm_training", prepare_signals<prepare_batch_norm_training>, signals_workspace},
      {"batch_norm_inference", prepare_signals<prepare_batch_norm_inference>, signals_workspace},
      {"batch_norm_grad", prepare_signals<prepare_batch_norm_grad>, signals_workspace},
      {"batch_norm_inference_grad", prepare_inference_grad, batch_norm_workspace},
      {"batch_norm_inference_grad", prepare_signals<prepare_inference_grad>, signals_workspace},
  };
  return kKernels;
}

}  // namespace engine::cpu
