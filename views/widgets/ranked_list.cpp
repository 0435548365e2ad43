// SPDX-License-Identifier: GPL-3.0-or-later
// RankedList: a QListView (keyboard and screen readers for free) whose rows one function paints, on screen and in
// pictures.
#include "views/widgets/ranked_list.h"

#include <QAbstractListModel>
#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QStyledItemDelegate>
#include <QTextOption>
#include <algorithm>

#include "views/base/op_name.h"

namespace views {

QColor role_colour(const Theme& theme, int role) { return theme.role(static_cast<engine::Role>(role)); }
QColor bound_colour(const Theme& theme, int bound) { return theme.bound(static_cast<profiler::Bound>(bound)); }

Mark mark_of_row(const RankedRow& row) {
  if (row.colour == &role_colour) return mark_of(static_cast<engine::Role>(row.key));
  if (row.colour == &bound_colour) return mark_of(static_cast<profiler::Bound>(row.key));
  return Mark::square;
}

namespace {
constexpr qreal kSmallestName = 110;  // px
constexpr double kSwatch = 10;        // px
constexpr double kSmall = 0.88;       // of the font, for details

int height_of(int lines) { return lines == 1 ? kRankedRowHeight : kTallRankedRowHeight; }
}  // namespace

class RankedModel : public QAbstractListModel {
 public:
  using QAbstractListModel::QAbstractListModel;
  std::vector<RankedRow> rows;
  std::vector<int> lines;  ///< of each row

  void replace(std::vector<RankedRow> next) {
    beginResetModel();
    rows = std::move(next);
    lines.assign(rows.size(), 1);
    endResetModel();
  }
  int rowCount(const QModelIndex& parent) const override {
    return parent.isValid() ? 0 : static_cast<int>(rows.size());
  }
  QVariant data(const QModelIndex& index, int role) const override {
    if (!index.isValid() || index.row() >= static_cast<int>(rows.size())) return {};
    const RankedRow& row = rows[static_cast<size_t>(index.row())];
    switch (role) {
      case Qt::DisplayRole: return row.text;
      case Qt::ToolTipRole: return row.tip;
      case Qt::AccessibleTextRole: return QStringLiteral("%1, %2 %3").arg(row.text, row.value, row.detail);
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
    const auto row = static_cast<size_t>(index.row());
    draw_ranked_row(*p, option.rect, model_->rows[row], **theme_, selected, model_->lines[row]);
    p->restore();
  }
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
    return {80, height_of(model_->lines[static_cast<size_t>(index.row())])};
  }

 private:
  const RankedModel* model_;
  const Theme* const* theme_;
};

}  // namespace

RankedRowTexts place_ranked_texts(const QRectF& rect, const RankedRow& row, const QFont& font, int lines) {
  const QRectF line = rect.adjusted(kGrid, 2, -kGrid, -6);
  const double left = line.left() + kSwatch + 6, height = line.height() / lines;
  const double value_width = text_width(font, row.value),
               detail_width = row.detail.isEmpty() ? 0 : text_width(scaled_font(font, kSmall), row.detail);
  const auto up_to = [&](int i, double right) {
    return QRectF(left, line.top() + i * height, std::max(0.0, right - left), height);
  };
  RankedRowTexts out;
  out.value = QRectF(line.right() - value_width, line.top() + (lines - 1) * height, value_width, height);
  // In a narrow list the name matters more; the tooltip has the detail.
  const double beside = lines == 1 ? out.value.left() - kGrid : line.right();
  const qsizetype slash = lines == 1 ? -1 : row.text.lastIndexOf(QLatin1Char('/'));
  const QString first = row.text.left(slash + 1);
  const double needed = lines == 1 ? kSmallestName : text_width(font, slash < 0 ? row.text : first);
  const bool detailed = detail_width > 0 && beside - detail_width - kGrid - left >= needed;
  if (detailed) {
    out.detail_text = row.detail;
    out.detail = QRectF(beside - detail_width, line.top(), detail_width, height);
  }
  out.name = up_to(0, detailed ? out.detail.left() - kGrid : beside);
  if (slash < 0) {
    out.name_text = shortened_name(font, row.text, out.name.width());
    return out;
  }
  out.kind = up_to(1, out.value.left() - kGrid);
  const QFontMetricsF metrics(font);
  out.name_text = metrics.elidedText(first, Qt::ElideMiddle, out.name.width());
  out.kind_text = metrics.elidedText(row.text.mid(slash + 1), Qt::ElideMiddle, out.kind.width());
  return out;
}

int ranked_lines(const RankedRow& row, double width, const QFont& font) {
  const RankedRowTexts texts = place_ranked_texts(QRectF(0, 0, width, kRankedRowHeight), row, font, 1);
  return texts.name_text == row.text && texts.detail_text == row.detail ? 1 : 2;
}

void draw_ranked_row(QPainter& p, const QRectF& rect, const RankedRow& row, const Theme& theme, bool selected,
                     int lines) {
  const QColor colour = row.colour ? row.colour(theme, row.key) : theme.measure;
  if (selected) p.fillRect(rect, theme.selection);
  const QFont font = p.font();
  const RankedRowTexts texts = place_ranked_texts(rect, row, font, lines);
  draw_mark(p, QRectF(rect.left() + kGrid, texts.name.center().y() - kSwatch / 2, kSwatch, kSwatch), colour,
            mark_of_row(row));
  draw_text(p, texts.name, Qt::AlignLeft | Qt::AlignVCenter, texts.name_text, theme.text);
  if (!texts.kind_text.isEmpty())
    draw_text(p, texts.kind, Qt::AlignLeft | Qt::AlignVCenter, texts.kind_text, theme.text);
  draw_text(p, texts.value, Qt::AlignRight | Qt::AlignVCenter, row.value, theme.text);
  p.setFont(scaled_font(font, kSmall));
  draw_text(p, texts.detail, Qt::AlignRight | Qt::AlignVCenter, texts.detail_text, theme.text_secondary);
  p.setFont(font);
  draw_bar(p, QRectF(texts.name.left(), rect.bottom() - 5, rect.right() - kGrid - texts.name.left(), 2), row.ratio,
           colour, theme);
}

RankedList::RankedList(QWidget* parent) : QListView(parent), model_(new RankedModel(this)) {
  setModel(model_);
  setItemDelegate(new RankedDelegate(model_, &theme_, this));
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
  choose_lines();
}

void RankedList::choose_lines() {
  const QFont font = data_font();
  std::vector<int> lines;
  for (const RankedRow& row : model_->rows) lines.push_back(ranked_lines(row, viewport()->width(), font));
  if (lines == model_->lines) return;
  model_->lines = std::move(lines);
  scheduleDelayedItemsLayout();
  viewport()->update();
}

void RankedList::resizeEvent(QResizeEvent* event) {
  QListView::resizeEvent(event);
  choose_lines();
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
  if (event->button() != Qt::LeftButton) return event->ignore();  // menus and other buttons choose nothing
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
  for (size_t i = first; i < model_->rows.size(); ++i) {
    const RankedRow& row = model_->rows[i];
    const int lines = ranked_lines(row, rect.width(), p.font()), height = height_of(lines);
    if (y + height > rect.bottom() + 0.5) return;
    draw_ranked_row(p, QRectF(rect.left(), y, rect.width(), height), row, theme, selected_ && row.id == *selected_,
                    lines);
    y += height;
  }
}

}  // namespace views
