// SPDX-License-Identifier: Apache-2.0
// Recurrent layers and their gradients do what is said of them: their own code, with own products, compiled over a
// memory that notes each access.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/gemm/products-inl.h"
#include "engine/kernels/recurrent/recurrent-inl.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/noted_kernels.h"

namespace engine {
namespace {

using loops::CellKind;

struct Case {
  CellKind kind = CellKind::lstm;
  std::string direction = "forward";
  int64_t steps = 3, hidden = 17;
  bool linear_before_reset = true, relu = false, keeps = true, gathers = false;

  std::string op() const { return kind == CellKind::lstm ? "lstm" : kind == CellKind::gru ? "gru" : "rnn"; }
  std::string label() const {
    return op() + ", " + direction + ", " + std::to_string(steps) + " steps of " + std::to_string(hidden) +
           (linear_before_reset ? "" : ", reset first") + (relu ? ", relu" : "") + (keeps ? "" : ", nothing kept") +
           (gathers ? ", gathered" : "");
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const CellKind kind : {CellKind::lstm, CellKind::gru, CellKind::rnn}) {
    for (const bool other : {false, true}) {
      if (kind == CellKind::lstm && other) continue;
      for (const char* direction : {"forward", "reverse", "bidirectional"})
        all.push_back({kind, direction, 3, 17, !other, other});
      all.push_back({kind, "bidirectional", 1, 40, !other, other});
      all.push_back({kind, "bidirectional", 2, 5, !other, other, true, /*gathers=*/true});
      if (kind != CellKind::rnn) all.push_back({kind, "forward", 4, 16, !other, other, false});
    }
  }
  return all;
}

constexpr int64_t kBatch = 2, kInputs = 5;

/// An operand, row-major unless its strides say otherwise.
struct Numbers {
  Numbers(Shape shape, int step)
      : type(TensorType::contiguous(DType::float32, std::move(shape))), at(static_cast<size_t>(type.elements())) {
    for (size_t i = 0; i < at.size(); ++i) at[i] = static_cast<float>(static_cast<int>(i) * step % 37) / 32 - 0.5f;
  }
  access::Operand operand() const { return {type, reinterpret_cast<uint64_t>(at.data()), 0}; }
  cpu::Strided strided() const { return {at.data(), {type.strides[0], type.strides[1], type.strides[2]}}; }
  double operator[](int64_t i) const { return at[static_cast<size_t>(i)]; }

  TensorType type;
  std::vector<float> at;
};

/// As Products, by own loops that note; nothing is packed ahead.
struct OwnProducts {
  const cpu::GemmLoops<float>& loops;
  float* scratch;
  void operator()(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
                  int64_t ldb, bool add, float* c, int64_t ldc) const {
    const cpu::GemmMatrix<float> x{a, lda, 1}, y{b, ldb, 1};
    cpu::own_product<test::NotedScalars>(loops,
                                         {.a = ta ? x.transposed() : x,
                                          .b = tb ? y.transposed() : y,
                                          .bias = nullptr,
                                          .c = c,
                                          .c_row = ldc,
                                          .m = m,
                                          .n = n,
                                          .k = k,
                                          .accumulate = add},
                                         1.0f, scratch);
  }
  static bool has(int) { return false; }
  static void pack(int, const float*) {}
  static void packed(int, const float*, float*) {}
};

struct Layer {
  Layer(const Case& given, const test::NotedKernels& kernels)
      : c(given),
        own(kernels),
        shape(shape_of(given)),
        gates(shape.products() / shape.hidden),
        d(shape.directions),
        x({c.steps, kBatch, kInputs}, 7),
        w({d, shape.products(), kInputs}, 11),
        r({d, shape.products(), c.hidden}, 13),
        bias({d, shape.columns()}, 5),
        h0({d, kBatch, c.hidden}, 3),
        c0({d, kBatch, c.hidden}, 17),
        y({c.steps, kBatch, d * c.hidden}, 0),
        h(h0),
        last_c(h0),
        kept({d, c.steps, kBatch, shape.columns()}, 0),
        cells({d, c.steps, kBatch, c.hidden}, 0),
        room(kRoom) {
    if (c.gathers) {
      for (Numbers* state : {&h0, &c0}) state->type.strides = {c.hidden, 0, 1};  // one for all samples
    }
    scratch = room.data() + (64 - reinterpret_cast<uint64_t>(room.data()) % 64) % 64 / sizeof(float);
    loops = {own.lstm, own.gru, own.rnn, c.relu};
    node.attributes.set("direction", c.direction);
    if (c.kind == CellKind::gru)
      node.attributes.set("linear_before_reset", static_cast<int64_t>(c.linear_before_reset));
    if (c.kind == CellKind::rnn) node.attributes.set("activation", std::string(c.relu ? "relu" : "tanh"));
  }
  static loops::RecurrentShape shape_of(const Case& c) {
    const int64_t directions = c.direction == "bidirectional" ? 2 : 1, gates = c.kind == CellKind::lstm  ? 4
                                                                               : c.kind == CellKind::gru ? 3
                                                                                                         : 1;
    loops::RecurrentShape shape =
        loops::recurrent_shape(c.kind, Shape{c.steps, kBatch, kInputs}, Shape{directions, gates * c.hidden, c.hidden},
                               c.direction == "reverse", c.linear_before_reset);
    shape.keeps = c.keeps && c.kind != CellKind::rnn;
    shape.gathers = c.gathers;
    return shape;
  }
  bool lstm() const { return c.kind == CellKind::lstm; }

  access::Fidelity describe(const std::string& op, const std::vector<const Numbers*>& inputs,
                            const std::vector<const Numbers*>& outputs, AccessSink& sink, bool own_products,
                            bool packed = false) {
    node.op = find_op(op);
    access::OpCall call{.node = node,
                        .inputs = {},
                        .outputs = {},
                        .workspace_address = reinterpret_cast<uint64_t>(scratch),
                        .vector_bytes = static_cast<int>(own.vector_bytes),
                        .own_products = own_products,
                        .packed_steps = packed,
                        .packed_inputs = packed};
    for (const Numbers* n : inputs) call.inputs.push_back(n->operand());
    for (const Numbers* n : outputs) call.outputs.push_back(n->operand());
    return access::describe(call, sink);
  }
  void expect_described(const std::string& op, const std::vector<const Numbers*>& inputs,
                        const std::vector<const Numbers*>& outputs) {
    test::Said said;
    EXPECT_EQ(describe(op, inputs, outputs, said, /*own_products=*/true), access::Fidelity::loops);
    test::expect_same(said.accesses, test::noted());
  }
  std::vector<const Numbers*> forward_inputs() const {
    return lstm() ? std::vector<const Numbers*>{&x, &w, &r, &bias, &h0, &c0}
                  : std::vector<const Numbers*>{&x, &w, &r, &bias, &h0};
  }
  std::vector<const Numbers*> forward_outputs() const {
    std::vector<const Numbers*> all{&y, &h};
    if (lstm()) all.push_back(&last_c);
    if (shape.keeps) all.push_back(&kept);
    if (shape.keeps && lstm()) all.push_back(&cells);
    return all;
  }

  static constexpr size_t kRoom = 1 << 19;
  Case c;
  const test::NotedKernels& own;
  loops::RecurrentShape shape;
  int64_t gates, d;
  Numbers x, w, r, bias, h0, c0, y, h, last_c, kept, cells;
  std::vector<float> room;
  float* scratch = nullptr;
  cpu::CellLoops loops;
  Node node;
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// h after a direction's last step, by the definition, in doubles.
std::vector<double> expected_h(const Layer& l, int64_t d) {
  const int64_t n = l.c.hidden, rows = l.shape.products();
  std::vector<double> all;
  for (int64_t b = 0; b < kBatch; ++b) {
    std::vector<double> h, c;
    const auto first = [&](const Numbers& state, int64_t j) {
      return state[d * state.type.strides[0] + b * state.type.strides[1] + j];
    };
    for (int64_t j = 0; j < n; ++j) h.push_back(first(l.h0, j)), c.push_back(first(l.c0, j));
    for (int64_t step = 0; step < l.c.steps; ++step) {
      const auto through = [&](int64_t row, const std::vector<double>& state) {
        double sum = 0;
        for (int64_t k = 0; k < n; ++k) sum += l.r[(d * rows + row) * n + k] * state[static_cast<size_t>(k)];
        return sum;
      };
      const auto of_x = [&](int64_t row) {
        double sum = l.bias[d * l.shape.columns() + row];
        for (int64_t k = 0; k < kInputs; ++k)
          sum += l.w[(d * rows + row) * kInputs + k] * l.x[(l.shape.time(d, step) * kBatch + b) * kInputs + k];
        return sum;
      };
      std::vector<double> reset = h, next = h;
      for (int64_t j = 0; j < n && l.shape.resets_first(); ++j)
        reset[static_cast<size_t>(j)] *= sigmoid(of_x(n + j) + through(n + j, h));
      for (int64_t j = 0; j < n; ++j) {
        const auto at = static_cast<size_t>(j);
        if (l.c.kind == CellKind::rnn) {
          const double sum = of_x(j) + through(j, h);
          next[at] = l.c.relu ? std::max(sum, 0.0) : std::tanh(sum);
        } else if (l.lstm()) {
          c[at] = sigmoid(of_x(n + j) + through(n + j, h)) * c[at] +
                  sigmoid(of_x(j) + through(j, h)) * std::tanh(of_x(2 * n + j) + through(2 * n + j, h));
          next[at] = sigmoid(of_x(3 * n + j) + through(3 * n + j, h)) * std::tanh(c[at]);
        } else {
          const double z = sigmoid(of_x(j) + through(j, h));
          const double from_h = l.shape.resets_first()
                                    ? through(2 * n + j, reset)
                                    : sigmoid(of_x(n + j) + through(n + j, h)) *
                                          (through(2 * n + j, h) + l.bias[d * l.shape.columns() + 3 * n + j]);
          const double candidate = std::tanh(of_x(2 * n + j) + from_h);
          next[at] = z * (h[at] - candidate) + candidate;
        }
      }
      h = next;
    }
    all.insert(all.end(), h.begin(), h.end());
  }
  return all;
}

void check_forward(Layer& l) {
  const loops::RecurrentPlaces places = loops::recurrent_places(l.shape);
  OwnProducts products{l.own.gemm, l.scratch + places.all};
  const cpu::RecurrentArguments arguments{l.x.at.data(),
                                          l.w.at.data(),
                                          l.r.at.data(),
                                          l.bias.at.data(),
                                          l.h0.strided(),
                                          l.lstm() ? l.c0.strided() : cpu::Strided{},
                                          l.y.at.data(),
                                          l.h.at.data(),
                                          l.lstm() ? l.last_c.at.data() : nullptr,
                                          l.shape.keeps ? l.kept.at.data() : nullptr,
                                          l.shape.keeps && l.lstm() ? l.cells.at.data() : nullptr};
  cpu::RecurrentParts<test::NotedScalars, OwnProducts> parts(l.shape, arguments, places, l.loops, products, 1,
                                                             l.scratch);
  test::noted().clear();
  loops::recurrent(l.shape, parts);
  l.expect_described(l.c.op(), l.forward_inputs(), l.forward_outputs());
  for (int64_t d = 0; d < l.d; ++d) {
    const std::vector<double> h = expected_h(l, d);
    for (size_t i = 0; i < h.size(); ++i)
      ASSERT_NEAR(l.h[d * l.shape.state() + static_cast<int64_t>(i)], h[i], 1e-5) << "direction " << d << ", " << i;
  }
}

void check_gradient(Layer& l) {
  Numbers dy = l.y, dh = l.h, dc = l.h, dx = l.x, dw = l.w, dr = l.r, dbias = l.bias, dh0({l.d, kBatch, l.c.hidden}, 0),
          dc0 = dh0;
  for (Numbers* n : {&dy, &dh, &dc}) std::ranges::fill(n->at, 0.25f);
  dy.type.strides = {0, 0, 0};  // as gradients of sums lie
  const loops::RecurrentPlaces places = loops::recurrent_gradient_places(l.shape);
  OwnProducts products{l.own.gemm, l.scratch + places.all};
  cpu::RecurrentGradientArguments arguments{dy.strided(),
                                            dh.strided(),
                                            l.lstm() ? dc.strided() : cpu::Strided{},
                                            l.x.at.data(),
                                            l.w.at.data(),
                                            l.r.at.data(),
                                            l.h0.strided(),
                                            l.lstm() ? l.c0.strided() : cpu::Strided{},
                                            l.y.at.data(),
                                            l.c.kind == CellKind::rnn ? nullptr : l.kept.at.data(),
                                            l.lstm() ? l.cells.at.data() : nullptr,
                                            dx.at.data(),
                                            dw.at.data(),
                                            dr.at.data(),
                                            dbias.at.data(),
                                            dh0.at.data(),
                                            l.lstm() ? dc0.at.data() : nullptr};
  cpu::RecurrentGradientParts<test::NotedScalars, OwnProducts> parts(l.shape, arguments, places, l.loops, products, 1,
                                                                     l.scratch);
  test::noted().clear();
  loops::recurrent_gradient(l.shape, parts);
  std::vector<const Numbers*> inputs{&dy, &dh}, outputs{&dx, &dw, &dr, &dbias, &dh0};
  if (l.lstm()) inputs.push_back(&dc), outputs.push_back(&dc0);
  for (const Numbers* n : {&l.x, &l.w, &l.r, &l.h0}) inputs.push_back(n);
  if (l.lstm()) inputs.push_back(&l.c0);
  inputs.push_back(&l.y);
  if (l.c.kind != CellKind::rnn) inputs.push_back(&l.kept);
  if (l.lstm()) inputs.push_back(&l.cells);
  l.expect_described(l.c.op() + "_grad", inputs, outputs);
  // The workspace still holds the gates' gradients of the last direction.
  for (int64_t j = 0; j < l.shape.products(); ++j) {
    double sum = 0;
    for (int64_t row = 0; row < l.shape.samples(); ++row)
      sum += static_cast<double>(l.scratch[row * l.shape.columns() + j]);
    ASSERT_NEAR(dbias[(l.d - 1) * l.shape.columns() + j], sum, 1e-5) << j;
  }
}

TEST(RecurrentLoops, BothDirectionsOfTimeGoThroughTheirStepsAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Case& c : cases()) {
      SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << c.label());
      Layer l(c, own);
      check_forward(l);
      if (HasFatalFailure()) return;
      if (c.kind == CellKind::rnn || l.shape.keeps) check_gradient(l);
      if (HasFatalFailure()) return;
    }
  }
}

/// How often the elements of r are loaded, and w's.
std::pair<std::map<int64_t, int>, std::map<int64_t, int>> loads_of_weights(Layer& l, bool packed) {
  test::Said said;
  EXPECT_EQ(l.describe(l.c.op(), l.forward_inputs(), l.forward_outputs(), said, /*own_products=*/false, packed),
            access::Fidelity::modelled)
      << "a library's products";
  const auto loads = [&](const Numbers& n) {
    std::map<int64_t, int> counts;
    const auto first = reinterpret_cast<uint64_t>(n.at.data());
    for (const test::Access& a : said.accesses) {
      if (a.address < first || a.address >= first + 4 * n.at.size()) continue;
      EXPECT_FALSE(a.store);
      for (int64_t byte = 0; byte < a.bytes; byte += 4)
        ++counts[static_cast<int64_t>(a.address - first + static_cast<uint64_t>(byte)) / 4];
    }
    EXPECT_EQ(counts.size(), n.at.size());
    return counts;
  };
  return {loads(l.r), loads(l.w)};
}

TEST(RecurrentLoops, PackedWeightsAreReadOnceForAllSteps) {
  const auto kernels = test::noted_kernels();
  for (const CellKind kind : {CellKind::lstm, CellKind::gru}) {
    Layer l({.kind = kind, .direction = "bidirectional", .steps = 6, .hidden = 24}, kernels[0]);
    const auto [r, w] = loads_of_weights(l, /*packed=*/true);
    // With two directions rows of the first state do not lie as those of y do: that product is of weights as they lie,
    // too.
    for (const auto& [element, count] : r) ASSERT_EQ(count, 1 + 1) << element;
    for (const auto& [element, count] : w) ASSERT_EQ(count, 1) << element;
    const auto [again, inputs] = loads_of_weights(l, /*packed=*/false);
    for (const auto& [element, count] : again) ASSERT_GE(count, 6) << element;
  }
}

TEST(RecurrentLoops, OnlyWhatTheKernelsTakeIsDescribed) {
  const auto kernels = test::noted_kernels();
  Layer l({.kind = CellKind::gru}, kernels[0]);
  test::Said said;
  const auto fidelity = [&] { return l.describe("gru", l.forward_inputs(), l.forward_outputs(), said, true); };
  l.x.type.dtype = DType::float64;
  EXPECT_EQ(fidelity(), access::Fidelity::assumed);
  l.x.type.dtype = DType::float32;
  EXPECT_EQ(fidelity(), access::Fidelity::loops);
  std::swap(l.w.type.strides[1], l.w.type.strides[2]);
  EXPECT_EQ(fidelity(), access::Fidelity::assumed) << "transposed weights";
  std::swap(l.w.type.strides[1], l.w.type.strides[2]);
  for (Numbers* n : {&l.x, &l.w, &l.r, &l.bias, &l.h0, &l.y, &l.h, &l.kept}) n->type.dtype = DType::bfloat16;
  EXPECT_EQ(fidelity(), access::Fidelity::loops) << "computed in f32";
}

}  // namespace
}  // namespace engine
