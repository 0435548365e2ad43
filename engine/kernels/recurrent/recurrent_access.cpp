// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: what the parts of recurrent_loops.h access. How a library lays packed weights out is not known: in
// panels, as our own products would read them.
#include "engine/kernels/recurrent/recurrent_loops.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/core/passes_access.h"

namespace engine::access {
namespace {

using loops::CellKind;
constexpr AccessKind kLoad = AccessKind::load;
constexpr int64_t kBytes = sizeof(float);

/// Where f32 elements lie.
struct Place {
  uint64_t address = 0;
  uint32_t tensor = 0;
  Place operator+(int64_t elements) const { return {address + static_cast<uint64_t>(elements * kBytes), tensor}; }
};
struct States {
  Place first;
  int64_t stride = 0;
  Place row(int64_t b) const { return first + b * stride; }
};

AccessStream stream(const Place& at, AccessKind kind, int64_t stride = 1) {
  return {at.address, stride * kBytes, at.tensor, kBytes, kind};
}

/// What both directions have in common.
class Layer {
 public:
  bool stopped() const { return sink_.stopped(); }
  void gather() {
    piece(h0_, places_.h0);
    if (p_.kind == CellKind::lstm) piece(h0_ + 1, places_.c0);
  }

 protected:
  /// `h0`: its number among the inputs, which c0 follows. `packed`: k x n of each product of packed weights.
  Layer(const OpCall& call, const loops::RecurrentShape& shape, const loops::RecurrentPlaces& places, size_t h0,
        std::span<const std::array<int64_t, 2>> packed, AccessSink& sink)
      : call_(call),
        p_(shape),
        places_(places),
        sink_(sink),
        groups_(shape.groups()),
        h0_(h0),
        panel_(panel_columns(call, kBytes)),
        scratch_(own(places.all)) {
    for (const auto& [k, n] : packed) {
      packed_.push_back(scratch_);
      scratch_ = scratch_ + packed_elements(call, k, n);
    }
  }

  Place own(int64_t element) const { return Place{call_.workspace_address, call_.workspace_tensor} + element; }
  Place in(size_t i) const { return {call_.inputs[i].address, call_.inputs[i].tensor}; }
  Place out(size_t i) const { return {call_.outputs[i].address, call_.outputs[i].tensor}; }
  Place first_state(size_t input, int64_t place, int64_t d) const {
    return (p_.gathers ? own(place) : in(input)) + d * p_.state();
  }
  Place c0(int64_t d) const { return first_state(h0_ + 1, places_.c0, d); }
  States h_before(int64_t d, int64_t step, const Place& y) const {
    if (step == 0) return {first_state(h0_, places_.h0, d), p_.hidden};
    return {y + p_.time(d, step - 1) * p_.batch * p_.width() + d * p_.hidden, p_.width()};
  }
  static AccessStream element(const Operand& o, int64_t i, int64_t j, int64_t k) {
    const Strides& s = o.type.strides;
    return stream(Place{o.address, o.tensor} + (i * s[0] + j * s[1] + k * s[2]), kLoad, s[2]);
  }
  const loops::GateGroup& group(int number) const { return groups_.group[static_cast<size_t>(number)]; }

  struct Matrix {
    Place at;
    int64_t row = 0;
    bool transposed = false;
  };
  void product(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, bool add, const Matrix& c) {
    describe_product(call_, operand(a, m, k), operand(b, k, n), operand(c, m, n), {scratch_.address, add}, sink_);
  }
  /// Weights k x n, of which `transposed` ones lie as n x k, to panels.
  void pack_weights(int number, const Matrix& w, int64_t k, int64_t n) {
    const Place to = packed_[static_cast<size_t>(number)];
    for (int64_t j = 0; j < n && w.transposed && !stopped(); ++j)
      sink_.group(k,
                  {stream(w.at + j * w.row, kLoad), stream(to + j / panel_ * panel_ * k + j % panel_, kStore, panel_)});
    for (int64_t j = 0; j < n && !w.transposed && !stopped(); j += panel_) {
      for (int64_t i = 0; i < k; ++i)
        sink_.group(std::min(panel_, n - j),
                    {stream(w.at + i * w.row + j, kLoad), stream(to + j * k + i * panel_, kStore)});
    }
  }
  void packed_product(int number, int64_t m, int64_t n, int64_t k, const Matrix& a, bool add, const Matrix& c) {
    for (int64_t j = 0; j < n && !stopped(); j += panel_) {
      const int64_t wide = std::min(panel_, n - j);
      describe_tiles(call_, operand(a, m, k), operand({packed_[static_cast<size_t>(number)] + j * k, panel_}, k, wide),
                     operand({c.at + j, c.row}, m, wide), {scratch_.address, add}, sink_);
    }
  }
  /// The hidden units of a sample, in this order.
  void units(std::initializer_list<std::pair<Place, AccessKind>> of) {
    std::vector<AccessStream> streams;
    const int64_t lanes = std::max<int64_t>(1, call_.vector_bytes / kBytes), whole = p_.hidden / lanes * lanes;
    for (const auto& [at, kind] : of)
      streams.push_back({at.address, lanes * kBytes, at.tensor, static_cast<uint16_t>(lanes * kBytes), kind});
    if (whole > 0) sink_.group(whole / lanes, streams);
    streams.clear();
    for (const auto& [at, kind] : of) streams.push_back(stream(at + whole, kind));
    if (whole < p_.hidden) sink_.group(p_.hidden - whole, streams);
  }

 private:
  static int64_t packed_elements(const OpCall& call, int64_t k, int64_t n) {
    const int64_t panel = panel_columns(call, kBytes);
    return loops::in_lines((n + panel - 1) / panel * panel * k);
  }
  static Operand operand(const Matrix& m, int64_t rows, int64_t columns) {
    return {{DType::float32, {rows, columns}, m.transposed ? Strides{1, m.row} : Strides{m.row, 1}},
            m.at.address,
            m.at.tensor};
  }
  void piece(size_t input, int64_t place) {
    for (int64_t d = 0; d < p_.directions && !stopped(); ++d)
      for (int64_t b = 0; b < p_.batch; ++b)
        sink_.group(p_.hidden, {element(call_.inputs[input], d, b, 0),
                                stream(own(place + (d * p_.batch + b) * p_.hidden), kStore)});
  }

 protected:
  const OpCall& call_;
  const loops::RecurrentShape& p_;
  const loops::RecurrentPlaces& places_;
  AccessSink& sink_;
  const loops::GateGroups groups_;

 private:
  const size_t h0_;
  const int64_t panel_;
  Place scratch_;  ///< of products
  std::vector<Place> packed_;
};

/// (x, w, r, bias, h0[, c0]) -> y, h[, c][, gates[, cells]].
class Forward : public Layer {
 public:
  Forward(const OpCall& call, const loops::RecurrentShape& shape, const loops::RecurrentPlaces& places,
          std::span<const std::array<int64_t, 2>> packed, AccessSink& sink)
      : Layer(call, shape, places, 4, packed, sink) {}

  void inputs(int64_t d) {
    product(p_.samples(), p_.products(), p_.inputs, {in(0), p_.inputs}, w_of(d), false, {gates(d), stride()});
  }
  void pack_inputs(int64_t d) { pack_weights(groups_.count, w_of(d), p_.inputs, p_.products()); }
  void step_inputs(int64_t d, int64_t step) {
    packed_product(groups_.count, p_.batch, p_.products(), p_.inputs,
                   {in(0) + p_.time(d, step) * p_.batch * p_.inputs, p_.inputs}, false, {gates_of(d, step), stride()});
  }
  void pack(int64_t d, int number) {
    if (call_.packed_steps) pack_weights(number, r_of(d, number), p_.hidden, group(number).count);
  }
  void states(int64_t d, int64_t step, int number) {
    const loops::GateGroup& g = group(number);
    const bool reset = p_.is_reset(number);
    const States h = reset ? States{own(places_.reset_h), p_.hidden} : before(d, step);
    const Matrix to{gates_of(d, step) + g.column, stride()}, from{h.first, h.stride};
    if (call_.packed_steps && h.stride == (reset ? p_.hidden : p_.width()))
      packed_product(number, p_.batch, g.count, p_.hidden, from, g.adds, to);
    else product(p_.batch, g.count, p_.hidden, from, r_of(d, number), g.adds, to);
  }
  void cells(int64_t d, int64_t step) {
    const States h = before(d, step);
    for (int64_t b = 0; b < p_.batch && !stopped(); ++b) {
      const auto [g, bias] = gates_and_bias(d, step, b);
      const Place y = y_of(d, step, b);
      if (p_.kind == CellKind::rnn) {
        units({{y, kLoad}, {bias[0], kLoad}, {y, kStore}});
      } else if (p_.kind == CellKind::lstm) {
        const Place c = cell_of(d, step) + b * p_.hidden,
                    c_before = (step == 0 ? c0(d) : cell_of(d, step - 1)) + b * p_.hidden;
        units({{g[0], kLoad},
               {bias[0], kLoad},
               {g[1], kLoad},
               {bias[1], kLoad},
               {g[2], kLoad},
               {bias[2], kLoad},
               {g[3], kLoad},
               {bias[3], kLoad},
               {c_before, kLoad},
               {g[0], kStore},
               {g[1], kStore},
               {g[2], kStore},
               {g[3], kStore},
               {c, kStore},
               {y, kStore}});
      } else if (p_.resets_first()) {
        units({{g[0], kLoad},
               {bias[0], kLoad},
               {g[1], kLoad},
               {bias[1], kLoad},
               {g[0], kStore},
               {g[1], kStore},
               {h.row(b), kLoad},
               {own(places_.reset_h + b * p_.hidden), kStore}});
      } else {
        units({{g[0], kLoad},
               {bias[0], kLoad},
               {g[1], kLoad},
               {bias[1], kLoad},
               {g[3], kLoad},
               {bias[3], kLoad},
               {g[2], kLoad},
               {bias[2], kLoad},
               {g[0], kStore},
               {g[1], kStore},
               {g[2], kStore},
               {g[3], kStore},
               {h.row(b), kLoad},
               {y, kStore}});
      }
    }
  }
  void candidates(int64_t d, int64_t step) {
    for (int64_t b = 0; b < p_.batch && !stopped(); ++b) {
      const auto [g, bias] = gates_and_bias(d, step, b);
      units({{g[2], kLoad},
             {bias[2], kLoad},
             {g[2], kStore},
             {g[0], kLoad},
             {before(d, step).row(b), kLoad},
             {y_of(d, step, b), kStore}});
    }
  }
  void last(int64_t d) {
    const States h = before(d, p_.steps);
    for (int64_t b = 0; b < p_.batch && !stopped(); ++b) {
      const int64_t at = d * p_.state() + b * p_.hidden;
      sink_.group(p_.hidden, {stream(h.row(b), kLoad), stream(out(1) + at, kStore)});
      if (p_.kind == CellKind::lstm && p_.keeps)
        sink_.group(p_.hidden, {stream(cell_of(d, p_.steps - 1) + b * p_.hidden, kLoad), stream(out(2) + at, kStore)});
    }
  }

 private:
  /// Of one sample, gate by gate, as far as there are so many.
  struct Gates {
    std::array<Place, 4> gates, bias;
  };
  Gates gates_and_bias(int64_t d, int64_t step, int64_t b) const {
    Gates of;
    for (int64_t i = 0; i < p_.columns() / p_.hidden; ++i) {
      of.gates[static_cast<size_t>(i)] = gates_of(d, step) + b * stride() + i * p_.hidden;
      of.bias[static_cast<size_t>(i)] = in(3) + d * p_.columns() + i * p_.hidden;
    }
    return of;
  }
  States before(int64_t d, int64_t step) const { return h_before(d, step, out(0)); }
  /// rnn computes in y; others in the gates that are kept, or in the workspace.
  Place gates(int64_t d) const {
    if (p_.kind == CellKind::rnn) return out(0) + d * p_.hidden;
    return p_.keeps ? out(p_.kind == CellKind::lstm ? 3 : 2) + d * p_.samples() * p_.columns() : own(0);
  }
  int64_t stride() const { return p_.kind == CellKind::rnn ? p_.width() : p_.columns(); }
  Place gates_of(int64_t d, int64_t step) const {
    return gates(d) + (p_.inputs_by_step && !p_.keeps ? 0 : p_.time(d, step) * p_.batch * stride());
  }
  Place y_of(int64_t d, int64_t step, int64_t b) const {
    return out(0) + (p_.time(d, step) * p_.batch + b) * p_.width() + d * p_.hidden;
  }
  Place cell_of(int64_t d, int64_t step) const {
    return p_.keeps ? out(4) + (d * p_.steps + p_.time(d, step)) * p_.state() : out(2) + d * p_.state();
  }
  Matrix w_of(int64_t d) const { return {in(1) + d * p_.products() * p_.inputs, p_.inputs, true}; }
  Matrix r_of(int64_t d, int number) const {
    return {in(2) + (d * p_.products() + group(number).row) * p_.hidden, p_.hidden, true};
  }
};

/// (dy, dh[, dc], x, w, r, h0[, c0], y[, gates[, cells]]) -> dx, dw, dr, dbias, dh0[, dc0].
class Gradient : public Layer {
 public:
  Gradient(const OpCall& call, const loops::RecurrentShape& shape, const loops::RecurrentPlaces& places,
           std::span<const std::array<int64_t, 2>> packed, AccessSink& sink)
      : Layer(call, shape, places, first(shape) + 3, packed, sink), x_(first(shape)), y_(x_ + (lstm() ? 5 : 4)) {}
  /// The number of x among the inputs.
  static size_t first(const loops::RecurrentShape& shape) { return shape.kind == CellKind::lstm ? 3 : 2; }

  void begin(int64_t d) {
    for (int64_t b = 0; b < p_.batch && !stopped(); ++b) {
      const AccessStream dh = element(call_.inputs[1], d, b, 0), to = stream(dh0(d, b), kStore);
      if (lstm()) sink_.group(p_.hidden, {dh, to, element(call_.inputs[2], d, b, 0), stream(dc0(d, b), kStore)});
      else sink_.group(p_.hidden, {dh, to});
    }
  }
  void pack(int64_t d, int number) {
    if (call_.packed_steps) pack_weights(number, r_of(d, number), group(number).count, p_.hidden);
  }
  void cells(int64_t d, int64_t step) {
    const int64_t n = p_.hidden, t = p_.time(d, step);
    const States h = before(d, step);
    for (int64_t b = 0; b < p_.batch && !stopped(); ++b) {
      const Place dh = dh0(d, b), through = own(places_.dh + b * n);
      sink_.group(n, {stream(dh, kLoad), element(call_.inputs[0], t, b, d * n), stream(through, kStore)});
      const std::array<Place, 4> to = gates_at(dgates_of(d, step) + b * p_.columns());
      if (p_.kind == CellKind::rnn) {
        units({{in(y_) + (t * p_.batch + b) * p_.width() + d * n, kLoad}, {through, kLoad}, {to[0], kStore}});
        sink_.group(n, {stream(dh, kStore)});
        continue;
      }
      const std::array<Place, 4> g = gates_at(kept(d, t, b));
      if (lstm()) {
        const Place c = cell_of(d, step) + b * n, c_before = (step == 0 ? c0(d) : cell_of(d, step - 1)) + b * n,
                    dc = dc0(d, b);
        units({{g[0], kLoad},
               {g[1], kLoad},
               {g[2], kLoad},
               {g[3], kLoad},
               {through, kLoad},
               {c, kLoad},
               {dc, kLoad},
               {to[0], kStore},
               {c_before, kLoad},
               {to[1], kStore},
               {to[2], kStore},
               {to[3], kStore},
               {dc, kStore}});
      } else if (p_.resets_first()) {
        units({{g[0], kLoad},
               {g[1], kLoad},
               {g[2], kLoad},
               {through, kLoad},
               {h.row(b), kLoad},
               {to[0], kStore},
               {to[2], kStore},
               {dh, kStore},
               {own(places_.reset_h + (t * p_.batch + b) * n), kStore}});
      } else {
        units({{g[0], kLoad},
               {g[1], kLoad},
               {g[2], kLoad},
               {g[3], kLoad},
               {through, kLoad},
               {h.row(b), kLoad},
               {to[0], kStore},
               {to[1], kStore},
               {to[2], kStore},
               {to[3], kStore},
               {dh, kStore}});
      }
    }
  }
  void resets(int64_t d, int64_t step) {
    const States h = before(d, step);
    for (int64_t b = 0; b < p_.batch && !stopped(); ++b) {
      const Place dh = dh0(d, b);
      units({{kept(d, p_.time(d, step), b) + p_.hidden, kLoad},
             {own(places_.through + b * p_.hidden), kLoad},
             {h.row(b), kLoad},
             {dgates_of(d, step) + b * p_.columns() + p_.hidden, kStore},
             {dh, kLoad},
             {dh, kStore}});
    }
  }
  void through(int64_t d, int64_t step, int number) {
    const loops::GateGroup& g = group(number);
    const Matrix from{dgates_of(d, step) + g.column, p_.columns()},
        to{p_.is_reset(number) ? own(places_.through) : dh0(d, 0), p_.hidden};
    const bool add = loops::adds_to_state(p_, number);
    if (call_.packed_steps) packed_product(number, p_.batch, p_.hidden, g.count, from, add, to);
    else product(p_.batch, p_.hidden, g.count, from, r_of(d, number), add, to);
  }
  void input_weights(int64_t d) {
    product(p_.products(), p_.inputs, p_.samples(), {own(0), p_.columns(), true}, {in(x_), p_.inputs}, false,
            {out(1) + d * p_.products() * p_.inputs, p_.inputs});
  }
  void inputs(int64_t d) {
    product(p_.samples(), p_.inputs, p_.products(), {own(0), p_.columns()},
            {in(x_ + 1) + d * p_.products() * p_.inputs, p_.inputs}, d > 0, {out(0), p_.inputs});
  }
  void first_weights(int64_t d, int number) { weights(d, number, p_.batch, dgates_of(d, 0), before(d, 0), false); }
  void other_weights(int64_t d, int number) {
    const bool back = p_.backwards(d);
    weights(d, number, (p_.steps - 1) * p_.batch, own(back ? 0 : p_.batch * p_.columns()),
            {in(y_) + d * p_.hidden + (back ? p_.batch * p_.width() : 0), p_.width()}, true);
  }
  void reset_weights(int64_t d) { weights(d, 1, p_.samples(), own(0), {own(places_.reset_h), p_.hidden}, false); }
  void bias(int64_t d) {
    constexpr uint16_t kDouble = sizeof(double);
    const Place at = own(places_.sums);
    const AccessStream load{at.address, kDouble, at.tensor, kDouble, kLoad},
        store{at.address, kDouble, at.tensor, kDouble, kStore};
    const int64_t columns = p_.columns();
    sink_.group(columns, {store});
    for (int64_t row = 0; row < p_.samples() && !stopped(); ++row)
      sink_.group(columns, {load, stream(own(row * columns), kLoad), store});
    sink_.group(columns, {load, stream(out(3) + d * columns, kStore)});
  }

 private:
  bool lstm() const { return p_.kind == CellKind::lstm; }
  std::array<Place, 4> gates_at(const Place& first) const {
    return {first, first + p_.hidden, first + 2 * p_.hidden, first + 3 * p_.hidden};
  }
  States before(int64_t d, int64_t step) const { return h_before(d, step, in(y_)); }
  Place dh0(int64_t d, int64_t b) const { return out(4) + d * p_.state() + b * p_.hidden; }
  Place dc0(int64_t d, int64_t b) const { return out(5) + d * p_.state() + b * p_.hidden; }
  Place dgates_of(int64_t d, int64_t step) const { return own(p_.time(d, step) * p_.batch * p_.columns()); }
  Place kept(int64_t d, int64_t t, int64_t b) const {
    return in(y_ + 1) + ((d * p_.steps + t) * p_.batch + b) * p_.columns();
  }
  Place cell_of(int64_t d, int64_t step) const { return in(y_ + 2) + (d * p_.steps + p_.time(d, step)) * p_.state(); }
  Matrix r_of(int64_t d, int number) const {
    return {in(x_ + 2) + (d * p_.products() + group(number).row) * p_.hidden, p_.hidden};
  }
  void weights(int64_t d, int number, int64_t samples, const Place& dgates, const States& h, bool add) {
    const loops::GateGroup& g = group(number);
    product(g.count, p_.hidden, samples, {dgates + g.column, p_.columns(), true}, {h.first, h.stride}, add,
            {out(2) + (d * p_.products() + g.row) * p_.hidden, p_.hidden});
  }

  const size_t x_, y_;
};

CellKind kind_of(const OpCall& call) {
  return call.node.op->name.starts_with("lstm")  ? CellKind::lstm
         : call.node.op->name.starts_with("gru") ? CellKind::gru
                                                 : CellKind::rnn;
}

/// As the kernels take them.
bool computable(std::span<const Operand> operands) {
  return std::ranges::all_of(operands, [](const Operand& o) {
    return o.type.dtype == DType::float32 && is_contiguous(o.type.shape, o.type.strides);
  });
}
bool are_f32(std::span<const Operand> operands) {
  return std::ranges::all_of(operands, [](const Operand& o) { return o.type.dtype == DType::float32; });
}

/// x at number `x` of the inputs, h0 (and c0) at `state`.
loops::RecurrentShape shape_of(const OpCall& call, size_t x, size_t state) {
  const CellKind kind = kind_of(call);
  loops::RecurrentShape shape =
      loops::recurrent_shape(kind, call.inputs[x].type.shape, call.inputs[x + 2].type.shape,
                             call.node.attributes.get_string("direction", "forward") == "reverse",
                             call.node.attributes.get_int("linear_before_reset", 1) != 0);
  shape.gathers = !computable(std::span(call.inputs).subspan(state, kind == CellKind::lstm ? 2 : 1));
  return shape;
}

/// Whether what the kernel keeps, packed weights and the largest of its products lie within the workspace.
bool fits(const OpCall& call, int64_t kept, std::span<const std::array<int64_t, 2>> packed,
          std::span<const loops::ProductShape> products) {
  const int64_t panel = panel_columns(call, kBytes);
  int64_t elements = kept + loops::product_scratch(products, true, false, [&](int64_t m, int64_t n, int64_t k) {
                       return panel_elements(call, kBytes, m, n, k);
                     });
  for (const auto& [k, n] : packed) elements += loops::in_lines((n + panel) * k);
  return elements <= static_cast<int64_t>(call.workspace_bytes) / kBytes;
}

}  // namespace

bool describe_recurrent(const OpCall& call, AccessSink& sink) {
  const size_t states = kind_of(call) == CellKind::lstm ? 2 : 1;
  if (call.inputs.size() != 4 + states || call.outputs.size() < 1 + states || call.inputs[0].type.rank() != 3)
    return false;
  if (!computable(std::span(call.inputs).first(4)) || !are_f32(call.inputs) || !computable(call.outputs)) return false;
  loops::RecurrentShape shape = shape_of(call, 0, 4);
  if (shape.samples() == 0 || shape.hidden == 0) return false;
  shape.keeps = call.outputs.size() > 1 + states;
  shape.inputs_by_step = shape.kind == CellKind::lstm && call.packed_inputs;
  std::vector<std::array<int64_t, 2>> packed;
  const loops::GateGroups groups = shape.groups();
  for (int i = 0; i < groups.count && (call.packed_steps || shape.inputs_by_step); ++i)
    packed.push_back({shape.hidden, groups.group[static_cast<size_t>(i)].count});
  if (shape.inputs_by_step) packed.push_back({shape.inputs, shape.products()});
  const loops::RecurrentPlaces places = loops::recurrent_places(shape);
  if (!fits(call, places.all, packed, loops::recurrent_products(shape))) return false;
  Forward parts(call, shape, places, packed, sink);
  loops::recurrent(shape, parts);
  return true;
}

bool describe_recurrent_grad(const OpCall& call, AccessSink& sink) {
  const bool lstm = kind_of(call) == CellKind::lstm;
  const size_t x = lstm ? 3 : 2, states = lstm ? 2 : 1, kept = lstm ? 2 : kind_of(call) == CellKind::gru ? 1 : 0;
  if (call.inputs.size() != x + 4 + states + kept || call.outputs.size() != 4 + states ||
      call.inputs[x].type.rank() != 3)
    return false;
  if (!are_f32(call.inputs) || !computable(std::span(call.inputs).subspan(x, 3)) ||
      !computable(std::span(call.inputs).subspan(x + 3 + states)) || !computable(call.outputs))
    return false;
  const loops::RecurrentShape shape = shape_of(call, x, x + 3);
  if (shape.samples() == 0 || shape.hidden == 0) return false;
  std::vector<std::array<int64_t, 2>> packed;
  const loops::GateGroups groups = shape.groups();
  for (int i = 0; i < groups.count && call.packed_steps; ++i)
    packed.push_back({groups.group[static_cast<size_t>(i)].count, shape.hidden});
  const loops::RecurrentPlaces places = loops::recurrent_gradient_places(shape);
  if (!fits(call, places.all, packed, loops::recurrent_gradient_products(shape))) return false;
  Gradient parts(call, shape, places, packed, sink);
  loops::recurrent_gradient(shape, parts);
  return true;
}

}  // namespace engine::access
