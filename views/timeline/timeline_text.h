// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the timeline's painter share: colours mixed, names shortened, and the names' layouts kept from
// frame to frame.
#pragma once

#include <QColor>
#include <QFontMetrics>
#include <QStaticText>
#include <QString>
#include <QStringList>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "views/timeline/timeline_layout.h"

namespace views {

inline constexpr int kTextInset = 4;

QRgb mixed(QRgb a, QRgb b, double weight_of_b);
QColor readable_on(const QColor& fill);
QString text_of(const std::string&);

/// The name of a row in `room` pixels. Where it does not fit its end goes ("ops of thread 25738…"), but what tells it
/// from `others` stays ("ops of thr… (2)").
QString fitted_title(const QString& title, const QStringList& others, const QFontMetrics&, double room);
/// What a row or chart is called.
const std::string& title_of(const TimelineModel&, const TimelineRow&);

/// A path shortened from the front, where it says least: "layer1.0.conv2/conv2d", "conv2/conv2d", "conv2d", "conv…".
/// Empty: what would be left says nothing.
QString shortened(const QString& path, const QFontMetrics&, double room);

/// What a row is, and where a chart's roof comes from: a tooltip (rich text); of a group: empty.
QString row_tip(const TimelineModel&, const TimelineRow&);

/// What a bar is, when it ran and for how long; of an op its kernel, work and verdict: a tooltip (rich text).
QString span_tip(const profiler::Analyzed&, const TimelineModel&, const TimelineHit&);

/// Labels laid out once: shaping text costs more than all else of a frame with hundreds of names. For one font.
class TimelineTexts {
 public:
  /// The label `id` as it fits into `room` pixels; null: nothing of it does.
  const QStaticText* fitted(uint32_t id, const std::string& label, const QFont&, const QFontMetrics&, double room);
  /// The name of a row that is no group; see fitted_title().
  const QString& row_title(const TimelineModel&, const TimelineRow&, const QFontMetrics&, int room);
  /// Another model or font.
  void clear();

 private:
  struct Whole {
    QString text;
    double width = 0;
  };
  std::unordered_map<uint32_t, Whole> whole_;
  std::unordered_map<uint64_t, QStaticText> fitted_;  // by label and room in steps of 4 pixels
  std::map<std::pair<TimelineRow::Kind, int>, QString> titles_;
  int title_room_ = 0;
};

}  // namespace views
