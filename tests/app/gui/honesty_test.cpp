// SPDX-License-Identifier: GPL-3.0-or-later
// The honesty strip says what is known, marks what is bad, and never shows an unknown as 0.
#include <gtest/gtest.h>

#include <QDialog>
#include <QPushButton>
#include <QTextBrowser>
#include <algorithm>
#include <limits>

#include "app/gui/honesty_strip.h"
#include "profiler/machine/roofs_trust.h"
#include "tests/app/gui/gui_test_support.h"

namespace app::gui {
namespace {

std::shared_ptr<const profiler::Capture> capture_with(const std::function<void(profiler::CaptureBuilder&)>& change) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  change(builder);
  auto made = builder.finish();
  EXPECT_TRUE(made.ok());
  return *made;
}

QString all_of(const std::vector<HonestyItem>& items, bool warnings_only = false) {
  QStringList texts;
  for (const auto& item : items)
    if (item.warn || !warnings_only) texts << item.text;
  return texts.join(QStringLiteral(" | "));
}

TEST(Honesty, GoodRunHasNoWarning) {
  const auto capture = capture_with([](auto& b) {
    b.honesty() = {.cost_ratio = 0.004,
                   .cost_noise_ratio = 0.001,
                   .cost_bound_ratio = 0.0001,
                   .dropped_records = 0,
                   .gpu_losses = {},
                   .clock_drift_ratio = 0.001,
                   .notes = {}};
  });
  const auto items = honesty_items(*capture);
  EXPECT_EQ(all_of(items, true), QString());
  EXPECT_TRUE(all_of(items).contains(QStringLiteral("profiling cost 0.40 %"))) << all_of(items).toStdString();
  EXPECT_TRUE(all_of(items).contains(QStringLiteral("clocks steady")));
  EXPECT_TRUE(all_of(items).contains(QStringLiteral("0 events dropped")));
}

TEST(Honesty, RoofsThatNoProbeMeasuresAreUnknownWithoutARemedy) {
  const auto capture = capture_with([](auto& b) {
    b.run().device = "opencl";
    b.machine() = {};
  });
  for (const HonestyItem& item : honesty_items(*capture)) {
    EXPECT_FALSE((item.explanation + item.remedy).contains(QStringLiteral("Measure the roofs")))
        << item.text.toStdString();
  }
}

TEST(Honesty, AnEmulatedGpuHasEmulatedTimesAndNoRoofsToMeasure) {
  const auto capture = capture_with([](auto& b) {
    b.run().device = "emu:0";
    b.machine() = {};
  });
  const auto items = honesty_items(*capture);
  EXPECT_TRUE(all_of(items).contains(QStringLiteral("times emulated"))) << all_of(items).toStdString();
  EXPECT_FALSE(all_of(items).contains(QStringLiteral("times measured"))) << all_of(items).toStdString();
  EXPECT_TRUE(all_of(items).contains(QStringLiteral("no roofs"))) << all_of(items).toStdString();
  for (const HonestyItem& item : items)
    EXPECT_FALSE((item.explanation + item.remedy).contains(QStringLiteral("Measure the roofs")))
        << item.text.toStdString();
}

TEST(Honesty, WeakRoofsAreAWarningWithItsReason) {
  const auto capture = capture_with([](auto& b) { b.machine().foreign_load_ratio = 0.4; });
  const auto items = honesty_items(*capture);
  const auto roofs = std::find_if(items.begin(), items.end(), [](const HonestyItem& item) {
    return item.text == QStringLiteral("low-confidence roofs");
  });
  ASSERT_NE(roofs, items.end());
  EXPECT_TRUE(roofs->warn);
  EXPECT_TRUE(roofs->explanation.contains(QStringLiteral("background load 40 % of the processors")))
      << roofs->explanation.toStdString();
  EXPECT_TRUE(roofs->explanation.contains(QStringLiteral("Measure the roofs"))) << roofs->explanation.toStdString();
}

TEST(Honesty, LowConfidenceIsOneBadge) {
  views::Document document;
  HonestyStrip strip(document, nullptr);
  document.set(profiler::analyze(capture_with([](auto& b) {
                 b.machine().foreign_load_ratio = 0.4;
                 b.honesty().foreign_load_ratio = 0.6;
                 b.honesty().clock_drift_ratio = 0.2;
               })),
               QStringLiteral("busy.tide"));
  const QString line = strip.line();
  EXPECT_TRUE(line.startsWith(QStringLiteral("low confidence: roofs"))) << line.toStdString();
  EXPECT_EQ(line.count(QStringLiteral("confidence")), 1) << line.toStdString();
  EXPECT_TRUE(line.contains(QStringLiteral("clock"))) << line.toStdString();
  EXPECT_FALSE(line.contains(QStringLiteral(" 60 %"))) << "the load is among the details: " << line.toStdString();
  const auto items = honesty_items(document.capture());
  EXPECT_TRUE(std::ranges::any_of(
      items, [](const auto& item) { return item.explanation.contains(QStringLiteral("Background load: 60 %")); }));
}

TEST(Honesty, UnknownIsADashNeverZero) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto capture = capture_with([&](auto& b) {
    b.honesty() = {.cost_ratio = unknown,
                   .cost_noise_ratio = unknown,
                   .cost_bound_ratio = unknown,
                   .dropped_records = 0,
                   .gpu_losses = {},
                   .clock_drift_ratio = unknown,
                   .notes = {}};
    b.machine() = {};
  });
  const QString text = all_of(honesty_items(*capture));
  EXPECT_TRUE(text.contains(QStringLiteral("profiling cost –"))) << text.toStdString();
  EXPECT_TRUE(text.contains(QStringLiteral("clocks –")));
  EXPECT_TRUE(text.contains(QStringLiteral("roofs unknown")));
}

TEST(Honesty, WhatIsBadWarnsAndHasARemedy) {
  const auto capture = capture_with([](auto& b) {
    b.honesty() = {.cost_ratio = 0.08,
                   .cost_noise_ratio = 0.01,
                   .cost_bound_ratio = 0.05,
                   .dropped_records = 12,
                   .gpu_losses = {},
                   .clock_drift_ratio = -0.1,
                   .notes = {"no counters"}};
    b.run().complete = false;
    b.run().incomplete_reason = "cancelled";
  });
  const auto items = honesty_items(*capture);
  int warnings = 0;
  for (const auto& item : items) {
    warnings += item.warn ? 1 : 0;
    EXPECT_TRUE(!item.warn || !item.remedy.isEmpty()) << item.text.toStdString();
    EXPECT_FALSE(item.explanation.isEmpty());
  }
  EXPECT_EQ(warnings, 4) << all_of(items, true).toStdString();
}

TEST(Honesty, ARoofThatMovedSinceItsProbeIsSaid) {
  const auto items = [](double before, double after) {
    const auto capture = capture_with([&](auto& b) {
      profiler::Machine& machine = b.machine();
      for (const profiler::BandwidthRoof& roof : machine.bandwidth) {
        if (roof.level != "DRAM" || roof.mix != profiler::AccessMix::read) continue;
        const auto part = [&](double ratio) {
          return profiler::Measured{ratio * roof.bytes_per_s.median, ratio * roof.bytes_per_s.low,
                                    ratio * roof.bytes_per_s.high, 5};
        };
        machine.beside.push_back({roof.level, roof.mix, roof.threads, part(before), part(after)});
      }
    });
    return honesty_items(*capture);
  };
  const auto named = [](const std::vector<HonestyItem>& all, const char* text) {
    return std::find_if(all.begin(), all.end(), [&](const auto& item) { return item.text == QString::fromUtf8(text); });
  };
  const auto moved = items(0.5, 0.5), unsteady = items(0.5, 1), held = items(1, 1);
  ASSERT_NE(named(moved, "DRAM's roof moved"), moved.end());
  EXPECT_TRUE(named(moved, "DRAM's roof moved")->warn);
  EXPECT_TRUE(named(moved, "DRAM's roof moved")->explanation.contains(QStringLiteral("has moved since it was probed")));
  ASSERT_NE(named(unsteady, "DRAM's roof unsteady"), unsteady.end());
  ASSERT_NE(named(held, "roofs measured"), held.end());
  EXPECT_FALSE(named(held, "roofs measured")->warn);
  EXPECT_TRUE(named(held, "roofs measured")->explanation.contains(QStringLiteral("had not moved")));
}

TEST(Honesty, BytesAreNamedByTheirOrigin) {
  const auto capture = capture_with([](auto&) {});
  EXPECT_TRUE(all_of(honesty_items(*capture)).contains(QStringLiteral("bytes modelled")));
  EXPECT_TRUE(all_of(honesty_items(*capture, profiler::Origin::simulated))
                  .contains(QStringLiteral("times measured, bytes simulated")));
}

TEST(Honesty, ATracedStepIsNeverFaster) {
  const auto capture = capture_with([](auto& b) {
    b.honesty().cost_ratio = -0.13;
    b.honesty().cost_noise_ratio = 0.02;
  });
  const QString text = all_of(honesty_items(*capture));
  EXPECT_TRUE(text.contains(QStringLiteral("profiling cost within noise, ± 13 %"))) << text.toStdString();
}

TEST(Honesty, ACostBelowItsNoiseIsNotGivenAsAFigure) {
  const auto capture = capture_with([](auto& b) {
    b.honesty().cost_ratio = -0.23;
    b.honesty().cost_noise_ratio = 0.24;
  });
  const QString text = all_of(honesty_items(*capture), true);
  EXPECT_TRUE(text.contains(QStringLiteral("within noise, ± 24 %"))) << text.toStdString();
  EXPECT_FALSE(text.contains(QStringLiteral("23")));
}

TEST(Honesty, ClickExplains) {
  views::Document document;
  HonestyStrip strip(document, nullptr);
  strip.resize(700, 24);
  strip.show();
  EXPECT_EQ(strip.line(), QStringLiteral("No capture"));
  document.set(profiler::analyze(tests::sample_capture()), QStringLiteral("sample.tide"));
  EXPECT_TRUE(strip.line().contains(QStringLiteral("profiling cost")));
  QTest::mouseClick(&strip, Qt::LeftButton);
  auto* dialog = strip.findChild<QDialog*>(QStringLiteral("honesty"));
  ASSERT_NE(dialog, nullptr);
  EXPECT_TRUE(dialog->findChild<QTextBrowser*>()->toPlainText().contains(QStringLiteral("with and without tracing")));
  dialog->close();
}

}  // namespace
}  // namespace app::gui
