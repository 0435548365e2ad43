// SPDX-License-Identifier: GPL-3.0-or-later
// Shortens and keeps names.
#include "views/timeline/timeline_text.h"

#include <QTransform>
#include <algorithm>
#include <cmath>
#include <optional>

#include "views/base/paint.h"

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
             chart.unknown_reason.empty() ? text_of(chart.roof_help) : text_of(chart.unknown_reason)}
      .html();
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
    kept->second.setText(all_of_it ? whole->second.text : shortened(whole->second.text, metrics, step * kRoomStep));
    kept->second.prepare({}, font);
  }
  return kept->second.text().isEmpty() ? nullptr : &kept->second;
}

void TimelineTexts::clear() {
  whole_.clear();
  fitted_.clear();
}

}  // namespace views
