// SPDX-License-Identifier: Apache-2.0
// Measuring the libraries' matrix products, and choosing among them.
#include "engine/kernels/gemm/matmul_choice.h"

#include <cblas.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "engine/kernels/core/cpu_features.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/shortest_run.h"
#include "engine/kernels/gemm/expert_linear.h"
#include "engine/kernels/gemm/joined_rows_rule.h"
#include "engine/kernels/gemm/mixed_linear.h"

namespace engine::cpu {
namespace {

/// The rule's library stays unless another was faster by more than runs of one library differ.
constexpr double kWithinNoise = 1.05;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Without measurements, f32 products go to OpenBLAS when m, n and k are all at least `from` (1.03-1.23x
/// oneDNN 2.6.3, measured at 2048 and 4096) or all at most `up_to` (1.07x at 64; at 8 a call costs 55 ns
/// where oneDNN's costs 255, and 1,600 on two threads).
struct BlasSizes {
  int64_t up_to = 64, from = 2048;
};

/// OpenBLAS chooses its kernels by CPU model, so that it runs 256-bit ones on a newer CPU with 512-bit
/// vectors, at half the speed (measured: Zen 5, OpenBLAS 0.3.21).
bool blas_has_wide_kernels() {
  static const bool wide = [] {
    const std::string_view core = openblas_get_corename();
    return core == "SkylakeX" || core == "Cooperlake" || core == "SapphireRapids" || vector_bits(cpu_features()) < 512;
  }();
  return wide;
}

MatmulLibrary first_by_rule(const MatmulShape& s) {
  if (s.dtype == DType::float64) return blas_has_wide_kernels() ? MatmulLibrary::openblas : MatmulLibrary::own;
  if (s.dtype != DType::float32) return MatmulLibrary::onednn;
  const auto [least, most] = std::minmax({s.m, s.n, s.k});
  const BlasSizes blas =
      blas_has_wide_kernels() ? BlasSizes{} : BlasSizes{.up_to = 16, .from = std::numeric_limits<int64_t>::max()};
  if (most <= blas.up_to || least >= blas.from) return MatmulLibrary::openblas;
  return s.m == 1 || s.n == 1 ? MatmulLibrary::own : MatmulLibrary::onednn;
}

double distance(const MatmulTiming& t, const MatmulShape& s) {
  const auto apart = [](int64_t a, int64_t b) {
    return std::abs(
        std::log2(static_cast<double>(std::max<int64_t>(a, 1)) / static_cast<double>(std::max<int64_t>(b, 1))));
  };
  return apart(t.m, s.m) + apart(t.n, s.n) + apart(t.k, s.k);
}

using PrepareMatmul = std::unique_ptr<PreparedOp> (*)(Context&, const PrepareRequest&);

PrepareMatmul prepare_of(MatmulLibrary library) {
  switch (library) {
    case MatmulLibrary::onednn: return prepare_dnnl_matmul;
    case MatmulLibrary::openblas: return prepare_blas_matmul;
    default: return prepare_own_matmul;
  }
}

/// One library's product, which has run once; nothing when it refuses or there is no memory: then it is not chosen.
std::function<void()> product_of(Context& context, MatmulLibrary library, const PrepareRequest& request) {
  try {
    const std::shared_ptr<PreparedOp> op = prepare_of(library)(context, request);
    if (op == nullptr) return nullptr;
    op->run();
    return [op] { op->run(); };
  } catch (const std::exception&) {
    return nullptr;
  }
}

int64_t matmul_workspace(Context&, const Node&, const Call&);

/// Nothing where others disturbed it so that which library is the fastest is not known.
std::optional<MatmulTiming> time_shape(Context& context, const MatmulShape& s) {
  MatmulTiming timing{s.dtype, s.m, s.n, s.k, s.threads, kUnknown, kUnknown, kUnknown};
  static const Op kTimed{.name = "linear", .formula = "", .infer = nullptr, .cost = nullptr};
  Node node;
  node.op = &kTimed;
  const bool square = s.m == s.n;
  const TensorType x = TensorType::contiguous(s.dtype, {s.m, s.k}), y = TensorType::contiguous(s.dtype, {s.m, s.n});
  TensorType weight = TensorType::contiguous(s.dtype, {s.n, s.k});
  if (square) weight.strides = {1, s.n};  // seen through the transposition of `linear` this is a plain [k, n]
  const std::vector<TensorType> inputs{x, weight}, outputs{y};
  const int64_t scratch_bytes = matmul_workspace(context, node, {node.attributes, inputs, outputs});
  const auto a = Tensor::empty(x), c = Tensor::empty(y);
  const auto b_storage = Storage::allocate_host(s.n * s.k * size_bytes(s.dtype)),
             scratch = Storage::allocate_host(std::max<int64_t>(scratch_bytes, 64));
  if (!a || !b_storage || !c || !scratch) return timing;
  const Tensor b(*b_storage, weight);
  for (const Tensor* t : {&*a, &b})
    std::fill_n(t->storage()->data(), t->type().elements() * size_bytes(s.dtype), std::byte{0});
  PrepareRequest request{.node = node,
                         .arguments = {.attributes = &node.attributes, .inputs = {*a, b}, .outputs = {*c}},
                         .workspace = (*scratch)->data(),
                         .inputs_constant = {false, false}};
  const std::array ways{product_of(context, MatmulLibrary::onednn, request),
                        product_of(context, MatmulLibrary::openblas, request),
                        product_of(context, MatmulLibrary::own, request)};
  const ShortestRuns runs = shortest_runs(ways);
  if (!runs.settled) return std::nullopt;
  timing.onednn_ns = runs.ns[0];
  timing.openblas_ns = runs.ns[1];
  timing.own_ns = runs.ns[2];
  return timing;
}

}  // namespace

std::vector<MatmulTiming> measure_matmul(int threads, std::optional<DType> only, int* left_out) {
  std::vector<MatmulShape> shapes;
  for (const int64_t n : {16, 64, 128, 256, 512, 1024, 2048}) shapes.push_back({DType::float32, n, n, n});
  for (const int64_t n : {64, 256, 1024}) shapes.push_back({DType::float64, n, n, n});
  for (const int64_t m : {1, 2, 8, 64}) shapes.push_back({DType::float32, m, 4096, 1024});
  shapes.push_back({DType::float64, 1, 4096, 1024});
  if (dnnl_has_bf16()) {
    for (const int64_t n : {64, 256, 512, 1024}) shapes.push_back({DType::bfloat16, n, n, n});
    for (const int64_t m : {1, 8, 64}) shapes.push_back({DType::bfloat16, m, 4096, 1024});
  }
  if (only) std::erase_if(shapes, [&](const MatmulShape& shape) { return shape.dtype != *only; });
  std::vector<MatmulTiming> timings;
  openblas_set_num_threads(1);
  for (const int team : threads > 1 ? std::vector<int>{1, threads} : std::vector<int>{1}) {
    Context context(BackendOptions{.threads = team});
    set_calling_thread_count(team);
    for (MatmulShape shape : shapes) {
      shape.threads = team;
      if (const std::optional<MatmulTiming> timing = time_shape(context, shape)) timings.push_back(*timing);
      else if (left_out != nullptr) ++*left_out;
    }
  }
  return timings;
}

std::array<MatmulLibrary, kMatmulLibraries> matmul_order(std::span<const MatmulTiming> timings,
                                                         const MatmulShape& shape, bool vendors, bool onednn) {
  const MatmulTiming* nearest = nullptr;
  for (const MatmulTiming& t : timings) {
    if (t.dtype != shape.dtype || t.threads != shape.threads) continue;
    // Vectors have loops of their own: what is fastest on one row says nothing of two.
    if ((t.m == 1) != (shape.m == 1) || (t.n == 1) != (shape.n == 1)) continue;
    if (nearest == nullptr || distance(t, shape) < distance(*nearest, shape)) nearest = &t;
  }
  MatmulLibrary first = first_by_rule(shape);
  if (vendors && first == MatmulLibrary::own)
    first = shape.dtype == DType::float64 ? MatmulLibrary::openblas : MatmulLibrary::onednn;
  if (!onednn && first == MatmulLibrary::onednn)
    first = vendors || blas_has_wide_kernels() ? MatmulLibrary::openblas : MatmulLibrary::own;
  if (nearest != nullptr) {
    MatmulTiming known = *nearest;
    if (!onednn) known.onednn_ns = kUnknown;
    const bool blas = !(known.onednn_ns <= known.openblas_ns) && !std::isnan(known.openblas_ns);
    const MatmulLibrary fastest = !vendors ? known.fastest() : blas ? MatmulLibrary::openblas : MatmulLibrary::onednn;
    if (!(known.ns(first) <= kWithinNoise * known.ns(fastest))) first = fastest;
  }
  std::array order = kMatmulLibraryList;
  std::swap(order[0], *std::ranges::find(order, first));
  if (vendors) std::swap(order[kMatmulLibraries - 1], *std::ranges::find(order, MatmulLibrary::own));
  return order;
}

namespace {

std::unique_ptr<PreparedOp> prepare_matmul(Context& context, const PrepareRequest& request) {
  if (const auto joined = joined_rows(request.node.op->name == "linear", request.arguments.inputs[0].type(),
                                      request.arguments.inputs[1].type(), request.arguments.outputs[0].type())) {
    PrepareRequest rows = request;
    const auto as = [](const Tensor& t, const TensorType& type) {
      return Tensor(t.storage(), type, t.offset_elements());
    };
    rows.arguments.inputs[0] = as(rows.arguments.inputs[0], joined->a);
    rows.arguments.inputs[1] = as(rows.arguments.inputs[1], joined->b);
    rows.arguments.outputs[0] = as(rows.arguments.outputs[0], joined->c);
    return prepare_matmul(context, rows);
  }
  const TensorType& c = request.arguments.outputs[0].type();
  const MatmulShape shape{c.dtype, c.shape[c.shape.size() - 2], c.shape.back(),
                          request.arguments.inputs[0].shape().back(), context.threads};
  const bool vendors = request.node.attributes.get_int("library", 0) != 0;
  for (const MatmulLibrary library :
       matmul_order(context.options.matmul_timings, shape, vendors, context.dnnl != nullptr)) {
    if (vendors && library == MatmulLibrary::own) continue;
    if (auto op = prepare_of(library)(context, request)) return op;
  }
  return vendors ? nullptr : prepare_own_matmul(context.threads, request, /*any_strides=*/true);
}

int64_t matmul_workspace(Context& context, const Node& node, const Call& call) {
  if (const auto joined = joined_rows(node.op->name == "linear", call.inputs[0], call.inputs[1], call.outputs[0])) {
    std::vector<TensorType> inputs(call.inputs.begin(), call.inputs.end());
    inputs[0] = joined->a, inputs[1] = joined->b;
    const std::vector<TensorType> outputs{joined->c};
    return matmul_workspace(context, node, {call.attributes, inputs, outputs});
  }
  return std::max(dnnl_matmul_workspace(context, node, call), own_matmul_workspace(context, node, call));
}

}  // namespace

std::span<const Kernel> matmul_kernels() {
  static constexpr Kernel kKernels[] = {
      {"matmul", prepare_matmul, matmul_workspace},
      {"linear", prepare_matmul, matmul_workspace},
      {"mixed_linear", prepare_mixed_linear, mixed_linear_workspace},
      {"expert_linear", prepare_expert_linear, expert_linear_workspace},
  };
  return kKernels;
}

}  // namespace engine::cpu
