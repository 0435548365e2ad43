// SPDX-License-Identifier: GPL-3.0-or-later
// A capture and a network with hostile words in the window: every label, tooltip, list and table of every view.
#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QTabWidget>
#include <QTextBrowser>
#include <fstream>

#include "app/gui/main_window.h"
#include "profiler/store/capture_file.h"
#include "tests/app/gui/gui_test_support.h"
#include "tests/support/hostile_words.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"
#include "views/base/plain_text.h"

namespace {

/// Fails where `text` would be obeyed; `rich`: Qt reads it as HTML, in which a stranger's tags must be escaped.
void look_at(const QString& text, const QString& where, bool rich) {
  // soft breaks of our own: long names wrap at them
  QString shown = text;
  shown.remove(QChar(0x200B));
  EXPECT_EQ(tests::fault_of_display(shown.toStdString()), "") << where.toStdString();
  EXPECT_FALSE(text.contains(QLatin1String("&lt;p style")))
      << where.toStdString() << " shows our own tags: " << text.toStdString();
  if (rich) {
    for (const char* tag : {"<img", "<b>bold", "<b>x"})
      EXPECT_FALSE(text.contains(QLatin1String(tag))) << where.toStdString() << ": " << text.toStdString();
  }
}

void look_at_model(const QAbstractItemModel& model, const QString& where) {
  for (int row = 0; row < std::min(model.rowCount(), 50); ++row) {
    for (int column = 0; column < model.columnCount(); ++column) {
      const QModelIndex index = model.index(row, column);
      look_at(index.data(Qt::DisplayRole).toString(), where, false);
      look_at(index.data(Qt::AccessibleTextRole).toString(), where, false);
      const QString tip = index.data(Qt::ToolTipRole).toString();
      look_at(tip, where + QStringLiteral(" tip"), Qt::mightBeRichText(tip));
    }
  }
}

/// How many words were looked at.
int look_at_all(QWidget& window) {
  int seen = 0;
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    const QString where =
        QString::fromLatin1(widget->metaObject()->className()) + QLatin1Char(' ') + widget->objectName();
    look_at(widget->toolTip(), where + QStringLiteral(" tip"), Qt::mightBeRichText(widget->toolTip()));
    look_at(widget->windowTitle(), where, false);
    look_at(widget->accessibleName(), where, false);
    if (const auto* label = qobject_cast<QLabel*>(widget)) {
      widget->ensurePolished();
      EXPECT_NE(label->textFormat(), Qt::AutoText) << where.toStdString() << ": " << label->text().toStdString();
      look_at(label->text(), where, label->textFormat() == Qt::RichText);
    }
    if (const auto* line = qobject_cast<QLineEdit*>(widget)) look_at(line->text(), where, false);
    if (const auto* box = qobject_cast<QComboBox*>(widget)) look_at_model(*box->model(), where);
    if (const auto* view = qobject_cast<QAbstractItemView*>(widget); view != nullptr && view->model() != nullptr)
      look_at_model(*view->model(), where);
    if (const auto* page = qobject_cast<QTextBrowser*>(widget)) look_at(page->toPlainText(), where, false);
    for (const QAction* action : widget->actions()) look_at(action->text(), where, false);
    ++seen;
  }
  return seen;
}

TEST(HostileWordsInTheWindow, OfACaptureAndItsFileName) {
  const tests::TemporaryFolder folder;
  const auto file = folder /
                    "<b>x<br>\xe2\x80\xae"
                    "a\x1b[2J.tide";
  ASSERT_TRUE(profiler::save_capture(*tests::sample_capture(), file).ok());
  tests::make_hostile(file);
  app::gui::MainWindow window;
  window.resize(1280, 720);
  window.show();
  window.open(QString::fromStdString(file.string()));
  ASSERT_TRUE(app::gui::wait_for([&] { return window.document().loaded(); }));
  look_at(window.windowTitle(), QStringLiteral("window"), false);
  auto* tabs = window.findChild<QTabWidget*>();
  ASSERT_NE(tabs, nullptr);
  for (int tab = 0; tab < tabs->count(); ++tab) {
    tabs->setCurrentIndex(tab);
    QCoreApplication::processEvents();
    EXPECT_GT(look_at_all(window), 50) << tab;
  }
}

TEST(HostileWordsInTheWindow, OfANetworkThatSomebodyDescribed) {
  const tests::TemporaryFolder folder;
  const auto file = folder / "net.json";
  std::ofstream(file)
      << R"({"name": "<b>bold</b>\u202e", "description": "<img src='/dev/zero'><b>bold\u009b", "input": [4], "layers": [{"type": "linear", "units": 2}]})";
  app::gui::MainWindow window;
  window.resize(1280, 720);
  window.show();
  window.open(QString::fromStdString(file.string()));
  QCoreApplication::processEvents();
  bool found = false;
  for (const QLabel* label : window.findChildren<QLabel*>()) {
    if (!label->text().contains(QLatin1String("<img"))) continue;
    found = true;
    EXPECT_EQ(label->textFormat(), Qt::PlainText);
  }
  EXPECT_TRUE(found) << "the description is shown, as it is written";
}

TEST(HostileWordsInTheWindow, WordsOfOurOwnKeepTheirTags) {
  app::gui::MainWindow window;
  window.show();
  auto* about = window.findChild<QAction*>(QStringLiteral("action.about"));
  ASSERT_NE(about, nullptr);
  about->trigger();
  const auto* box = window.findChild<QMessageBox*>();
  ASSERT_NE(box, nullptr);
  const auto* text = box->findChild<QLabel*>(QStringLiteral("qt_msgbox_label"));
  ASSERT_NE(text, nullptr);
  const_cast<QLabel*>(text)->ensurePolished();
  EXPECT_EQ(text->textFormat(), Qt::RichText);
}

TEST(HostileWordsInTheWindow, TipsAndMessagesOfPlainWords) {
  EXPECT_EQ(views::plain_tip(QStringLiteral("a plain tip")), QStringLiteral("a plain tip"));
  EXPECT_FALSE(views::plain_tip(QStringLiteral("<img src='x'>")).contains(QLatin1String("<img")));
  EXPECT_EQ(views::displayed(QString::fromUtf8("a\u202e\nb")), QStringLiteral("a\\u202e\\x0ab"));
}

}  // namespace
