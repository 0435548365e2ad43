// SPDX-License-Identifier: Apache-2.0
// lstm, gru and rnn and their gradients in f32, by the loops of recurrent_loops.h: products by oneDNN or our own loops
// (products.h), those with h step by step, with their weights packed once for all steps; those with x of all steps as
// one, or of lstm likewise where packing pays; gates by vector loops, samples split over the threads.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/gemm/products.h"
#include "engine/kernels/recurrent/recurrent-inl.h"
#include "engine/kernels/recurrent/recurrent.h"

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

namespace {

using loops::CellKind;
using loops::RecurrentShape;

/// Products of whoever computes them, shared among the threads; packed ones by number.
struct StepProducts {
  const Products<float>& products;
  const PackedProducts& of_packed;

  void operator()(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
                  int64_t ldb, bool add, float* c, int64_t ldc) const {
    products.run(m, n, k, 1, {a, lda, ta}, {b, ldb, tb}, add ? 1.0f : 0.0f, c, ldc);
  }
  bool has(int number) const { return of_packed[static_cast<size_t>(number)] != nullptr; }
  void pack(int number, const float* w) const { of_packed[static_cast<size_t>(number)]->pack(w); }
  void packed(int number, const float* a, float* c) const { of_packed[static_cast<size_t>(number)]->run(a, c); }
};

/// By group with its rows of r, and of lstm with x of one step: then the gates of a step are in the cache when h's
/// share is added and when they are computed.
PackedProducts packed_products(Context& context, const RecurrentShape& p) {
  PackedProducts products;
  const auto groups = p.groups();
  for (int i = 0; i < groups.count; ++i) {
    const loops::GateGroup& g = groups.group[static_cast<size_t>(i)];
    products.push_back(PackedProduct::make(context, {.m = p.batch,
                                                     .n = g.count,
                                                     .k = p.hidden,
                                                     .lda = p.is_reset(i) ? p.hidden : p.width(),
                                                     .ldc = p.kind == CellKind::rnn ? p.width() : p.columns(),
                                                     .transposed = true,
                                                     .adds = g.adds,
                                                     .times = p.steps}));
  }
  if (p.kind == CellKind::lstm)
    products.push_back(PackedProduct::make(context, {.m = p.batch,
                                                     .n = p.products(),
                                                     .k = p.inputs,
                                                     .lda = p.inputs,
                                                     .ldc = p.columns(),
                                                     .transposed = true,
                                                     .times = p.steps}));
  return products;
}
PackedProducts packed_gradient_products(Context& context, const RecurrentShape& p) {
  PackedProducts products;
  const auto groups = p.groups();
  for (int i = 0; i < groups.count; ++i) {
    products.push_back(PackedProduct::make(context, {.m = p.batch,
                                                     .n = p.hidden,
                                                     .k = groups.group[static_cast<size_t>(i)].count,
                                                     .lda = p.columns(),
                                                     .ldc = p.hidden,
                                                     .adds = loops::adds_to_state(p, i),
                                                     .times = p.steps}));
  }
  return products;
}
RecurrentShape with_packed(RecurrentShape shape, const PackedProducts& packed) {
  shape.inputs_by_step = shape.kind == CellKind::lstm && packed[1] != nullptr;
  return shape;
}

/// "own lstm (oneDNN sgemm, weights of the steps packed, AVX3)".
KernelFacts facts_of(const Node& node, const Products<float>& products, const PackedProducts& packed, bool has_inputs) {
  const bool steps = packed[0] != nullptr, inputs = has_inputs && packed[1] != nullptr;
  const std::string_view how = !steps                  ? (inputs ? ", weights of the inputs packed" : "")
                               : has_inputs && !inputs ? ", weights of the steps packed, inputs at once"
                                                       : ", weights of the steps packed";
  return {.name = fmt::format("own {} ({}{}, {})", node.op->name, products.name(), how, vector_unit()),
          .library = products.library(),
          .packed = !steps                  ? (inputs ? PackedWeights::inputs : PackedWeights::none)
                    : has_inputs && !inputs ? PackedWeights::steps
                                            : PackedWeights::all,
          .own_gemm = products.library() == KernelLibrary::own};
}

CellLoops loops_of(const Node& node) {
  return {lstm_loops(), gru_loops(), rnn_loops(), node.attributes.get_string("activation", "tanh") == "relu"};
}

Strided strided(const Tensor& t) {
  return {t.data_as<const float>(), {t.strides()[0], t.strides()[1], t.strides()[2]}};
}
Strided strided(const std::vector<Tensor>& tensors, size_t i, bool has) {
  return has ? strided(tensors[i]) : Strided{};
}

class RecurrentOp final : public PreparedOp {
 public:
  RecurrentOp(Context& context, const PrepareRequest& request, const RecurrentShape& shape)
      : tensors_(request.arguments),
        packed_(packed_products(context, shape)),
        shape_(with_packed(shape, packed_)),
        places_(loops::recurrent_places(shape_)),
        cells_(loops_of(request.node)),
        workspace_(reinterpret_cast<float*>(request.workspace)),
        threads_(context.threads),
        products_(context, /*shared=*/true),
        facts_(facts_of(request.node, products_, packed_, shape.kind == CellKind::lstm)) {
    const bool lstm = shape.kind == CellKind::lstm;
    const auto in = [&](size_t i) { return tensors_.inputs[i].data_as<const float>(); };
    const auto out = [&](size_t i, bool has) { return has ? tensors_.outputs[i].data_as<float>() : nullptr; };
    arguments_ = {in(0),
                  in(1),
                  in(2),
                  in(3),
                  strided(tensors_.inputs[4]),
                  strided(tensors_.inputs, 5, lstm),
                  out(0, true),
                  out(1, true),
                  out(2, lstm),
                  out(lstm ? 3 : 2, shape.keeps),
                  out(4, lstm && shape.keeps)};
    std::byte* const behind = request.workspace + places_.all * static_cast<int64_t>(sizeof(float));
    bind_products(packed_, behind);
    products_.bind(behind + workspace_bytes(packed_), loops::recurrent_products(shape_));
  }
  static int64_t bytes(Context& context, const RecurrentShape& shape) {
    const PackedProducts packed = packed_products(context, shape);
    return loops::recurrent_places(with_packed(shape, packed)).all * static_cast<int64_t>(sizeof(float)) +
           workspace_bytes(packed) +
           Products<float>(context, /*shared=*/true).workspace_bytes(loops::recurrent_products(shape));
  }

  void run() override {
    const CallingThreads as_made(threads_);
    StepProducts products{products_, packed_};
    RecurrentParts<ScalarMemory, StepProducts> parts(shape_, arguments_, places_, cells_, products, threads_,
                                                     workspace_);
    loops::recurrent(shape_, parts);
  }
  KernelFacts facts() const override { return facts_; }

 private:
  KernelArguments tensors_;  ///< that they stay
  PackedProducts packed_;
  RecurrentShape shape_;
  loops::RecurrentPlaces places_;
  CellLoops cells_;
  RecurrentArguments arguments_;
  float* workspace_;
  int threads_;
  Products<float> products_;
  KernelFacts facts_;
};

class RecurrentGradOp final : public PreparedOp {
 public:
  RecurrentGradOp(Context& context, const PrepareRequest& request, const RecurrentShape& shape)
      : tensors_(request.arguments),
        packed_(packed_gradient_products(context, shape)),
        shape_(shape),
        places_(loops::recurrent_gradient_places(shape)),
        cells_(loops_of(request.node)),
        workspace_(reinterpret_cast<float*>(request.workspace)),
        threads_(context.threads),
        products_(context, /*shared=*/true),
        facts_(facts_of(request.node, products_, packed_, false)) {
    const bool lstm = shape.kind == CellKind::lstm;
    const size_t x = lstm ? 3 : 2, y = lstm ? x + 5 : x + 4;
    const auto in = [&](size_t i, bool has = true) {
      return has ? tensors_.inputs[i].data_as<const float>() : nullptr;
    };
    const auto out = [&](size_t i, bool has = true) { return has ? tensors_.outputs[i].data_as<float>() : nullptr; };
    arguments_ = {strided(tensors_.inputs[0]),
                  strided(tensors_.inputs[1]),
                  strided(tensors_.inputs, 2, lstm),
                  in(x),
                  in(x + 1),
                  in(x + 2),
                  strided(tensors_.inputs[x + 3]),
                  strided(tensors_.inputs, x + 4, lstm),
                  in(y),
                  in(y + 1, shape.kind != CellKind::rnn),
                  in(y + 2, lstm),
                  out(0),
                  out(1),
                  out(2),
                  out(3),
                  out(4),
                  out(5, lstm)};
    std::byte* const behind = request.workspace + places_.all * static_cast<int64_t>(sizeof(float));
    bind_products(packed_, behind);
    products_.bind(behind + workspace_bytes(packed_), loops::recurrent_gradient_products(shape_));
  }
  static int64_t bytes(Context& context, const RecurrentShape& shape) {
    return loops::recurrent_gradient_places(shape).all * static_cast<int64_t>(sizeof(float)) +
           workspace_bytes(packed_gradient_products(context, shape)) +
           Products<float>(context, /*shared=*/true).workspace_bytes(loops::recurrent_gradient_products(shape));
  }

  void run() override {
    const CallingThreads as_made(threads_);
    StepProducts products{products_, packed_};
    RecurrentGradientParts<ScalarMemory, StepProducts> parts(shape_, arguments_, places_, cells_, products, threads_,
                                                             workspace_);
    loops::recurrent_gradient(shape_, parts);
  }
  KernelFacts facts() const override { return facts_; }

 private:
  KernelArguments tensors_;  ///< that they stay
  PackedProducts packed_;
  RecurrentShape shape_;
  loops::RecurrentPlaces places_;
  CellLoops cells_;
  RecurrentGradientArguments arguments_;
  float* workspace_;
  int threads_;
  Products<float> products_;
  KernelFacts facts_;
};

/// Of inputs with x at number `x`, w and r behind it, and h0 (and c0) from number `state` on.
RecurrentShape shape_of(CellKind kind, std::span<const TensorType> inputs, size_t x, size_t state,
                        const Attributes& attributes) {
  RecurrentShape shape = loops::recurrent_shape(kind, inputs[x].shape, inputs[x + 2].shape,
                                                attributes.get_string("direction", "forward") == "reverse",
                                                attributes.get_int("linear_before_reset", 1) != 0);
  const auto states = inputs.subspan(state, kind == CellKind::lstm ? 2 : 1);
  shape.gathers =
      !std::ranges::all_of(states, [](const TensorType& type) { return is_contiguous(type.shape, type.strides); });
  return shape;
}
RecurrentShape forward_shape(CellKind kind, std::span<const TensorType> inputs, size_t outputs,
                             const Attributes& attributes) {
  RecurrentShape shape = shape_of(kind, inputs, 0, 4, attributes);
  shape.keeps = outputs > (kind == CellKind::lstm ? 3 : 2);
  return shape;
}
RecurrentShape gradient_shape(CellKind kind, std::span<const TensorType> inputs, const Attributes& attributes) {
  const size_t x = kind == CellKind::lstm ? 3 : 2;
  return shape_of(kind, inputs, x, x + 3, attributes);
}

/// All f32; those of `types` without [first, last), which may have any strides, in one piece.
bool computable(const std::vector<TensorType>& types, size_t first, size_t last) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].dtype != DType::float32) return false;
    if ((i < first || i >= last) && !is_contiguous(types[i].shape, types[i].strides)) return false;
  }
  return true;
}
/// An empty sequence is left to the reference.
bool served(const RecurrentShape& p) { return p.samples() > 0 && p.hidden > 0; }

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& t : tensors) types.push_back(t.type());
  return types;
}

template <CellKind kind>
std::unique_ptr<PreparedOp> prepare_forward(Context& context, const PrepareRequest& request) {
  const std::vector<TensorType> inputs = types_of(request.arguments.inputs),
                                outputs = types_of(request.arguments.outputs);
  const RecurrentShape shape = forward_shape(kind, inputs, outputs.size(), request.node.attributes);
  if (!served(shape) || !computable(inputs, 4, inputs.size()) || !computable(outputs, 0, 0)) return nullptr;
  return std::make_unique<RecurrentOp>(context, request, shape);
}

/// The gradients of results, and states, may have any strides.
template <CellKind kind>
std::unique_ptr<PreparedOp> prepare_grad(Context& context, const PrepareRequest& request) {
  constexpr size_t kX = kind == CellKind::lstm ? 3 : 2;
  const std::vector<TensorType> inputs = types_of(request.arguments.inputs),
                                outputs = types_of(request.arguments.outputs);
  const RecurrentShape shape = gradient_shape(kind, inputs, request.node.attributes);
  const std::vector<TensorType> given(inputs.begin(), inputs.begin() + kX), others(inputs.begin() + kX, inputs.end());
  if (!served(shape) || !computable(given, 0, kX) || !computable(others, 3, kind == CellKind::lstm ? 5 : 4) ||
      !computable(outputs, 0, 0))
    return nullptr;
  return std::make_unique<RecurrentGradOp>(context, request, shape);
}

template <CellKind kind>
int64_t forward_workspace(Context& context, const Node& node, const Call& call) {
  return RecurrentOp::bytes(context, forward_shape(kind, call.inputs, call.outputs.size(), node.attributes));
}
template <CellKind kind>
int64_t grad_workspace(Context& context, const Node& node, const Call& call) {
  return RecurrentGradOp::bytes(context, gradient_shape(kind, call.inputs, node.attributes));
}

}  // namespace

std::span<const Kernel> recurrent_kernels() {
  static constexpr Kernel kKernels[] = {
      {"lstm", prepare_forward<CellKind::lstm>, forward_workspace<CellKind::lstm>},
      {"lstm_grad", prepare_grad<CellKind::lstm>, grad_workspace<CellKind::lstm>},
      {"gru", prepare_forward<CellKind::gru>, forward_workspace<CellKind::gru>},
      {"gru_grad", prepare_grad<CellKind::gru>, grad_workspace<CellKind::gru>},
      {"rnn", prepare_forward<CellKind::rnn>, forward_workspace<CellKind::rnn>},
      {"rnn_grad", prepare_grad<CellKind::rnn>, grad_workspace<CellKind::rnn>},
  };
  return kKernels;
}

}  // namespace engine::cpu
