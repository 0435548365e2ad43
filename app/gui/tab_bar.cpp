// SPDX-License-Identifier: GPL-3.0-or-later
// GroupedTabBar.
#include "app/gui/tab_bar.h"

#include <QStyleOptionTab>
#include <QStylePainter>
#include <algorithm>
#include <utility>

#include "views/base/paint.h"

namespace app::gui {

namespace {

constexpr int kGap = 2 * views::kGrid;
constexpr int kMostSqueezed = 14;  // of the room that the style leaves beside a tab's name

QFont caption_font(const QFont& font) { return views::scaled_font(font, 0.85, false); }

}  // namespace

GroupedTabBar::GroupedTabBar(QWidget* parent) : QTabBar(parent), quiet_(palette().color(QPalette::WindowText)) {
  setDrawBase(false);
  setUsesScrollButtons(true);
  setElideMode(Qt::ElideNone);
}

void GroupedTabBar::set_quiet(const QColor& color) {
  quiet_ = color;
  update();
}

const QString& GroupedTabBar::group(int tab) const {
  static const QString none;
  return static_cast<size_t>(tab) < groups_.size() ? groups_[static_cast<size_t>(tab)] : none;
}

bool GroupedTabBar::begins_group(int tab) const {
  if (!isTabVisible(tab)) return false;
  for (int before = tab - 1; before >= 0; --before)
    if (isTabVisible(before)) return group(before) != group(tab);
  return true;
}

int GroupedTabBar::caption_height() const { return QFontMetrics(caption_font(font())).height(); }

int GroupedTabBar::gap(int tab) const {
  bool first = true;
  for (int before = 0; before < tab; ++before) first = first && !isTabVisible(before);
  return begins_group(tab) && !first ? kGap : 0;
}

QSize GroupedTabBar::tabSizeHint(int tab) const {
  return QTabBar::tabSizeHint(tab) + QSize(gap(tab) - squeeze_, caption_height());
}

void GroupedTabBar::set_room(int width) {
  int needed = 0, shown = 0;
  for (int tab = 0; tab < count(); ++tab) {
    if (!isTabVisible(tab)) continue;
    needed += tabSizeHint(tab).width() + squeeze_;
    ++shown;
  }
  const int missing = std::max(0, needed - width);
  const int each = shown == 0 ? 0 : (missing + shown - 1) / shown;
  const int squeeze = each > kMostSqueezed ? 0 : each;  // where they do not fit they scroll, at their usual width
  if (std::exchange(squeeze_, squeeze) != squeeze) setElideMode(Qt::ElideNone);  // lays the tabs out again
}

QSize GroupedTabBar::minimumTabSizeHint(int tab) const { return tabSizeHint(tab); }

QRect GroupedTabBar::caption_rect(int tab) const {
  if (!begins_group(tab)) return {};
  int right = tabRect(tab).right();
  for (int next = tab + 1; next < count() && group(next) == group(tab); ++next)
    if (isTabVisible(next)) right = tabRect(next).right();
  const QRect first = tabRect(tab);
  const int left = first.left() + gap(tab);
  return {left, first.top(), right - left + 1, caption_height()};
}

void GroupedTabBar::paint_base(QPainter& painter) const {
  QStyleOptionTabBarBase base;
  base.initFrom(this);
  base.documentMode = true;
  const int overlap = style()->pixelMetric(QStyle::PM_TabBarBaseOverlap, &base, this);
  base.rect = {0, height() - overlap, width(), overlap};
  style()->drawPrimitive(QStyle::PE_FrameTabBarBase, &base, &painter, this);
}

void GroupedTabBar::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  paint_base(painter);
  const auto draw = [&](int tab) {
    QStyleOptionTab option;
    initStyleOption(&option, tab);
    option.rect.adjust(gap(tab), caption_height(), 0, 0);
    painter.drawControl(QStyle::CE_TabBarTabShape, option);
    option.rect.adjust(-squeeze_ / 2, 0, (squeeze_ + 1) / 2, 0);  // the name keeps the room that the tab gave up
    painter.drawControl(QStyle::CE_TabBarTabLabel, option);
  };
  for (int tab = 0; tab < count(); ++tab)
    if (isTabVisible(tab) && tab != currentIndex()) draw(tab);
  if (currentIndex() >= 0 && isTabVisible(currentIndex())) draw(currentIndex());
  painter.setFont(caption_font(font()));
  for (int tab = 0; tab < count(); ++tab) {
    const QRect at = caption_rect(tab);
    if (at.isEmpty()) continue;
    painter.setPen(quiet_);
    painter.drawText(at.adjusted(views::kGrid / 2, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(group(tab), Qt::ElideRight, at.width()));
    if (gap(tab) == 0) continue;
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(at.left() - kGap / 2, at.top() + 3, at.left() - kGap / 2, height() - 4);
  }
}

}  // namespace app::gui
