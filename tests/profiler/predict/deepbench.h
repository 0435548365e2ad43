// SPDX-License-Identifier: Apache-2.0
// Measured layer times of DeepBench, as tests/data/deepbench.csv has them, and how far a model is from them.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "profiler/predict/gpu_time.h"

namespace profiler {

inline constexpr size_t kDeepBenchGpus = 8;
/// Keys of modelled_gpus(), in the columns' order.
inline constexpr std::array<const char*, kDeepBenchGpus> kDeepBenchKeys{
    "m40", "titan-x-maxwell", "titan-x-pascal", "gtx-1080-ti", "titan-xp", "p100", "v100", "t4"};

struct DeepBenchRow {
  std::string op;  ///< "gemm", "conv_forward", "conv_input_gradient", "conv_weight_gradient", "lstm_forward"
  std::vector<std::string> shape;                       ///< words of the second column
  std::array<double, kDeepBenchGpus> measured_ms{};     ///< 0: not measured
  std::array<std::string, kDeepBenchGpus> algorithm{};  ///< of cuDNN, forward convolutions
  int64_t number(size_t i) const;                       ///< of shape
};
/// Rows of one op; empty where the file cannot be read.
std::vector<DeepBenchRow> deepbench_rows(const std::string& op);

/// Which rows of a GPU count: they alternate, so that both halves have all sizes.
enum class Half : uint8_t { fitted, tested, both };

using RowModel = std::function<double(const ModelledGpu&, const DeepBenchRow&, size_t gpu)>;  ///< ns

/// Relative errors of a model.
struct ModelFit {
  std::array<double, kDeepBenchGpus> mape{};    ///< mean |modelled / measured - 1| of each GPU; NaN: not measured
  std::array<double, kDeepBenchGpus> factor{};  ///< what modelled times were multiplied by
  double all = 0, median = 0;                   ///< over all rows of all GPUs
  double within_two = 0;                        ///< part of all rows within a factor of 2
};
/// `one_factor`: times are multiplied by the median of measured / modelled of the fitted half, one factor for each GPU.
ModelFit fit_of(const std::vector<DeepBenchRow>&, const RowModel&, Half, bool one_factor);

/// The models of memory.md section 4.3 for products.
double product_r0(const ModelledGpu&, const DeepBenchRow&, size_t gpu);
double product_r1(const ModelledGpu&, const DeepBenchRow&, size_t gpu);
double product_model(const ModelledGpu&, const DeepBenchRow&, size_t gpu);
/// Forward or gradients, as the row says. The algorithm cuDNN chose is not asked for.
double convolution_model(const ModelledGpu&, const DeepBenchRow&, size_t gpu);
double lstm_model(const ModelledGpu&, const DeepBenchRow&, size_t gpu);

}  // namespace profiler
