// SPDX-License-Identifier: GPL-3.0-or-later
// Notices: where the parts of the window say what happened and what goes on.
#pragma once

#include <QStatusBar>
#include <functional>
#include <utility>

#include "app/gui/message_bar.h"

namespace app::gui {

class Notices {
 public:
  Notices(MessageBar& bar, QStatusBar& foot) : bar_(bar), foot_(foot) {}
  void error(const QString& text) { bar_.say(MessageBar::Kind::error, text); }
  void inform(const QString& text) { bar_.say(MessageBar::Kind::information, text); }
  /// With a button that does something about it.
  void inform(const QString& text, const QString& action, std::function<void()> run) {
    bar_.say(MessageBar::Kind::information, text, action, std::move(run));
  }
  void dismiss() { bar_.dismiss(); }
  /// What goes on, at the foot of the window; of `ms` > 0 for that long.
  void progress(const QString& text, int ms = 0) { foot_.showMessage(text, ms); }
  void end_progress() { foot_.clearMessage(); }

 private:
  MessageBar& bar_;
  QStatusBar& foot_;
};

}  // namespace app::gui
