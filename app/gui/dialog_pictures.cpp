// SPDX-License-Identifier: GPL-3.0-or-later
// Opens dialogs by name and waits for what they show.
#include "app/gui/dialog_pictures.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QPushButton>
#include <QThread>
#include <algorithm>
#include <array>

#include "app/base/handbook.h"
#include "app/base/lesson_catalog.h"
#include "app/gui/handbook_dialog.h"
#include "app/gui/learn_dialogs.h"
#include "app/gui/learn_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/playground_panel.h"
#include "app/gui/tool_dialog.h"
#include "views/base/file_name.h"
#include "views/beside/beside_panel.h"
#include "views/sweep/published_view.h"
#include "views/widgets/switch.h"

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

/// The device on the right by the begin of its name.
Result<QWidget*> open_beside(MainWindow& window, const QString& name, const QSize& size) {
  views::BesidePanel& panel = show_beside(window, window.document(), window.theme());
  panel.window()->resize(size);
  const int at = panel.choice().findText(part(name, 1), Qt::MatchStartsWith);
  if (at < 0) return engine::usage_error("[--screenshot] " + name.toStdString() + ": there is no such device");
  panel.choice().setCurrentIndex(at);
  return panel.window();
}

/// One of the pictures of the published table by its name on the switch.
Result<QWidget*> open_published(MainWindow& window, const QString& name, const QSize& size) {
  views::PublishedView& view = show_published(window, window.document(), window.theme(), {});
  view.window()->resize(size);
  for (int i = 0; view.shape_switch().button(i) != nullptr; ++i) {
    if (view.shape_switch().button(i)->text().compare(part(name, 1), Qt::CaseInsensitive) != 0) continue;
    view.shape_switch().button(i)->click();
    return view.window();
  }
  return engine::usage_error("[--screenshot] " + name.toStdString() + ": there is no such picture");
}

/// What stands before the colon of a picture's name, and how it is opened.
struct DialogKind {
  QLatin1String name;
  Result<QWidget*> (*open)(MainWindow&, const QString&, const QSize&);
};
const DialogKind* kind_of(const QString& name) {
  static constexpr std::array kKinds{DialogKind{QLatin1String("tool"), open_tool},
                                     DialogKind{QLatin1String("lesson"), open_lesson},
                                     DialogKind{QLatin1String("playground"), open_playground},
                                     DialogKind{QLatin1String("beside"), open_beside},
                                     DialogKind{QLatin1String("published"), open_published},
                                     DialogKind{QLatin1String("handbook"), open_page}};
  if (!name.contains(QLatin1Char(':'))) return nullptr;
  const auto found = std::ranges::find(kKinds, part(name, 0), &DialogKind::name);
  return found == kKinds.end() ? nullptr : &*found;
}

}  // namespace

bool is_dialog_picture(const QString& name) { return kind_of(name) != nullptr; }

bool is_known_dialog(const QString& name) {
  const DialogKind* kind = kind_of(name);
  const QString what = part(name, 1);
  if (kind == nullptr || what.isEmpty()) return false;
  if (kind->open == open_tool) return find_tool(what) != nullptr;
  return kind->open != open_page || find_page(what.toStdString()) != nullptr;
}

std::vector<std::string> dialog_picture_names() {
  std::vector<std::string> names;
  for (const Tool& tool : tools()) names.push_back(std::string("tool:") + tool.name);
  for (const HandbookPage& page : handbook()) names.push_back("handbook:" + page.name());
  return names;
}

Result<QWidget*> open_dialog_picture(MainWindow& window, const QString& name, const QSize& size) {
  return kind_of(name)->open(window, name, size);
}

}  // namespace app::gui
