// SPDX-License-Identifier: GPL-3.0-or-later
// Breaks a row of controls into rows.
#include "views/widgets/flow_layout.h"

#include <QEvent>
#include <QLabel>
#include <QWidget>
#include <algorithm>
#include <numeric>

namespace views {

namespace {

constexpr int kLeastText = 200;  // px of a wrapped label beside controls; with less it gets a row of its own

bool is_stretch(const QLayoutItem& item) {
  return const_cast<QLayoutItem&>(item).spacerItem() != nullptr && (item.expandingDirections() & Qt::Horizontal);
}
/// A wrapped label: as wide as the room it is given.
bool is_text(const QLayoutItem& item) {
  const auto* label = qobject_cast<const QLabel*>(const_cast<QLayoutItem&>(item).widget());
  return label != nullptr && label->wordWrap();
}
bool is_spacer(const QLayoutItem& item) { return const_cast<QLayoutItem&>(item).spacerItem() != nullptr; }

}  // namespace

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) {}

FlowLayout::~FlowLayout() {
  for (QLayoutItem* item : items_) delete item;
}

void FlowLayout::addItem(QLayoutItem* item) {
  items_.push_back(item);
  invalidate();
}

void FlowLayout::add(QWidget* widget, int stretch) {
  addChildWidget(widget);
  addItem(new QWidgetItem(widget));
  if (stretch > 0) stretch_[items_.back()] = stretch;
}

void FlowLayout::insert(int index, QWidget* widget) {
  addChildWidget(widget);
  const auto at = std::clamp(index, 0, count());
  items_.insert(items_.begin() + at, new QWidgetItem(widget));
  invalidate();
}

void FlowLayout::add_stretch() { addItem(new QSpacerItem(0, 0, QSizePolicy::Expanding, QSizePolicy::Minimum)); }
void FlowLayout::add_spacing(int px) { addItem(new QSpacerItem(px, 0, QSizePolicy::Fixed, QSizePolicy::Minimum)); }

QLayoutItem* FlowLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? items_[static_cast<size_t>(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  if (index < 0 || index >= count()) return nullptr;
  QLayoutItem* item = items_[static_cast<size_t>(index)];
  items_.erase(items_.begin() + index);
  stretch_.erase(item);
  invalidate();
  return item;
}

int FlowLayout::needed(const QLayoutItem& item, int most) const {
  const int wished = is_text(item) ? kLeastText : item.sizeHint().width();
  return std::min(wished, most);
}

/// What is left of a row goes to wrapped labels, else to what may stretch.
void FlowLayout::spread(std::vector<Piece>& line, int rest) const {
  for (Piece& piece : line) {
    if (!piece.takes_rest || rest <= 0) continue;
    piece.width += rest;
    rest = 0;
  }
  int shares = 0;
  for (const Piece& piece : line) {
    const auto own = stretch_.find(piece.item);
    shares += own != stretch_.end() ? own->second : 0;
  }
  for (Piece& piece : line) {
    const auto own = stretch_.find(piece.item);
    if (own == stretch_.end() || rest <= 0) continue;
    const int more =
        std::clamp(rest * own->second / shares, 0, std::max(0, piece.item->maximumSize().width() - piece.width));
    piece.width += more;
    shares -= own->second;
    rest -= more;
  }
  for (Piece& piece : line) {
    if (!is_stretch(*piece.item) || rest <= 0) continue;
    piece.width += rest;
    rest = 0;
  }
}

int FlowLayout::place(const QRect& area, bool move) const {
  const QMargins m = contentsMargins();
  const QRect inner = area.marginsRemoved(m);
  const int gap = std::max(0, spacing());
  int y = inner.top(), line_height = 0;
  std::vector<Piece> line;
  const auto end_line = [&] {
    while (!line.empty() && is_spacer(*line.back().item) && !is_stretch(*line.back().item)) line.pop_back();
    const int used =
        std::accumulate(line.begin(), line.end(), 0, [](int sum, const Piece& p) { return sum + p.width; }) +
        gap * static_cast<int>(line.empty() ? 0 : line.size() - 1);
    spread(line, inner.width() - used);
    line_height = 0;
    for (const Piece& p : line) {
      if (is_spacer(*p.item)) continue;
      line_height = std::max(
          line_height, p.item->hasHeightForWidth() ? p.item->heightForWidth(p.width) : p.item->sizeHint().height());
    }
    int x = inner.left();
    for (const Piece& p : line) {
      if (move && !is_spacer(*p.item)) {
        const int height = p.item->hasHeightForWidth() ? p.item->heightForWidth(p.width)
                                                       : std::min(line_height, p.item->sizeHint().height());
        p.item->setGeometry({x, y + (line_height - height) / 2, p.width, height});
      }
      x += p.width + gap;
    }
    line.clear();
  };
  int used = 0;
  for (QLayoutItem* item : items_) {
    if (!is_spacer(*item) && item->isEmpty()) continue;  // hidden
    const int width = needed(*item, std::max(1, inner.width()));
    if (line.empty() && is_spacer(*item) && !is_stretch(*item)) continue;
    if (!line.empty() && used + gap + width > inner.width()) {
      end_line();
      y += line_height + gap / 2;
      used = 0;
      if (is_spacer(*item) && !is_stretch(*item)) continue;
    }
    used += (line.empty() ? 0 : gap) + width;
    line.push_back({item, width, is_text(*item)});
  }
  end_line();
  return y + line_height - area.top() + m.bottom();
}

QSize FlowLayout::minimumSize() const {
  QSize least;
  for (const QLayoutItem* item : items_) {
    if (!item->isEmpty())
      least = least.expandedTo({needed(*item, item->minimumSize().width()), item->minimumSize().height()});
  }
  const QMargins m = contentsMargins();
  return least + QSize(m.left() + m.right(), m.top() + m.bottom());
}

QSize FlowLayout::sizeHint() const {
  int width = 0, height = 0;
  for (const QLayoutItem* item : items_) {
    if (!is_spacer(*item) && item->isEmpty()) continue;
    width += (width > 0 ? std::max(0, spacing()) : 0) + needed(*item, QWIDGETSIZE_MAX);
    height = std::max(height, item->sizeHint().height());
  }
  const QMargins m = contentsMargins();
  return QSize(width, height) + QSize(m.left() + m.right(), m.top() + m.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  place(rect, true);
}

namespace {

class BarWatcher : public QObject {
 public:
  BarWatcher(QWidget* bar, int least, std::function<void()> place)
      : QObject(bar), bar_(bar), least_(least), place_(std::move(place)) {
    bar->installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::LayoutRequest && bar_height(*bar_, bar_->width(), least_) != bar_->height()) place_();
    return QObject::eventFilter(watched, event);
  }

 private:
  QWidget* bar_;
  int least_;
  std::function<void()> place_;
};

}  // namespace

void watch_bar(QWidget* bar, int least, std::function<void()> place) { new BarWatcher(bar, least, std::move(place)); }

int bar_height(const QWidget& bar, int width, int least) {
  return std::max(least, bar.layout()->heightForWidth(width));
}

}  // namespace views
