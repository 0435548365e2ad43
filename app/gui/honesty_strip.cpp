// SPDX-License-Identifier: GPL-3.0-or-later
// The honesty strip.
#include "app/gui/honesty_strip.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QPainter>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "profiler/analysis/known_bytes.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/capture/accelerator.h"
#include "profiler/capture/noise.h"
#include "profiler/capture/only_planned.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/machine/roofs_beside.h"
#include "profiler/machine/roofs_trust.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace app::gui {

namespace {

using profiler::Quantity;
using views::quantity;

/// Above this change of the spin-loop rate the clock of the processor moved while the run went on.
constexpr double kSteadyClock = 0.02;
/// Above this the measurement disturbs what it measures more than the issue of record allows.
constexpr double kSmallCost = 0.01;
/// Above this the steps vary so much that a cost could hide in it.
constexpr double kLoudNoise = 0.05;

HonestyItem cost_item(const profiler::Honesty& h) {
  HonestyItem item;
  item.explanation = QObject::tr(
      "Steps with and without tracing alternate in one run; the cost is the median traced step by "
      "the median untraced step, minus one.");
  const profiler::Honesty::Cost cost = h.cost();
  if (cost.kind == profiler::Honesty::Cost::Kind::unknown) {
    item.text = QObject::tr("profiling cost –");
    item.explanation += QObject::tr(" It was not measured in this run.");
    item.remedy = QObject::tr("Record more steps.");
  } else {
    if (cost.kind == profiler::Honesty::Cost::Kind::within_noise) {
      item.text = QObject::tr("profiling cost within noise, ± %1").arg(quantity(cost.noise, Quantity::percent_of));
      item.explanation +=
          QObject::tr(" Here the figure, %1, is smaller than its noise or below zero: no cost can be seen.")
              .arg(quantity(h.cost_ratio, Quantity::percent_of));
    } else {
      item.text = QObject::tr("profiling cost %1").arg(quantity(cost.ratio, Quantity::percent_of));
      if (cost.noise > 0) item.text += QObject::tr(" ± %1").arg(quantity(cost.noise, Quantity::percent_of));
    }
    const bool costly = cost.kind == profiler::Honesty::Cost::Kind::measured && cost.ratio - cost.noise > kSmallCost;
    item.warn = costly || h.cost_noise_ratio > kLoudNoise;
    if (item.warn && !costly) item.doubt = QObject::tr("profiling cost");
    if (costly) {
      item.remedy = QObject::tr("Use larger ops (a bigger batch), or read times as upper bounds.");
    } else if (item.warn) {
      item.remedy = QObject::tr("The steps vary too much. Close other programs and record more steps.");
    }
  }
  if (!std::isnan(h.cost_bound_ratio))
    item.explanation +=
        QObject::tr(" As a cross-check, ops times the calibrated cost of tracing one op is %1 of a step.")
            .arg(quantity(h.cost_bound_ratio, Quantity::percent_of));
  return item;
}

/// "1 event left out", "0 events dropped"
QString event_words(int64_t count, bool foreign) {
  const QString events = count == 1 ? QObject::tr("1 event") : QObject::tr("%1 events").arg(count);
  return foreign && count > 0 ? QObject::tr("%1 left out").arg(events) : QObject::tr("%1 dropped").arg(events);
}

HonestyItem clock_item(const profiler::Honesty& h) {
  HonestyItem item;
  item.explanation = QObject::tr(
      "A fixed spin loop is timed before and after the run; if its rate changes, the processor's "
      "frequency changed or "
      "there was background load.");
  if (std::isnan(h.clock_drift_ratio)) {
    item.text = QObject::tr("clocks –");
    return item;
  }
  item.warn = std::abs(h.clock_drift_ratio) > kSteadyClock;
  const QString change = quantity(std::abs(h.clock_drift_ratio), Quantity::percent_of);
  item.text = item.warn ? QObject::tr("clocks drifted %1").arg(change) : QObject::tr("clocks steady");
  item.explanation += QObject::tr(" It changed by %1.").arg(change);
  if (item.warn) {
    item.remedy = QObject::tr("Close other programs, let the machine settle and record again.");
    item.doubt = QObject::tr("clock");
  }
  return item;
}

/// Step times whose median is not known; empty text: it is.
HonestyItem steps_item(const profiler::Capture& c) {
  HonestyItem item;
  const profiler::Spread steps = profiler::spread(profiler::timed_steps_ns(c));
  const QString waited = QString::fromStdString(profiler::queued_words(c));
  const bool noisy = profiler::noisy(steps);
  if (!noisy && waited.isEmpty()) return item;
  item.text = noisy ? QObject::tr("step times noisy") : QObject::tr("threads queued");
  item.doubt = QObject::tr("step times");
  QStringList why;
  if (noisy) {
    why << QObject::tr("The median step is between %1 and %2 (95 % interval), and gains of findings are as rough.")
               .arg(quantity(steps.low, Quantity::duration_ns), quantity(steps.high, Quantity::duration_ns));
  }
  if (!waited.isEmpty()) why << waited;
  item.explanation = why.join(QLatin1Char(' '));
  item.remedy = QObject::tr("Close other programs and record again.");
  item.warn = true;
  return item;
}

}  // namespace

std::vector<HonestyItem> honesty_items(const profiler::Capture& c, profiler::Origin bytes) {
  if (profiler::only_planned(c))
    return {{QObject::tr("not run yet: shapes, FLOPs, bytes and memory are exact"),
             QObject::tr("This is the plan of a step. Its graph gives shapes, FLOPs and compulsory bytes, its memory "
                         "plan the bytes of tensors. Nothing was measured."),
             QObject::tr("Run it to measure times.")}};
  std::vector<HonestyItem> items;
  if (!c.run().complete)
    items.push_back({QObject::tr("incomplete run"),
                     QObject::tr("The run ended early: %1. What was recorded until then is here.")
                         .arg(QString::fromStdString(c.run().incomplete_reason)),
                     QObject::tr("Run it again to the end."), true});
  const bool foreign = !c.run().source.empty();
  if (foreign)
    items.push_back({QObject::tr("times of an imported trace"),
                     QObject::tr("%1: times are its own. FLOPs and compulsory bytes are counted from the shapes it "
                                 "recorded, where it recorded them; "
                                 "bytes per memory level are unknown.")
                         .arg(QString::fromStdString(c.run().source)),
                     QString(), false});
  else if (c.time_origin() == profiler::Origin::emulated)
    items.push_back({QObject::tr("times emulated"),
                     QObject::tr("Times are those of an emulated GPU, not of a GPU: rates are unknown. FLOPs and "
                                 "compulsory bytes are counted from shapes (exact)."),
                     QString(), false});
  else
    items.push_back(
        {QObject::tr("times measured, bytes %1").arg(views::origin_text(bytes)),
         QObject::tr("Times are measured per op. FLOPs and compulsory bytes are counted from "
                     "shapes (exact). ") +
             (bytes == profiler::Origin::measured ? QObject::tr("Bytes per memory level were counted by the hardware.")
              : bytes == profiler::Origin::simulated
                  ? QObject::tr("Bytes per memory level come from a simulation of each op's loops "
                                "on this machine's caches.")
                  : QObject::tr("Bytes per memory level come from a model of the caches. --collect "
                                "simulate "
                                "simulates them; --collect perf counts them where the system allows it.")),
         QString(), false});
  if (c.machine().probed() && c.rates_known()) {
    const QString weakness = QString::fromStdString(profiler::roofs_weakness(c.machine()));
    HonestyItem roofs{
        QObject::tr("roofs measured"),
        QObject::tr("Peak arithmetic and bandwidths were measured on this machine at %1.")
            .arg(QString::fromStdString(c.machine().probed_at).left(16).replace(QLatin1Char('T'), QLatin1Char(' '))),
        QString(), !weakness.isEmpty()};
    if (roofs.warn) {
      roofs.text = QObject::tr("low-confidence roofs");
      roofs.explanation += QLatin1Char(' ') + weakness;
    }
    const profiler::BesideState beside = profiler::roofs_beside(c.machine());
    if (beside == profiler::BesideState::held) {
      roofs.explanation +=
          QObject::tr(" DRAM's bandwidth was measured again before and after the run, and had not moved.");
    } else if (beside != profiler::BesideState::unmeasured) {
      if (!roofs.warn)
        roofs.text = beside == profiler::BesideState::moved ? QObject::tr("DRAM's roof moved")
                                                            : QObject::tr("DRAM's roof unsteady");
      roofs.warn = true;
      roofs.explanation += QLatin1Char(' ') + QString::fromStdString(profiler::roofs_beside_words(c.machine()));
    }
    if (roofs.warn) roofs.doubt = QObject::tr("roofs");
    items.push_back(std::move(roofs));
  } else if (foreign && profiler::no_roofs_words(c).empty()) {
    items.push_back(
        {QObject::tr("roofs specified"),
         QObject::tr("An imported trace does not hold the roofs of its GPU. Peaks and bandwidth are those of "
                     "its data sheet."),
         QString(), false});
  } else if (foreign) {
    items.push_back({QObject::tr("roofs unknown"),
                     QObject::tr("An imported trace does not hold the roofs of its machine; figures that need them are "
                                 "unknown."),
                     QString(), false});
  } else if (!c.rates_known()) {
    items.push_back({QObject::tr("no roofs"), QString::fromStdString(profiler::no_roofs_words(c)), QString(), false});
  } else if (c.device().vendor != engine::Vendor::none) {
    items.push_back({QObject::tr("roofs specified"),
                     QObject::tr("Peaks and bandwidth of the GPU are those of its data sheet."), QString(), false});
  } else if (const std::string_view kind = profiler::unprobed_kind(c); !kind.empty()) {
    items.push_back({QObject::tr("roofs unknown"),
                     QObject::tr("Roofs of %1 are not measured; figures that need them are unknown.")
                         .arg(QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size()))),
                     QString(), false});
  } else {
    items.push_back({QObject::tr("roofs unknown"),
                     QObject::tr("This machine was not probed before the run: roofs, cache sizes "
                                 "and everything computed from them are unknown."),
                     QObject::tr("Choose “Tools > Measure the roofs”, then record again."), true});
  }
  if (HonestyItem steps = steps_item(c); steps.warn) items.push_back(std::move(steps));
  if (const std::string load = profiler::background_load_words(c.honesty().foreign_load_ratio);
      !load.empty() && !foreign)
    items.push_back({QObject::tr("message"), QString::fromStdString(load), QString(), false, true});
  HonestyItem cost = cost_item(c.honesty());
  if (foreign && c.honesty().cost().kind == profiler::Honesty::Cost::Kind::unknown) {
    cost.explanation = QObject::tr("An imported trace does not hold the cost of recording it.");
    cost.remedy.clear();
  }
  items.push_back(std::move(cost));
  const auto dropped = c.honesty().dropped_records;
  items.push_back({event_words(dropped, foreign),
                   foreign ? QObject::tr("Events of the trace of kinds that are not shown, or that could not be read; "
                                         "see the messages.")
                           : QObject::tr("Records that did not fit into the buffers and are missing here."),
                   !foreign && dropped > 0 ? QObject::tr("Record fewer steps.") : QString(), dropped > 0});
  items.push_back(clock_item(c.honesty()));
  for (const auto& note : c.honesty().notes)
    items.push_back({QObject::tr("message"), QString::fromStdString(note), QString(), false, true});
  for (HonestyItem& item : items) {
    item.explanation = views::quoted_commands(item.explanation);
    item.remedy = views::quoted_commands(item.remedy);
  }
  return items;
}

HonestyStrip::HonestyStrip(views::Document& document, QWidget* parent)
    : QPushButton(parent), document_(document), theme_(&views::Theme::light()) {
  setFlat(true);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  setToolTip(tr("How these numbers were obtained and how far to trust them. Click for the explanation."));
  connect(this, &QPushButton::clicked, this, &HonestyStrip::explain);
  connect(&document, &views::Document::replaced, this, &HonestyStrip::rebuild);
  rebuild();
}

void HonestyStrip::set_theme(const views::Theme& theme) {
  theme_ = &theme;
  update();
}

void HonestyStrip::rebuild() {
  items_ = document_.loaded() ? honesty_items(document_.capture(), profiler::best_origin_of_step(document_.analyzed()))
                              : std::vector<HonestyItem>{};
  setEnabled(document_.loaded());
  setAccessibleName(line());
  update();
}

std::vector<HonestyStrip::Part> HonestyStrip::parts() const {
  std::vector<Part> out;
  QStringList doubts;
  for (const auto& item : items_) {
    if (!item.doubt.isEmpty()) doubts << item.doubt;
    else if (!item.message) out.push_back({item.text, item.warn});
  }
  if (!doubts.isEmpty())
    out.insert(out.begin(), {tr("low confidence: %1").arg(doubts.join(QStringLiteral(", "))), true});
  return out;
}

QString HonestyStrip::line() const {
  QStringList texts;
  for (const Part& part : parts()) texts << part.text;
  const auto messages = std::ranges::count_if(items_, [](const auto& item) { return item.message; });
  if (messages > 0) texts << (messages == 1 ? tr("1 message") : tr("%1 messages").arg(messages));
  return texts.isEmpty() ? tr("No capture") : texts.join(QStringLiteral("  ·  "));
}

QSize HonestyStrip::sizeHint() const {
  return {fontMetrics().horizontalAdvance(line()) + 2 * views::kGrid, fontMetrics().height() + views::kGrid};
}
QSize HonestyStrip::minimumSizeHint() const { return {80, fontMetrics().height() + views::kGrid}; }

void HonestyStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QFontMetrics metrics(font());
  qreal x = views::kGrid;
  const auto put = [&](const QString& text, const QColor& color) {
    const QRectF room(x, 0, width() - x, height());
    if (room.width() > 8) views::draw_text(painter, room, Qt::AlignLeft | Qt::AlignVCenter, text, color);
    x += metrics.horizontalAdvance(text);
  };
  bool first = true;
  for (const Part& part : parts()) {
    if (!first) put(QStringLiteral("  ·  "), theme_->text_secondary);
    first = false;
    put(part.warn ? QStringLiteral("⚠ ") + part.text : part.text, part.warn ? theme_->warning : theme_->text_secondary);
  }
  const auto messages = std::ranges::count_if(items_, [](const auto& item) { return item.message; });
  if (messages > 0)
    put(QStringLiteral("  ·  ") + (messages == 1 ? tr("1 message") : tr("%1 messages").arg(messages)), theme_->accent);
  if (items_.empty()) put(line(), theme_->text_secondary);
  if (hasFocus()) {
    painter.setPen(theme_->accent);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void HonestyStrip::explain() {
  if (items_.empty()) return;
  QString html;
  for (const auto& item : items_) {
    html += QStringLiteral("<p><b>%1%2</b><br>%3")
                .arg(item.warn ? QStringLiteral("⚠ ") : QString(), item.text.toHtmlEscaped(),
                     item.explanation.toHtmlEscaped());
    if (!item.remedy.isEmpty())
      html += QStringLiteral("<br><i>%1 %2</i>").arg(tr("What helps:"), item.remedy.toHtmlEscaped());
    html += QStringLiteral("</p>");
  }
  auto* dialog = new QDialog(window());
  dialog->setObjectName(QStringLiteral("honesty"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Where these numbers come from"));
  dialog->resize(560, 420);
  auto* text = new QTextBrowser(dialog);
  text->setHtml(html);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  auto* column = new QVBoxLayout(dialog);
  column->addWidget(text);
  column->addWidget(buttons);
  dialog->show();
}

}  // namespace app::gui
