// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of progress in the words of the window.
#include "app/gui/live_run.h"

#include <QFileInfo>

#include "app/gui/setup_panel.h"
#include "engine/workloads/workload.h"

namespace app::gui {

QString run_words(const QString& verb, const QStringList& arguments) {
  if (verb == QLatin1String("probe")) return QObject::tr("Measuring the roofs of this machine");
  const QString first = arguments.value(0);
  const auto workload = engine::find_workload(first.toStdString());
  const QString what = workload ? QString::fromStdString((*workload)->title) : QFileInfo(first).fileName();
  if (verb == QLatin1String("sweep")) return QObject::tr("Sweep of %1").arg(what);
  if (verb == QLatin1String("try")) return QObject::tr("Trying a change of %1").arg(what);
  if (verb == QLatin1String("import")) return QObject::tr("Importing %1").arg(what);
  if (verb == QLatin1String("export")) return QObject::tr("Exporting %1").arg(what);
  return QObject::tr("Running %1").arg(what);
}

views::RunNews run_news(const RunProgress& p) {
  views::RunNews news;
  news.stage = SetupPanel::stage_text(p);
  news.fraction = p.fraction;
  news.left = left_text(p);
  const ProgressLine& line = p.line;
  if (p.stage == QLatin1String("recording") || p.stage == QLatin1String("writing"))
    news.measured = p.steps > 0 ? QObject::tr("%1 of %2").arg(p.step).arg(p.steps) : QString::number(p.step);
  news.steps = {.part = p.stage.left(1).toUpper() + p.stage.mid(1),
                .steps = line.recent_steps,
                .last_ns = line.last_step_ns,
                .shortest_ns = line.shortest_ns,
                .longest_ns = line.longest_ns,
                .loss = line.loss};
  // The report at the end brings the last steps of the recording.
  if (p.stage == QLatin1String("writing")) news.steps.part = QObject::tr("Recording");
  news.loss_failed = line.loss_failed;
  if (line.planned) news.needs = {line.planned->flops, line.planned->operand_bytes, line.planned->memory_bytes};
  return news;
}

}  // namespace app::gui
