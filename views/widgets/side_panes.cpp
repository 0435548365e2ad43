// SPDX-License-Identifier: GPL-3.0-or-later
// The list's share of the room is kept, not its pixels: a larger window enlarges both parts.
#include "views/widgets/side_panes.h"

#include <QEvent>
#include <QSplitterHandle>
#include <QVBoxLayout>
#include <algorithm>

#include "views/base/theme.h"
#include "views/base/view_settings.h"

namespace views {
namespace {

constexpr int kLeastPicture = 160, kLeastSide = 120, kLeastList = 32;  // px
constexpr double kLeastShare = 0.05, kMostShare = 0.85;                // of the room, as the settings may say

}  // namespace

SidePanes::SidePanes(const QString& key, QWidget* picture, QLabel* heading, int heading_height, QWidget* list,
                     Usual beside, QWidget* parent)
    : QSplitter(Qt::Horizontal, parent),
      key_(QStringLiteral("panes/") + key),
      side_(new QWidget(this)),
      heading_height_(heading_height),
      beside_(std::move(beside)) {
  for (const bool below : {false, true}) shares_[below ? 1 : 0] = view_settings().value(key_of(below), 0).toDouble();
  auto* column = new QVBoxLayout(side_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  heading->setMinimumHeight(heading_height);
  heading->setContentsMargins(kGrid, 0, kGrid, 0);
  list->setMinimumHeight(kLeastList);
  column->addWidget(heading);
  column->addWidget(list, 1);
  side_->setMinimumWidth(kLeastSide);
  picture->setMinimumWidth(kLeastPicture);
  addWidget(picture);
  addWidget(side_);
  setChildrenCollapsible(false);
  handle(1)->setAccessibleName(tr("Divider between picture and list"));
  handle(1)->setToolTip(tr("Drag to resize. Double-click for the usual size."));
  handle(1)->installEventFilter(this);
  connect(this, &QSplitter::splitterMoved, this, &SidePanes::keep);
}

void SidePanes::stack_below(double width, Usual below) {
  stack_width_ = width;
  below_ = std::move(below);
  place();
}

void SidePanes::set_side_shown(bool shown) {
  side_->setVisible(shown);
  if (shown) place();
}

QString SidePanes::key_of(bool stacked) const { return stacked ? key_ + QStringLiteral("_below") : key_; }

double SidePanes::extent(const QSizeF& room) const {
  const bool below = stacked(room);
  const double all = below ? room.height() : room.width();
  const double share = shares_[below ? 1 : 0];
  const double wanted = share >= kLeastShare && share <= kMostShare ? all * share : (below ? below_ : beside_)(room);
  const double least = below ? heading_height_ + kLeastList : kLeastSide,
               picture = below ? widget(0)->minimumHeight() : widget(0)->minimumWidth();
  return std::clamp(wanted, 0.0, std::max(least, all - picture - handleWidth()));
}

SidePanes::Parts SidePanes::split(const QRectF& room) const {
  Parts parts;
  const double side = extent(room.size());
  const bool below = stacked(room.size());
  parts.picture = below ? room.adjusted(0, 0, 0, -side) : room.adjusted(0, 0, -side, 0);
  const QRectF rest = below ? QRectF(room.left(), parts.picture.bottom(), room.width(), side)
                            : QRectF(parts.picture.right(), room.top(), side, room.height());
  parts.heading = QRectF(rest.left(), rest.top(), rest.width(), heading_height_);
  parts.list = rest.adjusted(0, std::min<double>(heading_height_, rest.height()), 0, 0);
  return parts;
}

void SidePanes::place() {
  const bool below = stacked(size());
  if (below != (orientation() == Qt::Vertical)) setOrientation(below ? Qt::Vertical : Qt::Horizontal);
  const int all = (below ? height() : width()) - handleWidth(), side = static_cast<int>(extent(size()));
  setSizes({std::max(0, all - side), side});
}

void SidePanes::keep() {
  const int all = orientation() == Qt::Vertical ? height() : width();
  if (all <= 0) return;
  const bool below = orientation() == Qt::Vertical;
  shares_[below ? 1 : 0] = std::clamp(static_cast<double>(sizes().value(1)) / all, kLeastShare, kMostShare);
  view_settings().setValue(key_of(below), shares_[below ? 1 : 0]);
}

void SidePanes::resizeEvent(QResizeEvent* event) {
  QSplitter::resizeEvent(event);
  place();
  if (parentWidget() != nullptr) parentWidget()->updateGeometry();  // rows of controls may take another height now
}

bool SidePanes::eventFilter(QObject* watched, QEvent* event) {
  if (watched == handle(1) && event->type() == QEvent::MouseButtonDblClick) {
    const bool below = orientation() == Qt::Vertical;
    shares_[below ? 1 : 0] = 0;
    view_settings().remove(key_of(below));
    place();
    return true;
  }
  return QSplitter::eventFilter(watched, event);
}

void stack_rows(QWidget* view, std::initializer_list<QWidget*> rows, QWidget* rest) {
  auto* column = new QVBoxLayout(view);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->setSizeConstraint(QLayout::SetNoConstraint);  // a view says itself how small it may be
  for (QWidget* row : rows) column->addWidget(row);
  column->addWidget(rest, 1);
}

}  // namespace views
