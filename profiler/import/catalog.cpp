// SPDX-License-Identifier: Apache-2.0
// All importers, which of them takes a file, and the import of several files as ranks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <limits>
#include <set>
#include <utility>

#include "engine/base/nearest_name.h"
#include "profiler/base/table.h"
#include "profiler/import/importer.h"
#include "profiler/store/capture_target.h"
#include "profiler/store/sqlite.h"

namespace profiler {

using engine::refused_error;
using engine::Result;
using engine::usage_error;

namespace {

constexpr size_t kSniffed = size_t{1} << 18;

struct Compression {
  std::string_view magic;
  const char* name;
};
constexpr std::array kCompressions{Compression{"BZh", "bzip2"}, Compression{{"\xfd\x37\x7a\x58\x5a", 5}, "xz"},
                                   Compression{{"\x04\x22\x4d\x18", 4}, "lz4"},
                                   Compression{{"7z\xbc\xaf\x27\x1c", 6}, "7-Zip"}};

/// Two or four bytes to a character: a mark says so, or zeros beside the first one.
bool is_wide_text(std::string_view first) {
  if (first.starts_with("\xff\xfe") || first.starts_with("\xfe\xff") ||
      first.starts_with(std::string_view("\0\0\xfe\xff", 4)))
    return true;
  return first.size() >= 2 &&
         ((first[0] == '\0' && first[1] != '\0') || (first[1] == '\0' && (first[0] == '{' || first[0] == '[')));
}

/// Formats that are known but cannot be read, and what to do instead.
std::string advice(const std::filesystem::path& file, std::string_view first) {
  const std::string name = file.filename().string();
  if (name.ends_with(".nsys-rep") || name.ends_with(".qdrep"))
    return "is a report of Nsight Systems: run `nsys export --type sqlite` on it and import the .sqlite";
  if (name.ends_with(".ncu-rep"))
    return "is a report of Nsight Compute, whose format is not published: run `ncu --csv --page raw --import` on it";
  if (name.ends_with(".xplane.pb"))
    return "is no profile of XLA, whatever its name: its first bytes are no plane. Record it again";
  if (name.ends_with(".pftrace") || name.ends_with(".perfetto-trace"))
    return "is no Perfetto trace, whatever its name: its first bytes are no packets. Record it again";
  if (name.ends_with(".rpd"))
    return "has no table of ROCm's profiles. Write it as a Chrome trace with rpd2tracing.py and import that";
  if (first.empty()) return "is empty: there is no trace in it";
  if (first.substr(0, 256).find("\n\x06schema") != first.npos || first.find("\"workload_graph\"") != first.npos)
    return "is a graph of Chakra for simulators, whose nodes have no times of their begin: import the profiler's trace "
           "of that run";
  for (const Compression& known : kCompressions) {
    if (first.starts_with(known.magic))
      return fmt::format("is compressed with {}: unpack it first; gzip is the only compression that is read",
                         known.name);
  }
  if (first.starts_with("\x1f\x8b")) return "is compressed with gzip twice: unpack it once with `gunzip -k`";
  if (is_wide_text(first))
    return "is text in UTF-16 or UTF-32, and JSON has to be UTF-8: convert it with `iconv -t UTF-8`";
  if (parse_file_header(std::string(first.substr(0, 100))).ours) {
    return name.ends_with(".gz") ? "is a capture of ours, compressed: unpack it with `gunzip -k` and open it as it is"
                                 : "is a capture of ours already: open it as it is";
  }
  return "is no trace that can be read. JSON of PyTorch, ONNX Runtime, speedscope or Chrome is (also .gz), and SQLite "
         "of "
         "nsys and ROCm. So are traces of Perfetto and XLA, CSV of Nsight Compute, logs of oneDNN and memory snapshots "
         "of PyTorch";
}

std::string iso_time(int64_t epoch_ns) {
  const std::time_t seconds = epoch_ns / 1'000'000'000;
  std::tm parts{};
  char text[40] = {};
  if (gmtime_r(&seconds, &parts) == nullptr || std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
    return {};
  return text;
}

/// What the records say of where the work ran.
std::string device_words(const TraceBuilder& trace) {
  const auto& devices = trace.devices();
  for (const auto& kernel : trace.kernels()) {
    const auto known = std::find_if(devices.begin(), devices.end(),
                                    [&](const GpuDevice& d) { return d.device == kernel.place.device; });
    if (known != devices.end() && !known->name.empty()) return known->name;
  }
  return trace.kernels().empty() ? "host" : "GPU";
}

void describe(TraceBuilder& builder, const ImportRequest& request, const std::string& title) {
  RunInfo& run = builder.run();
  const bool ours = !run.source.empty();  // our own export says what was run, and on what
  run.workload = builder.keeper().file(sqlite::shown(request.files.front().filename()));
  if (!ours) {
    run.title = run.workload;
    run.source = title;
    run.device = device_words(builder);
    run.threads = 0;
  }
  if (request.files.size() > 1) run.arguments.erase("rank");  // of one of them
  if (request.files.size() > 1) run.title += fmt::format(" and {} more", request.files.size() - 1);
  run.command = request.command;
  run.product_version = TENSORTIDE_VERSION;
  run.arguments["files"] = fmt::format("{}", request.files.size());
  Honesty& honesty = builder.honesty();
  honesty.cost_ratio = honesty.cost_noise_ratio = honesty.cost_bound_ratio = honesty.clock_drift_ratio =
      std::numeric_limits<double>::quiet_NaN();
}

/// Which roofs count: a trace does not say on how many threads its ops ran.
Result<void> take_machine(TraceBuilder& builder, const ImportRequest& request) {
  if (!request.machine) return {};
  if (!builder.kernels().empty()) {
    return usage_error(
        fmt::format("[--roofs] {}: its ops ran on {}, and only the roofs of this machine's processor are "
                    "measured. --roofs NAME takes those of a GPU's data sheet",
                    sqlite::shown(request.files.front()), device_words(builder)));
  }
  int threads = 1;
  for (const ComputeRoof& roof : request.machine->compute) threads = std::max(threads, roof.threads);
  builder.machine() = *request.machine;
  builder.machine().beside.clear();
  RunInfo& run = builder.run();
  run.device_traits = "processor host_memory";
  run.threads = threads;
  builder.honesty().notes.push_back(fmt::format(
      "Import: the roofs and caches are those of this machine, as asked for. The trace does not say how many "
      "threads its ops used; {} are assumed.",
      threads));
  return {};
}

/// Devices that worked.
std::set<int32_t> devices_at_work(const TraceBuilder& builder) {
  std::set<int32_t> devices;
  const GpuRecords& gpu = builder.gpu_records();
  for (const KernelRecord& r : gpu.kernels) devices.insert(r.place.device);
  for (const MemsetRecord& r : gpu.memsets) devices.insert(r.place.device);
  for (const CopyRecord& r : gpu.copies) {
    if (r.kind != CopyKind::host_to_host) devices.insert(r.place.device);
  }
  return devices;
}

/// What a trace says of a GPU: "compute capability 9.0, 132 multiprocessors".
std::string facts_of(const GpuDevice& device) {
  std::vector<std::string> facts;
  if (device.compute_major >= 0 || device.compute_minor >= 0)
    facts.push_back(fmt::format("compute capability {}.{}", device.compute_major, device.compute_minor));
  if (device.multiprocessors >= 0) facts.push_back(fmt::format("{} multiprocessors", device.multiprocessors));
  if (device.memory_bytes >= 0)
    facts.push_back(format_quantity(static_cast<double>(device.memory_bytes), Quantity::capacity_bytes));
  return fmt::format("{}", fmt::join(facts, ", "));
}

/// The GPUs of a trace are what the user says.
Result<void> take_sheet(TraceBuilder& builder, const ImportRequest& request) {
  if (request.sheet == nullptr) return {};
  const GpuDataSheet& sheet = *request.sheet;
  const std::string file = sqlite::shown(request.files.front());
  const std::set<int32_t> working = devices_at_work(builder);
  if (working.empty())
    return usage_error(
        fmt::format("[--roofs] {}: holds no work of a GPU, whose data sheet {} would be; --roofs here "
                    "takes the roofs of this machine's processor",
                    file, sheet.name));
  for (const int32_t number : working) {
    if (number >= 0 && std::ranges::find(builder.devices(), number, &GpuDevice::device) == builder.devices().end())
      builder.devices().push_back({.device = number});
  }
  std::optional<std::string> first;
  for (GpuDevice& device : builder.devices()) {
    if (!working.contains(device.device)) continue;
    const std::string called = std::exchange(device.name, sheet.name);
    if (!first) first = called;
    if (called != *first)
      return usage_error(
          fmt::format("[--roofs] {}: its GPUs differ ({} and {}), and one data sheet cannot be that of both", file,
                      *first, called));
    if (const GpuDataSheet* known = find_data_sheet({.name = called}); known != nullptr && known != &sheet)
      return usage_error(fmt::format("[--roofs] {}: its GPU {} is a {} ({}), no {}", file, device.device, known->name,
                                     called, sheet.name));
    const NamedGpu said{.name = device.name,
                        .compute_major = device.compute_major,
                        .compute_minor = device.compute_minor,
                        .multiprocessors = device.multiprocessors,
                        .memory_bytes = device.memory_bytes};
    if (find_data_sheet(said) != &sheet) {
      return usage_error(fmt::format("[--roofs] {}: its GPU {}{} is no {}. The trace says: {}", file, device.device,
                                     called.empty() ? "" : " (" + called + ")", sheet.name, facts_of(device)));
    }
    builder.honesty().notes.push_back(
        fmt::format("Import: the roofs of GPU {} are those of the data sheet {}, as asked "
                    "for. The trace calls it {}.",
                    device.device, sheet.name, called.empty() ? "nothing" : "\"" + called + "\""));
  }
  return {};
}

constexpr size_t kMostFiles = 4096;

/// Replays get the ops of the graphs that other traces captured. Refused: one of those captures none.
Result<void> take_graphs(TraceBuilder& builder, const ImportRequest& request) {
  if (request.graphs.size() > kMostFiles)
    return usage_error(
        fmt::format("[--graphs] {} files were given; at most {} are read", request.graphs.size(), kMostFiles));
  Findings findings;
  TraceBuilder captures(findings, request.privacy);
  captures.collect_graphs();
  for (const std::filesystem::path& file : request.graphs) {
    const size_t before = captures.captured_graphs();
    const Result<Importer> importer = importer_for(file);
    if (!importer) return importer.error();
    captures.begin_rank("");
    ImportControl control = request.control;
    control.progress = {};
    if (Result<void> read = importer->read(file, captures, control); !read) return read.error();
    captures.end_rank();
    if (captures.captured_graphs() == before) {
      const bool broken = findings.count(Finding::truncated) > 0;
      return refused_error(fmt::format(
          "[--graphs] {}: captures no graph: no work is launched between cudaStreamBeginCapture and "
          "cudaStreamEndCapture (or hip*). {}",
          sqlite::shown(file), broken ? "The file breaks off: get all of it" : "Record the program while it captures"));
    }
  }
  const auto kept = [&](std::string_view where) { return builder.keeper().place(where); };
  for (const std::string& sentence : findings.sentences(kept))
    builder.honesty().notes.push_back("Import: of the capture's trace: " + sentence);
  builder.name_replays(captures);
  return {};
}

/// The rank that a PyTorch trace says it is of, among the first bytes of the file; -1: none there.
int64_t rank_said(std::string_view first) {
  const size_t at = first.find("\"distributedInfo\""), end = at == first.npos ? at : first.find('}', at);
  size_t rank = end == first.npos ? end : first.substr(0, end).find("\"rank\"", at);
  if (rank == first.npos) return -1;
  rank = first.find_first_not_of(" :\t\r\n", rank + 6);
  int64_t value = -1;
  if (rank != first.npos) std::from_chars(first.data() + rank, first.data() + first.size(), value);
  return value >= 0 && value < 1'000'000'000 ? value : -1;
}

/// "rank 3" as the files say it, where all of them do and differ; else by their order.
std::vector<std::string> rank_labels(const std::vector<std::filesystem::path>& files) {
  if (files.size() < 2) return {std::string()};
  std::vector<std::string> said, ordered;
  std::set<int64_t> seen;
  for (size_t i = 0; i < files.size(); ++i) {
    const Result<std::string> first = first_bytes(files[i], kSniffed);
    const int64_t rank = first ? rank_said(*first) : -1;
    if (rank >= 0 && seen.insert(rank).second) said.push_back(fmt::format("rank {}", rank));
    ordered.push_back(fmt::format("rank {}", i));
  }
  return said.size() == files.size() ? said : ordered;
}

}  // namespace

std::span<const Importer> importers() {
  static const std::array all{
      kineto_importer(), chrome_importer(),          nsys_importer(),     onnxruntime_importer(), speedscope_importer(),
      onednn_importer(), memory_snapshot_importer(), perfetto_importer(), xplane_importer(),      rocpd_importer(),
      ncu_importer(),    proton_importer(),          chakra_importer()};
  return all;
}

Result<Importer> importer_for(const std::filesystem::path& file) {
  const Result<std::string> first = first_bytes(file, kSniffed);
  if (!first) return first.error();
  const Importer* best = nullptr;
  int sure = 0;
  for (const Importer& importer : importers()) {
    if (const int confidence = importer.confidence(*first); confidence > sure) {
      sure = confidence;
      best = &importer;
    }
  }
  if (best != nullptr) return *best;
  return refused_error(fmt::format("{}: {}", sqlite::shown(file), advice(file, *first)));
}

bool is_foreign_trace(const std::filesystem::path& file) { return importer_for(file).ok(); }

Result<std::shared_ptr<const Capture>> import_traces(const ImportRequest& request) {
  if (request.files.empty()) return usage_error("[import] no file was given");
  if (request.files.size() > kMostFiles)
    return usage_error(fmt::format("[import] {} files were given; at most {} ranks make one capture",
                                   request.files.size(), kMostFiles));
  Findings findings;
  TraceBuilder builder(findings, request.privacy);
  if (Result<void> taken = take_graphs(builder, request); !taken) return taken.error();
  std::string title;
  const std::vector<std::string> labels = rank_labels(request.files);
  for (size_t i = 0; i < request.files.size(); ++i) {
    const std::filesystem::path& file = request.files[i];
    Result<Importer> importer = importer_for(file);
    if (!request.format.empty() && importer) {
      const auto chosen = std::find_if(importers().begin(), importers().end(),
                                       [&](const Importer& x) { return x.name == request.format; });
      if (chosen == importers().end()) {
        std::vector<std::string> names;
        for (const Importer& known : importers()) names.emplace_back(known.name);
        return usage_error(fmt::format("[--format] unknown format \"{}\"; did you mean \"{}\"?", request.format,
                                       engine::nearest_name(request.format, names)));
      }
      importer = *chosen;
    }
    if (!importer) return importer.error();
    if (title.empty()) title = importer->title;
    builder.begin_rank(labels[i]);
    ImportControl control = request.control;
    if (control.progress) {
      control.progress = [&, i](double fraction) {
        request.control.progress((static_cast<double>(i) + fraction) / static_cast<double>(request.files.size()));
      };
    }
    if (Result<void> read = importer->read(file, builder, control); !read) return read.error();
    if (builder.rank_is_empty() && findings.count(Finding::truncated) > 0) {
      const std::string deep =
          findings.count(Finding::too_deep) > 0 ? findings.where(Finding::too_deep) : std::string();
      return refused_error(fmt::format("{}: holds no event that can be read: {}", sqlite::shown(file),
                                       deep.empty() ? "the file breaks off, or what is in it is no valid JSON"
                                                    : "its JSON nests too deep (" + deep + "); write it flatter"));
    }
    if (builder.rank_is_empty()) {
      std::string why;  // what was found so far is of other files unless this is the first
      for (const std::string& sentence : i == 0 ? findings.sentences() : std::vector<std::string>())
        why += "; " + sentence.substr(0, sentence.size() - 1);
      return refused_error(
          fmt::format("{}: holds no event with a time: there is nothing to show{:.600}", sqlite::shown(file), why));
    }
    builder.end_rank();
  }
  builder.add_unlisted_devices();
  if (Result<void> taken = take_sheet(builder, request); !taken) return taken.error();
  describe(builder, request, title);
  if (Result<void> taken = take_machine(builder, request); !taken) return taken.error();
  const int64_t begin = builder.first_ns();
  if (begin > int64_t{1'000'000'000} * 86400 * 365) builder.run().created_at = iso_time(begin);  // an absolute clock
  return builder.finish();
}

}  // namespace profiler
