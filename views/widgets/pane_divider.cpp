// SPDX-License-Identifier: GPL-3.0-or-later
// The table's share of the room is kept, not its pixels.
#include "views/widgets/pane_divider.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "views/base/view_settings.h"

namespace views {

namespace {

constexpr int kThick = 6;                               // px to grab
constexpr double kStep = 16;                            // px of an arrow key
constexpr double kLeastShare = 0.05, kMostShare = 0.9;  // of the room, as the settings may say

}  // namespace

PaneDivider::PaneDivider(const QString& key, QWidget* parent)
    : QWidget(parent), key_(QStringLiteral("panes/") + key), share_(view_settings().value(key_, 0).toDouble()) {
  if (!(share_ >= kLeastShare && share_ <= kMostShare)) share_ = 0;
  setCursor(Qt::SplitVCursor);
  setFocusPolicy(Qt::TabFocus);
  setAccessibleName(tr("Divider between picture and table"));
  setToolTip(tr("Drag to resize, or press Up and Down. Double-click for the usual size."));
}

double PaneDivider::table_height(double room, double usual, double least_picture, double least_table) const {
  const double wanted = share_ > 0 ? share_ * room : usual;
  return std::clamp(wanted, std::min(least_table, room), std::max(std::min(least_table, room), room - least_picture));
}

void PaneDivider::place(const QRectF& room, double table_height) {
  room_ = room;
  table_height_ = table_height;
  setGeometry(QRectF(room.left(), room.bottom() - table_height - kThick / 2.0, room.width(), kThick).toRect());
  raise();
}

void PaneDivider::move_to(double table_height) {
  if (!(room_.height() > 0)) return;
  share_ = std::clamp(table_height / room_.height(), kLeastShare, kMostShare);
  view_settings().setValue(key_, share_);
  emit moved();
}

void PaneDivider::mousePressEvent(QMouseEvent* e) {
  if (e->button() == Qt::LeftButton) grip_ = mapToParent(e->pos()).y() - (room_.bottom() - table_height_);
}

void PaneDivider::mouseMoveEvent(QMouseEvent* e) {
  if (e->buttons() & Qt::LeftButton) move_to(room_.bottom() - (mapToParent(e->pos()).y() - grip_));
}

void PaneDivider::mouseDoubleClickEvent(QMouseEvent*) {
  share_ = 0;
  view_settings().remove(key_);
  emit moved();
}

void PaneDivider::keyPressEvent(QKeyEvent* e) {
  if (e->key() == Qt::Key_Up) return move_to(table_height_ + kStep);
  if (e->key() == Qt::Key_Down) return move_to(table_height_ - kStep);
  QWidget::keyPressEvent(e);
}

void PaneDivider::enterEvent(QEnterEvent*) { update(); }
void PaneDivider::leaveEvent(QEvent*) { update(); }

void PaneDivider::paintEvent(QPaintEvent*) {
  QPainter p(this);
  const bool held = underMouse() || hasFocus();
  p.fillRect(QRectF(0, height() / 2.0 - (held ? 1.5 : 0.5), width(), held ? 3 : 1),
             palette().color(held ? QPalette::Highlight : QPalette::Mid));
}

}  // namespace views
