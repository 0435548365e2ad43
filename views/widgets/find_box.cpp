// SPDX-License-Identifier: GPL-3.0-or-later
// Esc is kept from the window's shortcuts, which would clear its selection.
#include "views/widgets/find_box.h"

#include <QKeyEvent>

namespace views {

FindBox::FindBox(QWidget* parent) : QLineEdit(parent) {
  setClearButtonEnabled(true);
  setMinimumWidth(140);
  setMaximumWidth(260);
}

void FindBox::open() {
  setFocus(Qt::ShortcutFocusReason);
  selectAll();
}

bool FindBox::event(QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress) return QLineEdit::event(event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter, escape = key->key() == Qt::Key_Escape;
  if (!enter && !escape) return QLineEdit::event(event);
  if (event->type() == QEvent::ShortcutOverride) event->accept();
  else if (enter) emit stepped((key->modifiers() & Qt::ShiftModifier) != 0 ? -1 : 1);
  else emit left();
  return true;
}

}  // namespace views
