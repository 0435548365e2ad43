// SPDX-License-Identifier: Apache-2.0
// CSV under the headers of `nsys stats`, so that scripts made for its reports read ours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "profiler/base/csv_text.h"
#include "profiler/export/csv_sums.h"
#include "profiler/export/exporter.h"

namespace profiler {

void write_csv_sums(std::map<std::string, std::vector<double>>& groups, std::string_view style, ExportSink& sink) {
  struct Line {
    std::string name;
    double total;
    std::string text;
  };
  double all = 0;
  std::vector<Line> lines;
  for (auto& [name, ns] : groups) {
    std::sort(ns.begin(), ns.end());
    double total = 0, squares = 0;
    for (const double x : ns) total += x;
    const double n = static_cast<double>(ns.size()), mean = total / n;
    for (const double x : ns) squares += (x - mean) * (x - mean);
    const double middle = (ns[(ns.size() - 1) / 2] + ns[ns.size() / 2]) / 2;
    lines.push_back(
        {name, total,
         fmt::format("{:.0f},{},{:.1f},{:.1f},{:.0f},{:.0f},{:.1f},{}{}", total, ns.size(), mean, middle, ns.front(),
                     ns.back(), ns.size() > 1 ? std::sqrt(squares / (n - 1)) : 0, style, csv_text(name))});
    all += total;
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.total > b.total; });
  for (const Line& line : lines)
    sink.write(fmt::format("{:.1f},{}\n", all > 0 ? 100 * line.total / all : 0, line.text));
}

namespace {

std::string figure(int64_t value) { return value < 0 ? "" : fmt::format("{}", value); }

/// Megabytes of 10^6 bytes, as nsys has them, to the byte.
std::string megabytes(int64_t bytes) {
  return bytes < 0 ? "" : fmt::format("{}.{:06}", bytes / 1'000'000, bytes % 1'000'000);
}

std::string memory(MemoryKind kind) {
  constexpr const char* names[] = {"Pageable", "Pinned",        "Device",         "Array",
                                   "Managed",  "Device Static", "Managed Static", ""};
  return names[static_cast<size_t>(kind)];
}

std::string copy_name(CopyKind kind) {
  constexpr const char* names[] = {
      "Unknown",        "Host-to-Device",         "Device-to-Host",         "Host-to-Array",           "Array-to-Host",
      "Array-to-Array", "Array-to-Device",        "Device-to-Array",        "Device-to-Device",        "Host-to-Host",
      "Peer-to-Peer",   "Unified Host-to-Device", "Unified Device-to-Host", "Unified Device-to-Device"};
  return fmt::format("[CUDA memcpy {}]", names[static_cast<size_t>(kind)]);
}

std::string place(const GpuPlace& p) {
  return fmt::format("{},{},,{}", figure(p.device), figure(p.context), figure(p.stream));  // GreenCtx is not recorded
}

void write_trace(const Capture& c, const ExportRange& range, ExportSink& sink) {
  const RankColumn rank(c);
  sink.write(std::string("Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem "
                         "(MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,"
                         "Device,Ctx,GreenCtx,Strm,Name") +
             rank.head() + "\n");
  for (size_t i = 0; i < c.activities().size() && sink.go_on(i, c.activities().size()); ++i) {
    const Activity a = c.activities().row(i);
    if (!range.touches(a.start_ns, a.duration_ns)) continue;
    const auto row = static_cast<uint32_t>(i);
    const std::string head = fmt::format("{},{},{},", a.start_ns - c.begin_ns(), a.duration_ns, a.correlation);
    const auto rate = [&a](int64_t bytes) {
      return bytes < 0 || a.duration_ns == 0
                 ? std::string()
                 : fmt::format("{:.3f}", static_cast<double>(bytes) * 1e3 / static_cast<double>(a.duration_ns));
    };
    if (const KernelRecord* k = c.kernel_of(row); k != nullptr) {
      sink.write(fmt::format("{}{},{},{},{},{},{},{},{},{},,,,,{},{}{}\n", head, figure(k->grid[0]), figure(k->grid[1]),
                             figure(k->grid[2]), figure(k->block[0]), figure(k->block[1]), figure(k->block[2]),
                             figure(k->registers_per_thread), megabytes(k->static_shared_bytes),
                             megabytes(k->dynamic_shared_bytes), place(k->place), csv_text(c.name(a.name)),
                             rank.cell(a.track)));
    } else if (const CopyRecord* r = c.copy_of(row); r != nullptr) {
      sink.write(fmt::format("{},,,,,,,,,{},{},{},{},{},{}{}\n", head, megabytes(r->bytes), rate(r->bytes),
                             memory(r->source), memory(r->destination), place(r->place), copy_name(r->kind),
                             rank.cell(a.track)));
    } else if (const MemsetRecord* m = c.memset_of(row); m != nullptr) {
      sink.write(fmt::format("{},,,,,,,,,{},{},,{},{},[CUDA memset]{}\n", head, megabytes(m->bytes), rate(m->bytes),
                             memory(m->memory), place(m->place), rank.cell(a.track)));
    }
  }
}

void write_kernel_sum(const Capture& c, const ExportRange& range, ExportSink& sink) {
  sink.write("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n");
  std::map<std::string, std::vector<double>> groups;
  for (const KernelRecord& k : c.gpu().kernels) {
    const Activity a = c.activities().row(k.activity);
    if (range.touches(a.start_ns, a.duration_ns))
      groups[std::string(c.name(a.name))].push_back(static_cast<double>(a.duration_ns));
  }
  write_csv_sums(groups, "", sink);
}

void write_copy_sum(const Capture& c, const ExportRange& range, ExportSink& sink) {
  sink.write("Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation\n");
  std::map<std::string, std::vector<double>> groups;
  const auto add = [&](uint32_t row, const std::string& name) {
    const Activity a = c.activities().row(row);
    if (range.touches(a.start_ns, a.duration_ns)) groups[name].push_back(static_cast<double>(a.duration_ns));
  };
  for (const CopyRecord& r : c.gpu().copies) add(r.activity, copy_name(r.kind));
  for (const MemsetRecord& r : c.gpu().memsets) add(r.activity, "[CUDA memset]");
  write_csv_sums(groups, "", sink);
}

}  // namespace

Exporter gpu_trace_csv_exporter() {
  return {.name = "csv",
          .extension = ".csv",
          .help = "GPU work, one per line, as nsys cuda_gpu_trace; else csv-ranges",
          .write = write_trace,
          .has_content =
              [](const Capture& c) {
                return !c.gpu().kernels.empty() || !c.gpu().copies.empty() || !c.gpu().memsets.empty();
              },
          .content = "GPU work"};
}
Exporter kernel_sum_csv_exporter() {
  return {.name = "csv-kernels",
          .extension = ".kernels.csv",
          .help = "kernels by name, as nsys stats cuda_gpu_kern_sum",
          .write = write_kernel_sum,
          .has_content = [](const Capture& c) { return !c.gpu().kernels.empty(); },
          .content = "kernels"};
}
Exporter copy_sum_csv_exporter() {
  return {.name = "csv-copies",
          .extension = ".copies.csv",
          .help = "copies and memsets by kind, as nsys stats cuda_gpu_mem_time_sum",
          .write = write_copy_sum,
          .has_content = [](const Capture& c) { return !c.gpu().copies.empty() || !c.gpu().memsets.empty(); },
          .content = "copies and memsets"};
}

}  // namespace profiler
