// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a flame graph and follows mouse and keys.
#include "views/timeline/flame_view.h"

#include <QFontMetrics>
#include <QPainter>

#include "views/base/paint.h"
#include "views/base/phase.h"
#include "views/widgets/canvas.h"

namespace views {

using profiler::ActivityKind;
using profiler::Quantity;
using profiler::StackNode;

FlameView::FlameView(QWidget* parent) : QScrollArea(parent), canvas_(new Canvas(this)) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setWidget(canvas_);
  setFocusProxy(canvas_);
  canvas_->setAccessibleName(tr("Flame graph: arrow keys move, Enter zooms, Backspace zooms out"));
  canvas_->paint = [this](QPainter& p, const QRectF& r) { paint(p, r); };
  canvas_->tip = [this](QPointF at) {
    const FlameLayout layout = layout_on_screen();
    const FlameBox* box = layout.at(at.x(), at.y());
    return box != nullptr ? tooltip(box->node) : QString();
  };
  canvas_->clickable = [this](QPointF at) { return layout_on_screen().at(at.x(), at.y()) != nullptr; };
  canvas_->key = [this](int key) { return on_key(key); };
  connect(canvas_, &Canvas::pressed, this, [this](QPointF at) {
    const FlameLayout layout = layout_on_screen();
    const FlameBox* box = layout.at(at.x(), at.y());
    if (box == nullptr) return;
    const uint32_t node = box->node;
    set_current(node);
    zoom_to(node);
    if (stacks_[node].op != profiler::kNoOp) emit op_chosen(stacks_[node].op);
  });
}

void FlameView::set_stacks(std::shared_ptr<const profiler::Capture> capture, std::vector<StackNode> stacks) {
  capture_ = std::move(capture);
  stacks_ = std::move(stacks);
  zoomed_ = 0;
  set_current({});
  place_canvas();
}

void FlameView::set_theme(const Theme& theme) {
  theme_ = &theme;
  canvas_->update();
}

void FlameView::set_empty_text(const QString& title, const QString& hint) {
  empty_title_ = title;
  empty_hint_ = hint;
  canvas_->update();
}

void FlameView::zoom_to(uint32_t node) {
  zoomed_ = node < stacks_.size() ? node : 0;
  place_canvas();
}

double FlameView::row_height() const { return QFontMetrics(data_font()).height() + 5; }

FlameLayout FlameView::layout_on_screen() const {
  return layout_flame(stacks_, zoomed_, canvas_->width(), row_height());
}

void FlameView::place_canvas() {
  const double width = viewport()->width();
  const double needed = layout_flame(stacks_, zoomed_, width, row_height()).height;
  canvas_->resize(static_cast<int>(width), std::max(viewport()->height(), static_cast<int>(needed) + 1));
  canvas_->update();
}

void FlameView::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  place_canvas();
}

QColor FlameView::fill_of(const StackNode& n) const {
  if (n.op < capture_->ops().size()) return phase_colour(*theme_, *capture_, capture_->ops()[n.op].phase);
  if (n.count == 0) return theme_->grid;
  switch (n.kind) {
    case ActivityKind::kernel: return theme_->bound(profiler::Bound::unknown);
    case ActivityKind::copy:
    case ActivityKind::memset: return theme_->role(engine::Role::input);
    case ActivityKind::synchronization: return theme_->bound(profiler::Bound::overhead);
    case ActivityKind::overhead: return theme_->warning;
    default: return theme_->selection;
  }
}

QString FlameView::tooltip(uint32_t node) const {
  const StackNode& n = stacks_[node];
  const auto time = [](int64_t ns) { return quantity(static_cast<double>(ns), Quantity::duration_ns); };
  const auto share = [&](const StackNode& whole) {
    return quantity(static_cast<double>(n.total_ns) / static_cast<double>(whole.total_ns), Quantity::percent_of);
  };
  Tip tip;
  tip.title = node == 0 ? tr("Everything in the range") : QString::fromStdString(n.name);
  tip.value = time(n.total_ns);
  if (node != 0 && stacks_[0].total_ns > 0) tip.value += tr(" · %1 of all").arg(share(stacks_[0]));
  if (node != 0 && n.parent != 0 && stacks_[n.parent].total_ns > 0)
    tip.value += tr(" · %1 of %2").arg(share(stacks_[n.parent]), QString::fromStdString(stacks_[n.parent].name));
  tip.definition = tr("Time of all equal stacks inside the range; %1 of it in itself, the rest in what it holds.")
                       .arg(time(n.self_ns));
  if (n.count > 0)
    tip.definition += QLatin1Char(' ') + (n.count == 1 ? tr("It ran once.") : tr("It ran %L1 times.").arg(n.count));
  tip.origin = capture_->time_origin();
  return tip.html();
}

void FlameView::set_current(std::optional<uint32_t> node) {
  current_ = node;
  const QString text = node ? QString::fromStdString(stacks_[*node].name) + QStringLiteral(", ") +
                                  quantity(static_cast<double>(stacks_[*node].total_ns), Quantity::duration_ns)
                            : QString();
  canvas_->setAccessibleDescription(text);
  canvas_->update();
}

bool FlameView::on_key(int key) {
  if (stacks_.empty()) return false;
  const auto go = [this](FlameMove move) {
    const FlameLayout layout = layout_on_screen();
    if (const auto next = flame_neighbour(stacks_, layout, current_.value_or(zoomed_), move)) {
      set_current(*next);
      if (const FlameBox* box = layout.of(*next))
        ensureVisible(static_cast<int>(box->x), static_cast<int>(box->y), 0, 40);
    }
    return true;
  };
  switch (key) {
    case Qt::Key_Up: return go(FlameMove::up);
    case Qt::Key_Down: return go(FlameMove::down);
    case Qt::Key_Left: return go(FlameMove::left);
    case Qt::Key_Right: return go(FlameMove::right);
    case Qt::Key_Return:
    case Qt::Key_Enter: zoom_to(current_.value_or(0)); return true;
    case Qt::Key_Backspace: zoom_to(stacks_[zoomed_].parent); return true;
    case Qt::Key_Home: zoom_to(0); return true;
    default: return false;
  }
}

void FlameView::paint(QPainter& p, const QRectF& rect) const {
  p.setFont(data_font());
  p.fillRect(rect, theme_->surface);
  if (stacks_.empty()) {
    draw_message(p, rect, *theme_, empty_title_, empty_hint_);
    return;
  }
  for (const FlameBox& box : layout_on_screen().boxes) {
    const StackNode& n = stacks_[box.node];
    const QRectF r(box.x, box.y, std::max(1.0, box.width - 1), box.height - 1);
    QColor fill = fill_of(n);
    if (box.above) fill = theme_->surface_alternate;
    p.fillRect(r, fill);
    if (current_ == box.node) {
      p.setPen(QPen(theme_->text, 2));
      p.setBrush(Qt::NoBrush);
      p.drawRect(r.adjusted(1, 1, -1, -1));
    }
    if (r.width() < 28) continue;
    const QString name = box.node == 0
                             ? tr("all, %1").arg(quantity(static_cast<double>(n.total_ns), Quantity::duration_ns))
                             : QString::fromStdString(n.name);
    const QColor ink = box.above ? theme_->text_secondary : label_on(fill);
    draw_text(p, r.adjusted(4, 0, -2, 0), Qt::AlignLeft | Qt::AlignVCenter, name, ink);
  }
}

}  // namespace views
