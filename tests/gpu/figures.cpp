// SPDX-License-Identifier: Apache-2.0
// gpu_figures [FILE]: measures what a GPU and our kernels on it do: copy bandwidths, memory-bound kernels beside the
// copy, matrix products and convolutions, launches. Each figure is printed when it is known, and FILE, one JSON
// document, is written again with it: a run that is stopped leaves what it has. Without FILE the document is printed at
// the end. Exit code 3 where there is no GPU.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

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

/// Rows by section. The file is whole after each of them.
class Figures {
 public:
  Figures(const char* file, const DeviceInfo& info)
      : file_(file == nullptr ? "" : file),
        document_{{"device", info.model},
                  {"origin", "measured"},
                  {"libraries", info.libraries},
                  {"memory_bytes", info.memory_bytes}} {}

  void add(const char* section, json row) {
    if (!file_.empty()) say(section, row);
    document_[section].push_back(std::move(row));
    if (!file_.empty()) std::ofstream(file_) << document_.dump(1) << "\n";
  }
  void finish() const {
    if (file_.empty()) fmt::print("{}\n", document_.dump(2));
  }

 private:
  static void say(const char* section, const json& row) {
    std::string words;
    const auto add = [&](const char* key, const char* pattern, double scale) {
      if (row.contains(key) && row[key].is_number())
        words += fmt::format(fmt::runtime(pattern), row[key].get<double>() * scale);
    };
    add("time_s", ", {:.4g} us", 1e6);
    add("bytes_per_s", ", {:.4g} GB/s", 1e-9);
    add("compulsory_bytes_per_s", ", {:.4g} GB/s of compulsory bytes", 1e-9);
    add("share_of_copy", ", {:.3f} of a copy", 1);
    add("flop_per_s", ", {:.4g} TFLOP/s", 1e-12);
    add("own_flop_per_s", ", our own kernel {:.4g} TFLOP/s", 1e-12);
    add("share_of_best", ", {:.3f} of the best algorithm", 1);
    for (const char* key : {"kernel", "error"}) {
      if (row.contains(key)) words += fmt::format("; {}", row[key].get<std::string>());
    }
    fmt::print("{}: {}{}\n", section, row.value("name", "?"), words);
    std::fflush(stdout);
  }

  const std::string file_;
  json document_;
};

/// One op with operands of small numbers on the GPU, made once for all that is tried with them.
struct Operands {
  Node node;
  std::vector<TensorType> outputs;
  std::vector<Tensor> there, results;
};

Result<Operands> make_operands(Backend& backend, const Case& c) {
  Operands made;
  made.node.op = find_op(c.op);
  CHECK(made.node.op != nullptr);
  made.node.attributes = c.attributes;
  auto outputs = made.node.op->infer(c.inputs, c.attributes);
  if (!outputs) return outputs.error();
  made.outputs = *std::move(outputs);
  for (const TensorType& type : c.inputs) {
    const auto host = Tensor::empty(type);
    if (!host) return host.error();
    fill(*host, {Fill::Kind::uniform, 0.1, 1}, 1, made.there.size());
    auto tensor = test::sent(backend, *host);
    if (!tensor) return tensor.error();
    made.there.push_back(*tensor);
  }
  for (const TensorType& type : made.outputs) {
    auto tensor = test::tensor_there(backend, type);
    if (!tensor) return tensor.error();
    made.results.push_back(*tensor);
  }
  return made;
}

/// Time, compulsory bytes per second and FLOP per second of one op, prepared anew.
json measure(Backend& backend, const Case& c, const Operands& operands, double copy_bytes_per_second) {
  json result{{"name", c.label}, {"op", c.op}};
  const Node& node = operands.node;
  const Call call{node.attributes, c.inputs, operands.outputs};
  auto workspace = backend.allocate(backend.workspace_bytes(node, call));
  if (!workspace) return result["error"] = workspace.error().message, result;
  auto prepared = backend.prepare({node,
                                   {&node.attributes, operands.there, operands.results},
                                   (*workspace)->data(),
                                   std::vector<bool>(c.inputs.size(), false)});
  if (!prepared) return result["error"] = prepared.error().message, result;
  const double seconds = median_seconds([&] {
    (*prepared)->run();
    backend.synchronize();
  });
  const Cost cost = node.op->cost(call);
  double bytes = 0;
  for (const int64_t part : cost.read_bytes) bytes += static_cast<double>(part);
  for (const int64_t part : cost.written_bytes) bytes += static_cast<double>(part);
  const KernelFacts facts = (*prepared)->facts();
  result["kernel"] = facts.name, result["library"] = std::string(name(facts.library)),
  result["format"] = std::string(name(facts.format));
  result["time_s"] = seconds;
  result["compulsory_bytes_per_s"] = bytes / seconds;
  result["share_of_copy"] = bytes / seconds / copy_bytes_per_second;
  result["flop_per_s"] = cost.flops / seconds;
  if (auto health = cuda::health(backend); !health) result["error"] = health.error().message;
  return result;
}

json measure(Backend& backend, const Case& c, double copy_bytes_per_second) {
  const Result<Operands> operands = make_operands(backend, c);
  if (!operands) return {{"name", c.label}, {"op", c.op}, {"error", operands.error().message}};
  return measure(backend, c, *operands, copy_bytes_per_second);
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
          {"layer_norm bf16",
           "layer_norm",
           {dense(DType::bfloat16, {n / 2048, 2048}), dense(DType::bfloat16, {2048}), dense(DType::bfloat16, {2048})},
           last},
          {"batch_norm f32",
           "batch_norm_training",
           {TensorType::channels_last(DType::float32, {64, 256, 56, 56}), dense(DType::float32, {256}),
            dense(DType::float32, {256})},
           {}},
          {"max_pool2d f32",
           "max_pool2d",
           {TensorType::channels_last(DType::float32, {64, 64, 112, 112})},
           {{"kernel", std::vector<int64_t>{3, 3}},
            {"stride", std::vector<int64_t>{2, 2}},
            {"padding", std::vector<int64_t>{1, 1, 1, 1}}}}};
}

std::vector<Case> compute_cases() {
  std::vector<Case> cases;
  for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16}) {
    const std::string suffix = " " + std::string(name(dtype));
    const TensorType square = TensorType::contiguous(dtype, {8192, 8192});
    cases.push_back({"matmul 8192" + suffix, "matmul", {square, square}, {}});
    cases.push_back(
        {"conv2d 3x3 64 channels 56x56 batch 64" + suffix,
         "conv2d",
         {TensorType::channels_last(dtype, {64, 64, 56, 56}), TensorType::channels_last(dtype, {64, 64, 3, 3})},
         {{"padding", std::vector<int64_t>{1, 1, 1, 1}}}});
    const TensorType heads = TensorType::contiguous(dtype, {8, 12, 1024, 64});
    cases.push_back(
        {"attention 8x12x1024x64 causal" + suffix, "attention", {heads, heads, heads}, {{"causal", int64_t{1}}}});
  }
  cases.push_back({"launch: one element", "scale", {TensorType::contiguous(DType::float32, {1})}, {{"factor", 2.0}}});
  return cases;
}

double measure_copies(Backend& backend, Figures& figures) {
  const int64_t bytes = int64_t{1} << 28;
  const TensorType type = TensorType::contiguous(DType::uint8, {bytes});
  auto host = Tensor::empty(type);
  auto a = test::tensor_there(backend, type), b = test::tensor_there(backend, type);
  if (!host || !a || !b) return 0;
  fill(*host, {Fill::Kind::integers, 0, 255}, 1, 1);
  const auto add = [&](const char* name, const Tensor& from, const Tensor& to, double factor) {
    bool well = true;
    const double seconds = median_seconds([&] {
      well = well && backend.copy(from, to).ok();
      backend.synchronize();
    });
    const double rate = factor * static_cast<double>(bytes) / seconds;
    figures.add("copies", {{"name", name}, {"ok", well}, {"bytes", bytes}, {"time_s", seconds}, {"bytes_per_s", rate}});
    return rate;
  };
  add("host to GPU, pageable through pinned staging", *host, *a, 1);
  add("GPU to host, pageable through pinned staging", *a, *host, 1);
  return add("GPU to itself (read and written bytes)", *a, *b, 2);
}

/// Products with the algorithm that is used, beside the fastest of those that cuBLASLt's heuristic names. Which one is
/// asked for is read when the op is prepared: one backend and one set of operands do for all.
void measure_products(Backend& backend, Fp8 fp8, std::span<const DType> dtypes, double copy, Figures& figures) {
  constexpr int kAlgorithms = 16;
  for (const DType dtype : dtypes) {
    for (const int64_t extent : {4096, 8192}) {
      const TensorType square = TensorType::contiguous(dtype, {extent, extent});
      const Case product{
          fmt::format("{} {}{}", extent, name(dtype), fp8 == Fp8::off ? "" : " rounded to fp8, rounding included"),
          "matmul",
          {square, square},
          {}};
      const Result<Operands> operands = make_operands(backend, product);
      json row{{"name", product.label}};
      if (!operands) {
        row["error"] = operands.error().message;
        figures.add("products", row);
        continue;
      }
      double used = 0, best = 0;
      for (int number = 0; number < kAlgorithms; ++number) {
        setenv(cuda::kAlgorithmVariable, std::to_string(number).c_str(), 1);
        const json one = measure(backend, product, *operands, copy);
        const std::string kernel = one.value("kernel", "");
        if (one.value("library", "") != name(KernelLibrary::cublas) ||
            (fp8 != Fp8::off && one.value("format", "") != name(ProductFormat::fp8)))
          break;  // the heuristic names no more
        const double rate = one.value("flop_per_s", 0.0);
        if (number == 0) used = rate, row["kernel"] = kernel;
        if (rate > best) best = rate, row["best_kernel"] = kernel;
      }
      unsetenv(cuda::kAlgorithmVariable);
      row["flop_per_s"] = used;
      row["best_flop_per_s"] = best;
      if (best > 0) row["share_of_best"] = used / best;
      if (used == 0) row["error"] = "cuBLASLt has no algorithm for it here";
      figures.add("products", row);
    }
  }
}

/// Convolutions as they are computed here, beside our own where that is cuDNN.
void measure_convolutions(Backend& backend, double copy, Figures& figures) {
  std::string why;
  setenv("TENSORTIDE_CUDNN", "none", 1);
  const auto own = test::make_gpu(why);
  unsetenv("TENSORTIDE_CUDNN");
  for (const Case& c : compute_cases()) {
    if (c.op != "conv2d") continue;
    const json used = measure(backend, c, copy), ours = own == nullptr ? json::object() : measure(*own, c, copy);
    figures.add("convolutions", {{"name", c.label},
                                 {"kernel", used.value("kernel", "")},
                                 {"flop_per_s", used.value("flop_per_s", 0.0)},
                                 {"own_kernel", ours.value("kernel", "")},
                                 {"own_flop_per_s", ours.value("flop_per_s", 0.0)}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string why;
  const auto backend = test::make_gpu(why);
  if (backend == nullptr) {
    fmt::print(stderr, "gpu_figures: {}\n", why);
    return 3;
  }
  Figures figures(argc > 1 ? argv[1] : nullptr, backend->info());
  const double copy = measure_copies(*backend, figures);
  for (const Case& c : memory_cases()) {
    json row = measure(*backend, c, copy);
    row["bound_by_memory"] = true;
    figures.add("kernels", std::move(row));
  }
  for (const Case& c : compute_cases()) figures.add("kernels", measure(*backend, c, copy));
  measure_products(*backend, Fp8::off, std::array{DType::float32, DType::bfloat16, DType::float16}, copy, figures);
  measure_convolutions(*backend, copy, figures);
  if (const auto rounded = test::make_gpu(why, {.index = 0, .deterministic = false, .tf32 = true})) {
    const TensorType square = TensorType::contiguous(DType::float32, {8192, 8192});
    figures.add("kernels", measure(*rounded, {"matmul 8192 f32 as tf32", "matmul", {square, square}, {}}, copy));
  }
  // refused, with the reason, by GPUs without it
  if (const auto rounded = test::make_gpu(
          why, {.index = 0, .deterministic = false, .tf32 = false, .pageable = false, .fp8 = Fp8::e4m3})) {
    measure_products(*rounded, Fp8::e4m3, std::array{DType::bfloat16}, copy, figures);
  } else {
    fmt::print(stderr, "gpu_figures: no products in fp8: {}\n", why);
  }
  figures.finish();
  return 0;
}
