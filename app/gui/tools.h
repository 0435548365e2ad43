// SPDX-License-Identifier: GPL-3.0-or-later
// Tools: questions beside the views, each one entry: what it answers, what it asks for, how the answer is made. Their
// menu, their place in the palette and their dialog (ToolDialog) come from the catalog.
#pragma once

#include <QString>
#include <QStringList>
#include <atomic>
#include <functional>
#include <map>
#include <vector>

#include "app/base/answers.h"

namespace app::gui {

class MainWindow;

/// What a tool asks for.
struct ToolField {
  QString key, label, help;
  /// Values and what they are called; empty: text is typed.
  std::vector<std::pair<QString, QString>> choices = {};
  QString value = {};  ///< at first
};
using ToolValues = std::map<QString, QString>;

/// Called by the thread that makes an answer: what goes on, and which part of it is done (0 to 1; NaN: unknown).
using ToolProgress = std::function<void(const QString& stage, double fraction)>;
/// Makes an answer, on a thread of its own. It holds all it needs.
using ToolJob = std::function<engine::Result<Answer>(const ToolProgress&, const std::atomic<bool>& stop)>;

struct Tool {
  const char* name;  ///< "fit": its command is "tool_fit"
  QString title;     ///< in menus: "Largest batch that fits…"
  QString question;  ///< what it answers: one sentence
  QString run;       ///< on its button: "Find it"
  /// Why it cannot be used now: one sentence; empty: it can.
  QString (*refusal)(MainWindow&);
  std::vector<ToolField> (*fields)(MainWindow&);
  /// What is to be done with these values; fails (usage) in words.
  engine::Result<ToolJob> (*job)(MainWindow&, const ToolValues&);
  /// It starts processes or takes long: it begins when its button is pressed, and nothing else runs beside it. Else it
  /// answers at once, and again whenever a field changes.
  bool runs = false;
  /// After its answer; null: nothing.
  void (*done)(MainWindow&) = nullptr;
};
const std::vector<Tool>& tools();
/// Null: there is none of that name.
const Tool* find_tool(const QString& name);

}  // namespace app::gui
