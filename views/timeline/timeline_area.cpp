// SPDX-License-Identifier: GPL-3.0-or-later
// Input, scrolling and selection of the timeline.
#include "views/timeline/timeline_area.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "profiler/analysis/verdict/verdict_text.h"
#include "views/base/paint.h"
#include "views/base/phase.h"
#include "views/timeline/timeline_accessible.h"

namespace views {

namespace {

/// Whether ops belong to a layer of that path.
bool is_layer(const profiler::Capture& capture, std::string_view path) {
  return std::ranges::any_of(capture.ops(), [&](const auto& op) {
    const auto at = capture.name(op.layer);
    return at.starts_with(path) && (at.size() == path.size() || at[path.size()] == '.');
  });
}

constexpr int kBarSteps = 1000000;  // the horizontal bar is a quantised mirror of the window
constexpr double kDragPixels = 4;
constexpr double kSeenPixels = 24,
                 kFoundPixels = 96;  // narrower than the first, a span that was found is made as wide as the second
}  // namespace

TimelineArea::TimelineArea(Document& document, QWidget* parent) : QAbstractScrollArea(parent), document_(document) {
  install_timeline_accessibility();  // before the name is set: naming makes the interface that is kept
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  viewport()->setMouseTracking(true);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  setAccessibleName(tr("Timeline"));
  setAccessibleDescription(tr("Bars over time. Left and right go from bar to bar, up and down between rows."));
  scene_.theme = &Theme::light();
  scene_.font = data_font();
  connect(&document_.selection(), &Selection::changed, this, &TimelineArea::follow_selection);
}

void TimelineArea::set_model(const TimelineModel* model) {
  scene_.model = model;
  texts_.clear();
  scene_.texts = &texts_;
  scene_.analyzed = model != nullptr ? &document_.analyzed() : nullptr;
  set_current({});
  scene_.hover.reset();
  scene_.marks = {};
  scene_.matches = nullptr;
  scene_.range.reset();
  if (model != nullptr) scene_.window = first_window(document_.capture(), *model);
  update_geometry();
  follow_selection();
  emit window_changed();
}

void TimelineArea::set_theme(const Theme& theme) {
  scene_.theme = &theme;
  scene_.font = data_font();
  texts_.clear();
  update_geometry();
}

void TimelineArea::set_message(const QString& message) {
  message_ = message;
  viewport()->update();
}

void TimelineArea::set_colors(TimelineColors colors) {
  scene_.colors = colors;
  viewport()->update();
}

Span TimelineArea::span(const TimelineHit& h) const {
  return scene_.model->lanes[static_cast<size_t>(h.lane)].lane.span(h.span);
}

void TimelineArea::update_geometry() {
  if (scene_.model != nullptr)
    scene_.geometry = layout_timeline(*scene_.model, viewport()->width(), viewport()->height(),
                                      QFontMetrics(scene_.font).height(), notes_.rows);
  scene_.rows = notes_.rows;
  scene_.notes = notes_.marks;
  update_bars();
  viewport()->update();
}

void TimelineArea::update_bars() {
  if (scene_.model == nullptr) return;
  syncing_ = true;
  const TimelineWindow whole = whole_window(*scene_.model);
  const double unit = static_cast<double>(whole.span_ns()) / kBarSteps;
  auto* h = horizontalScrollBar();
  h->setPageStep(std::max(1, static_cast<int>(static_cast<double>(scene_.window.span_ns()) / unit)));
  h->setSingleStep(std::max(1, h->pageStep() / 20));
  h->setRange(0, std::max(0, kBarSteps - h->pageStep()));
  h->setValue(static_cast<int>(static_cast<double>(scene_.window.begin_ns - whole.begin_ns) / unit));
  auto* v = verticalScrollBar();
  const int room = std::max(1, viewport()->height() - scene_.geometry.scroll_top());
  v->setPageStep(room);
  v->setSingleStep(20);
  v->setRange(0, std::max(0, scene_.geometry.content_height - room));
  scene_.scroll_y = v->value();
  syncing_ = false;
}

void TimelineArea::set_window(const TimelineWindow& wanted) {
  if (scene_.model == nullptr) return;
  const TimelineWindow w = clamp_window(wanted, *scene_.model);
  if (w == scene_.window) return;
  scene_.window = w;
  update_bars();
  viewport()->update();
  emit window_changed();
}

void TimelineArea::zoom(double factor) {
  if (scene_.model == nullptr) return;
  const bool inside = pointer_ && pointer_->x() > scene_.geometry.header_width;
  const int64_t at = inside ? scene_.geometry.time(pointer_->x(), scene_.window)
                            : scene_.window.begin_ns + scene_.window.span_ns() / 2;
  set_window(zoomed(scene_.window, at, factor, *scene_.model));
}

void TimelineArea::pan(double share) {
  const auto by = static_cast<int64_t>(share * static_cast<double>(scene_.window.span_ns()));
  set_window({scene_.window.begin_ns + by, scene_.window.end_ns + by});
}

void TimelineArea::fit_all() {
  if (scene_.model != nullptr) set_window(whole_window(*scene_.model));
}

void TimelineArea::fit_selection() {
  if (scene_.model == nullptr) return;
  if (scene_.current && !range_from_) {
    const Span s = span(*scene_.current);
    set_window(fitted(s.begin_ns, s.end_ns, 0.5, *scene_.model));
  } else if (scene_.range) {
    set_window(fitted(scene_.range->begin_ns, scene_.range->end_ns, 0.02, *scene_.model));
  } else {
    fit_all();
  }
}

void TimelineArea::select(const TimelineHit& h) {
  set_current(h);
  const Span s = span(h);
  const TimelineLane& lane = scene_.model->lanes[static_cast<size_t>(h.lane)];
  Selection& selection = document_.selection();
  const uint32_t row = lane.lane.row(h.span);
  const auto op = s.op < document_.capture().ops().size() ? std::optional(s.op) : std::nullopt;
  const QString label = QString::fromStdString(scene_.model->labels[s.label]);
  if (lane.kind == LaneKind::layer && (row == kNoRow || is_layer(document_.capture(), scene_.model->labels[s.label]))) {
    if (row == kNoRow) selection.select_layer(label);
    else selection.select_activity(row, {}, label);
  } else if (row != kNoRow) {
    selection.select_activity(row, lane.kind == LaneKind::layer ? std::nullopt : op);
  } else {  // derived: a step, a phase, a gap
    selection.select_range({s.begin_ns, s.end_ns}, label);
  }
  viewport()->update();
}

/// Scrolls so that the row of a span is in sight.
void TimelineArea::show_row(const TimelineHit& h) {
  for (const TimelineRow& row : scene_.geometry.rows) {
    if (row.kind != TimelineRow::Kind::lane || row.index != h.lane || row.pinned) continue;
    auto* bar = verticalScrollBar();
    const int room = viewport()->height() - scene_.geometry.scroll_top();
    if (row.y < bar->value()) bar->setValue(row.y);
    if (row.y + row.height > bar->value() + room) bar->setValue(row.y + row.height - room);
  }
}

void TimelineArea::set_matches(const TimelineMatches* matches) {
  scene_.matches = matches;
  viewport()->update();
}

void TimelineArea::set_current(std::optional<TimelineHit> hit) {
  scene_.current = hit;
  scene_.row_cursor.clear();
  range_from_.reset();
  scene_.links.clear();
  if (hit) scene_.links = links_of(*scene_.model, *hit);
  emit current_changed();
  if (QAccessible::isActive()) {
    QAccessibleValueChangeEvent event(this, current_text());
    QAccessible::updateAccessibility(&event);
  }
}

void TimelineArea::go_to(const TimelineHit& h) {
  const Span s = span(h);
  set_window(revealing(scene_.window, s.begin_ns, s.end_ns, *scene_.model));
  show_row(h);
  select(h);
}

void TimelineArea::go_to_found(const TimelineHit& h) {
  const std::string& group = scene_.model->lanes[static_cast<size_t>(h.lane)].group;
  if (notes_.rows.folded.contains(group)) {
    TimelineArrangement rows = notes_.rows;
    rows.folded.erase(group);
    change_rows(std::move(rows), tr("unfold the group"));
  }
  const Span s = span(h);
  const auto length = static_cast<double>(s.end_ns - s.begin_ns),
             plot = static_cast<double>(scene_.geometry.plot_width());
  const double px = length / scene_.geometry.ns_per_px(scene_.window);
  const bool inside = s.begin_ns >= scene_.window.begin_ns && s.end_ns <= scene_.window.end_ns;
  if (px < kSeenPixels) {
    set_window(fitted(s.begin_ns, s.end_ns, (plot / kFoundPixels - 1) / 2, *scene_.model));
  } else if (px > plot) {
    set_window(fitted(s.begin_ns, s.end_ns, 0.05, *scene_.model));
  } else if (!inside) {
    const int64_t half = scene_.window.span_ns() / 2, middle = s.begin_ns + (s.end_ns - s.begin_ns) / 2;
    set_window({middle - half, middle - half + scene_.window.span_ns()});
  }
  show_row(h);
  select(h);
}

void TimelineArea::go_sideways(int direction) {
  if (scene_.model == nullptr) return;
  const bool elsewhere = !scene_.row_cursor.empty() && scene_.current &&
                         scene_.row_cursor != scene_.model->lanes[static_cast<size_t>(scene_.current->lane)].key;
  if (!scene_.current || elsewhere) {
    if (const auto first = first_bar()) go_to(*first);
    return;
  }
  TimelineHit next = *scene_.current;
  const size_t count = scene_.model->lanes[static_cast<size_t>(next.lane)].lane.size();
  if (direction < 0 ? next.span == 0 : next.span + 1 >= count) return;
  next.span = direction < 0 ? next.span - 1 : next.span + 1;
  go_to(next);
}

void TimelineArea::go_up_down(int direction) {
  if (scene_.model == nullptr || !scene_.current) return;
  const Span from = span(*scene_.current);
  std::vector<int> lanes;  // as they are shown
  for (const TimelineRow& row : scene_.geometry.rows)
    if (row.kind == TimelineRow::Kind::lane) lanes.push_back(row.index);
  const auto here = std::find(lanes.begin(), lanes.end(), scene_.current->lane);
  if (here == lanes.end()) return;
  for (auto at = here - lanes.begin() + direction; at >= 0 && at < std::ssize(lanes); at += direction) {
    const int lane = lanes[static_cast<size_t>(at)];
    const Lane& target = scene_.model->lanes[static_cast<size_t>(lane)].lane;
    const size_t i = target.first_ending_after(from.begin_ns);
    if (i < target.size() && target.begin_ns(i) < from.end_ns) {
      go_to({lane, i});
      return;
    }
  }
}

std::optional<TimelineHit> TimelineArea::nearest_of(profiler::OpId op) const {
  const int64_t middle = scene_.window.begin_ns + scene_.window.span_ns() / 2;
  std::optional<TimelineHit> best;
  int64_t distance = 0;
  const auto& a = document_.capture().activities();
  if (op >= document_.capture().ops().size()) return best;
  for (const uint32_t row : document_.capture().activities_of(op)) {
    const int64_t begin = a.start_ns[row];
    const int64_t d = std::abs(begin + a.duration_ns[row] / 2 - middle);
    if (best && d >= distance) continue;
    for (size_t l = 0; l < scene_.model->lanes.size(); ++l) {
      const TimelineLane& lane = scene_.model->lanes[l];
      if (lane.kind != LaneKind::op) continue;
      const size_t at = lane.lane.first_beginning_at(begin);
      if (at >= lane.lane.size() || lane.lane.begin_ns(at) != begin || lane.lane.op(at) != op) continue;
      best = TimelineHit{static_cast<int>(l), at};
      distance = d;
      break;
    }
  }
  return best;
}

void TimelineArea::follow_selection() {
  if (scene_.model == nullptr) return;
  const SelectionState& state = document_.selection().state();
  scene_.marks = op_marks(document_.capture(), state);
  scene_.range = state.range;
  if (state.activity) {
    const bool is_current = scene_.current && scene_.model->lanes[static_cast<size_t>(scene_.current->lane)].lane.row(
                                                  scene_.current->span) == *state.activity;
    if (!is_current) {
      set_current(span_of_row(*scene_.model, *state.activity));
      if (scene_.current) {
        const Span s = span(*scene_.current);
        set_window(revealing(scene_.window, s.begin_ns, s.end_ns, *scene_.model));
        show_row(*scene_.current);
      }
    }
  } else if (state.op) {
    const bool is_current = scene_.current && span(*scene_.current).op == *state.op &&
                            scene_.model->lanes[static_cast<size_t>(scene_.current->lane)].kind == LaneKind::op;
    if (!is_current) {
      set_current(nearest_of(*state.op));
      if (scene_.current) {
        const Span s = span(*scene_.current);
        set_window(revealing(scene_.window, s.begin_ns, s.end_ns, *scene_.model));
      }
    }
  } else if (state.empty() || state.tensor) {
    set_current({});
  }
  viewport()->update();
}

std::optional<TimelineHit> TimelineArea::hit(const QPointF& p) const {
  if (scene_.model == nullptr || p.y() < scene_.geometry.top()) return {};
  const TimelineRow* row = row_at(p.y());
  TimelineHit h;
  if (row == nullptr || row->kind != TimelineRow::Kind::lane ||
      !span_at(*scene_.model, scene_.geometry, scene_.window, row->index, p.x(), h))
    return {};
  return h;
}

QRectF TimelineArea::span_rect(const TimelineHit& h) const {
  const Span s = span(h);
  for (const TimelineRow& row : scene_.geometry.rows)
    if (row.kind == TimelineRow::Kind::lane && row.index == h.lane) {
      const double x0 = scene_.geometry.x(s.begin_ns, scene_.window), x1 = scene_.geometry.x(s.end_ns, scene_.window);
      return {x0, static_cast<double>(scene_.geometry.row_y(row, scene_.scroll_y)), x1 - x0,
              static_cast<double>(row.height)};
    }
  return {};
}

QString TimelineArea::tooltip(const TimelineHit& h) const {
  using profiler::Quantity;
  const Span s = span(h);
  const TimelineLane& lane = scene_.model->lanes[static_cast<size_t>(h.lane)];
  Tip tip;
  tip.title = QString::fromStdString(scene_.model->labels[s.label]);
  tip.value = tr("%1, %2 after the start")
                  .arg(quantity(static_cast<double>(s.end_ns - s.begin_ns), Quantity::duration_ns),
                       quantity(static_cast<double>(s.begin_ns - scene_.model->begin_ns), Quantity::duration_ns));
  tip.definition = QString::fromStdString(lane.help);
  tip.origin = document_.capture().time_origin();
  if (lane.kind == LaneKind::idle) tip.definition = tr("Nothing ran here; the cause as far as the trace holds it");
  const auto& analyzed = document_.analyzed();
  if (lane.kind == LaneKind::op && s.op < analyzed.capture->ops().size()) {
    const auto& op = analyzed.capture->ops()[s.op];
    tip.definition = tr("step %1, %2, kernel %3")
                         .arg(s.step)
                         .arg(phase_words(*analyzed.capture, op.phase),
                              QString::fromStdString(std::string(analyzed.capture->name(op.kernel))));
    const double ns = static_cast<double>(s.end_ns - s.begin_ns);
    if (op.flops > 0 && ns > 0 && analyzed.capture->rates_known())
      tip.note = tr("%1 in this run: %2")
                     .arg(quantity(op.flops, Quantity::flops), quantity(op.flops / ns * 1e9, Quantity::flop_per_s));
    if (s.op < analyzed.verdicts.size())
      tip.note += (tip.note.isEmpty() ? QString() : QStringLiteral(" · ")) +
                  QString::fromStdString(profiler::headline(analyzed.verdicts[s.op]));
  }
  return tip.html();
}

void TimelineArea::render(QPainter& painter, const QRectF& rect, const Theme& theme) {
  if (scene_.model == nullptr) return;
  TimelineScene scene = scene_;
  scene.texts = nullptr;  // another device may lay text out otherwise
  scene.theme = &theme;
  scene.scroll_y = 0;
  scene.hover.reset();
  scene.focused = false;
  scene.row_cursor.clear();
  scene.geometry = layout_timeline(*scene_.model, static_cast<int>(rect.width()), static_cast<int>(rect.height()),
                                   QFontMetrics(scene_.font).height(), notes_.rows);
  painter.save();
  painter.translate(rect.topLeft());
  TimelinePainter(painter, scene).paint();
  painter.restore();
}

int TimelineArea::full_height(int width) const {
  if (scene_.model == nullptr) return 0;
  const TimelineGeometry g = layout_timeline(*scene_.model, width, 1, QFontMetrics(scene_.font).height(), notes_.rows);
  return g.scroll_top() + g.content_height;
}

void TimelineArea::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  if (scene_.model == nullptr) {
    painter.fillRect(viewport()->rect(), scene_.theme->surface);
    if (!message_.isEmpty()) draw_message(painter, viewport()->rect(), *scene_.theme, message_, {});
    return;
  }
  scene_.focused = hasFocus();
  statistics_ = TimelinePainter(painter, scene_).paint();
  emit painted();
}

void TimelineArea::resizeEvent(QResizeEvent* e) {
  QAbstractScrollArea::resizeEvent(e);
  update_geometry();
}

void TimelineArea::scrollContentsBy(int dx, int) {
  if (syncing_ || scene_.model == nullptr) return;
  scene_.scroll_y = verticalScrollBar()->value();
  if (dx != 0) {
    const TimelineWindow whole = whole_window(*scene_.model);
    const double unit = static_cast<double>(whole.span_ns()) / kBarSteps;
    const int64_t begin = whole.begin_ns + static_cast<int64_t>(horizontalScrollBar()->value() * unit);
    set_window({begin, begin + scene_.window.span_ns()});
  }
  viewport()->update();
}

void TimelineArea::wheelEvent(QWheelEvent* e) {
  if (scene_.model == nullptr) return;
  const double notches = e->angleDelta().y() / 120.0, sideways = e->angleDelta().x() / 120.0;
  const bool control = (e->modifiers() & Qt::ControlModifier) != 0;
  const bool zooms = preset_ == TimelinePreset::tracy ? !control : control;
  if (zooms && sideways == 0 && (e->modifiers() & Qt::ShiftModifier) == 0) {
    const int64_t at =
        scene_.geometry.time(std::max<double>(e->position().x(), scene_.geometry.header_width), scene_.window);
    set_window(zoomed(scene_.window, at, std::pow(0.8, notches), *scene_.model));
  } else if ((e->modifiers() & Qt::ShiftModifier) != 0 || sideways != 0) {
    pan(-0.1 * (sideways != 0 ? sideways : notches));
  } else {
    verticalScrollBar()->setValue(verticalScrollBar()->value() - static_cast<int>(notches * 60));
  }
  e->accept();
}

void TimelineArea::mousePressEvent(QMouseEvent* e) {
  if (scene_.model == nullptr) return;
  press_ = e->position();
  press_window_ = scene_.window;
  const bool in_minimap = press_.y() < scene_.geometry.minimap_height && press_.x() >= scene_.geometry.header_width;
  if (e->button() == Qt::LeftButton && in_minimap) {
    drag_ = Drag::minimap;
    drag_minimap(press_.x());
  } else if (e->button() == Qt::MiddleButton || (e->button() == Qt::RightButton && preset_ == TimelinePreset::tracy) ||
             (e->button() == Qt::LeftButton && (e->modifiers() & Qt::ShiftModifier) != 0)) {
    drag_ = Drag::pan;
  } else if (e->button() == Qt::LeftButton) {
    drag_ = Drag::pressed;
  }
}

void TimelineArea::drag_minimap(double x) {
  const TimelineWindow whole = whole_window(*scene_.model);
  const double share = (x - scene_.geometry.header_width) / scene_.geometry.plot_width();
  const int64_t at = whole.begin_ns + static_cast<int64_t>(share * static_cast<double>(whole.span_ns()));
  set_window({at - scene_.window.span_ns() / 2, at - scene_.window.span_ns() / 2 + scene_.window.span_ns()});
}

void TimelineArea::mouseMoveEvent(QMouseEvent* e) {
  pointer_ = e->position();
  if (!std::exchange(scene_.row_cursor, {}).empty()) viewport()->update();
  if (scene_.model == nullptr) return;
  if (drag_ == Drag::pressed && std::abs(e->position().x() - press_.x()) > kDragPixels &&
      press_.x() >= scene_.geometry.header_width)
    drag_ = Drag::range;
  if (drag_ == Drag::minimap) {
    drag_minimap(e->position().x());
  } else if (drag_ == Drag::pan) {
    const auto by = static_cast<int64_t>((press_.x() - e->position().x()) * scene_.geometry.ns_per_px(press_window_));
    set_window({press_window_.begin_ns + by, press_window_.end_ns + by});
  } else if (drag_ == Drag::range) {
    const int64_t a = scene_.geometry.time(press_.x(), scene_.window);
    const int64_t b = scene_.geometry.time(
        std::clamp<double>(e->position().x(), scene_.geometry.header_width, scene_.geometry.width), scene_.window);
    scene_.range = TimeRange{std::min(a, b), std::max(a, b)};
    viewport()->update();
  } else if (drag_ == Drag::none) {
    const auto h = hit(e->position());
    if (h != scene_.hover) {
      scene_.hover = h;
      viewport()->update();
    }
  }
}

void TimelineArea::mouseReleaseEvent(QMouseEvent* e) {
  const Drag drag = std::exchange(drag_, Drag::none);
  if (scene_.model == nullptr) return;
  if (drag == Drag::range && scene_.range) {
    set_current({});  // the range is what was chosen last: F fits it
    document_.selection().select_range(*scene_.range);
    emit range_dragged();
  } else if (drag == Drag::pressed) {
    const TimelineRow* row = row_at(e->position().y());
    if (row != nullptr && row->kind == TimelineRow::Kind::group) {
      toggle_fold();
    } else if (const auto h = hit(e->position())) {
      select(*h);
    } else if (!document_.selection().state().empty()) {
      document_.selection().clear();
    }
  }
}

void TimelineArea::mouseDoubleClickEvent(QMouseEvent* e) {
  if (scene_.model == nullptr) return;
  if (const auto h = hit(e->position())) {
    const Span s = span(*h);
    select(*h);
    set_window(fitted(s.begin_ns, s.end_ns, 0.05, *scene_.model));
  }
}

void TimelineArea::leaveEvent(QEvent*) {
  pointer_.reset();
  if (scene_.hover) {
    scene_.hover.reset();
    viewport()->update();
  }
}

void TimelineArea::focusInEvent(QFocusEvent* e) {
  QAbstractScrollArea::focusInEvent(e);
  viewport()->update();
}

void TimelineArea::focusOutEvent(QFocusEvent* e) {
  QAbstractScrollArea::focusOutEvent(e);
  viewport()->update();
}

bool TimelineArea::viewportEvent(QEvent* e) {
  if (e->type() == QEvent::Leave) leaveEvent(e);
  if (e->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(e);
  const auto* help = static_cast<QHelpEvent*>(e);
  if (const auto h = hit(help->pos())) {
    QToolTip::showText(help->globalPos(), tooltip(*h), viewport());
    return true;
  }
  if (scene_.model != nullptr) {
    const TimelineRow* row = row_at(help->pos().y());
    const QString tip = row != nullptr ? row_tip(*scene_.model, *row) : QString();
    if (!tip.isEmpty()) {
      QToolTip::showText(help->globalPos(), tip, viewport());
      return true;
    }
  }
  QToolTip::hideText();
  return true;
}

}  // namespace views
