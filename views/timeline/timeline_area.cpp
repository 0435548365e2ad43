// SPDX-License-Identifier: GPL-3.0-or-later
// Input, scrolling and selection of the timeline; what is changed goes to its edits, where keys lead is in its walk.
#include "views/timeline/timeline_area.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "profiler/report/report.h"
#include "views/base/paint.h"
#include "views/base/view_settings.h"
#include "views/timeline/timeline_accessible.h"
#include "views/timeline/timeline_walk.h"

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
constexpr double kNearPixels = 8;
constexpr size_t kNameInWords = 80;  // characters of a name in a sentence
const QString kNamesWidthKey = QStringLiteral("timeline/names_width");
constexpr double kSeenPixels = 24,
                 kFoundPixels = 96;  // narrower than the first, a span that was found is made as wide as the second
}  // namespace

TimelineArea::TimelineArea(Document& document, QWidget* parent)
    : QAbstractScrollArea(parent), document_(document), edits_(new TimelineEdits(this)) {
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
  wanted_names_ = std::clamp(view_settings().value(kNamesWidthKey, 0).toInt(), 0, 10000);
  connect(&document_.selection(), &Selection::changed, this, &TimelineArea::follow_selection);
  connect(edits_, &TimelineEdits::replaced, this, &TimelineArea::update_geometry);
  connect(edits_, &TimelineEdits::changed, this, &TimelineArea::update_geometry);
}

void TimelineArea::set_model(const TimelineModel* model) {
  scene_.model = model;
  edits_->set_model(model);
  texts_.clear();
  scene_.texts = &texts_;
  scene_.analyzed = model != nullptr ? &document_.analyzed() : nullptr;
  update_palette();
  update_names();
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
  update_palette();
  update_names();
  update_geometry();
}

void TimelineArea::set_message(const QString& message) {
  message_ = message;
  viewport()->update();
}

void TimelineArea::set_colors(TimelineColors colors) {
  colors_ = colors;
  update_palette();
}

void TimelineArea::update_palette() {
  scene_.palette = scene_.model == nullptr ? TimelinePalette()
                                           : TimelinePalette(*scene_.analyzed, *scene_.model, *scene_.theme, colors_);
  viewport()->update();
}

void TimelineArea::update_names() {
  natural_names_ = 0;
  if (scene_.model == nullptr) return;
  const QFontMetrics metrics(scene_.font);
  const auto take = [&](const std::string& title) {
    natural_names_ = std::max(natural_names_, metrics.horizontalAdvance(text_of(title)) + 2 * kGrid + 1);
  };
  for (const TimelineLane& lane : scene_.model->lanes) take(lane.title);
  for (const TimelineCounter& counter : scene_.model->counters) take(counter.title);
}

int TimelineArea::names_width_at(int width) const {
  return names_width(width, QFontMetrics(scene_.font).height(), natural_names_, wanted_names_);
}

void TimelineArea::set_names_width(int width) {
  wanted_names_ = width;
  update_geometry();
}

void TimelineArea::fit_names() {
  set_names_width(natural_names_);
  view_settings().setValue(kNamesWidthKey, wanted_names_);
}

Span TimelineArea::span(const TimelineHit& h) const {
  return scene_.model->lanes[static_cast<size_t>(h.lane)].lane.span(h.span);
}

void TimelineArea::update_geometry() {
  if (scene_.model != nullptr)
    scene_.geometry =
        layout_timeline(*scene_.model, viewport()->width(), viewport()->height(), QFontMetrics(scene_.font).height(),
                        edits_->notes().rows, names_width_at(viewport()->width()));
  scene_.rows = edits_->notes().rows;
  scene_.notes = edits_->notes().marks;
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
  set_window(zoomed(scene_.window, time_of_interest(), factor, *scene_.model));
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
    if (row.kind == TimelineRow::Kind::lane && row.index == h.lane) show_row(row);
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

void TimelineArea::zoom_to(const TimelineHit& h) {
  const Span s = span(h);
  set_window(fitted(s.begin_ns, s.end_ns, 0.05, *scene_.model));
}

void TimelineArea::go_to(const TimelineHit& h) {
  const Span s = span(h);
  set_window(revealing(scene_.window, s.begin_ns, s.end_ns, *scene_.model));
  show_row(h);
  select(h);
}

void TimelineArea::go_to_found(const TimelineHit& h) {
  edits_->unfold(scene_.model->lanes[static_cast<size_t>(h.lane)].group);
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
    if (const auto first = first_bar(*scene_.model, scene_.geometry, scene_.window, scene_.row_cursor)) go_to(*first);
  } else if (const auto next = bar_beside(*scene_.model, *scene_.current, direction)) {
    go_to(*next);
  }
}

void TimelineArea::go_up_down(int direction) {
  if (scene_.model == nullptr || !scene_.current) return;
  if (const auto next = bar_above(*scene_.model, scene_.geometry, *scene_.current, direction)) go_to(*next);
}

void TimelineArea::show_row(const TimelineRow& row) {
  if (row.pinned) return;
  auto* bar = verticalScrollBar();
  const int room = viewport()->height() - scene_.geometry.scroll_top();
  if (row.y < bar->value()) bar->setValue(row.y);
  if (row.y + row.height > bar->value() + room) bar->setValue(row.y + row.height - room);
}

void TimelineArea::go_to_row(int direction) {
  if (scene_.model == nullptr) return;
  const int index = row_beside(*scene_.model, scene_.geometry, row_of_interest(), direction);
  if (index < 0) return;
  const TimelineRow row = scene_.geometry.rows[static_cast<size_t>(index)];
  scene_.row_cursor = row_key(*scene_.model, row);
  show_row(row);
  viewport()->update();
  if (QAccessible::isActive()) {
    QAccessibleEvent event(this, QAccessible::Focus);
    event.setChild(index);
    QAccessible::updateAccessibility(&event);
  }
}

void TimelineArea::extend_range(int direction) {
  if (scene_.model == nullptr) return;
  if (!scene_.current) return go_sideways(direction);
  const TimelineHit from = range_from_.value_or(*scene_.current);
  const auto next = bar_beside(*scene_.model, {from.lane, range_from_ ? range_to_ : from.span}, direction);
  if (!next) return;
  const Lane& lane = scene_.model->lanes[static_cast<size_t>(from.lane)].lane;
  const size_t first = std::min(from.span, next->span), last = std::max(from.span, next->span);
  set_window(revealing(scene_.window, lane.begin_ns(next->span), lane.end_ns(next->span), *scene_.model));
  document_.selection().select_range({lane.begin_ns(first), lane.end_ns(last)});
  range_from_ = from;
  range_to_ = next->span;
  emit range_dragged();
}

const TimelineRow* TimelineArea::row_at(double y) const {
  const TimelineGeometry& g = scene_.geometry;
  for (const TimelineRow& row : g.rows) {
    const int top = g.row_y(row, scene_.scroll_y);
    if (y >= (row.pinned ? g.top() : g.scroll_top()) && y >= top && y < top + row.height) return &row;
  }
  return nullptr;
}

std::string TimelineArea::row_of_interest() const {
  if (scene_.model == nullptr) return {};
  if (!scene_.row_cursor.empty()) return scene_.row_cursor;
  if (pointer_) {
    if (const TimelineRow* row = row_at(pointer_->y())) return row_key(*scene_.model, *row);
  }
  return scene_.current ? scene_.model->lanes[static_cast<size_t>(scene_.current->lane)].key : std::string();
}

int64_t TimelineArea::time_of_interest() const {
  const bool inside = pointer_ && pointer_->x() > scene_.geometry.header_width;
  return inside ? scene_.geometry.time(pointer_->x(), scene_.window)
                : scene_.window.begin_ns + scene_.window.span_ns() / 2;
}

TimeRange TimelineArea::mark_place() const {
  if (scene_.range) return *scene_.range;
  if (scene_.current) {
    const Span s = span(*scene_.current);
    return {s.begin_ns, s.end_ns};
  }
  return {time_of_interest(), time_of_interest()};
}

int TimelineArea::mark_at(int64_t at_ns) const {
  const double near = kNearPixels * scene_.geometry.ns_per_px(scene_.window);
  return edits_->mark_at(at_ns, static_cast<int64_t>(near));
}

void TimelineArea::go_to_mark(int direction) {
  const auto at = edits_->mark_beside(scene_.window, direction);
  if (at) set_window({*at - scene_.window.span_ns() / 2, *at - scene_.window.span_ns() / 2 + scene_.window.span_ns()});
}

QString TimelineArea::current_text() const {
  if (scene_.model == nullptr || !scene_.current) return {};
  const Span s = span(*scene_.current);
  return tr("%1, %2, %3 after the start")
      .arg(QString::fromStdString(profiler::short_name(scene_.model->labels[s.label], kNameInWords)),
           quantity(static_cast<double>(s.end_ns - s.begin_ns), profiler::Quantity::duration_ns),
           quantity(static_cast<double>(s.begin_ns - scene_.model->begin_ns), profiler::Quantity::duration_ns));
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
      set_current(nearest_run(*scene_.model, scene_.window, *state.op));
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
                                   QFontMetrics(scene_.font).height(), edits_->notes().rows,
                                   names_width_at(static_cast<int>(rect.width())));
  scene.palette = TimelinePalette(*scene_.analyzed, *scene_.model, theme, colors_);
  painter.save();
  painter.translate(rect.topLeft());
  TimelinePainter(painter, scene).paint();
  painter.restore();
}

int TimelineArea::full_height(int width) const {
  if (scene_.model == nullptr) return 0;
  const TimelineGeometry g =
      layout_timeline(*scene_.model, width, 1, QFontMetrics(scene_.font).height(), edits_->notes().rows);
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

void TimelineArea::apply(const TimelineGesture::Effect& effect) {
  if (effect.window) set_window(*effect.window);
  if (effect.names_width) set_names_width(*effect.names_width);
  if (!effect.range) return;
  scene_.range = effect.range;
  viewport()->update();
}

void TimelineArea::mousePressEvent(QMouseEvent* e) {
  if (scene_.model == nullptr) return;
  apply(gesture_.press(e->position(), e->button(), e->modifiers(), preset_, *scene_.model, scene_.geometry,
                       scene_.window));
}

void TimelineArea::mouseMoveEvent(QMouseEvent* e) {
  pointer_ = e->position();
  if (!std::exchange(scene_.row_cursor, {}).empty()) viewport()->update();
  if (scene_.model == nullptr) return;
  apply(gesture_.move(e->position(), *scene_.model, scene_.geometry, scene_.window));
  if (gesture_.kind() != TimelineGesture::Kind::none) return;
  viewport()->setCursor(on_names_edge(scene_.geometry, e->position()) ? Qt::SplitHCursor : Qt::ArrowCursor);
  const auto h = hit(e->position());
  if (h == scene_.hover) return;
  scene_.hover = h;
  viewport()->update();
}

void TimelineArea::mouseReleaseEvent(QMouseEvent* e) {
  const auto gesture = gesture_.release();
  if (gesture == TimelineGesture::Kind::names) view_settings().setValue(kNamesWidthKey, wanted_names_);
  if (scene_.model == nullptr) return;
  if (gesture == TimelineGesture::Kind::range && scene_.range) {
    set_current({});  // the range is what was chosen last: F fits it
    document_.selection().select_range(*scene_.range);
    emit range_dragged();
  } else if (gesture == TimelineGesture::Kind::pressed) {
    const TimelineRow* row = row_at(e->position().y());
    if (row != nullptr && row->kind == TimelineRow::Kind::group) {
      edits_->toggle_fold(row_key(*scene_.model, *row));
    } else if (const auto h = hit(e->position())) {
      select(*h);
    } else if (!document_.selection().state().empty()) {
      document_.selection().clear();
    }
  }
}

void TimelineArea::mouseDoubleClickEvent(QMouseEvent* e) {
  if (scene_.model == nullptr) return;
  if (on_names_edge(scene_.geometry, e->position())) return fit_names();
  if (const auto h = hit(e->position())) {
    select(*h);
    zoom_to(*h);
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
    QToolTip::showText(help->globalPos(), span_tip(document_.analyzed(), *scene_.model, *h), viewport());
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
