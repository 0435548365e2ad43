// SPDX-License-Identifier: Apache-2.0
// gpu_figures: measures what a GPU and our kernels on it do, and prints one JSON document: copy bandwidths, memory-bound kernels
// beside the copy, matrix products and convolutions, launches. Exit code 3 where there is no GPU.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/cuda/cublas_lt.h"
#include "engine/ops/ops.h"
#include "tests/gpu/gpu.h"

namespace {

using namespace engine;  // NOLINT: a program of this floor's tests
using nlohmann::json;

/// Median seconds of `run`, which ends synchronised, over some repetitions after two that do not count.
template <class Run>
double median_seconds(const Run& run) {
  std::vector<double> seconds;
  for (int i = 0; i < 12; ++i) {
    const int64_t begin = now_ns();
    run();
    if (i >= 2) seconds.push_back(1e-9 * static_cast<double>(now_ns() - begin));
  }
  std::ranges::nth_element(seconds, seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2));
  return seconds[seconds.size() / 2];
}

struct Case {
  std::string label, op;
  std::vector<TensorType> inputs;
  Attributes attributes;
};

/// Time, compulsory bytes per second and FLOP per second of one op on operands of small numbers.
json measure(Backend& backend, const Case& c, double copy_bytes_per_second) {
  const Op* op = find_op(c.op);
  CHECK(op != nullptr);
  json result{{"name", c.label}, {"op", c.op}};
  const auto outputs = op->infer(c.inputs, c.attributes);
  if (!outputs) return result["error"] = outputs.error().message, result;
  Node node;
  node.op = op;
  node.attributes = c.attributes;
  const Call call{node.attributes, c.inputs, *outputs};
  std::vector<Tensor> there, results;
  for (const TensorType& type : c.inputs) {
    const auto host = Tensor::empty(type);
    if (!host) return result["error"] = host.error().message, result;
    fill(*host, {Fill::Kind::uniform, 0.1, 1}, 1, there.size());
    auto tensor = test::sent(backend, *host);
    if (!tensor) return result["error"] = tensor.error().message, result;
    there.push_back(*tensor);
  }
  for (const TensorType& type : *outputs) {
    auto tensor = test::tensor_there(backend, type);
    if (!tensor) return result["error"] = tensor.error().message, result;
    results.push_back(*tensor);
  }
  auto workspace = backend.allocate(backend.workspace_bytes(node, call));
  if (!workspace) return result["error"] = workspace.error().message, result;
  auto prepared = backend.prepare(
      {node, {&node.attributes, there, results}, (*workspace)->data(), std::vector<bool>(c.inputs.size(), false)});
  if (!prepared) return result["error"] = prepared.error().message, result;
  const double seconds = median_seconds([&] {
    (*prepared)->run();
    backend.synchronize();
  });
  const Cost cost = op->cost(call);
  double bytes = 0;
  for (const int64_t part : cost.read_bytes) bytes += static_cast<double>(part);
  for (const int64_t part : cost.written_bytes) bytes += static_cast<double>(part);
  result["kernel"] = (*prepared)->kernel_name();
  result["time_s"] = seconds;
  result["compulsory_bytes_per_s"] = bytes / seconds;
  result["share_of_copy"] = bytes / seconds / copy_bytes_per_second;
  result["flop_per_s"] = cost.flops / seconds;
  if (auto health = cuda::health(backend); !health) result["error"] = health.error().message;
  return result;
}

std::vector<Case> memory_cases() {
  const auto dense = [](DType dtype, Shape shape) { return TensorType::contiguous(dtype, std::move(shape)); };
  const int64_t n = int64_t{1} << 27;
  const Attributes last{{"axis", int64_t{-1}}};
  return {{"add f32", "add", {dense(DType::float32, {n}), dense(DType::float32, {n})}, {}},
          {"add bf16", "add", {dense(DType::bfloat16, {n}), dense(DType::bfloat16, {n})}, {}},
          {"relu f32", "relu", {dense(DType::float32, {n})}, {}},
          {"gelu bf16", "gelu", {dense(DType::bfloat16, {n})}, {}},
          {"bias add f32", "add", {dense(DType::float32, {n / 1024, 1024}), dense(DType::float32, {1024})}, {}},
          {"contiguous of a transposed f32", "contiguous", {{DType::float32, {8192, 8192}, {1, 8192}}}, {}},
          {"sum f32, all", "sum", {dense(DType::float32, {n})}, {}},
          {"sum f32, columns", "sum", {dense(DType::float32, {n / 1024, 1024})}, {{"axes", std::vector<int64_t>{0}}}},
          {"softmax f32", "softmax", {dense(DType::float32, {n / 2048, 2048})}, last},
          {"layer_norm bf16", "layer_norm",
           {dense(DType::bfloat16, {n / 2048, 2048}), dense(DType::bfloat16, {2048}), dense(DType::bfloat16, {2048})}, last},
          {"batch_norm f32", "batch_norm_training",
           {TensorType::channels_last(DType::float32, {64, 256, 56, 56}), dense(DType::float32, {256}), dense(DType::float32, {256})}, {}},
          {"max_pool2d f32", "max_pool2d", {TensorType::channels_last(DType::float32, {64, 64, 112, 112})},
           {{"kernel", std::vector<int64_t>{3, 3}}, {"stride", std::vector<int64_t>{2, 2}}, {"padding", std::vector<int64_t>{1, 1, 1, 1}}}}};
}

std::vector<Case> compute_cases() {
  std::vector<Case> cases;
  for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16}) {
    const std::string suffix = " " + std::string(name(dtype));
    const TensorType square = TensorType::contiguous(dtype, {8192, 8192});
    cases.push_back({"matmul 8192" + suffix, "matmul", {square, square}, {}});
    cases.push_back({"conv2d 3x3 64 channels 56x56 batch 64" + suffix, "conv2d",
                     {TensorType::channels_last(dtype, {64, 64, 56, 56}), TensorType::channels_last(dtype, {64, 64, 3, 3})},
                     {{"padding", std::vector<int64_t>{1, 1, 1, 1}}}});
    const TensorType heads = TensorType::contiguous(dtype, {8, 12, 1024, 64});
    cases.push_back({"attention 8x12x1024x64 causal" + suffix, "attention", {heads, heads, heads}, {{"causal", int64_t{1}}}});
  }
  cases.push_back({"launch: one element", "scale", {TensorType::contiguous(DType::float32, {1})}, {{"factor", 2.0}}});
  return cases;
}

json measure_copies(Backend& backend, double& device_bytes_per_second) {
  json copies = json::array();
  const int64_t bytes = int64_t{1} << 28;
  const TensorType type = TensorType::contiguous(DType::uint8, {bytes});
  auto host = Tensor::empty(type);
  auto a = test::tensor_there(backend, type), b = test::tensor_there(backend, type);
  if (!host || !a || !b) return copies;
  fill(*host, {Fill::Kind::integers, 0, 255}, 1, 1);
  const auto add = [&](const char* name, const Tensor& from, const Tensor& to, double factor) {
    bool well = true;
    const double seconds = median_seconds([&] {
      well = well && backend.copy(from, to).ok();
      backend.synchronize();
    });
    copies.push_back({{"name", name}, {"ok", well}, {"bytes", bytes}, {"time_s", seconds}, {"bytes_per_s", factor * static_cast<double>(bytes) / seconds}});
    return factor * static_cast<double>(bytes) / seconds;
  };
  add("host to GPU, pageable through pinned staging", *host, *a, 1);
  add("GPU to host, pageable through pinned staging", *a, *host, 1);
  device_bytes_per_second = add("GPU to itself (read and written bytes)", *a, *b, 2);
  return copies;
}

/// Products with the algorithm that is used, beside the fastest of those that cuBLASLt's heuristic names.
json measure_products(double copy) {
  constexpr int kAlgorithms = 16;
  struct Format {
    DType dtype;
    Fp8 fp8 = Fp8::off;
  };
  json products = json::array();
  for (const auto& [dtype, fp8] : {Format{DType::float32}, {DType::bfloat16}, {DType::float16}, {DType::bfloat16, Fp8::e4m3}}) {
    for (const int64_t extent : {4096, 8192}) {
      const TensorType square = TensorType::contiguous(dtype, {extent, extent});
      const Case product{fmt::format("{} {}{}", extent, name(dtype), fp8 == Fp8::off ? "" : " rounded to fp8, rounding included"), "matmul", {square, square}, {}};
      json row{{"name", product.label}};
      double used = 0, best = 0;
      for (int number = 0; number < kAlgorithms; ++number) {
        setenv(cuda::kAlgorithmVariable, std::to_string(number).c_str(), 1);
        std::string why;
        const auto backend = test::make_gpu(why, {.index = 0, .deterministic = false, .tf32 = false, .pageable = false, .fp8 = fp8});
        if (backend == nullptr) break;
        const json one = measure(*backend, product, copy);
        const std::string kernel = one.value("kernel", "");
        if (!kernel.starts_with("cuBLASLt") || (fp8 != Fp8::off && kernel.find(kInFp8) == std::string::npos)) break;  // the heuristic names no more
        const double rate = one.value("flop_per_s", 0.0);
        if (number == 0) used = rate, row["kernel"] = kernel;
        if (rate > best) best = rate, row["best_kernel"] = kernel;
      }
      unsetenv(cuda::kAlgorithmVariable);
      if (used == 0 && fp8 != Fp8::off) continue;  // a GPU without it
      row["flop_per_s"] = used;
      row["best_flop_per_s"] = best;
      if (best > 0) row["share_of_best"] = used / best;
      products.push_back(row);
    }
  }
  return products;
}

/// Convolutions as they are computed here, beside our own where that is cuDNN.
json measure_convolutions(double copy) {
  json rows = json::array();
  std::string why;
  for (const Case& c : compute_cases()) {
    if (c.op != "conv2d") continue;
    json row{{"name", c.label}};
    for (const bool own : {false, true}) {
      if (own) setenv("TENSORTIDE_CUDNN", "none", 1);
      if (const auto backend = test::make_gpu(why)) {
        const json one = measure(*backend, c, copy);
        row[own ? "own_kernel" : "kernel"] = one.value("kernel", "");
        row[own ? "own_flop_per_s" : "flop_per_s"] = one.value("flop_per_s", 0.0);
      }
      if (own) unsetenv("TENSORTIDE_CUDNN");
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

int main() {
  std::string why;
  const auto backend = test::make_gpu(why);
  if (backend == nullptr) {
    fmt::print(stderr, "gpu_figures: {}\n", why);
    return 3;
  }
  const DeviceInfo& info = backend->info();
  json document{{"device", info.model}, {"origin", "measured"}, {"libraries", info.libraries}, {"memory_bytes", info.memory_bytes}};
  double copy = 0;
  document["copies"] = measure_copies(*backend, copy);
  json kernels = json::array();
  for (const Case& c : memory_cases()) {
    kernels.push_back(measure(*backend, c, copy));
    kernels.back()["bound_by_memory"] = true;
  }
  for (const Case& c : compute_cases()) kernels.push_back(measure(*backend, c, copy));
  document["kernels"] = kernels;
  document["products"] = measure_products(copy);
  document["convolutions"] = measure_convolutions(copy);
  if (auto rounded = test::make_gpu(why, {.index = 0, .deterministic = false, .tf32 = true})) {
    const TensorType square = TensorType::contiguous(DType::float32, {8192, 8192});
    document["kernels"].push_back(measure(*rounded, {"matmul 8192 f32 as tf32", "matmul", {square, square}, {}}, copy));
  }
  fmt::print("{}\n", document.dump(2));
  return 0;
}
