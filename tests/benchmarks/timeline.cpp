// SPDX-License-Identifier: GPL-3.0-or-later
// How the timeline scales: opening, first frame, memory and paint times of captures of given sizes, one row of a table
// each. usage: tensortide_timeline_benchmark [FOLDER] [EVENTS ...]   captures are made in FOLDER (default: a temporary
// one) and kept there
#include <fmt/format.h>
#include <malloc.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QThread>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "profiler/store/capture_file.h"
#include "tests/support/big_capture.h"
#include "tests/support/temporary_folder.h"
#include "views/timeline/timeline_area.h"
#include "views/timeline/timeline_view.h"

namespace {

constexpr int kWidth = 1920, kHeight = 1080;

/// "VmRSS" or "VmHWM" of this process in bytes.
double memory_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::strtod(line.c_str() + key.size() + 1, nullptr) * 1024;
  }
  return 0;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1))];
}

double cpu_ms(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

/// One frame painted on the screen's image: time on the clock, and of the processor in this thread (what others run
/// beside it does not count).
struct Frame {
  double wall_ms, cpu_ms;
};
Frame paint_frame(views::TimelineArea& area) {
  QElapsedTimer clock;
  clock.start();
  const double before = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
  area.viewport()->repaint();
  return {static_cast<double>(clock.nsecsElapsed()) * 1e-6, cpu_ms(CLOCK_THREAD_CPUTIME_ID) - before};
}

/// From everything to a few events and back, and across at five zooms, as fast as a hand would.
std::vector<Frame> sweep(views::TimelineArea& area) {
  std::vector<Frame> frames;
  area.fit_all();
  const auto whole = area.window_ns();
  const int notches = 60;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < notches; ++i) {
      area.zoom(round == 0 ? 0.8 : 1.25);
      frames.push_back(paint_frame(area));
    }
  }
  for (const double share : {1.0, 0.1, 1e-2, 1e-3, 1e-5}) {
    const auto span = static_cast<int64_t>(share * static_cast<double>(whole.span_ns()));
    const int64_t middle = whole.begin_ns + whole.span_ns() / 3;
    area.set_window({middle, middle + span});
    for (int i = 0; i < 20; ++i) {
      area.pan(0.15);
      frames.push_back(paint_frame(area));
    }
  }
  return frames;
}

int measure(const std::filesystem::path& folder, size_t events) {
  const auto file = folder / fmt::format("timeline-{}.tide", events);
  if (!std::filesystem::exists(file)) {
    const auto made = tests::write_big_capture(file, events);
    if (!made) return std::fprintf(stderr, "%s\n", made.error().message.c_str()), 3;
  }
  const double before = memory_bytes("VmRSS:"), cpu_before = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
  QElapsedTimer clock;
  clock.start();
  const auto seconds = [&clock] { return static_cast<double>(clock.nsecsElapsed()) * 1e-9; };
  auto capture = profiler::open_capture(file);
  if (!capture) return std::fprintf(stderr, "%s\n", capture.error().message.c_str()), 3;
  const double opened = seconds();
  views::Document document;
  views::TimelineView view(document, nullptr);
  view.resize(kWidth, kHeight);
  view.show();
  document.set(profiler::analyze(*capture), QString::fromStdString(file.string()));
  const double analyzed = seconds();
  while (view.area()->scene().model == nullptr) {
    QCoreApplication::processEvents(QEventLoop::AllEvents |
                                    QEventLoop::WaitForMoreEvents);  // with a time limit it would spin
  }
  paint_frame(*view.area());
  const double first_frame = seconds();
  const double first_frame_cpu = (cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu_before) * 1e-3;
  const size_t rows = (*capture)->activities().size();
  malloc_trim(0);
  const double held = memory_bytes("VmRSS:") - before;
  std::vector<double> wall, cpu;
  for (const Frame& f : sweep(*view.area())) wall.push_back(f.wall_ms), cpu.push_back(f.cpu_ms);
  const double per_event = held / static_cast<double>(rows);
  fmt::print(
      "| {:.3g} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.1f} | {:.1f} / {:.1f} | {:.1f} / {:.1f} | {:.1f} | {:.1f} |\n",
      static_cast<double>(rows), opened, analyzed - opened, first_frame, first_frame_cpu,
      static_cast<double>(rows) / first_frame_cpu * 1e-6, quantile(cpu, 0.5), quantile(wall, 0.5), quantile(cpu, 0.95),
      quantile(wall, 0.95), per_event,
      static_cast<double>((*capture)->activities().size_bytes() + view.area()->scene().model->size_bytes()) /
          static_cast<double>(rows));
  std::fflush(stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("QT_QPA_PLATFORM", "offscreen", 0);
  QApplication app(argc, argv);
  std::vector<size_t> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(static_cast<size_t>(std::strtod(argv[i], nullptr)));
  if (sizes.empty()) sizes = {1'000'000, 10'000'000};
  const tests::TemporaryFolder temporary;
  const std::filesystem::path folder = argc > 1 ? std::filesystem::path(argv[1]) : temporary / "";
  fmt::print("Frames at {} x {} pixels, zoom and pan sweep; loading includes analysis and layout.\n\n", kWidth,
             kHeight);
  fmt::print(
      "| events | open [s] | analyse [s] | to first frame [s] | same, processor [s] | load [M events/processor s] | "
      "frame p50 "
      "processor / clock [ms] | p95 processor / clock [ms] | memory [B/event] | of it columns and lanes [B/event] |\n"
      "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const size_t events : sizes) {
    if (const int failed = measure(folder, events); failed != 0) return failed;
  }
  return 0;
}
