// SPDX-License-Identifier: Apache-2.0
// The parts of recurrent layers and their gradients (recurrent_loops.h), over memory that is plain (recurrent.cpp) or,
// in a test, notes each access. The gates lie where the gradient op reads them: nothing is kept twice.
#pragma once

#include "engine/kernels/core/parallel.h"
#include "engine/kernels/recurrent/recurrent_loops.h"
#include "engine/kernels/recurrent/recurrent_simd.h"

namespace engine::cpu {

/// Element (i, j, k) of an f32 tensor of rank 3.
struct Strided {
  const float* data = nullptr;
  int64_t strides[3] = {0, 0, 0};
  const float* at(int64_t i, int64_t j, int64_t k) const {
    return data + i * strides[0] + j * strides[1] + k * strides[2];
  }
};

struct CellLoops {
  LstmLoops lstm;
  GruLoops gru;
  RnnLoops rnn;
  bool relu = false;  ///< of rnn, else tanh
};

/// Rows of `hidden` numbers.
struct States {
  const float* data = nullptr;
  int64_t stride = 0;
  const float* row(int64_t b) const { return data + b * stride; }
};

/// What both directions have in common. Product: (transposed a, transposed b, m, n, k, a, lda, b, ldb, add, c, ldc), c
/// (+)= a b, row-major; has(number), pack(number, w) and packed(number, a, c) of weights that are packed once for all
/// steps: groups of r, then w.
template <class M, class Product>
class RecurrentBase : public loops::Computes {
 public:
  void gather() {
    piece(h0_, places_.h0);
    if (p_.kind == loops::CellKind::lstm) piece(c0_, places_.c0);
  }

 protected:
  RecurrentBase(const loops::RecurrentShape& shape, const loops::RecurrentPlaces& places, const CellLoops& cells,
                Product& product, int threads, float* workspace, const Strided& h0, const Strided& c0)
      : p_(shape),
        places_(places),
        cells_(cells),
        product_(product),
        threads_(threads),
        workspace_(workspace),
        h0_(h0),
        c0_(c0),
        groups_(shape.groups()) {}

  const float* first_state(const Strided& given, int64_t place, int64_t d) const {
    return (p_.gathers ? workspace_ + place : given.data) + d * p_.state();
  }
  const float* h0(int64_t d) const { return first_state(h0_, places_.h0, d); }
  const float* c0(int64_t d) const { return first_state(c0_, places_.c0, d); }
  /// h before a step: h0 before the first, then y of the step before.
  States h_before(int64_t d, int64_t step, const float* y) const {
    if (step == 0) return {h0(d), p_.hidden};
    return {y + p_.time(d, step - 1) * p_.batch * p_.width() + d * p_.hidden, p_.width()};
  }
  template <class Body>
  void each_sample(const Body& body) const {
    parallel_for(threads_, p_.batch, p_.work(), body);
  }
  static void copy(const float* from, int64_t count, float* to) {
    for (int64_t j = 0; j < count; ++j) M::store(M::load(from + j), to + j);
  }

  const loops::RecurrentShape& p_;
  const loops::RecurrentPlaces& places_;
  const CellLoops& cells_;
  Product& product_;
  const int threads_;
  float* const workspace_;
  const Strided &h0_, &c0_;
  const loops::GateGroups groups_;

 private:
  void piece(const Strided& from, int64_t place) {
    float* to = workspace_ + place;
    for (int64_t d = 0; d < p_.directions; ++d)
      for (int64_t b = 0; b < p_.batch; ++b)
        for (int64_t j = 0; j < p_.hidden; ++j) M::store(M::load(from.at(d, b, j)), to++);
  }
};

/// Without what a cell does not have.
struct RecurrentArguments {
  const float *x = nullptr, *w = nullptr, *r = nullptr, *bias = nullptr;
  Strided h0, c0;
  float *y = nullptr, *h = nullptr, *c = nullptr, *gates = nullptr, *cells = nullptr;
};

template <class M, class Product>
class RecurrentParts : public RecurrentBase<M, Product> {
  using Base = RecurrentBase<M, Product>;
  using Base::p_, Base::places_, Base::cells_, Base::product_, Base::workspace_, Base::groups_;
  using Kind = loops::CellKind;

 public:
  RecurrentParts(const loops::RecurrentShape& shape, const RecurrentArguments& arguments,
                 const loops::RecurrentPlaces& places, const CellLoops& cells, Product& product, int threads,
                 float* workspace)
      : Base(shape, places, cells, product, threads, workspace, arguments.h0, arguments.c0), a_(arguments) {}

  void inputs(int64_t d) {
    product_(false, true, p_.samples(), p_.products(), p_.inputs, a_.x, p_.inputs, a_.w + d * p_.products() * p_.inputs,
             p_.inputs, false, gates(d), stride());
  }
  void pack_inputs(int64_t d) { product_.pack(groups_.count, a_.w + d * p_.products() * p_.inputs); }
  void step_inputs(int64_t d, int64_t step) {
    product_.packed(groups_.count, a_.x + p_.time(d, step) * p_.batch * p_.inputs, gates_of(d, step));
  }
  void pack(int64_t d, int group) {
    if (product_.has(group)) product_.pack(group, r_of(d, group));
  }
  void states(int64_t d, int64_t step, int group) {
    const loops::GateGroup& g = groups_.group[static_cast<size_t>(group)];
    const bool reset = p_.is_reset(group);
    const States h = reset ? States{workspace_ + places_.reset_h, p_.hidden} : this->h_before(d, step, a_.y);
    float* const to = gates_of(d, step) + g.column;
    if (product_.has(group) && h.stride == (reset ? p_.hidden : p_.width())) return product_.packed(group, h.data, to);
    product_(false, true, p_.batch, g.count, p_.hidden, h.data, h.stride, r_of(d, group), p_.hidden, g.adds, to,
             stride());
  }
  void cells(int64_t d, int64_t step) {
    const int64_t n = p_.hidden;
    float *const gates = gates_of(d, step), *const y = y_of(d, step), *const c = cell_of(d, step);
    const float* const bias = bias_of(d);
    const States h = this->h_before(d, step, a_.y);
    const float* const c_before = p_.kind != Kind::lstm ? nullptr : step == 0 ? this->c0(d) : cell_of(d, step - 1);
    this->each_sample([&](int64_t b) {
      switch (p_.kind) {
        case Kind::lstm:
          return cells_.lstm.forward(n, gates + b * stride(), bias, c_before + b * n, c + b * n, y + b * p_.width());
        case Kind::rnn: return cells_.rnn.forward(n, cells_.relu, bias, y + b * p_.width());
        case Kind::gru:
          if (p_.resets_first())
            return cells_.gru.reset(n, gates + b * stride(), bias, h.row(b), workspace_ + places_.reset_h + b * n);
          return cells_.gru.forward(n, gates + b * stride(), bias, h.row(b), y + b * p_.width());
      }
    });
  }
  void candidates(int64_t d, int64_t step) {
    float *const gates = gates_of(d, step), *const y = y_of(d, step);
    const States h = this->h_before(d, step, a_.y);
    this->each_sample([&](int64_t b) {
      cells_.gru.candidate(p_.hidden, gates + b * stride(), bias_of(d), h.row(b), y + b * p_.width());
    });
  }
  void last(int64_t d) {
    const int64_t n = p_.hidden;
    const States h = this->h_before(d, p_.steps, a_.y);
    for (int64_t b = 0; b < p_.batch; ++b) {
      this->copy(h.row(b), n, a_.h + d * p_.state() + b * n);
      if (p_.kind == Kind::lstm && p_.keeps)
        this->copy(cell_of(d, p_.steps - 1) + b * n, n, a_.c + d * p_.state() + b * n);
    }
  }

 private:
  /// rnn computes in y; others in the gates that are kept, or in the workspace.
  float* gates(int64_t d) const {
    return p_.kind == Kind::rnn ? a_.y + d * p_.hidden
           : p_.keeps           ? a_.gates + d * p_.samples() * p_.columns()
                                : workspace_;
  }
  int64_t stride() const { return p_.kind == Kind::rnn ? p_.width() : p_.columns(); }
  float* gates_of(int64_t d, int64_t step) const {
    return gates(d) + (p_.inputs_by_step && !p_.keeps ? 0 : p_.time(d, step) * p_.batch * stride());
  }
  float* y_of(int64_t d, int64_t step) const { return a_.y + p_.time(d, step) * p_.batch * p_.width() + d * p_.hidden; }
  /// lstm: c after a step; the last one only, where none is kept.
  float* cell_of(int64_t d, int64_t step) const {
    if (p_.kind != Kind::lstm) return nullptr;
    return p_.keeps ? a_.cells + (d * p_.steps + p_.time(d, step)) * p_.state() : a_.c + d * p_.state();
  }
  const float* r_of(int64_t d, int group) const {
    return a_.r + (d * p_.products() + groups_.group[static_cast<size_t>(group)].row) * p_.hidden;
  }
  const float* bias_of(int64_t d) const { return a_.bias + d * p_.columns(); }

  const RecurrentArguments& a_;
};

/// Without what a cell does not have; dy, dh and dc may have any strides.
struct RecurrentGradientArguments {
  Strided dy, dh, dc;
  const float *x = nullptr, *w = nullptr, *r = nullptr;
  Strided h0, c0;
  const float *y = nullptr, *gates = nullptr, *cells = nullptr;
  float *dx = nullptr, *dw = nullptr, *dr = nullptr, *dbias = nullptr, *dh0 = nullptr, *dc0 = nullptr;
};

template <class M, class Product>
class RecurrentGradientParts : public RecurrentBase<M, Product> {
  using Base = RecurrentBase<M, Product>;
  using Base::p_, Base::places_, Base::cells_, Base::product_, Base::workspace_, Base::groups_;
  using Kind = loops::CellKind;

 public:
  RecurrentGradientParts(const loops::RecurrentShape& shape, const RecurrentGradientArguments& arguments,
                         const loops::RecurrentPlaces& places, const CellLoops& cells, Product& product, int threads,
                         float* workspace)
      : Base(shape, places, cells, product, threads, workspace, arguments.h0, arguments.c0), a_(arguments) {}

  /// dh0 and dc0 take the gradients of the states on their way.
  void begin(int64_t d) {
    float *const dh = dh0(d), *const dc = dc0(d);
    for (int64_t b = 0; b < p_.batch; ++b) {
      for (int64_t j = 0; j < p_.hidden; ++j) {
        M::store(M::load(a_.dh.at(d, b, j)), dh + b * p_.hidden + j);
        if (dc != nullptr) M::store(M::load(a_.dc.at(d, b, j)), dc + b * p_.hidden + j);
      }
    }
  }
  void pack(int64_t d, int group) {
    if (product_.has(group)) product_.pack(group, r_of(d, group));
  }
  void cells(int64_t d, int64_t step) {
    const int64_t n = p_.hidden, t = p_.time(d, step);
    float *const dh = dh0(d), *const dgates = dgates_of(d, step);
    const States h = this->h_before(d, step, a_.y);
    const float* const c_before = p_.kind != Kind::lstm ? nullptr : step == 0 ? this->c0(d) : cells_of(d, step - 1);
    this->each_sample([&](int64_t b) {
      float* const own = workspace_ + places_.dh + b * n;
      for (int64_t j = 0; j < n; ++j) {
        const float through = M::load(dh + b * n + j);
        M::store(through + M::load(a_.dy.at(t, b, d * n + j)), own + j);
      }
      float* const to = dgates + b * p_.columns();
      switch (p_.kind) {
        case Kind::lstm:
          return cells_.lstm.backward(n, kept(d, t, b), cells_of(d, step) + b * n, c_before + b * n, own,
                                      dc0(d) + b * n, to);
        case Kind::rnn:
          cells_.rnn.backward(n, cells_.relu, a_.y + d * n + (t * p_.batch + b) * p_.width(), own, to);
          return M::fill(dh + b * n, n, 0.0f);
        case Kind::gru:
          if (p_.resets_first())
            return cells_.gru.candidate_backward(n, kept(d, t, b), h.row(b), own, dh + b * n, to,
                                                 workspace_ + places_.reset_h + (t * p_.batch + b) * n);
          return cells_.gru.backward(n, kept(d, t, b), h.row(b), own, dh + b * n, to);
      }
    });
  }
  void resets(int64_t d, int64_t step) {
    const int64_t n = p_.hidden, t = p_.time(d, step);
    float *const dh = dh0(d), *const dgates = dgates_of(d, step);
    const States h = this->h_before(d, step, a_.y);
    this->each_sample([&](int64_t b) {
      cells_.gru.reset_backward(n, kept(d, t, b), h.row(b), workspace_ + places_.through + b * n, dh + b * n,
                                dgates + b * p_.columns());
    });
  }
  void through(int64_t d, int64_t step, int group) {
    const loops::GateGroup& g = groups_.group[static_cast<size_t>(group)];
    const float* const from = dgates_of(d, step) + g.column;
    float* const to = p_.is_reset(group) ? workspace_ + places_.through : dh0(d);
    if (product_.has(group)) return product_.packed(group, from, to);
    product_(false, false, p_.batch, p_.hidden, g.count, from, p_.columns(), r_of(d, group), p_.hidden,
             loops::adds_to_state(p_, group), to, p_.hidden);
  }
  void input_weights(int64_t d) {
    product_(true, false, p_.products(), p_.inputs, p_.samples(), workspace_, p_.columns(), a_.x, p_.inputs, false,
             a_.dw + d * p_.products() * p_.inputs, p_.inputs);
  }
  void inputs(int64_t d) {
    product_(false, false, p_.samples(), p_.inputs, p_.products(), workspace_, p_.columns(),
             a_.w + d * p_.products() * p_.inputs, p_.inputs, d > 0, a_.dx, p_.inputs);
  }
  void first_weights(int64_t d, int group) {
    weights(d, group, p_.batch, dgates_of(d, 0), {this->h0(d), p_.hidden}, false);
  }
  /// h before a step is y of the neighbouring one.
  void other_weights(int64_t d, int group) {
    const bool back = p_.backwards(d);
    weights(d, group, (p_.steps - 1) * p_.batch, workspace_ + (back ? 0 : p_.batch * p_.columns()),
            {a_.y + d * p_.hidden + (back ? p_.batch * p_.width() : 0), p_.width()}, true);
  }
  void reset_weights(int64_t d) {
    weights(d, 1, p_.samples(), workspace_, {workspace_ + places_.reset_h, p_.hidden}, false);
  }
  void bias(int64_t d) {
    const int64_t columns = p_.columns();
    auto* const sums = reinterpret_cast<double*>(workspace_ + places_.sums);
    M::fill(sums, columns, 0.0);
    for (int64_t row = 0; row < p_.samples(); ++row) {
      for (int64_t j = 0; j < columns; ++j) {
        const double before = M::load(sums + j);
        M::store(before + static_cast<double>(M::load(workspace_ + row * columns + j)), sums + j);
      }
    }
    for (int64_t j = 0; j < columns; ++j) M::store(static_cast<float>(M::load(sums + j)), a_.dbias + d * columns + j);
  }

 private:
  float* dh0(int64_t d) const { return a_.dh0 + d * p_.state(); }
  float* dc0(int64_t d) const { return a_.dc0 == nullptr ? nullptr : a_.dc0 + d * p_.state(); }
  float* dgates_of(int64_t d, int64_t step) const { return workspace_ + p_.time(d, step) * p_.batch * p_.columns(); }
  const float* kept(int64_t d, int64_t t, int64_t b) const {
    return a_.gates + ((d * p_.steps + t) * p_.batch + b) * p_.columns();
  }
  const float* cells_of(int64_t d, int64_t step) const {
    return a_.cells + (d * p_.steps + p_.time(d, step)) * p_.state();
  }
  const float* r_of(int64_t d, int group) const {
    return a_.r + (d * p_.products() + groups_.group[static_cast<size_t>(group)].row) * p_.hidden;
  }
  /// dr of a group's rows by `samples` samples.
  void weights(int64_t d, int group, int64_t samples, const float* dgates, const States& h, bool add) {
    const loops::GateGroup& g = groups_.group[static_cast<size_t>(group)];
    product_(true, false, g.count, p_.hidden, samples, dgates + g.column, p_.columns(), h.data, h.stride, add,
             a_.dr + (d * p_.products() + g.row) * p_.hidden, p_.hidden);
  }

  const RecurrentGradientArguments& a_;
};

}  // namespace engine::cpu
