// SPDX-License-Identifier: Apache-2.0
// Recurrent layers whose state is h alone, gru (the reset gate behind the product) and rnn, forwards and backwards in f32: as lstm
// (recurrent.cpp), the products with x of all steps as one and the products with h step by step.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/cpu/kernels.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/recurrent.h"
#include "engine/cpu/recurrent_simd.h"

namespace engine::cpu {
namespace {

enum class CellKind { gru, rnn };
constexpr auto product = recurrent_product;

/// Columns of a sample's gates that a block of rows of r makes from h.
struct Group {
  int64_t column, row, count;
  bool adds;  ///< to W x; else these columns are R h alone
};

struct Extents {
  CellKind kind;
  int64_t steps, batch, inputs, hidden, directions;
  int64_t gates, rows;  ///< rows of w and r; of the bias and of the gates: in units of `hidden`
  bool reverse, linear_before_reset, relu;

  Extents(CellKind cell, const Shape& x, const Shape& r, const Attributes& attributes)
      : kind(cell), steps(x[0]), batch(x[1]), inputs(x[2]), hidden(r[2]), directions(r[0]), gates(cell == CellKind::gru ? 3 : 1),
        rows(cell == CellKind::gru ? 4 : 1), reverse(attributes.get_string("direction", "forward") == "reverse"),
        linear_before_reset(attributes.get_int("linear_before_reset", 1) != 0), relu(attributes.get_string("activation", "tanh") == "relu") {}
  /// The time step direction `d` takes as its `step`-th.
  int64_t time(int64_t d, int64_t step) const { return backwards(d) ? steps - 1 - step : step; }
  int64_t samples() const { return steps * batch; }
  int64_t state() const { return batch * hidden; }
  int64_t width() const { return directions * hidden; }   ///< of a row of y
  int64_t columns() const { return rows * hidden; }       ///< of a sample's gates
  int64_t products() const { return gates * hidden; }     ///< rows of w and r, and the first columns of the gates
  int64_t work() const { return state() * 16; }           ///< of one step's cells, beside the products
  bool backwards(int64_t d) const { return d == 1 || reverse; }
  std::vector<Group> groups() const {
    if (kind == CellKind::rnn) return {{0, 0, hidden, true}};
    return {{0, 0, 2 * hidden, true}, {3 * hidden, 2 * hidden, hidden, false}};
  }
};

/// (x, w, r, bias, h0) -> y, h, [gates].
class StateOp final : public PreparedOp {
 public:
  StateOp(const PrepareRequest& request, const Extents& extents, int threads)
      : in_(request.arguments.inputs), out_(request.arguments.outputs), e_(extents), groups_(e_.groups()),
        workspace_(reinterpret_cast<float*>(request.workspace)), h0_(in_[4]), threads_(threads), name_(recurrent_kernel_name(request.node)) {}

  void run() override {
    set_calling_thread_count(threads_);
    h0_.gather();
    for (int64_t d = 0; d < e_.directions; ++d) direction(d);
  }
  std::string kernel_name() const override { return name_; }

 private:
  const float* in(size_t i) const { return in_[i].data_as<const float>(); }
  float* out(size_t i) const { return out_[i].data_as<float>(); }

  void direction(int64_t d) const {
    const int64_t n = e_.hidden, width = e_.width();
    // rnn computes in y; gru in the gates that are kept, or in a workspace.
    const bool in_place = e_.kind == CellKind::rnn, keeps = out_.size() > 2;
    float* gates = in_place ? out(0) + d * n : keeps ? out(2) + d * e_.samples() * e_.columns() : workspace_;
    const int64_t stride = in_place ? width : e_.columns();
    const float *r = in(2) + d * e_.products() * n, *bias = in(3) + d * e_.columns();
    product('N', 'T', e_.samples(), e_.products(), e_.inputs, in(0), e_.inputs, in(1) + d * e_.products() * e_.inputs, e_.inputs, 0, gates, stride);
    const float* h = h0_.data() + d * e_.state();
    int64_t h_stride = n;
    for (int64_t step = 0; step < e_.steps; ++step) {
      const int64_t t = e_.time(d, step);
      float *a = gates + t * e_.batch * stride, *y = out(0) + t * e_.batch * width + d * n;
      for (const Group& g : groups_)
        product('N', 'T', e_.batch, g.count, n, h, h_stride, r + g.row * n, n, g.adds ? 1.0f : 0.0f, a + g.column, stride);
      parallel_for(threads_, e_.batch, e_.work(), [&](int64_t b) {
        if (in_place) {
          rnn_.forward(n, e_.relu, bias, y + b * width);
        } else {
          gru_.forward(n, a + b * stride, bias, h + b * h_stride, y + b * width);
        }
      });
      h = y;
      h_stride = width;
    }
    for (int64_t b = 0; b < e_.batch; ++b) std::copy_n(h + b * h_stride, n, out(1) + d * e_.state() + b * n);
  }

  std::vector<Tensor> in_, out_;
  Extents e_;
  std::vector<Group> groups_;
  float* workspace_;
  FirstState h0_;
  int threads_;
  std::string name_;
  GruLoops gru_ = gru_loops();
  RnnLoops rnn_ = rnn_loops();
};

/// (dy, dh, x, w, r, h0, y, [gates]) -> dx, dw, dr, dbias, dh0. dy and dh may have any strides.
class StateGradOp final : public PreparedOp {
 public:
  StateGradOp(const PrepareRequest& request, const Extents& extents, int threads)
      : in_(request.arguments.inputs), out_(request.arguments.outputs), e_(extents), groups_(e_.groups()),
        dgates_(reinterpret_cast<float*>(request.workspace)), dh_(dgates_ + e_.samples() * e_.columns()), h0_(in_[5]), threads_(threads),
        name_(recurrent_kernel_name(request.node)) {}

  void run() override {
    set_calling_thread_count(threads_);
    h0_.gather();
    for (int64_t d = 0; d < e_.directions; ++d) {
      steps(d);
      weights(d);
    }
  }
  std::string kernel_name() const override { return name_; }

  static int64_t workspace_bytes(const Extents& e) { return (e.samples() * e.columns() + e.state()) * static_cast<int64_t>(sizeof(float)); }

 private:
  const float* in(size_t i) const { return in_[i].data_as<const float>(); }
  float* out(size_t i) const { return out_[i].data_as<float>(); }

  /// dgates of all steps, the last first; dh0 takes the gradient of the state on its way.
  void steps(int64_t d) const {
    const int64_t n = e_.hidden, width = e_.width(), columns = e_.columns();
    float* dh = out(4) + d * e_.state();
    for (int64_t b = 0; b < e_.batch; ++b) {
      for (int64_t j = 0; j < n; ++j) dh[b * n + j] = element(in_[1], d, b, j);
    }
    const float *r = in(4) + d * e_.products() * n, *y = in(6) + d * n;
    for (int64_t step = e_.steps; step-- > 0;) {
      const int64_t t = e_.time(d, step), h_stride = step > 0 ? width : n;
      const float* h_before = step > 0 ? y + e_.time(d, step - 1) * e_.batch * width : h0_.data() + d * e_.state();
      float* dgates = dgates_ + t * e_.batch * columns;
      parallel_for(threads_, e_.batch, e_.work(), [&](int64_t b) {
        float* own = dh_ + b * n;
        for (int64_t j = 0; j < n; ++j) own[j] = dh[b * n + j] + element(in_[0], t, b, d * n + j);
        if (e_.kind == CellKind::rnn) {
          rnn_.backward(n, e_.relu, y + (t * e_.batch + b) * width, own, dgates + b * columns);
          std::fill_n(dh + b * n, n, 0.0f);
        } else {
          gru_.backward(n, in(7) + ((d * e_.steps + t) * e_.batch + b) * columns, h_before + b * h_stride, own, dh + b * n, dgates + b * columns);
        }
      });
      for (const Group& g : groups_) product('N', 'N', e_.batch, n, g.count, dgates + g.column, columns, r + g.row * n, n, 1, dh, n);
    }
  }

  /// dw, dr, dbias and dx from the dgates of all steps at once.
  void weights(int64_t d) const {
    const int64_t n = e_.hidden, width = e_.width(), columns = e_.columns(), rows = e_.products();
    product('T', 'N', rows, e_.inputs, e_.samples(), dgates_, columns, in(2), e_.inputs, 0, out(1) + d * rows * e_.inputs, e_.inputs);
    product('N', 'N', e_.samples(), e_.inputs, rows, dgates_, columns, in(3) + d * rows * e_.inputs, e_.inputs, d > 0 ? 1.0f : 0.0f, out(0), e_.inputs);
    // h before a step: h0 for the first, y of the neighbouring step for all others.
    const int64_t first = e_.time(d, 0) * e_.batch, others = (e_.steps - 1) * e_.batch;
    const bool back = e_.backwards(d);
    for (const Group& g : groups_) {
      float* dr = out(2) + d * rows * n + g.row * n;
      product('T', 'N', g.count, n, e_.batch, dgates_ + first * columns + g.column, columns, h0_.data() + d * e_.state(), n, 0, dr, n);
      if (others > 0) {
        product('T', 'N', g.count, n, others, dgates_ + (back ? 0 : e_.batch * columns) + g.column, columns, in(6) + d * n + (back ? e_.batch * width : 0),
                width, 1, dr, n);
      }
    }
    sum_rows(dgates_, e_.samples(), columns, out(3) + d * columns);
  }

  std::vector<Tensor> in_, out_;
  Extents e_;
  std::vector<Group> groups_;
  float *dgates_, *dh_;
  FirstState h0_;
  int threads_;
  std::string name_;
  GruLoops gru_ = gru_loops();
  RnnLoops rnn_ = rnn_loops();
};

/// The reset gate in front of the product needs a product in the middle of the cell: left to the reference, as is an empty sequence.
bool served(const Extents& e) { return e.samples() > 0 && e.hidden > 0 && (e.kind == CellKind::rnn || e.linear_before_reset); }

template <CellKind kind>
std::unique_ptr<PreparedOp> prepare_forward(Context& context, const PrepareRequest& request) {
  const auto& a = request.arguments;
  const Extents e(kind, a.inputs[0].shape(), a.inputs[2].shape(), request.node.attributes);
  if (!served(e) || !plain_f32(a.inputs, 0, 4, 1) || !plain_f32(a.outputs)) return nullptr;
  return std::make_unique<StateOp>(request, e, context.threads);
}

template <CellKind kind>
std::unique_ptr<PreparedOp> prepare_grad(Context& context, const PrepareRequest& request) {
  const auto& a = request.arguments;
  const Extents e(kind, a.inputs[2].shape(), a.inputs[4].shape(), request.node.attributes);
  const bool gradients = a.inputs[0].dtype() == DType::float32 && a.inputs[1].dtype() == DType::float32;
  if (!served(e) || !gradients || !plain_f32(a.inputs, 2, 5, 1) || !plain_f32(a.outputs)) return nullptr;
  return std::make_unique<StateGradOp>(request, e, context.threads);
}

template <CellKind kind>
int64_t forward_workspace(Context&, const Node& node, const Call& call) {
  if (kind == CellKind::rnn || call.outputs.size() > 2) return 0;
  const Extents e(kind, call.inputs[0].shape, call.inputs[2].shape, node.attributes);
  return e.samples() * e.columns() * static_cast<int64_t>(sizeof(float));
}

template <CellKind kind>
int64_t grad_workspace(Context&, const Node& node, const Call& call) {
  return StateGradOp::workspace_bytes(Extents(kind, call.inputs[2].shape, call.inputs[4].shape, node.attributes));
}

}  // namespace

std::span<const Kernel> recurrent_state_kernels() {
  static constexpr Kernel kKernels[] = {
      {"gru", prepare_forward<CellKind::gru>, forward_workspace<CellKind::gru>},
      {"gru_grad", prepare_grad<CellKind::gru>, grad_workspace<CellKind::gru>},
      {"rnn", prepare_forward<CellKind::rnn>, forward_workspace<CellKind::rnn>},
      {"rnn_grad", prepare_grad<CellKind::rnn>, grad_workspace<CellKind::rnn>},
  };
  return kKernels;
}

}  // namespace engine::cpu
