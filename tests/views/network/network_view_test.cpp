// SPDX-License-Identifier: GPL-3.0-or-later
// Real clicks, wheel, drags and keys on the network; search; what other views select; captures without a network.
#include "views/network/network_view.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QSet>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>

#include "tests/support/network_lab.h"
#include "tests/support/sample_document.h"

namespace {

using engine::Phase;
using views::kNoBox;
using views::NetworkBox;

class NetworkViewTest : public testing::Test {
 protected:
  NetworkViewTest() {
    tests::NetworkLab lab;
    lab.training_step(3);
    show(lab);
  }
  void show(tests::NetworkLab& lab) {
    document.set(lab.analyzed(), QStringLiteral("net.tide"));
    view.resize(1280, 720);
    view.show();
    settle();
  }
  void settle() {
    QApplication::processEvents();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !view.busy(); }, 10000));
    QApplication::processEvents();
  }
  uint32_t layer(const std::string& path) const {
    const auto& layers = view.network()->layers;
    return static_cast<uint32_t>(std::ranges::find(layers, path, &profiler::NetworkLayer::path) - layers.begin());
  }
  uint32_t box(const std::string& path, Phase pass = Phase::forward) const {
    return view.layout_on_screen()->box_of_layer[static_cast<size_t>(pass)][layer(path)];
  }
  uint32_t op_box(const std::string& name) const {
    const auto& capture = document.capture();
    for (const auto& op : capture.ops())
      if (capture.name(op.name) == name) return view.layout_on_screen()->box_of_op[op.id];
    return kNoBox;
  }
  QPoint middle(uint32_t box) { return view.area().box_on_screen(box).center().toPoint(); }
  void click(uint32_t box) { QTest::mouseClick(&view.area(), Qt::LeftButton, {}, middle(box)); }
  void double_click(uint32_t box) {
    const QPoint at = middle(box);
    QTest::mouseClick(&view.area(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(&view.area(), Qt::LeftButton, {}, at);
    settle();
  }
  bool in_sight(uint32_t box) { return view.area().plot().contains(view.area().box_on_screen(box).center()); }
  std::vector<uint32_t> selected() { return view.area().scene().selected; }

  views::Document document;
  views::NetworkView view{document, nullptr};
};

TEST_F(NetworkViewTest, AllPassesAreBesideOneAnotherAndInSightAtFirst) {
  ASSERT_NE(view.layout_on_screen(), nullptr);
  EXPECT_EQ(view.layout_on_screen()->columns.size(), 3u);
  EXPECT_TRUE(view.area().plot().contains(view.area().scene().window.to_screen(view.layout_on_screen()->bounds)));
  view.grab();
  EXPECT_EQ(view.area().frame().boxes, view.layout_on_screen()->boxes.size());
}

TEST_F(NetworkViewTest, AClickSelectsALayerForTheWholeWindow) {
  click(box("block1", Phase::backward));
  EXPECT_EQ(document.selection().state().layer, QStringLiteral("block1"));
  EXPECT_EQ(selected(),
            (std::vector<uint32_t>{box("block1"), box("block1", Phase::backward), box("block1", Phase::update)}))
      << "one layer, three boxes";
  QTest::mouseClick(&view.area(), Qt::LeftButton, {}, QPoint(3, 40));
  EXPECT_TRUE(document.selection().state().empty());
}

TEST_F(NetworkViewTest, WhatIsSelectedIsSaidToScreenReaders) {
  click(box("block1"));
  const QString words = view.area().accessibleDescription();
  EXPECT_TRUE(words.startsWith(QStringLiteral("65 ops in "))) << words.toStdString();
  EXPECT_TRUE(words.endsWith(QStringLiteral("; selected: block1, –, closed"))) << words.toStdString();
}

TEST_F(NetworkViewTest, AClickOnALineSelectsItsTensor) {
  const views::NetworkLayout& layout = *view.layout_on_screen();
  const auto wire = std::ranges::find_if(
      layout.wires, [&](const views::NetworkWire& w) { return w.from == box("block0") && w.to == box("block1"); });
  ASSERT_NE(wire, layout.wires.end());
  const QPointF a = layout.points[wire->first_point], b = layout.points[wire->first_point + wire->points - 1];
  QTest::mouseClick(&view.area(), Qt::LeftButton, {}, view.area().scene().window.to_screen((a + b) / 2).toPoint());
  EXPECT_EQ(document.selection().state().tensor, view.network()->edges[wire->edge].tensor);
  EXPECT_EQ(view.area().scene().tensor, document.selection().state().tensor);
}

TEST_F(NetworkViewTest, ADoubleClickOpensALayerWhereItIs) {
  const QPointF before = view.area().box_on_screen(box("block1")).topLeft();
  double_click(box("block1"));
  EXPECT_EQ(view.layout_on_screen()->boxes[box("block1")].kind, NetworkBox::Kind::open);
  const QPointF after = view.area().box_on_screen(box("block1")).topLeft();
  EXPECT_NEAR(after.x(), before.x(), 1);
  EXPECT_NEAR(after.y(), before.y(), 1);
  ASSERT_NE(op_box("block1/add"), kNoBox);
  click(op_box("block1/add"));
  ASSERT_TRUE(document.selection().state().op.has_value());
  EXPECT_EQ(selected(), std::vector<uint32_t>{op_box("block1/add")});
}

TEST_F(NetworkViewTest, TheSignAndEnterOpenAndClose) {
  QTest::mouseClick(&view.area(), Qt::LeftButton, {}, view.area().sign_on_screen(box("block0")).center().toPoint());
  settle();
  EXPECT_EQ(view.layout_on_screen()->boxes[box("block0")].kind, NetworkBox::Kind::open);
  document.selection().select_layer(QStringLiteral("block0"));
  view.activateWindow();
  view.area().setFocus();
  QTest::keyClick(&view.area(), Qt::Key_Return);
  settle();
  EXPECT_EQ(view.layout_on_screen()->boxes[box("block0")].kind, NetworkBox::Kind::closed);
}

TEST_F(NetworkViewTest, ButtonsOpenAndCloseAll) {
  QTest::mouseClick(&view.open_all(), Qt::LeftButton);
  settle();
  EXPECT_TRUE(std::ranges::all_of(view.layout_on_screen()->boxes,
                                  [](const NetworkBox& b) { return b.kind != NetworkBox::Kind::closed; }));
  QTest::mouseClick(&view.close_all(), Qt::LeftButton);
  settle();
  EXPECT_TRUE(std::ranges::all_of(view.layout_on_screen()->boxes,
                                  [](const NetworkBox& b) { return b.kind == NetworkBox::Kind::closed; }));
}

TEST_F(NetworkViewTest, WhatAnotherViewSelectsIsBroughtIntoSight) {
  QTest::mouseClick(&view.open_all(), Qt::LeftButton);
  settle();
  const uint32_t last = op_box("loss/cross_entropy");
  for (int i = 0; i < 20; ++i) view.area().zoom(1.25, QPointF(10, 40));
  ASSERT_FALSE(in_sight(last));
  document.selection().select_op(view.layout_on_screen()->boxes[last].id);
  EXPECT_TRUE(in_sight(last));
  EXPECT_EQ(selected(), std::vector<uint32_t>{last});
}

TEST_F(NetworkViewTest, AnOpInsideAClosedLayerMarksTheLayer) {
  const auto& capture = document.capture();
  const auto op = std::ranges::find_if(
      capture.ops(), [&](const auto& o) { return capture.name(o.name) == "block2.attention.key/linear_grad"; });
  document.selection().select_op(op->id);
  EXPECT_EQ(selected(), std::vector<uint32_t>{box("block2", Phase::backward)});
}

TEST_F(NetworkViewTest, FindCountsOpensAndGoesOn) {
  view.find_box().setFocus();
  QTest::keyClicks(&view.find_box(), QStringLiteral("query"));
  EXPECT_EQ(view.found_label().text(), QStringLiteral("3 found"));
  EXPECT_TRUE(view.area().scene().found[box("block0")]) << "the closed layer that holds it";
  EXPECT_FALSE(view.area().scene().found[box("loss")]);
  for (const char* block : {"block0", "block1", "block2", "block0"}) {
    QTest::keyClick(&view.find_box(), Qt::Key_Return);
    settle();
    const std::string path = std::string(block) + ".attention.query";
    EXPECT_EQ(document.selection().state().layer, QString::fromStdString(path));
    ASSERT_NE(box(path), kNoBox) << "what is around it is open";
    EXPECT_TRUE(in_sight(box(path)));
  }
  EXPECT_EQ(view.found_label().text(), QStringLiteral("1 of 3"));
  QTest::keyClick(&view.find_box(), Qt::Key_Return, Qt::ShiftModifier);
  EXPECT_EQ(view.found_label().text(), QStringLiteral("3 of 3"));
  QTest::keyClicks(&view.find_box(), QStringLiteral("zz"));
  EXPECT_EQ(view.found_label().text(), QStringLiteral("no match"));
}

TEST_F(NetworkViewTest, APassAloneOrAll) {
  QTest::mouseClick(view.passes().button(1), Qt::LeftButton);
  settle();
  ASSERT_EQ(view.layout_on_screen()->columns.size(), 1u);
  EXPECT_EQ(box("block0"), kNoBox);
  EXPECT_NE(box("block0", Phase::backward), kNoBox);
  QTest::mouseClick(view.passes().button(3), Qt::LeftButton);
  settle();
  EXPECT_EQ(view.layout_on_screen()->columns.size(), 3u);
}

TEST_F(NetworkViewTest, WheelDragAndKeysMoveThePicture) {
  const views::NetworkWindow before = view.area().scene().window;
  QWheelEvent wheel(QPointF(300, 200), view.area().mapToGlobal(QPointF(300, 200)), {}, {0, 120}, Qt::NoButton,
                    Qt::ControlModifier, Qt::NoScrollPhase, false);
  const QPointF kept = before.to_scene(QPointF(300, 200));
  QApplication::sendEvent(&view.area(), &wheel);
  EXPECT_GT(view.area().scene().window.zoom, before.zoom);
  EXPECT_LT((view.area().scene().window.to_screen(kept) - QPointF(300, 200)).manhattanLength(), 1)
      << "about the pointer";
  const QPointF origin = view.area().scene().window.origin;
  QTest::mousePress(&view.area(), Qt::LeftButton, {}, QPoint(400, 300));
  QTest::mouseMove(&view.area(), QPoint(340, 300));
  QTest::mouseRelease(&view.area(), Qt::LeftButton, {}, QPoint(340, 300));
  EXPECT_GT(view.area().scene().window.origin.x(), origin.x());
  EXPECT_TRUE(document.selection().state().empty()) << "a drag is no click";
  view.activateWindow();
  view.area().setFocus();
  const double zoom = view.area().scene().window.zoom;
  QTest::keyClick(&view.area(), Qt::Key_S);
  EXPECT_LT(view.area().scene().window.zoom, zoom);
  QTest::keyClick(&view.area(), Qt::Key_Down);
  EXPECT_FALSE(document.selection().state().empty()) << "arrows walk from box to box";
}

TEST_F(NetworkViewTest, TheMinimapLeadsAnywhere) {
  QTest::mouseClick(&view.open_all(), Qt::LeftButton);
  settle();
  view.area().zoom(8, QPointF(0, 0));
  const QRectF map = views::network_minimap(view.area().scene(), view.area().rect());
  ASSERT_FALSE(map.isEmpty());
  const uint32_t last = op_box("loss/cross_entropy");
  const QRectF rect = view.layout_on_screen()->boxes[last].rect, all = view.layout_on_screen()->bounds;
  QTest::mouseClick(&view.area(), Qt::LeftButton, {},
                    QPointF(map.left() + rect.center().x() / all.width() * map.width(),
                            map.top() + rect.center().y() / all.height() * map.height())
                        .toPoint());
  EXPECT_TRUE(in_sight(last));
}

TEST_F(NetworkViewTest, ColoursSayWhatTheyShow) {
  document.set(tests::sample_analyzed(), QStringLiteral("sample.tide"));
  settle();
  const uint32_t first = 0;
  const NetworkBox& b = view.layout_on_screen()->boxes[first];
  QStringList values;
  for (int choice = 0; choice < 4; ++choice) {
    QTest::mouseClick(view.colors().button(choice), Qt::LeftButton);
    values << views::box_value(view.area().scene(), b);
  }
  EXPECT_TRUE(values[0].endsWith(QStringLiteral("s"))) << values[0].toStdString();
  EXPECT_TRUE(values[1].endsWith(QStringLiteral("B"))) << values[1].toStdString();
  EXPECT_EQ(values[3], QStringLiteral("f32"));
  EXPECT_EQ(QSet<QString>(values.begin(), values.end()).size(), 4);
}

TEST_F(NetworkViewTest, TipsHaveNumbersAndTheBytesOfWires) {
  document.set(tests::sample_analyzed(), QStringLiteral("sample.tide"));
  settle();
  const QString box = view.area().tip(0, kNoBox);
  EXPECT_TRUE(box.contains(QStringLiteral("of the step"))) << box.toStdString();
  ASSERT_FALSE(view.layout_on_screen()->wires.empty());
  const QString wire = view.area().tip(kNoBox, 0);
  EXPECT_TRUE(wire.contains(QStringLiteral(" read"))) << wire.toStdString();
}

TEST_F(NetworkViewTest, LargeNetworksAreLaidOutOnAThread) {
  tests::NetworkLab lab;
  lab.chain(6000, 50);
  document.set(lab.analyzed(), QStringLiteral("large.tide"));
  EXPECT_TRUE(view.busy());
  settle();
  ASSERT_NE(view.layout_on_screen(), nullptr);
  EXPECT_EQ(view.layout_on_screen()->boxes.size(), 120u);
  view.grab();
  EXPECT_LT(view.area().frame().boxes, 120u) << "only what is in sight is painted";
  QTest::mouseClick(&view.open_all(), Qt::LeftButton);
  EXPECT_TRUE(view.busy());
  document.set(nullptr, {});  // under way: dropped
  EXPECT_FALSE(view.busy());
  EXPECT_EQ(view.layout_on_screen(), nullptr);
}

TEST_F(NetworkViewTest, ATraceWithoutEdgesSaysWhy) {
  tests::NetworkLab lab;
  lab.op("a", "relu", {}, {});
  lab.builder().run().source = "PyTorch (Kineto) trace";
  document.set(lab.analyzed(), QStringLiteral("trace.json"));
  settle();
  EXPECT_EQ(view.nothing(), QStringLiteral("The trace does not hold which op reads what another op wrote."));
  EXPECT_EQ(view.layout_on_screen(), nullptr);
  EXPECT_FALSE(view.passes().isEnabled());
}

TEST_F(NetworkViewTest, InferenceHasNoSwitchOfPasses) {
  tests::NetworkLab lab;
  lab.chain(4, 1);
  document.set(lab.analyzed(), QStringLiteral("inference.tide"));
  settle();
  EXPECT_TRUE(view.passes().isHidden());
  EXPECT_EQ(view.layout_on_screen()->columns.size(), 1u);
}

}  // namespace
