// SPDX-License-Identifier: Apache-2.0
// The references of LSTM, GRU and the simple recurrent network: one sample after the other, one step after the other,
// in double. Gradients by the chain rule, step by step backwards (P. J. Werbos, "Backpropagation through time", 1990).
#include <algorithm>
#include <cmath>

#include "engine/ops/dense.h"
#include "engine/ops/recurrent_extents.h"

namespace engine::ops {
namespace {

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

/// y += m v; m [rows, columns], row-major.
void multiply_add(const double* m, const double* v, int64_t rows, int64_t columns, double* y) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) y[i] += m[i * columns + j] * v[j];
  }
}

/// v += m^T y.
void multiply_transposed_add(const double* m, const double* y, int64_t rows, int64_t columns, double* v) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) v[j] += m[i * columns + j] * y[i];
  }
}

/// m += y v^T.
void outer_add(const double* y, const double* v, int64_t rows, int64_t columns, double* m) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) m[i * columns + j] += y[i] * v[j];
  }
}

// ---- one step forward: `a` holds W x + bias and becomes the gates; h and c are overwritten
// --------------------------------------

void lstm_step(int64_t n, const double* r, double* a, double* h, double* c) {
  multiply_add(r, h, 4 * n, n, a);
  for (int64_t j = 0; j < n; ++j) {
    double &i = a[j], &f = a[n + j], &g = a[2 * n + j], &o = a[3 * n + j];
    i = sigmoid_of(i);
    f = sigmoid_of(f);
    g = std::tanh(g);
    o = sigmoid_of(o);
    c[j] = f * c[j] + i * g;
    h[j] = o * std::tanh(c[j]);
  }
}

void gru_step(int64_t n, bool linear_before_reset, const double* r, double* a, double* h) {
  const double* r_n = r + 2 * n * n;
  multiply_add(r, h, 2 * n, n, a);
  for (int64_t j = 0; j < 2 * n; ++j) a[j] = sigmoid_of(a[j]);
  const double *z = a, *reset = a + n;
  double* candidate = a + 2 * n;
  if (linear_before_reset) {
    multiply_add(r_n, h, n, n, a + 3 * n);
    for (int64_t j = 0; j < n; ++j) candidate[j] += reset[j] * a[3 * n + j];
  } else {
    std::vector<double> kept(h, h + n);
    for (int64_t j = 0; j < n; ++j) kept[j] *= reset[j];
    multiply_add(r_n, kept.data(), n, n, candidate);
  }
  for (int64_t j = 0; j < n; ++j) {
    candidate[j] = std::tanh(candidate[j]);
    h[j] = (1 - z[j]) * candidate[j] + z[j] * h[j];
  }
}

void rnn_step(int64_t n, bool relu, const double* r, double* a, double* h) {
  multiply_add(r, h, n, n, a);
  for (int64_t j = 0; j < n; ++j) h[j] = a[j] = relu ? std::max(a[j], 0.0) : std::tanh(a[j]);
}

// ---- one step backward: dh and dc (of this step) become those of the step before, without what flows through r
// ------------------ dx_side: gradients of the rows of W x + bias; dh_side: gradients of the rows of R h.

struct BackwardStep {
  const double *gates, *h_before, *c_before, *h, *c;
  double *dh, *dc, *dx_side, *dh_side;
};

void lstm_back(int64_t n, const BackwardStep& s) {
  for (int64_t j = 0; j < n; ++j) {
    const double i = s.gates[j], f = s.gates[n + j], g = s.gates[2 * n + j], o = s.gates[3 * n + j];
    const double t = std::tanh(s.c[j]), dc = s.dc[j] + s.dh[j] * o * (1 - t * t);
    s.dx_side[j] = dc * g * i * (1 - i);
    s.dx_side[n + j] = dc * s.c_before[j] * f * (1 - f);
    s.dx_side[2 * n + j] = dc * i * (1 - g * g);
    s.dx_side[3 * n + j] = s.dh[j] * t * o * (1 - o);
    s.dc[j] = dc * f;
    s.dh[j] = 0;
  }
  std::copy_n(s.dx_side, 4 * n, s.dh_side);
}

/// With linear_before_reset 0 the reset gate's gradient needs R_n^T dn first; `r_n` is that matrix, row-major.
void gru_back(int64_t n, bool linear_before_reset, const double* r_n, const BackwardStep& s) {
  std::vector<double> through(static_cast<size_t>(n), 0.0);  // gradient of what the reset gate multiplies, or of r h
  for (int64_t j = 0; j < n; ++j) {
    const double z = s.gates[j], candidate = s.gates[2 * n + j];
    s.dx_side[j] = s.dh[j] * (s.h_before[j] - candidate) * z * (1 - z);
    s.dx_side[2 * n + j] = s.dh[j] * (1 - z) * (1 - candidate * candidate);
    s.dh[j] *= z;
  }
  if (!linear_before_reset) multiply_transposed_add(r_n, s.dx_side + 2 * n, n, n, through.data());
  for (int64_t j = 0; j < n; ++j) {
    const double reset = s.gates[n + j], dn = s.dx_side[2 * n + j];
    const double dreset = linear_before_reset ? dn * s.gates[3 * n + j] : through[j] * s.h_before[j];
    s.dx_side[n + j] = dreset * reset * (1 - reset);
    if (linear_before_reset) {
      s.dx_side[3 * n + j] = dn * reset;
    } else {
      s.dh[j] += through[j] * reset;
    }
  }
  std::copy_n(s.dx_side, 2 * n, s.dh_side);
  if (linear_before_reset) std::copy_n(s.dx_side + 3 * n, n, s.dh_side + 2 * n);
}

void rnn_back(int64_t n, bool relu, const BackwardStep& s) {
  for (int64_t j = 0; j < n; ++j) {
    s.dx_side[j] = s.dh_side[j] = relu ? (s.h[j] > 0 ? s.dh[j] : 0) : s.dh[j] * (1 - s.h[j] * s.h[j]);
    s.dh[j] = 0;
  }
}

/// Where things lie in row-major buffers.
struct Places {
  const RecurrentExtents& e;
  int64_t weights(int64_t d) const { return d * e.gates * e.hidden * e.inputs; }
  int64_t recurrent(int64_t d) const { return d * e.gates * e.hidden * e.hidden; }
  int64_t state(int64_t d, int64_t b) const { return (d * e.batch + b) * e.hidden; }
  int64_t input(int64_t t, int64_t b) const { return (t * e.batch + b) * e.inputs; }
  int64_t output(int64_t t, int64_t b, int64_t d) const { return ((t * e.batch + b) * e.directions + d) * e.hidden; }
  int64_t kept(int64_t d, int64_t t, int64_t b) const { return (d * e.steps + t) * e.batch + b; }
};

size_t elements(const Tensor& tensor) { return static_cast<size_t>(tensor.type().elements()); }

/// Gradients of one direction of one sample, step by step backwards.
struct Backward {
  const RecurrentExtents& e;
  std::vector<double> dy, x, w, r, h0, c0, y, gates, cells;
  std::vector<double> dx, dw, dr, dbias, dh0, dc0;  ///< dh0 and dc0 start as the gradients of h and c

  void run(int64_t d, int64_t b) {
    const Places at{e};
    const int64_t n = e.hidden, state = at.state(d, b);
    std::vector<double> dx_side(static_cast<size_t>(e.rows * n)), dh_side(static_cast<size_t>(e.gates * n));
    std::vector<double> no_cell(static_cast<size_t>(n), 0.0);
    double *dh = dh0.data() + state, *dc = dc0.empty() ? no_cell.data() : dc0.data() + state;
    for (int64_t step = e.steps; step-- > 0;) {
      const int64_t t = e.time(d, step), before = step > 0 ? e.time(d, step - 1) : 0;
      const double* out = y.data() + at.output(t, b, d);
      for (int64_t j = 0; j < n; ++j) dh[j] += dy[at.output(t, b, d) + j];
      BackwardStep s{.gates = gates.empty() ? nullptr : gates.data() + at.kept(d, t, b) * e.rows * n,
                     .h_before = step > 0 ? y.data() + at.output(before, b, d) : h0.data() + state,
                     .c_before = nullptr,
                     .h = out,
                     .c = nullptr,
                     .dh = dh,
                     .dc = dc,
                     .dx_side = dx_side.data(),
                     .dh_side = dh_side.data()};
      if (e.keeps_cells()) {
        s.c = cells.data() + at.kept(d, t, b) * n;
        s.c_before = step > 0 ? cells.data() + at.kept(d, before, b) * n : c0.data() + state;
      }
      step_back(s, d, at);
      const double *w_d = w.data() + at.weights(d), *x_t = x.data() + at.input(t, b);
      multiply_transposed_add(w_d, dx_side.data(), e.gates * n, e.inputs, dx.data() + at.input(t, b));
      outer_add(dx_side.data(), x_t, e.gates * n, e.inputs, dw.data() + at.weights(d));
      for (int64_t j = 0; j < e.rows * n; ++j) dbias[d * e.rows * n + j] += dx_side[j];
    }
  }

  /// Gate gradients, and what flows through r: into dh of the step before and into dr.
  void step_back(const BackwardStep& s, int64_t d, const Places& at) {
    const int64_t n = e.hidden;
    const double* r_d = r.data() + at.recurrent(d);
    double* dr_d = dr.data() + at.recurrent(d);
    if (e.kind == CellKind::lstm) lstm_back(n, s);
    if (e.kind == CellKind::gru) gru_back(n, e.linear_before_reset, r_d + 2 * n * n, s);
    if (e.kind == CellKind::rnn) rnn_back(n, e.relu, s);
    if (e.kind == CellKind::gru && !e.linear_before_reset) {
      std::vector<double> kept(s.h_before, s.h_before + n);
      for (int64_t j = 0; j < n; ++j) kept[j] *= s.gates[n + j];
      outer_add(s.dx_side + 2 * n, kept.data(), n, n, dr_d + 2 * n * n);
      multiply_transposed_add(r_d, s.dh_side, 2 * n, n, s.dh);
      outer_add(s.dh_side, s.h_before, 2 * n, n, dr_d);
      return;
    }
    multiply_transposed_add(r_d, s.dh_side, e.gates * n, n, s.dh);
    outer_add(s.dh_side, s.h_before, e.gates * n, n, dr_d);
  }
};

}  // namespace

RecurrentExtents recurrent_extents(CellKind kind, const Shape& x, const Shape& r, const Attributes& attributes) {
  RecurrentExtents e;
  e.kind = kind;
  e.steps = x[0];
  e.batch = x[1];
  e.inputs = x[2];
  e.hidden = r[2];
  const std::string direction = attributes.get_string("direction", "forward");
  e.directions = direction == "bidirectional" ? 2 : 1;
  e.reverse = direction == "reverse";
  e.linear_before_reset = attributes.get_int("linear_before_reset", 1) != 0;
  e.relu = attributes.get_string("activation", "tanh") == "relu";
  e.gates = kind == CellKind::lstm ? 4 : kind == CellKind::gru ? 3 : 1;
  e.rows = kind == CellKind::gru && e.linear_before_reset ? 4 : e.gates;
  return e;
}

void reference_recurrent(CellKind kind, KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const auto& out = arguments.outputs;
  const RecurrentExtents e = recurrent_extents(kind, in[0].shape(), in[2].shape(), *arguments.attributes);
  const Places at{e};
  const int64_t n = e.hidden;
  const std::vector<double> x = load(in[0]), w = load(in[1]), r = load(in[2]), bias = load(in[3]);
  std::vector<double> h = load(in[4]), c = e.keeps_cells() ? load(in[5]) : std::vector<double>();
  std::vector<double> y(elements(out[0])), gates(static_cast<size_t>(e.directions * e.steps * e.batch * e.rows * n)),
      cells(y.size());
  for (int64_t d = 0; d < e.directions; ++d) {
    for (int64_t b = 0; b < e.batch; ++b) {
      double* h_b = h.data() + at.state(d, b);
      for (int64_t step = 0; step < e.steps; ++step) {
        const int64_t t = e.time(d, step);
        double* a = gates.data() + at.kept(d, t, b) * e.rows * n;
        std::copy_n(bias.data() + d * e.rows * n, e.rows * n, a);
        multiply_add(w.data() + at.weights(d), x.data() + at.input(t, b), e.gates * n, e.inputs, a);
        const double* r_d = r.data() + at.recurrent(d);
        if (kind == CellKind::lstm) lstm_step(n, r_d, a, h_b, c.data() + at.state(d, b));
        if (kind == CellKind::gru) gru_step(n, e.linear_before_reset, r_d, a, h_b);
        if (kind == CellKind::rnn) rnn_step(n, e.relu, r_d, a, h_b);
        std::copy_n(h_b, n, y.data() + at.output(t, b, d));
        if (e.keeps_cells()) std::copy_n(c.data() + at.state(d, b), n, cells.data() + at.kept(d, t, b) * n);
      }
    }
  }
  store(out[0], y);
  store(out[1], h);
  const size_t kept = e.keeps_cells() ? 3 : 2;
  if (e.keeps_cells()) store(out[2], c);
  if (kind == CellKind::rnn || out.size() <= kept) return;
  store(out[kept], gates);
  if (e.keeps_cells()) store(out[kept + 1], cells);
}

void reference_recurrent_grad(CellKind kind, KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const auto& out = arguments.outputs;
  const bool cells = kind == CellKind::lstm;
  const size_t x = cells ? 3 : 2;  // x, w, r, h0, [c0], y, [gates], [cells] from here on
  const RecurrentExtents e = recurrent_extents(kind, in[x].shape(), in[x + 2].shape(), *arguments.attributes);
  const size_t y = x + (cells ? 5 : 4);
  const auto zeros = [](const Tensor& like) { return std::vector<double>(elements(like), 0.0); };
  Backward back{.e = e,
                .dy = load(in[0]),
                .x = load(in[x]),
                .w = load(in[x + 1]),
                .r = load(in[x + 2]),
                .h0 = load(in[x + 3]),
                .c0 = cells ? load(in[x + 4]) : std::vector<double>(),
                .y = load(in[y]),
                .gates = kind == CellKind::rnn ? std::vector<double>() : load(in[y + 1]),
                .cells = cells ? load(in[y + 2]) : std::vector<double>(),
                .dx = zeros(out[0]),
                .dw = zeros(out[1]),
                .dr = zeros(out[2]),
                .dbias = zeros(out[3]),
                .dh0 = load(in[1]),
                .dc0 = cells ? load(in[2]) : std::vector<double>()};
  for (int64_t d = 0; d < e.directions; ++d) {
    for (int64_t b = 0; b < e.batch; ++b) back.run(d, b);
  }
  store(out[0], back.dx);
  store(out[1], back.dw);
  store(out[2], back.dr);
  store(out[3], back.dbias);
  store(out[4], back.dh0);
  if (cells) store(out[5], back.dc0);
}

}  // namespace engine::ops
