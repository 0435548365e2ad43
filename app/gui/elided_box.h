// SPDX-License-Identifier: GPL-3.0-or-later
// A combo box that ends what does not fit with an ellipsis and says the whole in its tool tip; Qt's cuts it off.
#pragma once

#include <QComboBox>

namespace app::gui {

class ElidedBox : public QComboBox {
 public:
  explicit ElidedBox(QWidget* parent = nullptr);
  /// The current text as it is shown.
  QString shown_text() const;

 protected:
  void paintEvent(QPaintEvent*) override;
  bool event(QEvent*) override;
};

}  // namespace app::gui
