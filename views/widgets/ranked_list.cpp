// SPDX-License-Identifier: GPL-3.0-or-later
// RankedList: a QListView (keyboard and screen readers for free) whose rows one function paints, on screen and in pictures.
#include "views/widgets/ranked_list.h"

#include <QAbstractListModel>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QStyledItemDelegate>
#include <QTextOption>
#include <algorithm>

#include "views/base/op_name.h"

namespace views {

QColor role_colour(const Theme& theme, int role) { return theme.role(static_cast<engine::Role>(role)); }
QColor bound_colour(const Theme& theme, int bound) { return theme.bound(static_cast<profiler::Bound>(bound)); }

namespace {
constexpr qreal kSmallestName = 110;  // px
}

class RankedModel : public QAbstractListModel {
 public:
  using QAbstractListModel::QAbstractListModel;
  std::vector<RankedRow> rows;

  void replace(std::vector<RankedRow> next) {
    beginResetModel();
    rows = std::move(next);
    endResetModel();
  }
  int rowCount(const QModelIndex& parent) const override { return parent.isValid() ? 0 : static_cast<int>(rows.size()); }
  QVariant data(const QModelIndex& index, int role) const override {
    if (!index.isValid() || index.row() >= static_cast<int>(rows.size())) return {};
    const RankedRow& row = rows[static_cast<size_t>(index.row())];
    switch (role) {
      case Qt::DisplayRole: return row.text;
      case Qt::ToolTipRole: return row.tip;
      case Qt::AccessibleTextRole: return QStringLiteral("%1, %2 %3").arg(row.text, row.value, row.detail);
      case Qt::SizeHintRole: return QSize(80, kRankedRowHeight);
      default: return {};
    }
  }
};

namespace {

class RankedDelegate : public QStyledItemDelegate {
 public:
  RankedDelegate(const RankedModel* model, const Theme* const* theme, QObject* parent)
      : QStyledItemDelegate(parent), model_(model), theme_(theme) {}

  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const bool selected = option.state & QStyle::State_Selected;
    p->save();
    p->setFont(data_font());
    draw_ranked_row(*p, option.rect, model_->rows[static_cast<size_t>(index.row())], **theme_, selected);
    p->restore();
  }
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {80, kRankedRowHeight}; }

 private:
  const RankedModel* model_;
  const Theme* const* theme_;
};

}  // namespace

void draw_ranked_row(QPainter& p, const QRectF& rect, const RankedRow& row, const Theme& theme, bool selected) {
  const QColor colour = row.colour ? row.colour(theme, row.key) : theme.accent;
  if (selected) p.fillRect(rect, theme.selection);
  const QRectF line = rect.adjusted(kGrid, 2, -kGrid, -6);
  const QFont font = p.font();
  const QFont small = scaled_font(font, 0.88);
  const qreal value_width = text_width(font, row.value);
  const QRectF swatch(line.left(), line.center().y() - 5, 10, 10);
  draw_swatch(p, swatch, colour);
  const qreal left = swatch.right() + 6;
  qreal detail_width = row.detail.isEmpty() ? 0 : text_width(small, row.detail) + kGrid;
  // In a narrow list the name matters more; the tooltip has the detail.
  if (line.right() - value_width - detail_width - kGrid - left < kSmallestName) detail_width = 0;
  const qreal right = line.right() - value_width - detail_width - kGrid;
  draw_name(p, QRectF(left, line.top(), right - left, line.height()), row.text, theme.text);
  draw_text(p, QRectF(line.right() - value_width, line.top(), value_width, line.height()), Qt::AlignRight | Qt::AlignVCenter,
            row.value, theme.text);
  p.setFont(small);
  draw_text(p, QRectF(line.right() - value_width - detail_width, line.top(), std::max(0.0, detail_width - kGrid), line.height()),
            Qt::AlignRight | Qt::AlignVCenter, row.detail, theme.text_secondary);
  p.setFont(font);
  draw_bar(p, QRectF(left, rect.bottom() - 5, line.right() - left, 2), row.ratio, colour, theme);
}

RankedList::RankedList(QWidget* parent) : QListView(parent), model_(new RankedModel(this)) {
  setModel(model_);
  setItemDelegate(new RankedDelegate(model_, &theme_, this));
  setUniformItemSizes(true);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setFrameShape(QFrame::NoFrame);
  setMouseTracking(true);
}

void RankedList::set_rows(std::vector<RankedRow> rows) {
  silent_ = true;
  model_->replace(std::move(rows));
  silent_ = false;
  set_selected(selected_);
}

const std::vector<RankedRow>& RankedList::rows() const { return model_->rows; }

void RankedList::set_selected(std::optional<uint32_t> id) {
  selected_ = id;
  silent_ = true;
  const auto& all = model_->rows;
  const auto found = std::find_if(all.begin(), all.end(), [&](const RankedRow& row) { return id && row.id == *id; });
  if (found == all.end()) {
    clearSelection();
    setCurrentIndex({});
  } else {
    setCurrentIndex(model_->index(static_cast<int>(found - all.begin())));
  }
  silent_ = false;
}

void RankedList::set_theme(const Theme& theme) {
  theme_ = &theme;
  viewport()->update();
}

void RankedList::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QListView::currentChanged(current, previous);
  if (silent_ || !current.isValid()) return;
  selected_ = model_->rows[static_cast<size_t>(current.row())].id;
  emit chosen(*selected_);
}

void RankedList::mousePressEvent(QMouseEvent* event) {
  const QModelIndex before = currentIndex();
  QListView::mousePressEvent(event);
  // A click on the row that is current already chooses it again (the selection may have moved on elsewhere).
  const QModelIndex hit = indexAt(event->pos());
  if (hit.isValid() && hit == before) emit chosen(model_->rows[static_cast<size_t>(hit.row())].id);
}

void RankedList::paintEvent(QPaintEvent* event) {
  if (!model_->rows.empty()) {
    QListView::paintEvent(event);
    return;
  }
  QPainter p(viewport());
  p.setFont(data_font());
  draw(p, viewport()->rect(), *theme_);
}

void RankedList::draw(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.fillRect(rect, theme.surface);
  if (model_->rows.empty()) {
    p.setPen(theme.text_secondary);
    QTextOption wrap;
    wrap.setWrapMode(QTextOption::WordWrap);
    p.drawText(rect.adjusted(kGrid, kGrid, -kGrid, -kGrid), empty_text_, wrap);
    return;
  }
  const QModelIndex top = indexAt(QPoint(1, 1));
  const size_t first = top.isValid() ? static_cast<size_t>(top.row()) : 0;
  qreal y = rect.top();
  for (size_t i = first; i < model_->rows.size() && y + kRankedRowHeight <= rect.bottom() + 0.5; ++i, y += kRankedRowHeight) {
    const RankedRow& row = model_->rows[i];
    draw_ranked_row(p, QRectF(rect.left(), y, rect.width(), kRankedRowHeight), row, theme, selected_ && row.id == *selected_);
  }
}

}  // namespace views
