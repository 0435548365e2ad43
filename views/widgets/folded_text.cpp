// SPDX-License-Identifier: GPL-3.0-or-later
// A bold label, a button with an arrow, and a scrolled text below both.
#include "views/widgets/folded_text.h"

#include <algorithm>
#include <cmath>

#include "views/base/paint.h"

namespace views {

FoldedText::FoldedText(const QString& name, QWidget* parent)
    : QWidget(parent),
      headline_(new QLabel(this)),
      fold_(new QToolButton(this)),
      details_(new ScrolledText(name, this)) {
  setAccessibleName(name);
  headline_->setTextFormat(Qt::PlainText);
  headline_->setWordWrap(true);
  headline_->setFont(scaled_font(font(), 1.1, true));
  headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  fold_->setText(tr("Why?"));
  fold_->setAccessibleName(tr("Why? %1").arg(name));
  fold_->setCheckable(true);
  fold_->setAutoRaise(true);
  fold_->setFocusPolicy(Qt::StrongFocus);
  fold_->setArrowType(Qt::RightArrow);
  fold_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  details_->hide();
  connect(fold_, &QToolButton::toggled, this, [this](bool open) {
    fold_->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    details_->setVisible(open);
    place();
    emit toggled();
  });
}

void FoldedText::set_text(const QString& headline, const QString& details) {
  headline_->setText(headline);
  details_->set_text(details);
  fold_->setVisible(!details.isEmpty());
  place();
}

int FoldedText::headline_height(int width) const {
  const int room = std::max(1, width - 4 * kGrid - kGrid - fold_->sizeHint().width());
  return std::max(headline_->heightForWidth(room), fold_->sizeHint().height()) + kGrid / 2;
}

int FoldedText::height_for(int width) const {
  return headline_height(width) + (open() ? details_->height_for(width) + kGrid / 2 : 0);
}

int FoldedText::height_within(int width, double room, int lines) const {
  const int all = height_for(width), top = headline_height(width), line = details_->line_spacing();
  if (!open() || all <= room) return all;
  const int fit = static_cast<int>(std::floor((room - top) / line));
  return std::min(all, top + std::max(lines, fit) * line);
}

void FoldedText::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place();
}

void FoldedText::place() {
  const int top = headline_height(width()), button = fold_->sizeHint().width(), left = 2 * kGrid;
  const int room = std::max(1, width() - 2 * left - kGrid - button),
            text = std::min(room, headline_->fontMetrics().horizontalAdvance(headline_->text()) + 2);
  headline_->setGeometry(left, 0, text, top);
  fold_->setGeometry(left + text + kGrid, (top - fold_->sizeHint().height()) / 2, button, fold_->sizeHint().height());
  details_->setGeometry(0, top, width(), std::max(0, height() - top));
}

}  // namespace views
