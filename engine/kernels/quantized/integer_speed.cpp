// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/quantized/integer_speed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>

#include "engine/kernels/core/on_copies.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/shortest_run.h"

namespace engine::cpu {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
/// Multiply-adds up to which our own loops are timed, which take some 10 ns for a thousand.
constexpr int64_t kMostForLoops = int64_t{1} << 28;

/// Nothing where others disturbed it.
std::optional<MatmulTiming> time_shape(Context& context, MatmulTiming timing) {
  static const Op kTimed{.name = "matmul_integer", .formula = "", .infer = nullptr, .cost = nullptr};
  Node node;
  node.op = &kTimed;
  PrepareRequest request{node, {&node.attributes, {}, {}}, nullptr, {false, true, true, true}};
  const std::array types{TensorType::contiguous(DType::uint8, {timing.m, timing.k}),
                         TensorType::contiguous(DType::int8, {timing.k, timing.n}),
                         TensorType::contiguous(DType::uint8, {}), TensorType::contiguous(DType::int8, {}),
                         TensorType::contiguous(DType::int32, {timing.m, timing.n})};
  for (const TensorType& type : types) {
    const auto tensor = Tensor::empty(type);
    if (!tensor) return timing;
    std::fill_n(tensor->data(), type.elements() * size_bytes(type.dtype), std::byte{0});
    (&type == &types.back() ? request.arguments.outputs : request.arguments.inputs).push_back(*tensor);
  }
  const std::array inputs{types[0], types[1], types[2], types[3]};
  const int64_t bytes = listed_workspace(context, node, {node.attributes, inputs, std::span(&types[4], 1)});
  const auto workspace = Storage::allocate_host(std::max<int64_t>(bytes, 64));
  if (!workspace) return timing;
  request.workspace = (*workspace)->data();
  std::unique_ptr<PreparedOp> op;
  bool library = false;
  try {
    op = prepare_listed(context, request);
    if (op == nullptr) return timing;
    library = op->facts().library == KernelLibrary::onednn;
    if (!library && timing.m * timing.n * timing.k > kMostForLoops) return timing;
    op->run();
  } catch (const std::bad_alloc&) {
    return timing;
  }
  const std::array<std::function<void()>, 1> ways{[&] { op->run(); }};
  const ShortestRuns runs = shortest_runs(ways);
  if (!runs.settled) return std::nullopt;
  (library ? timing.onednn_ns : timing.own_ns) = runs.ns[0];
  return timing;
}

}  // namespace

std::vector<MatmulTiming> measure_integer_matmul(int threads, int* left_out) {
  std::vector<MatmulTiming> timings;
  for (const int team : threads > 1 ? std::vector<int>{1, threads} : std::vector<int>{1}) {
    Context context(BackendOptions{.threads = team});
    set_calling_thread_count(team);
    const auto add = [&](int64_t m, int64_t n, int64_t k) {
      const auto timing = time_shape(context, {DType::int8, m, n, k, team, kUnknown, kUnknown, kUnknown});
      if (!timing && left_out != nullptr) ++*left_out;
      if (timing && !std::isnan(timing->ns(timing->fastest()))) timings.push_back(*timing);
    };
    for (const int64_t n : {64, 256, 512, 1024, 2048}) add(n, n, n);
    for (const int64_t m : {1, 8, 64}) add(m, 4096, 1024);
  }
  return timings;
}

}  // namespace engine::cpu
