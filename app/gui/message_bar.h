// SPDX-License-Identifier: GPL-3.0-or-later
// MessageBar: what went wrong or needs saying, inside the window, until it is closed or replaced.
#pragma once

#include <QFrame>
#include <functional>

#include "views/base/theme.h"

class QLabel;
class QPushButton;

namespace app::gui {

class MessageBar : public QFrame {
  Q_OBJECT

 public:
  enum class Kind { information, warning, error };
  explicit MessageBar(QWidget* parent);
  void say(Kind, const QString& text);
  /// With a button that does something about it.
  void say(Kind, const QString& text, const QString& action, std::function<void()> run);
  void dismiss();
  QString text() const;
  void set_theme(const views::Theme&);

 private:
  void recolor();
  QLabel* label_;
  QPushButton* action_;
  std::function<void()> run_;
  Kind kind_ = Kind::information;
  const views::Theme* theme_;
};

}  // namespace app::gui
