// SPDX-License-Identifier: GPL-3.0-or-later
// Two devices beside each other: units and lanes in one scale, bars by the larger figure, unknown ones empty.
#include "views/beside/beside_panel.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <cmath>

namespace views {
namespace {

using profiler::DeviceFigures;
using profiler::DeviceTrait;

DeviceFigures processor() {
  profiler::Machine machine;
  machine.info.model = "Test CPU";
  machine.info.cores = 2;
  machine.info.vector_bits = 512;
  return profiler::processor_figures(machine, 2e9);
}

TEST(BesideLayout, DrawsEveryUnitInsideInOneScale) {
  const DeviceFigures left = processor(), right = *profiler::specified_gpu("v100");
  for (const QSizeF size : {QSizeF(924, 420), QSizeF(600, 380), QSizeF(1600, 900)}) {
    const QRectF area(QPointF(0, 0), size);
    const BesideLayout layout = layout_beside(area, left, right, 14);
    ASSERT_EQ(layout.devices[0].units.size(), 2U);
    ASSERT_EQ(layout.devices[1].units.size(), 80U);
    EXPECT_EQ(layout.devices[0].lane_columns, 4);
    EXPECT_DOUBLE_EQ(layout.devices[0].units[0].width(), 4 * layout.lane);
    EXPECT_DOUBLE_EQ(layout.devices[1].units[0].width(), 8 * layout.lane);
    for (const auto& device : layout.devices)
      for (const QRectF& unit : device.units) EXPECT_TRUE(area.contains(unit)) << size.width();
    EXPECT_LT(layout.devices[0].units.back().right(), layout.devices[1].units.front().left());
    ASSERT_EQ(layout.rows.size(), profiler::kDeviceTraits);
    for (const auto& row : layout.rows) EXPECT_TRUE(area.contains(row.bars[1].track)) << size.height();
  }
}

TEST(BesideLayout, BarsAreOfTheLargerFigure) {
  const BesideLayout layout = layout_beside(QRectF(0, 0, 900, 420), processor(), *profiler::specified_gpu("v100"), 14);
  const auto& units = layout.rows[static_cast<size_t>(DeviceTrait::units)];
  EXPECT_DOUBLE_EQ(units.bars[0].ratio, 2.0 / 80);
  EXPECT_DOUBLE_EQ(units.bars[1].ratio, 1);
  const auto& latency = layout.rows[static_cast<size_t>(DeviceTrait::latency)];
  EXPECT_TRUE(std::isnan(latency.bars[0].ratio) && std::isnan(latency.bars[1].ratio));
  EXPECT_EQ(layout.row_at(units.label.center()), 0);
  EXPECT_EQ(layout.row_at(QPointF(-5, -5)), -1);
}

TEST(BesidePanel, ShowsTheDeviceThatIsChosen) {
  BesidePanel panel;
  panel.resize(940, 520);
  panel.offer(processor(), {*profiler::specified_gpu("p100"), *profiler::specified_gpu("v100")}, 1);
  EXPECT_EQ(panel.choice().currentIndex(), 1);
  panel.show();
  EXPECT_EQ(panel.layout_on_screen().devices[1].units.size(), 80U);
  panel.choice().setCurrentIndex(0);
  EXPECT_EQ(panel.layout_on_screen().devices[1].units.size(), 56U);
  QImage image(panel.canvas().size(), QImage::Format_ARGB32);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  panel.canvas().paint(painter, QRectF(image.rect()));
  const auto& row = panel.layout_on_screen().rows[0];
  EXPECT_FALSE(panel.canvas().tip(row.label.center()).isEmpty());
}

}  // namespace
}  // namespace views
