// SPDX-License-Identifier: GPL-3.0-or-later
// Switch: exclusive checkable tool buttons side by side.
#include "views/widgets/switch.h"

#include <QToolButton>

#include "views/widgets/flow_layout.h"

namespace views {

Switch::Switch(const QString& name, const QStringList& choices, QWidget* parent) : QWidget(parent) {
  setAccessibleName(name);
  auto* row = new FlowLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  // Fusion shows a checked button only by a hint of shade, lost in the dark theme.
  setStyleSheet(
      QStringLiteral("QToolButton { border: 1px solid palette(dark); padding: 3px 9px; background: palette(base); "
                     "color: palette(text); }"
                     "QToolButton:hover { background: palette(alternate-base); }"
                     "QToolButton:checked { background: palette(highlight); color: palette(highlighted-text); "
                     "border-color: palette(highlight); }"
                     "QToolButton:disabled { color: palette(placeholder-text); background: palette(window); }"
                     "QToolButton:focus { border: 1px solid palette(text); }"));
  for (int i = 0; i < choices.size(); ++i) {
    auto* button = new QToolButton;
    button->setText(choices[i]);
    button->setCheckable(true);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setAccessibleName(name + QStringLiteral(": ") + choices[i]);
    group_.addButton(button, i);
    row->add(button);
  }
  group_.setExclusive(true);
  set_current(0);
  connect(&group_, &QButtonGroup::idClicked, this, &Switch::chosen);
}

void Switch::set_current(int index) {
  if (QAbstractButton* button = group_.button(index)) button->setChecked(true);
}

}  // namespace views
