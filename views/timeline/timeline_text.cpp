// SPDX-License-Identifier: GPL-3.0-or-later
// Shortens and keeps names.
#include "views/timeline/timeline_text.h"

#include <QObject>
#include <QTransform>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/report/report.h"
#include "views/base/paint.h"
#include "views/base/phase.h"
#include "views/base/plain_text.h"

namespace views {

namespace {

constexpr size_t kMostKept = 20000;
constexpr double kRoomStep = 4;

}  // namespace

QRgb mixed(QRgb a, QRgb b, double weight_of_b) {
  const auto channel = [&](int shift) {
    const int x = static_cast<int>(a >> shift) & 255, y = static_cast<int>(b >> shift) & 255;
    return static_cast<QRgb>(std::lround(x + (y - x) * weight_of_b)) & 255u;
  };
  return 0xff000000u | channel(16) << 16 | channel(8) << 8 | channel(0);
}

QColor readable_on(const QColor& fill) { return label_on(fill); }

QString text_of(const std::string& s) { return QString::fromStdString(s); }

QString shortened(const QString& path, const QFontMetrics& metrics, double room) {
  // No letter is narrower than two pixels: what certainly does not fit is not measured (kernel names have hundreds of
  // letters).
  const auto most = static_cast<qsizetype>(room / 2) + 1;
  const auto fits = [&](QStringView text) {
    return text.size() <= most && metrics.horizontalAdvance(text.toString()) <= room;
  };
  QStringView rest(path);
  while (!fits(rest)) {
    const auto at =
        std::find_if(rest.begin(), rest.end(), [](QChar c) { return c == QLatin1Char('.') || c == QLatin1Char('/'); });
    if (at == rest.end())
      return metrics.elidedText(rest.left(most + 1).toString(), Qt::ElideRight, static_cast<int>(room));
    rest = rest.mid(at - rest.begin() + 1);
  }
  // "0" of "layer1.0" alone says nothing.
  const bool says_something =
      rest.size() == path.size() || std::any_of(rest.begin(), rest.end(), [](QChar c) { return c.isLetter(); });
  return says_something ? rest.toString() : QString();
}

QString fitted_title(const QString& title, const QStringList& others, const QFontMetrics& metrics, double room) {
  constexpr double kMostOfTail = 0.6;
  if (metrics.horizontalAdvance(title) <= room) return title;
  const QString plain = metrics.elidedText(title, Qt::ElideRight, static_cast<int>(room));
  // Where the others go on otherwise, behind what the plain way would leave.
  std::set<qsizetype> ways;
  for (const QString& other : others) {
    qsizetype same = 0;
    while (same < title.size() && same < other.size() && title[same] == other[same]) ++same;
    if (same + 1 >= plain.size() && same < title.size()) ways.insert(same);
  }
  QString tail;
  for (qsizetype from : ways) {
    while (from > 0 && !title[from].isSpace() && !title[from - 1].isSpace()) --from;  // whole words
    tail = title.mid(from).trimmed();
    if (metrics.horizontalAdvance(tail) <= kMostOfTail * room) break;
  }
  if (tail.isEmpty()) return plain;
  tail = metrics.elidedText(QLatin1Char(' ') + tail, Qt::ElideRight, static_cast<int>(kMostOfTail * room));
  const double head = room - metrics.horizontalAdvance(tail);
  return metrics.elidedText(title, Qt::ElideRight, static_cast<int>(head)) + tail;
}

const std::string& title_of(const TimelineModel& model, const TimelineRow& row) {
  const auto i = static_cast<size_t>(row.index);
  return row.kind == TimelineRow::Kind::counter ? model.counters[i].title : model.lanes[i].title;
}

QString row_tip(const TimelineModel& model, const TimelineRow& row) {
  if (row.kind == TimelineRow::Kind::group) return {};
  const auto i = static_cast<size_t>(row.index);
  if (row.kind == TimelineRow::Kind::lane)
    return Tip{text_of(model.lanes[i].title), {}, text_of(model.lanes[i].help), {}, {}, {}}.html();
  const TimelineCounter& chart = model.counters[i];
  return Tip{text_of(chart.title),
             {},
             text_of(chart.help),
             {},
             chart.unknown_reason.empty() ? std::optional(chart.origin) : std::nullopt,
             chart.unknown_reason.empty() ? text_of(chart.roof_help) : quoted_commands(chart.unknown_reason)}
      .html();
}

QString span_tip(const profiler::Analyzed& analyzed, const TimelineModel& model, const TimelineHit& h) {
  using profiler::Quantity;
  const TimelineLane& lane = model.lanes[static_cast<size_t>(h.lane)];
  const Span s = lane.lane.span(h.span);
  Tip tip;
  tip.title = QString::fromStdString(model.labels[s.label]);
  tip.value = QObject::tr("%1, %2 after the start")
                  .arg(quantity(static_cast<double>(s.end_ns - s.begin_ns), Quantity::duration_ns),
                       quantity(static_cast<double>(s.begin_ns - model.begin_ns), Quantity::duration_ns));
  tip.definition = QString::fromStdString(lane.help);
  tip.origin = analyzed.capture->time_origin();
  if (lane.kind == LaneKind::idle)
    tip.definition = QObject::tr("Nothing ran here; the cause as far as the trace holds it");
  if (lane.kind == LaneKind::op && s.op < analyzed.capture->ops().size()) {
    const auto& op = analyzed.capture->ops()[s.op];
    tip.definition = QObject::tr("step %1, %2, kernel %3")
                         .arg(s.step)
                         .arg(phase_words(*analyzed.capture, op.phase),
                              QString::fromStdString(std::string(analyzed.capture->name(op.kernel))));
    const double ns = static_cast<double>(s.end_ns - s.begin_ns);
    if (op.flops > 0 && ns > 0 && analyzed.capture->rates_known())
      tip.note = QObject::tr("%1 in this run: %2")
                     .arg(quantity(op.flops, Quantity::flops), quantity(op.flops / ns * 1e9, Quantity::flop_per_s));
    if (s.op < analyzed.verdicts.size())
      tip.note += (tip.note.isEmpty() ? QString() : QStringLiteral(" · ")) +
                  QString::fromStdString(profiler::headline(analyzed.verdicts[s.op]));
  }
  return tip.html();
}

const QStaticText* TimelineTexts::fitted(uint32_t id, const std::string& label, const QFont& font,
                                         const QFontMetrics& metrics, double room) {
  if (fitted_.size() > kMostKept) clear();
  const auto [whole, is_new] = whole_.try_emplace(id);
  if (is_new) {
    whole->second.text = text_of(label);
    whole->second.width = metrics.horizontalAdvance(whole->second.text);
  }
  const double step = std::floor(std::min(room, std::ceil(whole->second.width / kRoomStep) * kRoomStep) / kRoomStep);
  const bool all_of_it = whole->second.width <= room;
  const uint64_t key = uint64_t{id} << 32 | static_cast<uint32_t>(step) << 1 | (all_of_it ? 1u : 0u);
  const auto [kept, is_first] = fitted_.try_emplace(key);
  if (is_first) {
    kept->second.setTextFormat(Qt::PlainText);
    const auto shorter = [&] { return text_of(profiler::without_signature(label)); };
    kept->second.setText(all_of_it ? whole->second.text : shortened(shorter(), metrics, step * kRoomStep));
    kept->second.prepare({}, font);
  }
  return kept->second.text().isEmpty() ? nullptr : &kept->second;
}

const QString& TimelineTexts::row_title(const TimelineModel& model, const TimelineRow& row, const QFontMetrics& metrics,
                                        int room) {
  if (std::exchange(title_room_, room) != room) titles_.clear();
  const auto [kept, is_first] = titles_.try_emplace(std::pair(row.kind, row.index));
  if (!is_first) return kept->second;
  const QString title = text_of(title_of(model, row));
  QStringList others;
  if (metrics.horizontalAdvance(title) > room) {
    const bool chart = row.kind == TimelineRow::Kind::counter;
    const auto own = static_cast<size_t>(row.index);
    for (size_t i = 0; i < (chart ? model.counters.size() : model.lanes.size()); ++i) {
      if (i == own || (!chart && model.lanes[i].group != model.lanes[own].group)) continue;
      others << text_of(chart ? model.counters[i].title : model.lanes[i].title);
    }
  }
  return kept->second = fitted_title(title, others, metrics, room);
}

void TimelineTexts::clear() {
  whole_.clear();
  fitted_.clear();
  titles_.clear();
}

}  // namespace views
