// SPDX-License-Identifier: GPL-3.0-or-later
// Fills the tables of colours, and their legend.
#include "views/timeline/timeline_colors.h"

#include <QObject>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "views/base/phase.h"
#include "views/timeline/timeline_text.h"

namespace views {

namespace {

// After Paul Tol, "Colour schemes" (SRON/EPS/TN/09-002), schemes muted and light; those too pale or too dark for the
// surface are shifted until they keep 3:1.
constexpr std::array<QRgb, kHueCount> kLightHues{0xff332288, 0xffCC6677, 0xff117733, 0xff9E8A2A, 0xff882255,
                                                 0xff3F8FB5, 0xff2F8A7B, 0xffAA4499, 0xff7A6A58},
    kDarkHues{0xff77AADD, 0xffEE8866, 0xff44BB99, 0xffEEDD88, 0xffFFAABB,
              0xff99DDFF, 0xffBBCC33, 0xffC79BE0, 0xffAAAA00};
// Far below the roof to close to it.
constexpr std::array<QRgb, 5> kLightRoof{0xff8C2D04, 0xffC2570C, 0xff8F7000, 0xff2E8066, 0xff1B5E9E},
    kDarkRoof{0xffFF8A65, 0xffF0A93A, 0xffD8D04A, 0xff5CCBA0, 0xff6FB7F2};
constexpr size_t kMostEntries = 8;

/// The same in every run of the program: captures are compared side by side.
size_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return static_cast<size_t>(hash ^ hash >> 32);
}

QString words(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

/// In the middle of fifths: 0.83 -> 4.
size_t fifth(double share) { return static_cast<size_t>(std::clamp(share * 5, 0.0, 4.0)); }

}  // namespace

QString colors_title(TimelineColors colors) {
  switch (colors) {
    case TimelineColors::phase: return QObject::tr("Colour: phase");
    case TimelineColors::verdict: return QObject::tr("Colour: verdict");
    case TimelineColors::roofline: return QObject::tr("Colour: roofline");
    case TimelineColors::name: return QObject::tr("Colour: name");
    case TimelineColors::category: return QObject::tr("Colour: category");
    case TimelineColors::stream: return QObject::tr("Colour: stream");
  }
  return {};
}

QString colors_help(TimelineColors colors) {
  switch (colors) {
    case TimelineColors::phase: return QObject::tr("Phase of the op: forward, backward or update.");
    case TimelineColors::verdict: return QObject::tr("What limits the op.");
    case TimelineColors::roofline:
      return QObject::tr("Share of the roof that limits the op: low shares can gain most.");
    case TimelineColors::name: return QObject::tr("Bars of one name have one colour.");
    case TimelineColors::category: return QObject::tr("Type of the op: conv2d, matmul.");
    case TimelineColors::stream: return QObject::tr("Thread, stream or copy engine the bar ran on.");
  }
  return {};
}

TimelineColors first_colors(const profiler::Capture& capture) {
  const auto& ops = capture.ops();
  const bool any = std::ranges::any_of(ops, [&](const auto& op) { return phase_known(capture, op.phase); });
  return any || capture.run().source.empty() ? TimelineColors::phase : TimelineColors::name;
}

QColor hue(const Theme& theme, size_t index) {
  return QColor::fromRgb((theme.kind == ThemeKind::dark ? kDarkHues : kLightHues)[index % kHueCount]);
}

TimelinePalette::TimelinePalette(const profiler::Analyzed& analyzed, const TimelineModel& model, const Theme& theme,
                                 TimelineColors colors)
    : colors_(colors), theme_(&theme) {
  switch (colors) {
    case TimelineColors::phase: color_phases(*analyzed.capture, theme); break;
    case TimelineColors::verdict: color_verdicts(analyzed, theme); break;
    case TimelineColors::roofline: color_roofline(analyzed, theme); break;
    case TimelineColors::category: color_categories(analyzed, theme); break;
    case TimelineColors::stream: color_streams(model, theme); break;
    case TimelineColors::name:
      of_label_.reserve(model.labels.size());
      for (const std::string& label : model.labels) of_label_.push_back(hue(theme, hash_of(label)).rgb());
      break;
  }
}

void TimelinePalette::color_phases(const profiler::Capture& capture, const Theme& theme) {
  std::set<engine::Phase> present;
  for (const auto& op : capture.ops()) {
    of_op_.push_back(phase_colour(theme, capture, op.phase).rgb());
    if (!op.view) present.insert(op.phase);
  }
  for (const engine::Phase phase : present)
    legend_.push_back({phase_colour(theme, capture, phase), phase_words(capture, phase)});
  // Kernels of other tools' traces may belong to no op.
  const bool told = std::ranges::any_of(legend_, [&](const Entry& e) { return e.color == theme.unknown_phase; });
  if (!told && !capture.run().source.empty() && !capture.gpu().kernels.empty())
    legend_.push_back({theme.unknown_phase, QObject::tr("phase unknown")});
}

void TimelinePalette::color_verdicts(const profiler::Analyzed& analyzed, const Theme& theme) {
  std::set<profiler::Bound> present;
  for (const auto& op : analyzed.capture->ops()) {
    const auto bound = op.id < analyzed.verdicts.size() ? analyzed.verdicts[op.id].bound : profiler::Bound::unknown;
    of_op_.push_back(theme.bound(bound).rgb());
    if (!op.view) present.insert(bound);
  }
  for (const auto bound : present) legend_.push_back({theme.bound(bound), bound_title(bound)});
}

void TimelinePalette::color_roofline(const profiler::Analyzed& analyzed, const Theme& theme) {
  const auto& ramp = theme.kind == ThemeKind::dark ? kDarkRoof : kLightRoof;
  const QColor unknown = theme.bound(profiler::Bound::unknown);
  std::array<bool, 5> present{};
  bool any_unknown = false;
  for (const auto& op : analyzed.capture->ops()) {
    const double share = op.id < analyzed.verdicts.size() ? analyzed.verdicts[op.id].utilisation : std::nan("");
    const bool known = std::isfinite(share) && share > 0;
    of_op_.push_back(known ? ramp[fifth(share)] : unknown.rgb());
    if (op.view) continue;
    if (known) present[fifth(share)] = true;
    else any_unknown = true;
  }
  for (size_t i = 0; i < ramp.size(); ++i)
    if (present[i])
      legend_.push_back({QColor::fromRgb(ramp[i]), QObject::tr("%1 to %2 %").arg(20 * i).arg(20 * i + 20)});
  if (any_unknown) legend_.push_back({unknown, QObject::tr("share unknown")});
}

/// Types by their time in a step, so that those that matter have colours of their own.
void TimelinePalette::color_categories(const profiler::Analyzed& analyzed, const Theme& theme) {
  const auto& capture = *analyzed.capture;
  std::map<profiler::NameId, double> time;
  for (const auto& op : capture.ops()) {
    if (op.view) continue;  // runs nothing
    const double ns = op.id < analyzed.times.size() ? analyzed.times[op.id].ns.median : 0;
    time[op.type] += std::isfinite(ns) ? ns : 0;
  }
  std::vector<profiler::NameId> types;
  for (const auto& [type, ns] : time) types.push_back(type);
  std::ranges::stable_sort(types, [&](auto a, auto b) { return time[a] > time[b]; });
  std::map<profiler::NameId, QRgb> color;
  for (size_t i = 0; i < types.size(); ++i) {
    color[types[i]] = hue(theme, i < kHueCount ? i : hash_of(capture.name(types[i]))).rgb();
    if (i < kMostEntries) legend_.push_back({QColor::fromRgb(color[types[i]]), words(capture.name(types[i]))});
  }
  for (const auto& op : capture.ops()) of_op_.push_back(color[op.type]);
}

void TimelinePalette::color_streams(const TimelineModel& model, const Theme& theme) {
  const auto& tracks = model.capture->tracks();
  of_track_.assign(tracks.size(), theme.text_secondary.rgb());
  std::set<profiler::TrackId> seen;
  for (const TimelineLane& lane : model.lanes) {
    const bool own_color =
        lane.kind == LaneKind::step || lane.kind == LaneKind::idle || lane.kind == LaneKind::overhead;
    if (own_color || !seen.insert(lane.track).second) continue;
    const QColor color = hue(theme, seen.size() - 1);
    of_track_[lane.track] = color.rgb();
    if (seen.size() <= kMostEntries) legend_.push_back({color, words(tracks[lane.track].name)});
  }
}

/// Whether a lane's bars are coloured by their op: of kernels by that they were launched for.
bool TimelinePalette::by_op(LaneKind kind) const {
  if (of_op_.empty()) return false;
  if (kind == LaneKind::kernel || kind == LaneKind::op) return true;
  return colors_ == TimelineColors::phase && (kind == LaneKind::phase || kind == LaneKind::layer);
}

bool TimelinePalette::needs_op(const TimelineLane& lane) const { return by_op(lane.kind); }

bool TimelinePalette::needs_label(const TimelineLane& lane) const {
  return !of_label_.empty() && lane.kind != LaneKind::step && lane.kind != LaneKind::idle &&
         lane.kind != LaneKind::overhead;
}

QColor TimelinePalette::fill(const TimelineLane& lane, const Span& span) const {
  const Theme& theme = *theme_;
  if (needs_label(lane) && span.label < of_label_.size()) return QColor::fromRgb(of_label_[span.label]);
  if (by_op(lane.kind) && span.op < of_op_.size()) {
    const QRgb own = of_op_[span.op];
    return QColor::fromRgb(lane.kind == LaneKind::layer ? mixed(theme.surface.rgb(), own, 0.45) : own);
  }
  switch (lane.kind) {
    case LaneKind::step: return theme.grid;
    case LaneKind::overhead: return theme.warning;
    case LaneKind::idle: return theme.border;
    default: break;
  }
  if (lane.track < of_track_.size()) return QColor::fromRgb(of_track_[lane.track]);
  switch (lane.kind) {
    case LaneKind::synchronization: return theme.bound(profiler::Bound::overhead);
    case LaneKind::copy: return theme.role(engine::Role::input);
    case LaneKind::kernel:  // nothing says what it was launched for
      return colors_ == TimelineColors::phase ? theme.unknown_phase : theme.bound(profiler::Bound::unknown);
    case LaneKind::phase:
    case LaneKind::layer: return QColor::fromRgb(mixed(theme.surface.rgb(), theme.text_secondary.rgb(), 0.45));
    default: return theme.text_secondary;
  }
}

}  // namespace views
