// SPDX-License-Identifier: GPL-3.0-or-later
// A text edit that cannot be edited, without frame and scroll bars.
#include "views/widgets/selectable_text.h"

#include <QTextDocument>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <memory>

namespace views {
namespace {

constexpr int kNarrowest = 8, kWidest = 24;  // mean characters in a line

int width_of(const QFontMetrics& metrics, const QString& text, int characters) {
  return std::min(metrics.horizontalAdvance(text) + 2, characters * metrics.averageCharWidth());
}

}  // namespace

SelectableText::SelectableText(const QString& text, const QFont& font, const QColor& color, QWidget* parent)
    : QTextEdit(parent) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setAutoFillBackground(false);
  setReadOnly(true);
  setTextInteractionFlags(Qt::TextSelectableByMouse);
  setFocusPolicy(Qt::ClickFocus);  // as a label's
  setFont(font);
  QPalette colors = palette();
  colors.setColor(QPalette::Text, color);
  setPalette(colors);
  document()->setDocumentMargin(0);
  QTextOption option = document()->defaultTextOption();
  option.setAlignment(Qt::AlignRight);
  document()->setDefaultTextOption(option);
  setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  setPlainText(text);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

int SelectableText::heightForWidth(int width) const {
  const std::unique_ptr<QTextDocument> copy(document()->clone());
  copy->setTextWidth(width);
  return static_cast<int>(std::ceil(copy->size().height()));
}

QSize SelectableText::sizeHint() const {
  const int width = width_of(fontMetrics(), toPlainText(), kWidest);
  return {width, heightForWidth(width)};
}

QSize SelectableText::minimumSizeHint() const {
  return {width_of(fontMetrics(), toPlainText(), kNarrowest), fontMetrics().lineSpacing()};
}

void SelectableText::wheelEvent(QWheelEvent* event) { event->ignore(); }  // the panel scrolls

}  // namespace views
