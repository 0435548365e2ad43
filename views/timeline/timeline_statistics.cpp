// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline says of the selected range: the line below it, the panel, and the table of its ops.
#include <QAction>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <cmath>

#include "profiler/analysis/base/time_origin.h"
#include "views/base/paint.h"
#include "views/base/phase.h"
#include "views/base/plain_text.h"
#include "views/base/range_statistics.h"
#include "views/base/view_settings.h"
#include "views/timeline/range_panel.h"
#include "views/timeline/timeline_area.h"
#include "views/timeline/timeline_view.h"

namespace views {

namespace {

/// The user closed the panel: a drag does not open it again.
const QString kPanelKey = QStringLiteral("timeline/panel_with_range");

/// A name without its path, kept short for one line of statistics.
QString short_name(const profiler::Capture& capture, profiler::OpId op) {
  const QString name = QString::fromStdString(std::string(capture.name(capture.ops()[op].name)));
  return name.size() <= 40 ? name : QStringLiteral("…") + name.right(39);
}

QString percent(double part, double whole) {
  return whole > 0 ? quantity(part / whole, profiler::Quantity::percent_of) : QStringLiteral("–");
}

}  // namespace

/// What was just opened comes into sight: a view that is higher than its room is scrolled.
void TimelineView::bring_into_sight(QWidget* part) {
  auto* room = parentWidget() != nullptr ? qobject_cast<QScrollArea*>(parentWidget()->parentWidget()) : nullptr;
  if (room == nullptr || !part->isVisible()) return;
  const auto show = [room, part] { room->ensureWidgetVisible(part, 0, 0); };
  QTimer::singleShot(0, part, show);
  // the view may become higher for it, and only then can be scrolled so far
  connect(room->verticalScrollBar(), &QScrollBar::rangeChanged, part, show,
          static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
}

void TimelineView::show_panel(bool shown) {
  panel_->setVisible(shown);
  bring_into_sight(panel_);
  // closing it while a range is selected says that ranges shall not open it
  if (document().selection().state().range) view_settings().setValue(kPanelKey, shown);
}

/// A drag asks for figures; clicks that select the span of a bar do not.
void TimelineView::open_panel() {
  if (view_settings().value(kPanelKey, true).toBool())
    findChild<QAction*>(QStringLiteral("timeline.details"))->setChecked(true);
}

/// Durations are shown of what the current bar is.
void TimelineView::update_subject() {
  const auto& current = area_->current();
  if (model_ == nullptr || !current) return;
  const Lane& lane = model_->lanes[static_cast<size_t>(current->lane)].lane;
  const uint32_t row = lane.row(current->span);
  if (row == kNoRow) return;  // derived: steps, phases, gaps
  panel_->set_subject(DurationSubject{model_->capture->activities().kind[row], lane.label(current->span)});
}

void TimelineView::update_statistics() {
  if (model_ == nullptr) {
    statistics_->setText({});
    return;
  }
  const SelectionState& state = document().selection().state();
  const auto& range = state.range;
  panel_->set_range(range);
  if (!range && area_->current()) {
    statistics_->setText(QStringLiteral("<b>%1</b>").arg(area_->current_text().toHtmlEscaped()));
    return;
  }
  if (!range) {
    statistics_->setText(
        QStringLiteral("<span style='color:%1'>%2</span>")
            .arg(theme_->text_secondary.name(), tr("%1 · right-click for more").arg(preset_help(saved_preset()))));
    return;
  }
  QStringList parts{
      tr("<b>%1</b> selected")
          .arg(quantity(static_cast<double>(range->end_ns - range->begin_ns), profiler::Quantity::duration_ns))};
  parts << op_statistics(state);
  if (const RangeDetails* details = panel_->details()) {
    if (const std::string gpus = gpu_sentence(*details); !gpus.empty())
      parts << QString::fromStdString(gpus).toHtmlEscaped();
  }
  statistics_->setText(parts.join(QStringLiteral(" · ")));
}

/// Of the ops in the range; empty where a capture has none (a trace of GPU work alone).
QStringList TimelineView::op_statistics(const SelectionState& state) const {
  if (model_->op_lane < 0) return {};
  using profiler::Quantity;
  const RangeStatistics s = range_statistics(document().analyzed(), state.range->begin_ns, state.range->end_ns, 3);
  const auto ns = [](int64_t t) { return quantity(static_cast<double>(t), Quantity::duration_ns); };
  QStringList parts;
  parts << tr("ops busy %1 (%2)")
               .arg(ns(s.busy_ns), percent(static_cast<double>(s.busy_ns), static_cast<double>(s.range_ns)));
  if (s.idle_in_steps_ns > 0) parts << tr("between ops %1").arg(ns(s.idle_in_steps_ns));
  if (s.idle_untraced_ns > 0) parts << tr("in untraced steps %1").arg(ns(s.idle_untraced_ns));
  if (s.idle_between_ns > 0) parts << tr("between steps %1").arg(ns(s.idle_between_ns));
  parts << tr("%n op(s)", nullptr, static_cast<int>(s.op_count))
               .replace(QStringLiteral("(s)"), s.op_count == 1 ? QString() : QStringLiteral("s"));
  if (std::isfinite(s.flops)) parts << quantity(s.flops, Quantity::flops);
  if (std::isfinite(s.dram_bytes))
    parts << tr("DRAM %1 (%2)").arg(quantity(s.dram_bytes, Quantity::bytes), origin_text(s.dram_origin));
  QStringList top;
  for (const auto& t : s.top)
    top << tr("%1 %2").arg(short_name(document().capture(), t.op).toHtmlEscaped(), ns(t.time_ns));
  if (!top.isEmpty()) parts << tr("most in: %1").arg(top.join(QStringLiteral(", ")));
  return parts;
}

profiler::Table TimelineView::data() const {
  using profiler::Cell;
  using profiler::Origin;
  using profiler::Quantity;
  profiler::Table table;
  table.name = "timeline";
  table.columns = {{"op", "Op", Quantity::text, Origin::exact, "Name of the op"},
                   {"type", "Type", Quantity::text, Origin::exact, "Kind of op"},
                   {"layer", "Layer", Quantity::text, Origin::exact, "Layer that wrote it"},
                   {"phase", "Phase", Quantity::text, Origin::exact, "forward, backward or update"},
                   {"step", "Step", Quantity::count, Origin::exact, "Which step of the run"},
                   {"start_ns", "Start", Quantity::duration_ns, Origin::measured, "Since the start of the capture"},
                   {"duration_ns", "Time", Quantity::duration_ns, Origin::measured, "How long it took on its track"},
                   {"verdict", "Verdict", Quantity::text, Origin::modelled, "What limits it"}};
  if (model_ == nullptr) return table;
  const auto& capture = document().capture();
  const auto& range = document().selection().state().range;
  const int64_t begin = range ? range->begin_ns : area_->window_ns().begin_ns,
                end = range ? range->end_ns : area_->window_ns().end_ns;
  for (const auto& lane : model_->lanes) {
    if (lane.kind != LaneKind::op) continue;
    const size_t last = lane.lane.first_beginning_at(end);
    for (size_t i = lane.lane.first_ending_after(begin); i < last; ++i) {
      const Span s = lane.lane.span(i);
      if (s.op >= capture.ops().size()) continue;
      const auto& op = capture.ops()[s.op];
      const auto text = [&](profiler::NameId id) { return Cell(std::string(capture.name(id))); };
      table.rows.push_back({text(op.name), text(op.type), text(op.layer),
                            Cell(phase_words(capture, op.phase).toStdString()),
                            s.step == profiler::kNoStep ? Cell() : Cell(double(s.step)),
                            Cell(double(s.begin_ns - model_->begin_ns)), Cell(double(s.end_ns - s.begin_ns)),
                            Cell(std::string(profiler::name(document().analyzed().verdicts[s.op].bound)))});
      table.row_ops.push_back(s.op);
    }
  }
  return profiler::with_time_origin(std::move(table), capture);
}

}  // namespace views
