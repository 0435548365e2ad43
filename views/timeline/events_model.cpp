// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts by numbers alone: names by their place in the alphabet.
#include "views/timeline/events_model.h"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <utility>

#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace views {

namespace {

using profiler::ActivityKind;
using profiler::Capture;

QString words(std::string_view s) { return displayed(QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size()))); }

/// Of an op its own name, else the event's: as the bars of the timeline have it.
profiler::NameId label_of(const Capture& c, uint32_t event) {
  const auto& a = c.activities();
  if (a.kind[event] == ActivityKind::op && a.op[event] < c.ops().size()) return c.ops()[a.op[event]].name;
  return a.name[event];
}

}  // namespace

std::vector<uint32_t> events_in(const Capture& c, std::optional<TimeRange> range, const std::vector<bool>& wanted,
                                size_t most, size_t& count) {
  const auto& a = c.activities();
  const auto first_at = [&](int64_t t) {
    const auto rows = std::views::iota(size_t{0}, a.size());
    return static_cast<size_t>(*std::ranges::partition_point(rows, [&](size_t i) { return a.start_ns[i] < t; }));
  };
  const size_t first = range ? first_at(range->begin_ns) : 0, last = range ? first_at(range->end_ns) : a.size();
  std::vector<uint32_t> rows;
  count = 0;
  for (size_t i = first; i < last; ++i) {
    const auto row = static_cast<uint32_t>(i);
    if (a.kind[i] == ActivityKind::step) continue;
    if (!wanted.empty()) {
      const profiler::NameId label = label_of(c, row);
      if (label >= wanted.size() || !wanted[label]) continue;
    }
    if (++count <= most) rows.push_back(row);
  }
  return rows;
}

void EventsModel::set_events(std::shared_ptr<const Capture> capture, std::vector<uint32_t> rows) {
  beginResetModel();
  if (capture != capture_) rank_.clear();
  capture_ = std::move(capture);
  rows_ = std::move(rows);
  put_in_order();
  endResetModel();
}

std::optional<int> EventsModel::place_of(uint32_t event) const {
  const auto at = std::find(rows_.begin(), rows_.end(), event);
  return at == rows_.end() ? std::nullopt : std::optional(static_cast<int>(at - rows_.begin()));
}

int EventsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int EventsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

void EventsModel::rank_names() {
  const auto& names = capture_->names();
  std::vector<uint32_t> by_name(names.size());
  std::iota(by_name.begin(), by_name.end(), 0u);
  std::ranges::sort(by_name, {}, [&](uint32_t id) -> const std::string& { return names[id]; });
  rank_.resize(names.size());
  for (uint32_t place = 0; place < by_name.size(); ++place) rank_[by_name[place]] = place;
}

int64_t EventsModel::key(int column, uint32_t event) const {
  const auto& a = capture_->activities();
  switch (column) {
    case duration: return a.duration_ns[event];
    case name: return rank_[label_of(*capture_, event)];
    case kind: return static_cast<int64_t>(a.kind[event]);
    case where: return a.track[event];
    case step: return a.step[event];
    case op: {
      const profiler::OpId id = a.op[event];
      return id < capture_->ops().size() ? int64_t{rank_[capture_->ops()[id].name]} : int64_t{profiler::kNoOp} + 1;
    }
    default: return event;  // rows of captures are in the order of their start
  }
}

void EventsModel::put_in_order() {
  if (capture_ == nullptr) return;
  if ((column_ == name || column_ == op) && rank_.empty()) rank_names();
  std::vector<std::pair<int64_t, uint32_t>> keys;
  keys.reserve(rows_.size());
  for (const uint32_t row : rows_) keys.emplace_back(key(column_, row), row);
  const bool up = order_ == Qt::AscendingOrder;
  std::ranges::sort(keys, [up](const auto& x, const auto& y) {
    if (x.first != y.first) return up ? x.first < y.first : x.first > y.first;
    return x.second < y.second;
  });
  for (size_t i = 0; i < keys.size(); ++i) rows_[i] = keys[i].second;
}

void EventsModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= column_count) return;
  beginResetModel();
  column_ = column;
  order_ = order;
  put_in_order();
  endResetModel();
}

QString EventsModel::text(int column, uint32_t event) const {
  const Capture& c = *capture_;
  const auto& a = c.activities();
  const auto time = [](int64_t ns) { return quantity(static_cast<double>(ns), profiler::Quantity::duration_ns); };
  const QString unknown = QStringLiteral("–");
  switch (column) {
    case start: return time(a.start_ns[event] - c.begin_ns());
    case duration: return time(a.duration_ns[event]);
    case name: return words(c.name(label_of(c, event)));
    case kind: return words(profiler::name(a.kind[event]));
    case where: {
      const profiler::Track& track = c.tracks()[a.track[event]];
      return words(track.group.empty() ? track.name : track.name + ", " + track.group);
    }
    case step: return a.step[event] == profiler::kNoStep ? unknown : QString::number(a.step[event]);
    case op: return a.op[event] < c.ops().size() ? words(c.name(c.ops()[a.op[event]].name)) : unknown;
    default: return {};
  }
}

QVariant EventsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || capture_ == nullptr) return {};
  const int column = index.column();
  if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole) return text(column, event(index.row()));
  if (role == Qt::ToolTipRole) return plain_tip(text(column, event(index.row())));
  if (role == Qt::TextAlignmentRole) {
    const bool number = column == start || column == duration || column == step;
    return QVariant(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
  }
  return {};
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const std::pair<QString, QString> heads[] = {{tr("Start"), tr("Since the start of the capture.")},
                                               {tr("Duration"), tr("From its begin to its end on its track.")},
                                               {tr("Name"), tr("As the bar in the timeline is called.")},
                                               {tr("Kind"), tr("Op, kernel, copy, API call, wait or range.")},
                                               {tr("Track"), tr("The thread, stream or copy engine it ran on.")},
                                               {tr("Step"), tr("Which step of the run it belongs to.")},
                                               {tr("Op"), tr("The op it was launched for.")}};
  if (section < 0 || section >= column_count) return {};
  if (role == Qt::DisplayRole) return heads[section].first;
  if (role == Qt::ToolTipRole) return heads[section].second + QLatin1Char(' ') + tr("Click to sort.");
  return {};
}

}  // namespace views
