// SPDX-License-Identifier: Apache-2.0
// All exporters, which of them a file name asks for, and the file they write to.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "engine/base/nearest_name.h"
#include "profiler/export/exporter.h"
#include "profiler/store/sqlite.h"
#include "profiler/store/whole_file.h"

namespace profiler {

using engine::refused_error;
using engine::Result;
using engine::usage_error;

namespace {

class FileSink : public ExportSink {
 public:
  FileSink(const std::filesystem::path& file, const ExportControl& control)
      : control_(control), file_(std::fopen(file.c_str(), "wbxe")), trouble_(file_ == nullptr ? errno : 0) {}
  ~FileSink() override { close(); }
  void write(std::string_view bytes) override {
    if (trouble_ == 0 && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) trouble_ = errno;
  }
  bool go_on(double fraction) override {
    if (control_.progress && fraction >= told_ + 0.01) control_.progress(told_ = fraction);
    stopped_ = stopped_ || (control_.stop != nullptr && *control_.stop);
    return trouble_ == 0 && !stopped_;
  }
  bool stopped() const { return stopped_; }
  /// 0, or the errno of the first trouble.
  int close() {
    if (file_ != nullptr && std::fclose(file_) != 0 && trouble_ == 0) trouble_ = errno;
    file_ = nullptr;
    return trouble_;
  }

 private:
  const ExportControl& control_;
  std::FILE* file_;
  int trouble_;
  double told_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::span<const Exporter> exporters() {
  static const std::array all{
      chrome_exporter(),        perfetto_exporter(),       speedscope_exporter(),   pprof_exporter(),
      gpu_trace_csv_exporter(), kernel_sum_csv_exporter(), copy_sum_csv_exporter(), ranges_csv_exporter(),
      range_sum_csv_exporter(), call_sum_csv_exporter(),   png_exporter()};
  return all;
}

Result<Exporter> exporter_for(const std::filesystem::path& file, const std::string& format) {
  std::vector<std::string> names;
  const Exporter* best = nullptr;
  for (const Exporter& exporter : exporters()) {
    names.emplace_back(exporter.name);
    if (!format.empty() && format == exporter.name) return exporter;
    const std::string_view extension = exporter.extension;
    const bool longer = best == nullptr || extension.size() > std::strlen(best->extension);
    if (file.filename().string().ends_with(extension) && longer) best = &exporter;
  }
  if (!format.empty()) {
    return usage_error(fmt::format("[--format] unknown format \"{}\"; did you mean \"{}\"?", format,
                                   engine::nearest_name(format, names)));
  }
  if (best != nullptr) return *best;
  return usage_error(fmt::format("[-o] the ending of \"{}\" names no format; --format takes {}", sqlite::shown(file),
                                 fmt::join(names, ", ")));
}

Result<Exporter> exporter_for(const Capture& capture, const std::filesystem::path& file, const std::string& format) {
  const Result<Exporter> asked = exporter_for(file, format);
  if (!asked || asked->has_content == nullptr || asked->has_content(capture)) return asked;
  std::vector<std::string> others;
  for (const Exporter& exporter : exporters()) {
    const bool csv = std::string_view(exporter.name).starts_with("csv");
    if (!csv || exporter.has_content == nullptr || !exporter.has_content(capture)) continue;
    if (format.empty() && std::string_view(asked->name) == "csv") return exporter;
    others.emplace_back(exporter.name);
  }
  return refused_error(fmt::format(
      "{}: nothing was written: {} holds {}, and this capture has none{}", sqlite::shown(file), asked->name,
      asked->content,
      others.empty() ? std::string() : fmt::format("; --format {} write what it has", fmt::join(others, ", "))));
}

int64_t steps_cut(const Capture& capture, const ExportRange& range) {
  return std::ranges::count_if(capture.steps(), [&](const StepRecord& step) {
    return range.touches(step.start_ns, step.duration_ns) &&
           !range.keeps(ActivityKind::step, step.start_ns, step.duration_ns);
  });
}

Result<void> export_capture(const Capture& capture, const ExportRange& range, const Exporter& exporter,
                            const std::filesystem::path& file, const ExportControl& control) {
  const std::string name = sqlite::shown(file);
  if (Result<void> free = check_output(file, {}); !free) return free;
  std::error_code error;
  std::filesystem::path beside = file;
  beside += fmt::format(".{}.tmp", getpid());
  std::filesystem::remove(beside,
                          error);  // of a killed process of that number; whatever it is, it is not written through
  int trouble = 0;
  bool stopped = false;
  {
    FileSink sink(beside, control);
    exporter.write(capture, range, sink);
    trouble = sink.close();
    stopped = sink.stopped();
  }
  if (stopped) {
    std::filesystem::remove(beside, error);
    return refused_error(fmt::format("{}: cancelled: nothing was written", name));
  }
  if (trouble == 0) {
    std::filesystem::rename(beside, file, error);
    if (!error) return {};
    trouble = error.value();
  }
  std::filesystem::remove(beside, error);
  return refused_error(fmt::format("{}: cannot be written: {}", name, std::strerror(trouble)));
}

}  // namespace profiler
