// SPDX-License-Identifier: GPL-3.0-or-later
// What the palette finds beside commands.
#include "app/gui/palette_sources.h"

#include <algorithm>
#include <set>

#include "app/gui/command_palette.h"
#include "app/gui/main_window.h"
#include "app/gui/run_list.h"
#include "app/gui/settings_dialog.h"
#include "engine/workloads/workload.h"
#include "views/base/plain_text.h"

namespace app::gui {

namespace {

constexpr qsizetype kMostOps = 50;  // more are no help: the user types on

/// Below a command that answers as well.
int score_of(const QString& text, const QString& wanted) {
  return text.contains(wanted, Qt::CaseInsensitive) ? match_score(text, wanted) - 5 : -1;
}

QList<PaletteEntry> workloads(MainWindow& w, const QString& wanted) {
  QList<PaletteEntry> found;
  for (const auto& workload : engine::workloads()) {
    const QString title = QString::fromStdString(workload.title), name = QString::fromStdString(workload.name);
    const int score = std::max(score_of(title, wanted), score_of(name, wanted));
    if (score >= 0)
      found.push_back({MainWindow::tr("Workload: %1").arg(title), [&w, name] { w.choose_workload(name); }, score});
  }
  return found;
}

QList<PaletteEntry> captures(MainWindow& w, const QString& wanted) {
  QList<PaletteEntry> found;
  for (int row = 0; row < w.runs()->count(); ++row) {
    const QString text = w.runs()->item(row)->text().replace(QLatin1Char('\n'), QLatin1String(" · "));
    const int score = score_of(text, wanted);
    if (score >= 0)
      found.push_back(
          {MainWindow::tr("Capture: %1").arg(text), [&w, path = w.runs()->path_at(row)] { w.open(path); }, score});
  }
  return found;
}

/// The first of each name.
QList<PaletteEntry> ops(MainWindow& w, const QString& wanted) {
  QList<PaletteEntry> found;
  if (!w.document().loaded()) return found;
  const profiler::Capture& capture = w.document().capture();
  std::set<QString> seen;
  for (const auto& op : capture.ops()) {
    const std::string_view bytes = capture.name(op.name);
    const QString name = views::displayed(QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size())));
    const int score = score_of(name, wanted);
    if (score < 0 || !seen.insert(name).second) continue;
    found.push_back({MainWindow::tr("Op: %1").arg(name),
                     [&w, id = op.id] {
                       w.set_mode(Mode::analyse);
                       w.document().selection().select_op(id);
                     },
                     score});
    if (found.size() == kMostOps) break;
  }
  return found;
}

QList<PaletteEntry> settings(MainWindow& w, const QString& wanted) {
  QList<PaletteEntry> found;
  for (const SettingTopic& topic : setting_topics()) {
    const int score = score_of(topic.title, wanted);
    if (score >= 0)
      found.push_back({MainWindow::tr("Setting: %1").arg(topic.title),
                       [&w, topic] { w.show_settings(topic.page, topic.name); }, score});
  }
  return found;
}

}  // namespace

void add_palette_sources(CommandPalette& palette, MainWindow& w) {
  for (auto* source : {workloads, captures, ops, settings})
    palette.add_source([&w, source](const QString& wanted) { return source(w, wanted); });
}

}  // namespace app::gui
