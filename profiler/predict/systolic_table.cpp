// SPDX-License-Identifier: Apache-2.0
// Captured ops as products on a systolic array.
#include "profiler/predict/systolic_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/base/check.h"
#include "profiler/predict/captured_work.h"

namespace profiler {
namespace {

/// `times` products out (m x n) = input (m x k) times weights (k x n), one after the other.
struct Job {
  int64_t m = 0, n = 0, k = 0, times = 1;
};

Job job_of(const GpuConvolution& c, ConvolutionPass pass) {
  const int64_t window = c.kernel_height * c.kernel_width, results = c.batch * c.out_height * c.out_width;
  const int64_t channels = std::max<int64_t>(1, c.channels / c.groups),
                filters = std::max<int64_t>(1, c.filters / c.groups);
  switch (pass) {
    case ConvolutionPass::forward: return {results, filters, channels * window, c.groups};
    case ConvolutionPass::input_gradient: return {c.batch * c.height * c.width, channels, filters * window, c.groups};
    case ConvolutionPass::weight_gradient: break;
  }
  return {filters, channels * window, results, c.groups};
}

std::optional<Job> job_of(const Capture& capture, const OpRecord& op) {
  if (op.view) return {};
  if (const auto p = captured_product(capture, op)) return Job{p->columns, p->rows, p->depth, p->batch};
  const auto pass = convolution_pass(capture.name(op.type));
  const auto convolution = captured_convolution(capture, op);
  return pass && convolution ? std::optional(job_of(*convolution, *pass)) : std::nullopt;
}

double real(int64_t x) { return static_cast<double>(x); }

}  // namespace

engine::Result<SystolicArray> parse_systolic(std::string_view text) {
  SystolicArray array;
  const char* end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, array.rows);
  const bool first = rows.ec == std::errc() && rows.ptr != end && *rows.ptr == 'x';
  const auto columns = first ? std::from_chars(rows.ptr + 1, end, array.columns) : rows;
  const bool second = first && columns.ec == std::errc() && columns.ptr != end && *columns.ptr == ':';
  const bool whole = first && columns.ec == std::errc() && columns.ptr == end;  // weights stay, as in a TPU
  const auto dataflow =
      whole    ? std::optional(Dataflow::weight_stationary)
      : second ? parse_dataflow(std::string_view(columns.ptr + 1, static_cast<size_t>(end - columns.ptr - 1)))
               : std::nullopt;
  if (!dataflow)
    return engine::usage_error(
        fmt::format("[--on] \"systolic:{}\" is no array: give rows x columns, and what stays in place (os, ws, is; "
                    "default ws), as in systolic:128x128:ws",
                    text));
  array.dataflow = *dataflow;
  const auto sound = systolic_work(array, 1, 1, 1);
  if (!sound) return sound.error();
  return array;
}

double SystolicStep::used_ratio(const SystolicArray& array) const {
  return multiply_adds / (real(array.rows) * real(array.columns) * cycles);
}

SystolicStep systolic_step(const Capture& capture, const SystolicArray& array) {
  SystolicStep step;
  for (const OpRecord& op : capture.ops()) {
    if (op.view) continue;
    const auto job = job_of(capture, op);
    if (!job) {
      ++step.others;
      continue;
    }
    const auto work = systolic_work(array, job->m, job->n, job->k);
    CHECK(work.ok());  // captured extents are positive, and the array was parsed
    ++step.ops;
    step.cycles += work->cycles * real(job->times);
    step.multiply_adds += real(job->m) * real(job->n) * real(job->k) * real(job->times);
  }
  return step;
}

Table systolic_table(const Capture& capture, const SystolicArray& array) {
  Table table;
  table.name = "systolic";
  table.columns = {
      {"op", "Op", Quantity::text, Origin::exact, "Name of the op"},
      {"m_count", "m", Quantity::count, Origin::exact, "Rows of the input: windows of a convolution"},
      {"n_count", "n", Quantity::count, Origin::exact, "Columns of the weights: filters"},
      {"k_count", "k", Quantity::count, Origin::exact, "Length of each sum"},
      {"times_count", "Times", Quantity::count, Origin::exact,
       "Such products one after the other: groups, or a batch of matrices"},
      {"cycles_count", "Cycles", Quantity::count, Origin::modelled, "Memories never late; folds not overlapped"},
      {"used_ratio", "Used", Quantity::percent_of, Origin::modelled,
       "Multiply-adds / what the array could do in these cycles"},
      {"mapped_ratio", "Mapped", Quantity::percent_of, Origin::modelled,
       "Processing elements with work, mean over the folds"},
      {"input_reads_count", "Input reads", Quantity::count, Origin::modelled, "Words read from on-chip memory"},
      {"weight_reads_count", "Weight reads", Quantity::count, Origin::modelled, "Words read from on-chip memory"},
      {"output_writes_count", "Output writes", Quantity::count, Origin::modelled,
       "Words written to on-chip memory, partial sums too"}};
  for (const OpRecord& op : capture.ops()) {
    const auto job = job_of(capture, op);
    if (!job) continue;
    const auto work = systolic_work(array, job->m, job->n, job->k);
    CHECK(work.ok());
    const double times = real(job->times);
    table.rows.push_back({std::string(capture.name(capture.ops()[op.id].name)), real(job->m), real(job->n),
                          real(job->k), times, times * work->cycles, work->used_ratio, work->mapped_ratio,
                          times * work->input_reads, times * work->weight_reads, times * work->output_writes});
    table.row_ops.push_back(op.id);
  }
  return table;
}

}  // namespace profiler
