// SPDX-License-Identifier: GPL-3.0-or-later
// A model is looked at before it is run: its network, shapes and sums, then the Run button.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QTest>
#include <QToolButton>

#include "app/gui/honesty_strip.h"
#include "app/gui/run_bar.h"
#include "app/gui/setup_panel.h"
#include "profiler/capture/only_planned.h"
#include "tests/app/gui/window_test.h"
#include "views/network/network_view.h"
#include "views/summary/summary_strip.h"

namespace app::gui {
namespace {

class ModelPreviewTest : public WindowTest {
 protected:
  QString write(const char* name, const char* text) {
    const QString path = folder.filePath(QString::fromLatin1(name));
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text);
    return path;
  }
  QString network() {
    return write("net.json",
                 R"({"name": "mine", "input": [12], "batch": 4, "layers":
                     [{"type": "linear", "units": 16}, {"type": "relu"}, {"type": "linear", "units": 3}]})");
  }
  bool shows_preview() {
    return wait_for(
        [&] { return window->document().loaded() && profiler::only_planned(window->document().capture()); });
  }
  views::NetworkView& view() { return *qobject_cast<views::NetworkView*>(window->view(QStringLiteral("network"))); }
};

TEST_F(ModelPreviewTest, OpeningAModelShowsItsNetworkWithoutTimes) {
  window->open(network());
  ASSERT_TRUE(shows_preview()) << window->messages()->text().toStdString();
  EXPECT_EQ(window->current_view(), &view());
  ASSERT_TRUE(wait_for([&] { return view().layout_on_screen() != nullptr; }));
  EXPECT_TRUE(view().isVisible());
  EXPECT_FALSE(view().colors().button(0)->isEnabled()) << "times";
  EXPECT_FALSE(view().colors().button(2)->isEnabled()) << "limits";
  EXPECT_EQ(view().colors().current(), 1) << "bytes";
  EXPECT_EQ(view().network()->bytes_origin, profiler::Origin::exact);
  for (const auto& op : view().network()->ops) EXPECT_TRUE(std::isnan(op.time_ns));
  for (const char* of_runs : {"findings", "traffic", "timeline", "roofline"})
    EXPECT_FALSE(window->tab_shown(QLatin1String(of_runs))) << of_runs;
  for (const char* of_plans : {"network", "memory", "ops"})
    EXPECT_TRUE(window->tab_shown(QLatin1String(of_plans))) << of_plans;
  QStringList figures;
  for (const QLabel* label : find<views::SummaryStrip>()->findChildren<QLabel*>())
    if (label->isVisible()) figures << label->text();
  EXPECT_TRUE(figures.contains(QStringLiteral("259"))) << figures.join(QLatin1Char('|')).toStdString();
  EXPECT_TRUE(figures.contains(QStringLiteral("parameters")));
  EXPECT_TRUE(find<RunBar>()->title().contains(QStringLiteral("not run yet")));
  EXPECT_TRUE(window->honesty().line().contains(QStringLiteral("not run yet")));
  EXPECT_FALSE(window->honesty().line().contains(QStringLiteral("measured"))) << "nothing was";
}

TEST_F(ModelPreviewTest, ColoursByFlops) {
  window->open(network());
  ASSERT_TRUE(shows_preview());
  ASSERT_TRUE(wait_for([&] { return view().layout_on_screen() != nullptr; }));
  QTest::mouseClick(view().colors().button(4), Qt::LeftButton);
  EXPECT_EQ(view().area().scene().colors, views::NetworkColors::flops);
  const auto& boxes = view().layout_on_screen()->boxes;
  ASSERT_FALSE(boxes.empty());
  EXPECT_TRUE(views::box_value(view().area().scene(), boxes.front()).contains(QStringLiteral("FLOP")))
      << views::box_value(view().area().scene(), boxes.front()).toStdString();
}

TEST_F(ModelPreviewTest, ItIsRunFromThere) {
  const Environment cli("TENSORTIDE_CLI", real_program(folder));
  window->open(network());
  ASSERT_TRUE(shows_preview());
  auto* run = find<QToolButton>("runbar.again");
  EXPECT_EQ(run->text(), QStringLiteral("Run"));
  ASSERT_TRUE(run->isEnabled());
  QTest::mouseClick(run, Qt::LeftButton);
  ASSERT_TRUE(wait_for([&] { return !window->document().capture().steps().empty(); }, 120000))
      << window->messages()->text().toStdString();
  EXPECT_EQ(window->document().capture().run().title, "mine");
  EXPECT_EQ(run->text(), QStringLiteral("Run again"));
  EXPECT_TRUE(view().colors().button(0)->isEnabled());
}

TEST_F(ModelPreviewTest, AWorkloadOfTheFormIsLookedAtWithItsSettings) {
  window->choose_workload(QStringLiteral("mlp"));
  QTest::mouseClick(find<QToolButton>("setup.look"), Qt::LeftButton);
  ASSERT_TRUE(shows_preview()) << window->messages()->text().toStdString();
  EXPECT_EQ(window->document().capture().run().workload, "mlp");
  EXPECT_EQ(window->mode(), Mode::analyse);
  EXPECT_EQ(window->current_view(), &view());
}

TEST_F(ModelPreviewTest, AModelThatCannotBeReadSaysWhyBesideTheForm) {
  const QString file = write("net.onnx", "x");
  window->open(file);
  ASSERT_TRUE(wait_for([&] { return !window->messages()->text().isEmpty(); }));
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("net.onnx")));
  EXPECT_FALSE(window->document().loaded());
  EXPECT_EQ(window->mode(), Mode::record);
  EXPECT_EQ(window->setup()->values().workload, file);
}

TEST_F(ModelPreviewTest, AModelThatBringsItsReaderDownLeavesTheWindowAlone) {
  const QString cli = write("reader.sh", "#!/bin/sh\nkill -SEGV $$\n");
  QFile::setPermissions(cli, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  const Environment reader("TENSORTIDE_CLI", cli);
  window->open(write("net.onnx", "x"));
  ASSERT_TRUE(wait_for([&] { return !window->messages()->text().isEmpty(); }));
  EXPECT_TRUE(window->messages()->text().contains(QStringLiteral("signal 11")))
      << window->messages()->text().toStdString();
  EXPECT_FALSE(window->document().loaded());
}

TEST_F(ModelPreviewTest, APreviewTakesThePlaceOfACapture) {
  open(save(QStringLiteral("one.tide")));
  EXPECT_TRUE(window->tab_shown(QStringLiteral("timeline")));
  window->open(network());
  ASSERT_TRUE(shows_preview());
  EXPECT_EQ(window->document().reference(), nullptr);
  open(save(QStringLiteral("two.tide")));
  EXPECT_TRUE(window->tab_shown(QStringLiteral("timeline")));
  EXPECT_TRUE(view().colors().button(0)->isEnabled());
}

}  // namespace
}  // namespace app::gui
