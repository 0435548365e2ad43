// SPDX-License-Identifier: GPL-3.0-or-later
// The form: made from the workloads, refuses nonsense in words, gives the right command line.
#include "app/gui/setup_panel.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "app/base/collector_choices.h"
#include "app/base/input_files.h"
#include "app/gui/elided_box.h"
#include "app/gui/integer_box.h"
#include "engine/netfile/network_file.h"
#include "profiler/base/content_hash.h"
#include "tests/app/gui/gui_test_support.h"
#include "tests/support/temporary_folder.h"

namespace app::gui {
namespace {

class SetupPanelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    panel.resize(240, 600);
    panel.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&panel));
  }
  template <class T>
  T* field(const char* name) {
    T* found = panel.findChild<T*>(QStringLiteral("setup.") + QLatin1String(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  void type(const char* name, const QString& text) {
    auto* box = field<IntegerBox>(name);
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, text);
  }
  SetupPanel panel;
};

TEST_F(SetupPanelTest, EveryWorkloadHasAFormThatCanBeRunAsItIs) {
  for (const auto& w : engine::workloads()) {
    panel.choose(QString::fromStdString(w.name));
    EXPECT_TRUE(panel.ready()) << w.name << ": " << check_values(panel.values()).toStdString();
    EXPECT_EQ(panel.values().arguments.size(), w.parameters.size()) << w.name;
    for (const auto& p : w.parameters)
      EXPECT_EQ(field<QWidget>(p.name.c_str())->toolTip().isEmpty(), p.help.empty()) << p.name;
  }
}

TEST_F(SetupPanelTest, TitlesThatDoNotFitEndWithAnEllipsis) {
  panel.resize(222, 600);
  auto* box = dynamic_cast<ElidedBox*>(field<QComboBox>("workload"));
  ASSERT_NE(box, nullptr);
  for (const auto& w : engine::workloads()) {
    panel.choose(QString::fromStdString(w.name));
    QCoreApplication::processEvents();
    const QString title = QString::fromStdString(w.title), shown = box->shown_text();
    EXPECT_TRUE(shown == title || (shown.endsWith(QChar(0x2026)) && title.startsWith(shown.chopped(1))))
        << shown.toStdString();
    EXPECT_LE(box->fontMetrics().horizontalAdvance(shown), box->width() - 20) << "left of the arrow";
  }
  panel.choose(QStringLiteral("mlp"));
  QCoreApplication::processEvents();
  EXPECT_EQ(box->shown_text(), QStringLiteral("Multi-layer perceptron")) << "in the narrowest panel";
}

TEST_F(SetupPanelTest, ALongLabelDoesNotPushTheFieldsBelowTheirLabels) {
  panel.resize(222, 600);
  panel.choose(QStringLiteral("lstm"));  // "Largest gradient"
  QCoreApplication::processEvents();
  EXPECT_GT(field<IntegerBox>("batch")->x(), 50);
  EXPECT_GT(field<QLineEdit>("max_gradient_norm")->x(), 50);
}

TEST_F(SetupPanelTest, NoFormIsWiderThanTheNarrowestPanel) {
  auto* scroll = panel.findChild<QScrollArea*>();
  ASSERT_NE(scroll, nullptr);
  panel.resize(222, 400);  // the dock's least width
  for (const char* part : {"show_collect", "show_more"}) QTest::mouseClick(field<QToolButton>(part), Qt::LeftButton);
  for (const auto& w : engine::workloads()) {
    panel.choose(QString::fromStdString(w.name));
    QCoreApplication::processEvents();
    EXPECT_LE(scroll->widget()->minimumSizeHint().width(), scroll->viewport()->width()) << w.name;
  }
}

TEST_F(SetupPanelTest, PresetsFillTheForm) {
  panel.choose(QStringLiteral("mlp"));
  const auto workload = engine::find_workload("mlp");
  ASSERT_TRUE(workload.ok() && !(*workload)->presets.empty());
  auto* presets = field<QComboBox>("preset");
  for (size_t i = 0; i < (*workload)->presets.size(); ++i) {
    presets->setCurrentIndex(static_cast<int>(i) + 1);
    emit presets->activated(static_cast<int>(i) + 1);
    for (const auto& [key, value] : (*workload)->presets[i].arguments)
      EXPECT_EQ(panel.values().arguments.at(key), value) << key;
    EXPECT_TRUE(panel.ready());
  }
}

TEST_F(SetupPanelTest, NonsenseIsRefusedInWordsAndRunIsOff) {
  panel.choose(QStringLiteral("resnet50"));
  auto* run = field<QPushButton>("run");
  for (const char* text : {"0", "-1", "abc", "99999999999999999999", "1.5"}) {
    type("batch", QString::fromLatin1(text));
    EXPECT_FALSE(panel.ready()) << text;
    EXPECT_FALSE(run->isEnabled()) << text;
    EXPECT_TRUE(field<QLabel>("problem")->isVisible());
    EXPECT_TRUE(field<QLabel>("problem")->text().contains(QStringLiteral("batch"), Qt::CaseInsensitive))
        << field<QLabel>("problem")->text().toStdString();
  }
  type("batch", QStringLiteral("8"));
  EXPECT_TRUE(run->isEnabled());
  EXPECT_FALSE(field<QLabel>("problem")->isVisible());
}

TEST_F(SetupPanelTest, StepsUpAndDownWithinTheRange) {
  IntegerBox box(1, 10);
  box.set_value_text(QStringLiteral("9"));
  box.stepBy(5);
  EXPECT_EQ(box.value_text(), QStringLiteral("10"));
  box.stepBy(-100);
  EXPECT_EQ(box.value_text(), QStringLiteral("1"));
  box.set_value_text(QStringLiteral("x"));
  box.stepBy(1);
  EXPECT_EQ(box.value_text(), QStringLiteral("1"));
}

TEST_F(SetupPanelTest, CommandLineHoldsWhatTheFormSays) {
  const SetupValues v{QStringLiteral("gemm"),
                      {{"m", "64"}, {"dtype", "f32"}},
                      {{"device", "cpu"}, {"graph", "eager"}, {"threads", "2"}, {"seed", "7"}, {"steps", ""}}};
  EXPECT_EQ(run_arguments(v), (QStringList{"gemm", "--set", "dtype=f32", "--set", "m=64", "--device", "cpu", "--graph",
                                           "eager", "--threads", "2", "--seed", "7"}));
  EXPECT_TRUE(check_values({QStringLiteral("gemm"), {}, {{"threads", "-3"}}}).contains(QStringLiteral("Threads")));
  EXPECT_TRUE(check_values({QStringLiteral("gem"), {}}).contains(QStringLiteral("gemm")));
  EXPECT_TRUE(check_values({QStringLiteral("/nowhere/m.onnx"), {}}).contains(QStringLiteral("does not exist")));
}

TEST_F(SetupPanelTest, TheGraphModeIsChosenInTheForm) {
  panel.choose(QStringLiteral("stream"));
  EXPECT_FALSE(run_arguments(panel.values()).contains(QStringLiteral("--graph"))) << "static is the default";
  field<QComboBox>("graph")->setCurrentText(QStringLiteral("eager"));
  const QStringList arguments = run_arguments(panel.values());
  const auto at = arguments.indexOf(QStringLiteral("--graph"));
  ASSERT_GE(at, 0);
  EXPECT_EQ(arguments.value(at + 1), QStringLiteral("eager"));
}

TEST_F(SetupPanelTest, FusionIsChosenInTheFormAndNeedsTheStaticGraph) {
  panel.choose(QStringLiteral("fusion"));
  EXPECT_FALSE(run_arguments(panel.values()).contains(QStringLiteral("--fuse"))) << "off is the default";
  field<QComboBox>("fuse")->setCurrentText(QStringLiteral("on"));
  const QStringList arguments = run_arguments(panel.values());
  const auto at = arguments.indexOf(QStringLiteral("--fuse"));
  ASSERT_GE(at, 0);
  EXPECT_EQ(arguments.value(at + 1), QStringLiteral("on"));
  field<QComboBox>("graph")->setCurrentText(QStringLiteral("eager"));
  EXPECT_FALSE(panel.ready());
  EXPECT_TRUE(field<QLabel>("problem")->text().contains(QStringLiteral("static")));
}

TEST_F(SetupPanelTest, ANetworkInJsonHasAFormAndSaysWhatIsWrongWithIt) {
  const QString example = QStringLiteral(TENSORTIDE_SOURCE_DIR "/resources/workloads/small_cnn.json");
  panel.choose(example);
  EXPECT_TRUE(panel.ready()) << field<QLabel>("problem")->text().toStdString();
  EXPECT_EQ(panel.values().arguments.at("learning_rate"),
            engine::load_network_file(example.toStdString())->parameters[4].default_value);
  type("batch", QStringLiteral("4"));
  const QStringList arguments = run_arguments(panel.values());
  EXPECT_EQ(arguments.front(), example);
  EXPECT_TRUE(arguments.contains(QStringLiteral("batch=4")));

  QTemporaryDir folder;
  QFile broken(folder.filePath(QStringLiteral("net.json")));
  const auto write = [&](const char* text) {
    ASSERT_TRUE(broken.open(QIODevice::WriteOnly | QIODevice::Truncate));
    broken.write(text);
    broken.close();
    panel.choose(broken.fileName());
  };
  write(R"({"input": [3, 8, 8], "layers": [{"type": "conv2d", "filters": "many", "kernel": 3}]})");
  EXPECT_FALSE(panel.ready());
  EXPECT_TRUE(field<QLabel>("problem")->text().contains(QStringLiteral("layers[0].filters")))
      << field<QLabel>("problem")->text().toStdString();
  write(R"({"input": [12], "layers": [{"type": "linear", "units": 3}]})");
  EXPECT_TRUE(panel.ready()) << "corrected and opened again";
  EXPECT_TRUE(panel.values().arguments.contains("learning_rate"));
  EXPECT_TRUE(QFile::remove(broken.fileName()));
  EXPECT_FALSE(check_values(panel.values()).isEmpty());
}

TEST_F(SetupPanelTest, ShowsWhatTheRunOnTheTableWasMadeWithUntilTouched) {
  profiler::RunInfo run;
  run.workload = "mlp";
  run.arguments = {{"batch", "24"}, {"mode", "inference"}, {"graph", "eager"}};
  panel.follow(&run);
  EXPECT_EQ(panel.values().workload, QStringLiteral("mlp"));
  EXPECT_EQ(panel.values().arguments.at("batch"), "24");
  EXPECT_EQ(panel.values().arguments.at("mode"), "inference");
  EXPECT_EQ(panel.values().settings.at("graph"), "eager");
  type("batch", QStringLiteral("8"));
  run.workload = "gemm";
  panel.follow(&run);
  EXPECT_EQ(panel.values().workload, QStringLiteral("mlp")) << "what was typed stays";
  EXPECT_EQ(panel.values().arguments.at("batch"), "8");
  panel.set_running(true);
  panel.set_running(false);
  panel.follow(&run);
  EXPECT_EQ(panel.values().arguments.at("batch"), "8") << "an export or import leaves it";
  panel.set_running(true, true);
  panel.set_running(false);
  panel.follow(&run);
  EXPECT_EQ(panel.values().workload, QStringLiteral("gemm")) << "what was typed has been run";
  run.source = "PyTorch (Kineto) trace";
  run.workload = "trace.json";
  panel.follow(&run);
  EXPECT_EQ(panel.values().workload, QStringLiteral("gemm"));
  type("m", QStringLiteral("64"));
  run.source.clear();
  run.workload = "mlp";
  panel.follow(&run);
  EXPECT_EQ(panel.values().workload, QStringLiteral("gemm"));
  panel.follow(&run, {}, true);
  EXPECT_EQ(panel.values().workload, QStringLiteral("mlp")) << "asked for, it takes the place of what was typed";
}

TEST_F(SetupPanelTest, FollowsAModelFileBesideTheCaptureIfItIsTheOneThatRan) {
  const tests::TemporaryFolder folder;
  const auto write = [&](const char* units) {
    std::ofstream(folder / "followed.json")
        << R"({"input": [16], "layers": [{"type": "linear", "units": )" << units << "}]}";
  };
  write("8");
  profiler::RunInfo run;
  run.workload = "followed.json";
  run.arguments = {{"batch", "24"}, {app::kContent, *profiler::content_hash(folder / "followed.json")}};
  const QString capture = QString::fromStdString((folder / "r.tide").string());
  panel.choose(QStringLiteral("mlp"));
  panel.set_running(true, true), panel.set_running(false);  // untouched
  write("9");
  panel.follow(&run, capture);
  ASSERT_TRUE(wait_for([&] { return !panel.searching(); }));
  EXPECT_EQ(panel.values().workload, QStringLiteral("mlp")) << "another file of that name is not what ran";
  write("8");
  panel.follow(&run, capture);
  EXPECT_TRUE(panel.searching()) << "on another thread";
  ASSERT_TRUE(wait_for([&] { return !panel.searching(); }));
  EXPECT_EQ(panel.values().workload, QString::fromStdString((folder / "followed.json").string()))
      << "not looked for in the window's folder";
  EXPECT_EQ(panel.values().arguments.at("batch"), "24");
}

TEST_F(SetupPanelTest, ABigModelFileIsCheckedBesideTheFormAndCanBeCancelled) {
  const tests::TemporaryFolder folder;
  const auto model = folder / "big.onnx";
  std::ofstream(model.string()) << "x";
  std::filesystem::resize_file(model,
                               uint64_t{1} << 40);  // a terabyte of nothing, which takes no room and minutes to read
  profiler::RunInfo run;
  run.workload = "big.onnx";
  run.arguments = {{app::kContent, "xxh3:0123456789abcdef"}};
  panel.choose(QStringLiteral("mlp"));
  panel.set_running(true, true), panel.set_running(false);
  panel.follow(&run, QString::fromStdString((folder / "r.tide").string()));
  EXPECT_TRUE(panel.searching());
  auto* said = panel.findChild<QLabel*>(QStringLiteral("setup.search"));
  ASSERT_NE(said, nullptr);
  ASSERT_TRUE(wait_for([&] { return said->isVisible(); }));
  EXPECT_TRUE(said->text().contains(QStringLiteral("big.onnx"))) << said->text().toStdString();
  auto* cancel = panel.findChild<QToolButton*>(QStringLiteral("setup.cancel_search"));
  ASSERT_NE(cancel, nullptr);
  QTest::mouseClick(cancel, Qt::LeftButton);
  EXPECT_FALSE(panel.searching());
  EXPECT_FALSE(said->isVisible());
  EXPECT_EQ(panel.values().workload, QStringLiteral("mlp"));
  // Another capture ends it as well; nothing comes of what was looked for before.
  panel.follow(&run, QString::fromStdString((folder / "r.tide").string()));
  profiler::RunInfo other;
  other.workload = "gemm";
  panel.follow(&other);
  EXPECT_FALSE(panel.searching());
  EXPECT_EQ(panel.values().workload, QStringLiteral("gemm"));
}

TEST_F(SetupPanelTest, EverySourceIsOfferedOrSaysWhyNotAndWhatHelps) {
  QTest::mouseClick(field<QToolButton>("show_collect"), Qt::LeftButton);
  int offered = 0, absent = 0;
  for (const CollectorChoice& choice : collector_choices_on("cpu")) {
    if (choice.always) continue;
    const std::string& name = choice.name;
    const auto* check = field<QCheckBox>(("collect." + name).c_str());
    ASSERT_NE(check, nullptr) << name;
    EXPECT_TRUE(check->isVisible()) << name;
    EXPECT_EQ(check->isEnabled(), choice.available && choice.taken) << name;
    EXPECT_FALSE(check->toolTip().isEmpty()) << name;
    if (check->isEnabled()) {
      ++offered;
    } else {
      ++absent;
      EXPECT_FALSE(field<QLabel>(("collect.why." + name).c_str())->text().isEmpty()) << name;
    }
  }
  EXPECT_GE(offered, 1) << "the simulation runs anywhere";
  EXPECT_GE(absent, 1) << "a processor has no GPU counters";
}

TEST_F(SetupPanelTest, WhatIsTickedIsCollectedWhereTheDeviceHasIt) {
  panel.choose(QStringLiteral("mlp"));
  EXPECT_FALSE(run_arguments(panel.values()).contains(QStringLiteral("--collect")));
  QTest::mouseClick(field<QToolButton>("show_collect"), Qt::LeftButton);
  auto* simulate = field<QCheckBox>("collect.simulate");
  simulate->click();
  const QStringList arguments = run_arguments(panel.values());
  EXPECT_EQ(arguments.value(arguments.indexOf(QStringLiteral("--collect")) + 1), QStringLiteral("ops,simulate"));
  EXPECT_TRUE(panel.ready());
  EXPECT_TRUE(panel.command().startsWith(QStringLiteral("tensortide run mlp ")) &&
              panel.command().contains(QStringLiteral("--collect ops,simulate")))
      << panel.command().toStdString();
  // On a device that computes nothing there is nothing to simulate.
  field<QComboBox>("device")->setCurrentText(QStringLiteral("null"));
  const auto choices = collector_choices_on("null");
  EXPECT_EQ(simulate->isEnabled(), std::ranges::find(choices, "simulate", &CollectorChoice::name)->taken);
  EXPECT_EQ(run_arguments(panel.values()).contains(QStringLiteral("--collect")), simulate->isEnabled());
}

TEST_F(SetupPanelTest, RunButtonTurnsIntoCancel) {
  panel.choose(QStringLiteral("stream"));
  QSignalSpy runs(&panel, &SetupPanel::run_requested), cancels(&panel, &SetupPanel::cancel_requested);
  QTest::mouseClick(field<QPushButton>("run"), Qt::LeftButton);
  EXPECT_EQ(runs.count(), 1);
  panel.set_running(true);
  RunProgress p;
  p.stage = QStringLiteral("recording");
  p.step = 3;
  p.steps = 12;
  p.fraction = 0.25;
  p.last_step_ns = 2e6;
  p.left_ms = 65000;
  panel.show_progress(p);
  QStringList texts;
  for (const QLabel* l : panel.findChildren<QLabel*>())
    if (l->isVisible()) texts << l->text();
  EXPECT_TRUE(texts.contains(QStringLiteral("Recording: step 3 of 12"))) << texts.join("|").toStdString();
  EXPECT_TRUE(texts.filter(QStringLiteral("1:05 min left")).size() == 1) << texts.join("|").toStdString();
  QTest::mouseClick(field<QPushButton>("run"), Qt::LeftButton);
  EXPECT_EQ(cancels.count(), 1);
  EXPECT_EQ(runs.count(), 1);
}

}  // namespace
}  // namespace app::gui
