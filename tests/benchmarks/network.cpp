// SPDX-License-Identifier: GPL-3.0-or-later
// How the view Network scales: the first picture, the layout with all layers open, and frames while panning, one row of
// a table each. usage: tensortide_network_benchmark [CAPTURE ...]   without captures: made networks of up to 50,000 ops
#include <fmt/format.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QPushButton>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/store/capture_file.h"
#include "tests/support/network_lab.h"
#include "views/network/network_area.h"
#include "views/network/network_view.h"

namespace {

constexpr int kWidth = 1920, kHeight = 1080;
constexpr int kOps = 50'000;

double ms(const QElapsedTimer& clock) { return static_cast<double>(clock.nsecsElapsed()) * 1e-6; }

double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1))];
}

void wait_for_layout(const views::NetworkView& view) {
  while (view.busy() || view.layout_on_screen() == nullptr) {
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
  }
}

double paint_frame(views::NetworkArea& area) {
  QElapsedTimer clock;
  clock.start();
  area.repaint();
  return ms(clock);
}

/// Frames while the picture is panned across and down at five zooms.
std::vector<double> sweep(views::NetworkArea& area) {
  std::vector<double> frames;
  area.fit_all();
  for (int level = 0; level < 5; ++level) {
    for (int i = 0; i < 20; ++i) {
      area.pan(i % 2 == 0 ? 0.05 : -0.05, 0.05);
      frames.push_back(paint_frame(area));
    }
    area.zoom(4, {});
  }
  return frames;
}

void measure(const std::string& name, const std::shared_ptr<const profiler::Analyzed>& analyzed) {
  views::Document document;
  views::NetworkView view(document, nullptr);
  view.resize(kWidth, kHeight);
  view.show();
  QCoreApplication::processEvents();  // until it is on the screen nothing is painted
  QElapsedTimer clock;
  clock.start();
  document.set(analyzed, QString::fromStdString(name));
  wait_for_layout(view);
  paint_frame(view.area());
  const double first = ms(clock);
  const size_t boxes = view.layout_on_screen()->boxes.size();
  clock.restart();
  view.open_all().click();
  wait_for_layout(view);
  paint_frame(view.area());
  const double open = ms(clock);
  const size_t all = view.layout_on_screen()->boxes.size();
  const std::vector<double> frames = sweep(view.area());
  fmt::print("| {} | {} | {} | {:.0f} | {} | {:.0f} | {:.1f} | {:.1f} |\n", name, analyzed->capture->ops().size(),
             boxes, first, all, open, quantile(frames, 0.5), quantile(frames, 0.95));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("QT_QPA_PLATFORM", "offscreen", 0);
  QApplication app(argc, argv);
  fmt::print("Frames at {} x {} pixels, panned at five zooms with all layers open.\n\n", kWidth, kHeight);
  fmt::print(
      "| network | ops | boxes at first | first picture [ms] | boxes, all open | opened [ms] | frame p50 [ms] | frame "
      "p95 "
      "[ms] |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (int i = 1; i < argc; ++i) {
    const auto capture = profiler::open_capture(argv[i]);
    if (!capture) return std::fprintf(stderr, "%s\n", capture.error().message.c_str()), 3;
    measure(argv[i], profiler::analyze(*capture));
  }
  if (argc > 1) return 0;
  for (const int blocks : {12, 2400}) {
    tests::NetworkLab lab;
    lab.training_step(blocks);
    measure(fmt::format("training step of {} transformer blocks", blocks), lab.analyzed());
  }
  for (const int in_layer : {100, 0}) {
    tests::NetworkLab lab;
    lab.chain(kOps, in_layer);
    measure(in_layer > 0 ? fmt::format("chain, {} ops in a layer", in_layer) : "chain without layers", lab.analyzed());
  }
  return 0;
}
