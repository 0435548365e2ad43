// SPDX-License-Identifier: Apache-2.0
// Recurrent layers whose state is h alone, gru (the reset gate behind the product with h, or in front of it) and rnn, forwards and
// backwards in f32: as lstm (recurrent.cpp), the products with x of all steps as one and the products with h step by step.
#include <algorithm>
#include <string>
#include <vector>

#include "engine/cpu/whole_lines.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/recurrent.h"
#include "engine/cpu/recurrent_simd.h"

namespace engine::cpu {
namespace {

enum class CellKind { gru, rnn };
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
        rows(cell == CellKind::rnn ? 1 : attributes.get_int("linear_before_reset", 1) != 0 ? 4 : 3), reverse(attributes.get_string("direction", "forward") == "reverse"),
        linear_before_reset(attributes.get_int("linear_before_reset", 1) != 0), relu(attributes.get_string("activation", "tanh") == "relu") {}
  /// The time step direction `d` takes as its `step`-th.
  int64_t time(int64_t d, int64_t step) const { return backwards(d) ? steps - 1 - step : step; }
  int64_t samples() const { return steps * batch; }
  int64_t state() const { return batch * hidden; }
  int64_t width() const { return directions * hidden; }   ///< of a row of y
  int64_t columns() const { return rows * hidden; }       ///< of a sample's gates
  int64_t products() const { return gates * hidden; }     ///< rows of w and r, and the first columns of the gates
  int64_t work() const { return state() * 16; }           ///< of one step's cells, beside the products
  /// The reset gate works on h, in front of the product: the cell needs that product in its middle.
  bool resets_first() const { return kind == CellKind::gru && !linear_before_reset; }
  bool backwards(int64_t d) const { return d == 1 || reverse; }
  std::vector<Group> groups() const {
    if (kind == CellKind::rnn) return {{0, 0, hidden, true}};
    if (resets_first()) return {{0, 0, 2 * hidden, true}, {2 * hidden, 2 * hidden, hidden, true}};  // the second of r h, not h
    return {{0, 0, 2 * hidden, true}, {3 * hidden, 2 * hidden, hidden, false}};
  }
};

/// (x, w, r, bias, h0) -> y, h, [gates].
class StateOp final : public PreparedOp {
 public:
  StateOp(Context& context, const PrepareRequest& request, const Extents& extents)
      : in_(request.arguments.inputs), out_(request.arguments.outputs), e_(extents), groups_(e_.groups()),
        workspace_(reinterpret_cast<float*>(request.workspace)), h0_(in_[4]), threads_(context.threads), product_(context), packed_(packed_products(context, e_)),
        name_(recurrent_kernel_name(request.node, product_, packed_[0] != nullptr)) {
    if (e_.resets_first()) reset_h_ = reinterpret_cast<float*>(request.workspace + gates_bytes(e_, out_.size()));
    std::byte* const behind = request.workspace + own_bytes(e_, out_.size());
    bind_products(packed_, behind);
    product_.bind(behind + workspace_bytes(packed_), shapes(e_));
  }
  /// Of the products that are not packed, each group's rows counted as all of them.
  static std::array<ProductShape, 2> shapes(const Extents& e) { return {{{e.samples(), e.products(), e.inputs}, {e.batch, e.products(), e.hidden}}}; }
  static PackedProducts packed_products(Context& context, const Extents& e) {
    PackedProducts products;
    for (const Group& g : e.groups())
      products.push_back(PackedProduct::make(context, {.m = e.batch, .n = g.count, .k = e.hidden, .lda = e.resets_first() && g.column > 0 ? e.hidden : e.width(),
                                                       .ldc = e.kind == CellKind::rnn ? e.width() : e.columns(), .transposed = true, .adds = g.adds, .times = e.steps}));
    return products;
  }
  static int64_t gates_bytes(const Extents& e, size_t outputs) {
    return e.kind == CellKind::rnn || outputs > 2 ? 0 : static_cast<int64_t>(whole_lines(static_cast<size_t>(e.samples() * e.columns()) * sizeof(float)));
  }
  /// Without what the packed products take behind it.
  static int64_t own_bytes(const Extents& e, size_t outputs) {
    return gates_bytes(e, outputs) + (e.resets_first() ? static_cast<int64_t>(whole_lines(static_cast<size_t>(e.state()) * sizeof(float))) : 0);
  }

  void run() override {
    set_calling_thread_count(threads_);
    h0_.gather();
    for (int64_t d = 0; d < e_.directions; ++d) direction(d);
  }
  std::string kernel_name() const override { return name_; }

 private:
  const float* in(size_t i) const { return in_[i].data_as<const float>(); }
  float* out(size_t i) const { return out_[i].data_as<float>(); }

  /// Columns of the gates from a state [batch, hidden] by group i's rows of r.
  void through_r(size_t i, const float* h, int64_t h_stride, const float* r, float* gates, int64_t stride) {
    const Group& g = groups_[i];
    const int64_t packed_stride = e_.resets_first() && i == 1 ? e_.hidden : e_.width();
    if (packed_[i] && h_stride == packed_stride) return packed_[i]->run(h, gates + g.column);
    product_('N', 'T', e_.batch, g.count, e_.hidden, h, h_stride, r + g.row * e_.hidden, e_.hidden, g.adds ? 1.0f : 0.0f, gates + g.column, stride);
  }

  void direction(int64_t d) {
    const int64_t n = e_.hidden, width = e_.width();
    // rnn computes in y; gru in the gates that are kept, or in a workspace.
    const bool in_place = e_.kind == CellKind::rnn, keeps = out_.size() > 2;
    float* gates = in_place ? out(0) + d * n : keeps ? out(2) + d * e_.samples() * e_.columns() : workspace_;
    const int64_t stride = in_place ? width : e_.columns();
    const float *r = in(2) + d * e_.products() * n, *bias = in(3) + d * e_.columns();
    product_('N', 'T', e_.samples(), e_.products(), e_.inputs, in(0), e_.inputs, in(1) + d * e_.products() * e_.inputs, e_.inputs, 0, gates, stride);
    const float* h = h0_.data() + d * e_.state();
    int64_t h_stride = n;
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (packed_[i]) packed_[i]->pack(r + groups_[i].row * n);
    }
    for (int64_t step = 0; step < e_.steps; ++step) {
      const int64_t t = e_.time(d, step);
      float *a = gates + t * e_.batch * stride, *y = out(0) + t * e_.batch * width + d * n;
      for (size_t i = 0; i < (e_.resets_first() ? 1 : groups_.size()); ++i) through_r(i, h, h_stride, r, a, stride);
      parallel_for(threads_, e_.batch, e_.work(), [&](int64_t b) {
        if (in_place) {
          rnn_.forward(n, e_.relu, bias, y + b * width);
        } else if (e_.resets_first()) {
          gru_.reset(n, a + b * stride, bias, h + b * h_stride, reset_h_ + b * n);
        } else {
          gru_.forward(n, a + b * stride, bias, h + b * h_stride, y + b * width);
        }
      });
      if (e_.resets_first()) {
        through_r(1, reset_h_, n, r, a, stride);
        parallel_for(threads_, e_.batch, e_.work(), [&](int64_t b) { gru_.candidate(n, a + b * stride, bias, h + b * h_stride, y + b * width); });
      }
      h = y;
      h_stride = width;
    }
    for (int64_t b = 0; b < e_.batch; ++b) std::copy_n(h + b * h_stride, n, out(1) + d * e_.state() + b * n);
  }

  std::vector<Tensor> in_, out_;
  Extents e_;
  std::vector<Group> groups_;
  float *workspace_, *reset_h_ = nullptr;  ///< gates; r h of one step
  FirstState h0_;
  int threads_;
  RecurrentProduct product_;
  PackedProducts packed_;  ///< by group, with its rows of r
  std::string name_;
  GruLoops gru_ = gru_loops();
  RnnLoops rnn_ = rnn_loops();
};

/// (dy, dh, x, w, r, h0, y, [gates]) -> dx, dw, dr, dbias, dh0. dy and dh may have any strides.
class StateGradOp final : public PreparedOp {
 public:
  StateGradOp(Context& context, const PrepareRequest& request, const Extents& extents)
      : in_(request.arguments.inputs), out_(request.arguments.outputs), e_(extents), groups_(e_.groups()),
        dgates_(reinterpret_cast<float*>(request.workspace)), dh_(dgates_ + e_.samples() * e_.columns()), h0_(in_[5]), threads_(context.threads),
        product_(context), packed_(packed_products(context, e_)), name_(recurrent_kernel_name(request.node, product_, packed_[0] != nullptr)) {
    through_ = dh_ + e_.state();
    reset_h_ = through_ + e_.state();
    bind_products(packed_, request.workspace + own_bytes(e_));
    product_.bind(request.workspace + own_bytes(e_) + workspace_bytes(packed_), shapes(e_));
  }
  /// Of the products that are not packed, each group's rows counted as all of them: dh; dw, dx; dr.
  static std::array<ProductShape, 4> shapes(const Extents& e) {
    return {{{e.batch, e.hidden, e.products()}, {e.products(), e.inputs, e.samples()}, {e.samples(), e.inputs, e.products()}, {e.products(), e.hidden, e.samples()}}};
  }
  static PackedProducts packed_products(Context& context, const Extents& e) {
    PackedProducts products;
    for (const Group& g : e.groups()) {
      const bool adds = !e.resets_first() || g.column == 0;  // else into a place of its own
      products.push_back(PackedProduct::make(context, {.m = e.batch, .n = e.hidden, .k = g.count, .lda = e.columns(), .ldc = e.hidden, .adds = adds, .times = e.steps}));
    }
    return products;
  }

  void run() override {
    set_calling_thread_count(threads_);
    h0_.gather();
    for (int64_t d = 0; d < e_.directions; ++d) {
      steps(d);
      weights(d);
    }
  }
  std::string kernel_name() const override { return name_; }

  /// Without what the packed products take behind it.
  static int64_t own_bytes(const Extents& e) {
    const int64_t reset = e.resets_first() ? e.state() + e.samples() * e.hidden : 0;
    return static_cast<int64_t>(whole_lines(static_cast<size_t>(e.samples() * e.columns() + e.state() + reset) * sizeof(float)));
  }

 private:
  const float* in(size_t i) const { return in_[i].data_as<const float>(); }
  float* out(size_t i) const { return out_[i].data_as<float>(); }

  const float* kept(int64_t d, int64_t t, int64_t b) const { return in(7) + ((d * e_.steps + t) * e_.batch + b) * e_.columns(); }

  /// to = dgates R (+ to) by group i's rows of r.
  void through_r(size_t i, const float* dgates, const float* r, float beta, float* to) {
    const Group& g = groups_[i];
    if (packed_[i]) return packed_[i]->run(dgates + g.column, to);
    product_('N', 'N', e_.batch, e_.hidden, g.count, dgates + g.column, e_.columns(), r + g.row * e_.hidden, e_.hidden, beta, to, e_.hidden);
  }

  /// dgates of all steps, the last first; dh0 takes the gradient of the state on its way.
  void steps(int64_t d) {
    const int64_t n = e_.hidden, width = e_.width(), columns = e_.columns();
    float* dh = out(4) + d * e_.state();
    for (int64_t b = 0; b < e_.batch; ++b) {
      for (int64_t j = 0; j < n; ++j) dh[b * n + j] = element(in_[1], d, b, j);
    }
    const float *r = in(4) + d * e_.products() * n, *y = in(6) + d * n;
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (packed_[i]) packed_[i]->pack(r + groups_[i].row * n);
    }
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
        } else if (e_.resets_first()) {
          gru_.candidate_backward(n, kept(d, t, b), h_before + b * h_stride, own, dh + b * n, dgates + b * columns, reset_h_ + (t * e_.batch + b) * n);
        } else {
          gru_.backward(n, kept(d, t, b), h_before + b * h_stride, own, dh + b * n, dgates + b * columns);
        }
      });
      if (e_.resets_first()) {
        through_r(1, dgates, r, 0, through_);
        parallel_for(threads_, e_.batch, e_.work(), [&](int64_t b) {
          gru_.reset_backward(n, kept(d, t, b), h_before + b * h_stride, through_ + b * n, dh + b * n, dgates + b * columns);
        });
      }
      for (size_t i = 0; i < (e_.resets_first() ? 1 : groups_.size()); ++i) through_r(i, dgates, r, 1, dh);
    }
  }

  /// dw, dr, dbias and dx from the dgates of all steps at once.
  void weights(int64_t d) const {
    const int64_t n = e_.hidden, width = e_.width(), columns = e_.columns(), rows = e_.products();
    product_('T', 'N', rows, e_.inputs, e_.samples(), dgates_, columns, in(2), e_.inputs, 0, out(1) + d * rows * e_.inputs, e_.inputs);
    product_('N', 'N', e_.samples(), e_.inputs, rows, dgates_, columns, in(3) + d * rows * e_.inputs, e_.inputs, d > 0 ? 1.0f : 0.0f, out(0), e_.inputs);
    // h before a step: h0 for the first, y of the neighbouring step for all others.
    const int64_t first = e_.time(d, 0) * e_.batch, others = (e_.steps - 1) * e_.batch;
    const bool back = e_.backwards(d);
    for (const Group& g : groups_) {
      if (e_.resets_first() && g.column > 0) {  // these rows saw r h
        product_('T', 'N', g.count, n, e_.samples(), dgates_ + g.column, columns, reset_h_, n, 0, out(2) + d * rows * n + g.row * n, n);
        continue;
      }
      float* dr = out(2) + d * rows * n + g.row * n;
      product_('T', 'N', g.count, n, e_.batch, dgates_ + first * columns + g.column, columns, h0_.data() + d * e_.state(), n, 0, dr, n);
      if (others > 0) {
        product_('T', 'N', g.count, n, others, dgates_ + (back ? 0 : e_.batch * columns) + g.column, columns, in(6) + d * n + (back ? e_.batch * width : 0),
                width, 1, dr, n);
      }
    }
    sum_rows(dgates_, e_.samples(), columns, out(3) + d * columns);
  }

  std::vector<Tensor> in_, out_;
  Extents e_;
  std::vector<Group> groups_;
  float *dgates_, *dh_, *through_, *reset_h_;  ///< the last two with the reset gate in front: R^T dn of one step, r h of all
  FirstState h0_;
  int threads_;
  RecurrentProduct product_;
  PackedProducts packed_;  ///< by group, with its rows of r
  std::string name_;
  GruLoops gru_ = gru_loops();
  RnnLoops rnn_ = rnn_loops();
};

/// An empty sequence is left to the reference.
bool served(const Extents& e) { return e.samples() > 0 && e.hidden > 0; }

template <CellKind kind>
std::unique_ptr<PreparedOp> prepare_forward(Context& context, const PrepareRequest& request) {
  const auto& a = request.arguments;
  const Extents e(kind, a.inputs[0].shape(), a.inputs[2].shape(), request.node.attributes);
  if (!served(e) || !plain_f32(a.inputs, 0, 4, 1) || !plain_f32(a.outputs)) return nullptr;
  return std::make_unique<StateOp>(context, request, e);
}

template <CellKind kind>
std::unique_ptr<PreparedOp> prepare_grad(Context& context, const PrepareRequest& request) {
  const auto& a = request.arguments;
  const Extents e(kind, a.inputs[2].shape(), a.inputs[4].shape(), request.node.attributes);
  const bool gradients = a.inputs[0].dtype() == DType::float32 && a.inputs[1].dtype() == DType::float32;
  if (!served(e) || !gradients || !plain_f32(a.inputs, 2, 5, 1) || !plain_f32(a.outputs)) return nullptr;
  return std::make_unique<StateGradOp>(context, request, e);
}

template <CellKind kind>
int64_t forward_workspace(Context& context, const Node& node, const Call& call) {
  const Extents e(kind, call.inputs[0].shape, call.inputs[2].shape, node.attributes);
  return StateOp::own_bytes(e, call.outputs.size()) + workspace_bytes(StateOp::packed_products(context, e)) +
         RecurrentProduct(context).workspace_bytes(StateOp::shapes(e));
}

template <CellKind kind>
int64_t grad_workspace(Context& context, const Node& node, const Call& call) {
  const Extents e(kind, call.inputs[2].shape, call.inputs[4].shape, node.attributes);
  return StateGradOp::own_bytes(e) + workspace_bytes(StateGradOp::packed_products(context, e)) + RecurrentProduct(context).workspace_bytes(StateGradOp::shapes(e));
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
