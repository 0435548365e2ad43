// SPDX-License-Identifier: Apache-2.0
// lstm and lstm_grad in f32: products by oneDNN or our own loops (products.h), those with h step by step, with their weights packed once for all steps; those with x
// likewise, or where that does not pay of all steps as one;
// gates by vector loops, samples split over the threads. The gates lie where the gradient op reads them: nothing is kept twice.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/recurrent.h"
#include "engine/cpu/recurrent_simd.h"
#include "engine/cpu/whole_lines.h"

namespace engine::cpu {

int64_t workspace_bytes(const PackedProducts& products) {
  int64_t bytes = 0;
  for (const auto& product : products) bytes += product ? product->workspace_bytes() : 0;
  return bytes;
}

void bind_products(const PackedProducts& products, std::byte* workspace) {
  for (const auto& product : products) {
    if (!product) continue;
    product->bind(workspace);
    workspace += product->workspace_bytes();
  }
}

bool plain_f32(const std::vector<Tensor>& tensors, size_t from, size_t first_state, size_t states) {
  for (size_t i = from; i < tensors.size(); ++i) {
    if (tensors[i].dtype() != DType::float32) return false;
    if (i - first_state < states) continue;  // unsigned: before the first is large
    if (!is_contiguous(tensors[i].shape(), tensors[i].strides())) return false;
  }
  return true;
}

FirstState::FirstState(const Tensor& tensor) : tensor_(tensor) {
  if (!is_contiguous(tensor.shape(), tensor.strides())) piece_.resize(static_cast<size_t>(tensor.type().elements()));
}

void FirstState::gather() {
  const Shape& shape = tensor_.shape();
  if (piece_.empty()) return;
  float* to = piece_.data();
  for (int64_t d = 0; d < shape[0]; ++d)
    for (int64_t b = 0; b < shape[1]; ++b)
      for (int64_t j = 0; j < shape[2]; ++j) *to++ = element(tensor_, d, b, j);
}

void sum_rows(const float* from, int64_t rows, int64_t columns, float* sums) {
  std::vector<double> wide(static_cast<size_t>(columns), 0.0);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t j = 0; j < columns; ++j) wide[static_cast<size_t>(j)] += static_cast<double>(from[row * columns + j]);
  }
  for (int64_t j = 0; j < columns; ++j) sums[j] = static_cast<float>(wide[static_cast<size_t>(j)]);
}

std::string recurrent_kernel_name(const Node& node, const RecurrentProduct& product, bool packs) {
  return fmt::format("own {} ({}{}, {})", node.op->name, product.name(), packs ? ", weights of the steps packed" : "", vector_unit());
}

namespace {

struct Extents {
  int64_t steps, batch, inputs, hidden, directions;
  bool reverse;

  Extents(const Shape& x, const Shape& r, const Attributes& attributes)
      : steps(x[0]), batch(x[1]), inputs(x[2]), hidden(r[2]), directions(r[0]),
        reverse(attributes.get_string("direction", "forward") == "reverse") {}
  bool backwards(int64_t d) const { return d == 1 || reverse; }
  int64_t time(int64_t d, int64_t step) const { return backwards(d) ? steps - 1 - step : step; }
  int64_t gates() const { return 4 * hidden; }
  int64_t state() const { return batch * hidden; }
  int64_t rows() const { return steps * batch; }
  int64_t work() const { return state() * 16; }  ///< of one step's cells, beside the products
};

/// (x, w, r, bias, h0, c0) -> y, h, c, [gates, cells].
class LstmOp final : public PreparedOp {
 public:
  LstmOp(Context& context, const PrepareRequest& request, const Extents& extents)
      : in_(request.arguments.inputs), out_(request.arguments.outputs), e_(extents), workspace_(reinterpret_cast<float*>(request.workspace)),
        h0_(in_[4]), c0_(in_[5]), threads_(context.threads), product_(context), packed_(packed_products(context, e_)),
        name_(recurrent_kernel_name(request.node, product_, packed_[0] != nullptr)) {
    std::byte* const behind = request.workspace + gates_bytes(e_, out_.size(), packed_);
    bind_products(packed_, behind);
    product_.bind(behind + workspace_bytes(packed_), shapes(e_));
  }
  /// Of the products that are not packed.
  static std::array<ProductShape, 2> shapes(const Extents& e) { return {{{e.rows(), e.gates(), e.inputs}, {e.batch, e.gates(), e.hidden}}}; }
  /// With h, and with x of one step: then the gates of a step are in the cache when h's share is added and when they are computed.
  static PackedProducts packed_products(Context& context, const Extents& e) {
    const PackedProduct::Shape h{.m = e.batch, .n = e.gates(), .k = e.hidden, .lda = e.directions * e.hidden, .ldc = e.gates(),
                                 .transposed = true, .adds = true, .times = e.steps};
    PackedProduct::Shape x = h;
    x.k = x.lda = e.inputs;
    x.adds = false;
    PackedProducts products;
    products.push_back(PackedProduct::make(context, h));
    products.push_back(PackedProduct::make(context, x));
    return products;
  }
  /// In the workspace: those of all steps, or of one where steps are computed one by one; none where the gradient op wants them.
  static int64_t gates_bytes(const Extents& e, size_t outputs, const PackedProducts& packed) {
    const int64_t rows = outputs > 3 ? 0 : packed[1] ? e.batch : e.rows();
    return static_cast<int64_t>(whole_lines(static_cast<size_t>(rows * e.gates()) * sizeof(float)));
  }

  void run() override {
    set_calling_thread_count(threads_);
    h0_.gather();
    c0_.gather();
    for (int64_t d = 0; d < e_.directions; ++d) direction(d);
  }
  std::string kernel_name() const override { return name_; }

 private:
  const float* in(size_t i) const { return in_[i].data_as<const float>(); }
  float* out(size_t i) const { return out_[i].data_as<float>(); }

  void direction(int64_t d) {
    const bool keeps = out_.size() > 3;
    const int64_t n = e_.hidden, width = e_.directions * n;
    float* gates = keeps ? out(3) + d * e_.rows() * e_.gates() : workspace_;
    float *last_h = out(1) + d * e_.state(), *last_c = out(2) + d * e_.state();
    const float *r = in(2) + d * e_.gates() * n, *bias = in(3) + d * e_.gates();
    const float* w = in(1) + d * e_.gates() * e_.inputs;
    if (packed_[1]) {
      packed_[1]->pack(w);
    } else {
      product_('N', 'T', e_.rows(), e_.gates(), e_.inputs, in(0), e_.inputs, w, e_.inputs, 0, gates, e_.gates());
    }
    const float *h = h0_.data() + d * e_.state(), *c = c0_.data() + d * e_.state();
    int64_t h_stride = n;
    if (packed_[0]) packed_[0]->pack(r);
    for (int64_t step = 0; step < e_.steps; ++step) {
      const int64_t t = e_.time(d, step);
      float *a = gates + (packed_[1] && !keeps ? 0 : t * e_.batch * e_.gates()), *y = out(0) + t * e_.batch * width + d * n;
      float* cell = keeps ? out(4) + (d * e_.steps + t) * e_.state() : last_c;
      if (packed_[1]) packed_[1]->run(in(0) + t * e_.batch * e_.inputs, a);
      if (packed_[0] && h_stride == width) {
        packed_[0]->run(h, a);
      } else {
        product_('N', 'T', e_.batch, e_.gates(), n, h, h_stride, r, n, 1, a, e_.gates());
      }
      parallel_for(threads_, e_.batch, e_.work(), [&](int64_t b) {
        loops_.forward(n, a + b * e_.gates(), bias, c + b * n, cell + b * n, y + b * width);
      });
      h = y;
      h_stride = width;
      c = cell;
    }
    for (int64_t b = 0; b < e_.batch; ++b) {
      std::copy_n(h + b * h_stride, n, last_h + b * n);
      if (c != last_c) std::copy_n(c + b * n, n, last_c + b * n);
    }
  }

  std::vector<Tensor> in_, out_;
  Extents e_;
  float* workspace_;
  FirstState h0_, c0_;
  int threads_;
  RecurrentProduct product_;
  PackedProducts packed_;  ///< with r, and with w
  std::string name_;
  LstmLoops loops_ = lstm_loops();
};

/// (dy, dh, dc, x, w, r, h0, c0, y, gates, cells) -> dx, dw, dr, dbias, dh0, dc0. dy, dh and dc may have any strides.
class LstmGradOp final : public PreparedOp {
 public:
  LstmGradOp(Context& context, const PrepareRequest& request, const Extents& extents)
      : in_(request.arguments.inputs), out_(request.arguments.outputs), e_(extents), dgates_(reinterpret_cast<float*>(request.workspace)),
        h0_(in_[6]), c0_(in_[7]), threads_(context.threads), product_(context), packed_(packed_products(context, e_)),
        name_(recurrent_kernel_name(request.node, product_, packed_[0] != nullptr)) {
    dh_ = dgates_ + e_.rows() * e_.gates();
    bind_products(packed_, request.workspace + own_bytes(e_));
    product_.bind(request.workspace + own_bytes(e_) + workspace_bytes(packed_), shapes(e_));
  }
  /// Of the products that are not packed: dh; dw, dx; dr by samples of one step and of all others.
  static std::array<ProductShape, 4> shapes(const Extents& e) {
    return {{{e.batch, e.hidden, e.gates()}, {e.gates(), e.inputs, e.rows()}, {e.rows(), e.inputs, e.gates()}, {e.gates(), e.hidden, e.rows()}}};
  }
  static PackedProducts packed_products(Context& context, const Extents& e) {
    PackedProducts products;
    products.push_back(PackedProduct::make(context, {.m = e.batch, .n = e.hidden, .k = e.gates(), .lda = e.gates(), .ldc = e.hidden, .times = e.steps}));
    return products;
  }

  void run() override {
    set_calling_thread_count(threads_);
    h0_.gather();
    c0_.gather();
    for (int64_t d = 0; d < e_.directions; ++d) {
      steps(d);
      weights(d);
    }
  }
  std::string kernel_name() const override { return name_; }

  /// Without what the packed product takes behind it.
  static int64_t own_bytes(const Extents& e) {
    return static_cast<int64_t>(whole_lines(static_cast<size_t>(e.rows() * e.gates() + e.state()) * sizeof(float)));
  }

 private:
  const float* in(size_t i) const { return in_[i].data_as<const float>(); }
  float* out(size_t i) const { return out_[i].data_as<float>(); }
  /// dgates of all steps, the last first; dh0 and dc0 take the gradients of the states on their way.
  void steps(int64_t d) {
    const int64_t n = e_.hidden;
    float *dh = out(4) + d * e_.state(), *dc = out(5) + d * e_.state();
    for (int64_t b = 0; b < e_.batch; ++b) {
      for (int64_t j = 0; j < n; ++j) {
        dh[b * n + j] = element(in_[1], d, b, j);
        dc[b * n + j] = element(in_[2], d, b, j);
      }
    }
    const float *r = in(5) + d * e_.gates() * n, *gates = in(9) + d * e_.rows() * e_.gates(), *cells = in(10) + d * e_.steps * e_.state();
    if (packed_[0]) packed_[0]->pack(r);
    for (int64_t step = e_.steps; step-- > 0;) {
      const int64_t t = e_.time(d, step);
      const float* c_before = step > 0 ? cells + e_.time(d, step - 1) * e_.state() : c0_.data() + d * e_.state();
      float* dgates = dgates_ + t * e_.batch * e_.gates();
      parallel_for(threads_, e_.batch, e_.work(), [&](int64_t b) {
        float* own = dh_ + b * n;
        for (int64_t j = 0; j < n; ++j) own[j] = dh[b * n + j] + element(in_[0], t, b, d * n + j);
        loops_.backward(n, gates + (t * e_.batch + b) * e_.gates(), cells + t * e_.state() + b * n, c_before + b * n, own, dc + b * n,
                        dgates + b * e_.gates());
      });
      if (packed_[0]) {
        packed_[0]->run(dgates, dh);
      } else {
        product_('N', 'N', e_.batch, n, e_.gates(), dgates, e_.gates(), r, n, 0, dh, n);
      }
    }
  }

  /// dw, dr, dbias and dx from the dgates of all steps at once.
  void weights(int64_t d) const {
    const int64_t n = e_.hidden, width = e_.directions * n, gates = e_.gates();
    const float* w = in(4) + d * gates * e_.inputs;
    float *dr = out(2) + d * gates * n, *dbias = out(3) + d * gates;
    product_('T', 'N', gates, e_.inputs, e_.rows(), dgates_, gates, in(3), e_.inputs, 0, out(1) + d * gates * e_.inputs, e_.inputs);
    product_('N', 'N', e_.rows(), e_.inputs, gates, dgates_, gates, w, e_.inputs, d > 0 ? 1.0f : 0.0f, out(0), e_.inputs);
    // h before a step: h0 for the first, y of the neighbouring step for all others.
    const int64_t first = e_.time(d, 0), others = (e_.steps - 1) * e_.batch;
    product_('T', 'N', gates, n, e_.batch, dgates_ + first * e_.batch * gates, gates, h0_.data() + d * e_.state(), n, 0, dr, n);
    const bool back = e_.backwards(d);
    if (others > 0) {
      product_('T', 'N', gates, n, others, dgates_ + (back ? 0 : e_.batch * gates), gates, in(8) + d * n + (back ? e_.batch * width : 0), width,
              1, dr, n);
    }
    sum_rows(dgates_, e_.rows(), gates, dbias);
  }

  std::vector<Tensor> in_, out_;
  Extents e_;
  float* dgates_;
  float* dh_ = nullptr;
  FirstState h0_, c0_;
  int threads_;
  RecurrentProduct product_;
  PackedProducts packed_;  ///< with r, of all steps
  std::string name_;
  LstmLoops loops_ = lstm_loops();
};

std::unique_ptr<PreparedOp> prepare_lstm(Context& context, const PrepareRequest& request) {
  const auto& a = request.arguments;
  if (!plain_f32(a.inputs, 0, 4, 2) || !plain_f32(a.outputs) || a.outputs[0].type().elements() == 0) return nullptr;
  return std::make_unique<LstmOp>(context, request, Extents(a.inputs[0].shape(), a.inputs[2].shape(), request.node.attributes));
}

std::unique_ptr<PreparedOp> prepare_lstm_grad(Context& context, const PrepareRequest& request) {
  const auto& a = request.arguments;
  if (a.inputs[0].dtype() != DType::float32 || !plain_f32(a.inputs, 3, 6, 2) || !plain_f32(a.outputs) || a.inputs[0].type().elements() == 0) return nullptr;
  return std::make_unique<LstmGradOp>(context, request, Extents(a.inputs[3].shape(), a.inputs[5].shape(), request.node.attributes));
}

int64_t lstm_workspace(Context& context, const Node& node, const Call& call) {
  const Extents e(call.inputs[0].shape, call.inputs[2].shape, node.attributes);
  const auto packed = LstmOp::packed_products(context, e);
  return LstmOp::gates_bytes(e, call.outputs.size(), packed) + workspace_bytes(packed) + RecurrentProduct(context).workspace_bytes(LstmOp::shapes(e));
}

int64_t lstm_grad_workspace(Context& context, const Node& node, const Call& call) {
  const Extents e(call.inputs[3].shape, call.inputs[5].shape, node.attributes);
  return LstmGradOp::own_bytes(e) + workspace_bytes(LstmGradOp::packed_products(context, e)) + RecurrentProduct(context).workspace_bytes(LstmGradOp::shapes(e));
}

}  // namespace

std::span<const Kernel> recurrent_kernels() {
  static constexpr Kernel kKernels[] = {
      {"lstm", prepare_lstm, lstm_workspace},
      {"lstm_grad", prepare_lstm_grad, lstm_grad_workspace},
  };
  return kKernels;
}

}  // namespace engine::cpu
