// SPDX-License-Identifier: GPL-3.0-or-later
// A label in a scroll area without a frame.
#include "views/widgets/scrolled_text.h"

#include "views/base/paint.h"

namespace views {

ScrolledText::ScrolledText(const QString& name, QWidget* parent) : QScrollArea(parent), label_(new QLabel) {
  label_->setWordWrap(true);
  label_->setTextFormat(Qt::PlainText);
  label_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  label_->setContentsMargins(2 * kGrid, 0, 2 * kGrid, 0);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setAccessibleName(name);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setWidgetResizable(true);
  setWidget(label_);
  // The window's own ground, not that of a list.
  setBackgroundRole(QPalette::Window);
  viewport()->setAutoFillBackground(false);
}

void ScrolledText::set_text(const QString& text) { label_->setText(text); }

int ScrolledText::height_for(int width) const { return label_->heightForWidth(width); }

}  // namespace views
