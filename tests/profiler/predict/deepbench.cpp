// SPDX-License-Identifier: Apache-2.0
// Reads the committed rows and sums up relative errors.
#include "tests/profiler/predict/deepbench.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "profiler/predict/gpu_convolution.h"

namespace profiler {
namespace {

std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> words;
  std::istringstream in(line + at);
  for (std::string word; std::getline(in, word, at);) words.push_back(word);
  return words;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? NAN : sum / static_cast<double>(values.size());
}

GpuProduct product_of(const DeepBenchRow& row) {
  return {.rows = row.number(0),
          .columns = row.number(1),
          .depth = row.number(2),
          .left_transposed = row.shape[3] == "T",
          .right_transposed = row.shape[4] == "T"};
}

double flops_of(const GpuProduct& p) {
  return 2.0 * static_cast<double>(p.rows) * static_cast<double>(p.columns) * static_cast<double>(p.depth);
}
double bytes_of(const GpuProduct& p) {
  const double m = static_cast<double>(p.rows), n = static_cast<double>(p.columns), k = static_cast<double>(p.depth);
  return 4 * (m * k + k * n + m * n);
}

}  // namespace

int64_t DeepBenchRow::number(size_t i) const { return std::strtoll(shape.at(i).c_str(), nullptr, 10); }

std::vector<DeepBenchRow> deepbench_rows(const std::string& op) {
  std::ifstream file(std::string(TENSORTIDE_SOURCE_DIR) + "/tests/data/deepbench.csv");
  std::vector<DeepBenchRow> rows;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != 2 + 2 * kDeepBenchGpus || cells[0] != op) continue;
    DeepBenchRow row{.op = op, .shape = split(cells[1], ' ')};
    for (size_t g = 0; g < kDeepBenchGpus; ++g) {
      row.measured_ms[g] = std::strtod(cells[2 + g].c_str(), nullptr);
      row.algorithm[g] = cells[2 + kDeepBenchGpus + g];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

ModelFit fit_of(const std::vector<DeepBenchRow>& rows, const RowModel& model, Half half, bool one_factor) {
  ModelFit fit;
  std::vector<double> all;
  double near = 0;
  for (size_t g = 0; g < kDeepBenchGpus; ++g) {
    const ModelledGpu gpu = *modelled_gpu(kDeepBenchKeys[g]);
    std::vector<double> ratios[2];  // modelled / measured of the rows of both halves
    size_t at = 0;
    for (const DeepBenchRow& row : rows) {
      if (row.measured_ms[g] > 0) ratios[at++ % 2].push_back(model(gpu, row, g) / (1e6 * row.measured_ms[g]));
    }
    std::vector<double> inverse;
    for (const double r : ratios[0]) inverse.push_back(1 / r);
    fit.factor[g] = one_factor ? median_of(inverse) : 1;
    std::vector<double> errors;
    for (const int h : {0, 1}) {
      if (half != Half::both && h != (half == Half::tested ? 1 : 0)) continue;
      for (const double r : ratios[h]) {
        errors.push_back(std::abs(fit.factor[g] * r - 1));
        near += std::abs(std::log(fit.factor[g] * r)) < std::log(2.0) ? 1 : 0;
      }
    }
    fit.mape[g] = mean_of(errors);
    all.insert(all.end(), errors.begin(), errors.end());
  }
  fit.all = mean_of(all), fit.median = median_of(all), fit.within_two = near / static_cast<double>(all.size());
  return fit;
}

double product_r0(const ModelledGpu& gpu, const DeepBenchRow& row, size_t) {
  const GpuProduct p = product_of(row);
  return roof_time(gpu, flops_of(p), bytes_of(p)).ns;
}

double product_r1(const ModelledGpu& gpu, const DeepBenchRow& row, size_t) {
  const GpuProduct p = product_of(row);
  const GpuTime roof = roof_time(gpu, flops_of(p), bytes_of(p));
  return std::max(roof.compute_ns / 0.85, roof.dram_ns / 0.8) + 6000;
}

double product_model(const ModelledGpu& gpu, const DeepBenchRow& row, size_t) {
  return product_time(gpu, product_of(row)).ns;
}

double convolution_model(const ModelledGpu& gpu, const DeepBenchRow& row, size_t) {
  const auto n = [&](size_t i) { return row.number(i); };
  const GpuConvolution c{.batch = n(3),
                         .channels = n(2),
                         .filters = n(4),
                         .height = n(1),
                         .width = n(0),
                         .out_height = (n(1) + 2 * n(8) - n(6)) / n(10) + 1,
                         .out_width = (n(0) + 2 * n(7) - n(5)) / n(9) + 1,
                         .kernel_height = n(6),
                         .kernel_width = n(5),
                         .stride_height = n(10),
                         .stride_width = n(9)};
  return convolution_time(gpu, c,
                          row.op == "conv_forward"          ? ConvolutionPass::forward
                          : row.op == "conv_input_gradient" ? ConvolutionPass::input_gradient
                                                            : ConvolutionPass::weight_gradient)
      .ns;
}

// code/nvidia/rnn_bench.cu there asks cuDNN for CUDNN_SKIP_INPUT: no product with the input.
double lstm_model(const ModelledGpu& gpu, const DeepBenchRow& row, size_t) {
  return recurrent_time(gpu, {.gates = 4, .hidden = row.number(0), .batch = row.number(1), .steps = row.number(2)}).ns;
}

}  // namespace profiler
