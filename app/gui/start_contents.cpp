// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of the start page.
#include "app/gui/start_contents.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <algorithm>
#include <array>

#include "app/base/devices.h"
#include "app/base/roofs.h"
#include "engine/tensor/device.h"
#include "engine/workloads/workload.h"
#include "profiler/machine/roofs_trust.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace app::gui {
namespace {

/// What a newcomer begins with: what the machine can do, a network of each kind.
struct Pick {
  const char *name, *group, *teaches;
};
constexpr std::array kPicks{
    Pick{"stream", QT_TRANSLATE_NOOP("QObject", "Learn the machine"),
         QT_TRANSLATE_NOOP("QObject", "Long arrays, hardly any arithmetic: how fast is each memory level?")},
    Pick{"gemm", QT_TRANSLATE_NOOP("QObject", "Learn the machine"),
         QT_TRANSLATE_NOOP("QObject", "One matrix multiplication: how fast is the arithmetic?")},
    Pick{"resnet50", QT_TRANSLATE_NOOP("QObject", "Networks"),
         QT_TRANSLATE_NOOP("QObject", "Arithmetic limits convolutions, memory the rest.")},
    Pick{"transformer", QT_TRANSLATE_NOOP("QObject", "Networks"),
         QT_TRANSLATE_NOOP("QObject", "Attention moves the square of the sequence, unless it is fused.")},
    Pick{"mlp", QT_TRANSLATE_NOOP("QObject", "Networks"),
         QT_TRANSLATE_NOOP("QObject", "A larger batch uses each weight more often.")},
};

/// A capture that ships: see resources/captures/README.md.
struct Example {
  const char *file, *title, *detail;
};
constexpr std::array kExamples{
    Example{"cpu-training-step.tide", QT_TRANSLATE_NOOP("QObject", "A training step on a CPU"),
            QT_TRANSLATE_NOOP("QObject", "transformer, with simulated caches")},
    Example{"gpu-trace.tide", QT_TRANSLATE_NOOP("QObject", "A trace of a GPU"),
            QT_TRANSLATE_NOOP("QObject", "BERT in PyTorch on an H100, imported")},
    Example{"batch-sweep.tide", QT_TRANSLATE_NOOP("QObject", "A sweep over batch sizes"),
            QT_TRANSLATE_NOOP("QObject", "perceptron, batch 1 to 128")},
};

/// "L1 32 KiB, L2 1 MiB, L3 32 MiB".
QString caches_text(const engine::DeviceInfo& info) {
  QStringList parts;
  for (const engine::CacheLevel& level : info.caches)
    parts << QStringLiteral("%1 %2").arg(views::text(level.name), views::quantity(static_cast<double>(level.size_bytes),
                                                                                  profiler::Quantity::capacity_bytes));
  return parts.join(QStringLiteral(", "));
}

}  // namespace

std::vector<views::StartCard> start_cards() {
  std::vector<views::StartCard> cards;
  const auto card_of = [](const engine::Workload& w) {
    return views::StartCard{
        .key = views::text(w.name), .title = views::text(w.title), .lesson = views::text(w.description)};
  };
  for (const Pick& pick : kPicks) {
    const auto found = engine::find_workload(pick.name);
    if (!found) continue;
    cards.push_back(card_of(**found));
    cards.back().group = QObject::tr(pick.group);
    cards.back().summary = QObject::tr(pick.teaches);
  }
  cards.push_back(
      {.key = QStringLiteral("file"),
       .title = QObject::tr("Open a model…"),
       .lesson = QObject::tr("Runs an ONNX file, or a network described in JSON, and shows where its time and "
                             "bytes go."),
       .group = QObject::tr("Your model"),
       .summary = QObject::tr("An ONNX file, or a network described in JSON."),
       .runs = false});
  for (const engine::Workload& w : engine::workloads())
    if (std::ranges::none_of(cards, [&](const views::StartCard& card) { return card.key == views::text(w.name); }))
      cards.push_back(card_of(w));
  return cards;
}

QString when_text(const QDateTime& time, const QDateTime& now) {
  const QLocale english(QLocale::English);
  const qint64 days = time.date().daysTo(now.date());
  const QString clock = english.toString(time.time(), QStringLiteral("HH:mm"));
  if (days == 0) return QObject::tr("today %1").arg(clock);
  if (days == 1) return QObject::tr("yesterday %1").arg(clock);
  return english.toString(
      time.date(), time.date().year() == now.date().year() ? QStringLiteral("d MMM") : QStringLiteral("d MMM yyyy"));
}

std::vector<views::StartFile> recent_files(const Settings& settings, const QDateTime& now) {
  constexpr size_t kShown = 5;
  std::vector<views::StartFile> files;
  for (const Settings::Recent& recent : settings.all_recent()) {
    if (files.size() == kShown) break;
    const QFileInfo info(recent.file);
    const QDateTime time = recent.opened.isValid() ? recent.opened : info.lastModified();
    // As in the list of runs: workload, batch, dtype; then its median step, or the points of a sweep.
    const QString all = settings.detail(recent.file, true), known = all.section(QLatin1Char('\n'), 0, 0);
    const QString figure = all.section(QLatin1Char('\n'), 1, 1).section(QStringLiteral(" · "), 0, 0);
    QStringList detail;
    if (!recent.there) detail << QObject::tr("no longer there");
    if (time.isValid()) detail << when_text(time, now);
    if (!figure.isEmpty()) detail << figure;
    files.push_back(
        {recent.file, known.isEmpty() ? info.fileName() : known, detail.join(QStringLiteral(" · ")), recent.there});
  }
  return files;
}

QString examples_folder() {
  const QString given = qEnvironmentVariable("TENSORTIDE_EXAMPLES");
  const QDir program(QCoreApplication::applicationDirPath());
  const QString folder =
      given.isEmpty() ? QDir::cleanPath(program.filePath(QStringLiteral("../share/tensortide/examples"))) : given;
  return QFileInfo(folder).isDir() ? folder : QString();
}

std::vector<views::StartFile> example_files() {
  const QString folder = examples_folder();
  std::vector<views::StartFile> files;
  if (folder.isEmpty()) return files;
  for (const Example& example : kExamples) {
    const QString file = QDir(folder).filePath(QString::fromUtf8(example.file));
    if (QFileInfo::exists(file)) files.push_back({file, QObject::tr(example.title), QObject::tr(example.detail), true});
  }
  return files;
}

MachineLine machine_line() {
  QStringList parts, gpus;
  for (const DeviceEntry& device : devices()) {
    const engine::DeviceTraits& traits = engine::traits_of(device.name);
    const bool gpu = traits.is_gpu && !traits.emulated;
    if (!traits.is_processor && !gpu) continue;
    const engine::DeviceInfo info = device.describe();
    if (gpu) {
      gpus << views::text(info.model);
      continue;
    }
    parts << views::text(info.model)
          << (info.cores == 1 ? QObject::tr("1 core") : QObject::tr("%1 cores").arg(info.cores)) << caches_text(info)
          << QObject::tr("%1 memory")
                 .arg(views::quantity(static_cast<double>(info.memory_bytes), profiler::Quantity::capacity_bytes));
  }
  parts << (gpus.isEmpty() ? QObject::tr("no GPU") : gpus.join(QStringLiteral(", ")));
  const auto probe = remembered_roofs();
  const QString weakness = probe ? views::text(profiler::roofs_weakness(*probe)) : QString();
  MachineLine line;
  line.why = QObject::tr("Measures arithmetic, bandwidth and latency of this machine. This takes less than 20 s.");
  if (!probe) {
    parts << QObject::tr("roofs not measured yet");
    line.action = QObject::tr("Measure the roofs");
    line.why += QLatin1Char(' ') + QObject::tr("Otherwise the first run does it.");
  } else {
    const QString when = views::text(probe->probed_at).left(16).replace(QLatin1Char('T'), QLatin1Char(' '));
    parts << (weakness.isEmpty() ? QObject::tr("roofs measured %1").arg(when)
                                 : QObject::tr("roofs measured %1, low confidence").arg(when));
    line.action = QObject::tr("Measure again");
    if (!weakness.isEmpty()) line.why += QLatin1Char('\n') + weakness;
  }
  parts.removeAll(QString());
  line.text = QObject::tr("This machine: %1").arg(parts.join(QStringLiteral(" · ")));
  return line;
}

}  // namespace app::gui
