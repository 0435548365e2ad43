// SPDX-License-Identifier: GPL-3.0-or-later
// Opens dialogs by name and waits for what they show.
#include "app/gui/dialog_pictures.h"

#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QPushButton>
#include <QThread>
#include <algorithm>

#include "app/base/handbook.h"
#include "app/base/lesson_catalog.h"
#include "app/gui/handbook_dialog.h"
#include "app/gui/learn_dialogs.h"
#include "app/gui/learn_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/playground_panel.h"
#include "app/gui/tool_dialog.h"
#include "views/base/file_name.h"

namespace app::gui {

namespace {

using engine::Result;

constexpr int kLongestAnswerMs = 300000;

QString part(const QString& name, int at) { return name.section(QLatin1Char(':'), at, at); }

/// Whether it became false in time.
template <class Busy>
bool waited_while(const Busy& busy) {
  QElapsedTimer waited;
  waited.start();
  for (int i = 0; i < 5; ++i) QApplication::processEvents(QEventLoop::ExcludeUserInputEvents, 20);
  while (busy() && waited.elapsed() < kLongestAnswerMs) {
    QApplication::processEvents(QEventLoop::ExcludeUserInputEvents, 20);
    QThread::msleep(5);
  }
  return !busy();
}

engine::Error too_slow(const QString& name) {
  return engine::refused_error("[--screenshot] " + name.toStdString() + ": there is no answer after 5 minutes");
}

/// The first field of a tool takes a value: one of a list, or text.
Result<void> fill_in(ToolDialog& dialog, MainWindow& window, const QString& value) {
  const std::vector<ToolField> fields = dialog.tool().fields(window);
  if (fields.empty())
    return engine::usage_error(std::string("[--screenshot] tool:") + dialog.tool().name + " has no field for a value");
  auto* field = dialog.findChild<QWidget*>(QStringLiteral("tool.field.") + fields.front().key);
  if (auto* line = qobject_cast<QLineEdit*>(field)) {
    line->setText(value);
    emit line->editingFinished();
    return {};
  }
  auto* box = qobject_cast<QComboBox*>(field);
  const int at = box->findData(value);
  if (at < 0)
    return engine::usage_error(std::string("[--screenshot] tool:") + dialog.tool().name + " has no value \"" +
                               value.toStdString() + "\"");
  box->setCurrentIndex(at);
  return {};
}

Result<QWidget*> open_tool(MainWindow& window, const QString& name, const QSize& size) {
  const Tool& tool = *find_tool(part(name, 1));
  auto* dialog = new ToolDialog(window, tool);
  dialog->resize(size);
  dialog->show();
  if (const QString value = name.section(QLatin1Char(':'), 2); !value.isEmpty())
    if (const Result<void> filled = fill_in(*dialog, window, value); !filled) return filled.error();
  if (tool.runs) dialog->findChild<QPushButton*>(QStringLiteral("tool.run"))->click();
  if (!waited_while([&] { return dialog->busy(); })) return too_slow(name);
  if (!dialog->problem().isEmpty())
    return engine::refused_error("[--screenshot] " + name.toStdString() + ": " + dialog->problem().toStdString());
  return dialog;
}

/// Pages are passed up to the wanted one, from 0, or the last; what a page runs is run.
Result<QWidget*> open_lesson(MainWindow& window, const QString& name, const QSize& size) {
  const Result<profiler::Lesson> lesson = find_lesson(views::name_bytes(part(name, 1)));
  if (!lesson) return lesson.error();
  auto* panel = new LearnPanel;
  panel->setParent(&window, Qt::Window);
  panel->setAttribute(Qt::WA_DeleteOnClose);
  panel->resize(size);
  panel->show();
  panel->start(*lesson);
  auto* act = panel->findChild<QPushButton*>(QStringLiteral("learn.act"));
  bool numbered = false;
  const int page = part(name, 2).toInt(&numbered),
            last = numbered ? std::min(page + 1, panel->pages()) : panel->pages();
  while (panel->page() + 1 < last) {
    const int before = panel->page();
    panel->go_on();
    if (panel->page() != before) continue;
    act->click();
    if (!waited_while([&] { return panel->running(); })) return too_slow(name);
    if (panel->page() == before)
      return engine::refused_error("[--screenshot] " + name.toStdString() + ": its runs did not end well");
  }
  return panel;
}

/// A scene by the name of its button, or lines with semicolons between them.
Result<QWidget*> open_playground(MainWindow& window, const QString& name, const QSize& size) {
  PlaygroundPanel& panel = show_playground(window, window.theme());
  panel.window()->resize(size);
  const QString what = name.section(QLatin1Char(':'), 1);
  if (auto* scene = panel.findChild<QPushButton*>(QStringLiteral("playground.") + what); scene != nullptr) {
    scene->click();
    if (!waited_while([&] { return panel.busy(); })) return too_slow(name);
    return panel.window();
  }
  for (const QString& line : what.split(QLatin1Char(';'), Qt::SkipEmptyParts)) {
    panel.line().setText(line.trimmed());
    panel.button("go").click();
    if (!waited_while([&] { return panel.busy(); })) return too_slow(name);
  }
  return panel.window();
}

Result<QWidget*> open_page(MainWindow& window, const QString& name, const QSize& size) {
  HandbookDialog& dialog = show_handbook(window, part(name, 1));
  dialog.resize(size);
  return &dialog;
}

}  // namespace

bool is_dialog_picture(const QString& name) {
  const QString kind = part(name, 0);
  return name.contains(QLatin1Char(':')) && (kind == QLatin1String("tool") || kind == QLatin1String("lesson") ||
                                             kind == QLatin1String("playground") || kind == QLatin1String("handbook"));
}

bool is_known_dialog(const QString& name) {
  const QString kind = part(name, 0), what = part(name, 1);
  if (kind == QLatin1String("tool")) return find_tool(what) != nullptr;
  if (kind == QLatin1String("handbook")) return find_page(what.toStdString()) != nullptr;
  return (kind == QLatin1String("lesson") || kind == QLatin1String("playground")) && !what.isEmpty();
}

std::vector<std::string> dialog_picture_names() {
  std::vector<std::string> names;
  for (const Tool& tool : tools()) names.push_back(std::string("tool:") + tool.name);
  for (const HandbookPage& page : handbook()) names.push_back("handbook:" + page.name());
  return names;
}

Result<QWidget*> open_dialog_picture(MainWindow& window, const QString& name, const QSize& size) {
  if (name.startsWith(QLatin1String("tool:"))) return open_tool(window, name, size);
  if (name.startsWith(QLatin1String("lesson:"))) return open_lesson(window, name, size);
  if (name.startsWith(QLatin1String("playground:"))) return open_playground(window, name, size);
  return open_page(window, name, size);
}

}  // namespace app::gui
