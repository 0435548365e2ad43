// SPDX-License-Identifier: GPL-3.0-or-later
// ToolDialog: one tool: its question, what it asks for, and its answer as a sentence with rows.
#pragma once

#include <QDialog>
#include <atomic>
#include <memory>

#include "app/gui/tools.h"
#include "views/base/theme.h"

class QFormLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QThread;

namespace views {
class TableView;
}

namespace app::gui {

class MainWindow;

class ToolDialog : public QDialog {
  Q_OBJECT

 public:
  ToolDialog(MainWindow&, const Tool&);
  ~ToolDialog() override;
  const Tool& tool() const { return tool_; }
  /// Whether an answer is being made.
  bool busy() const { return thread_ != nullptr; }
  const Answer& answer() const { return answer_; }
  views::TableView& table() const { return *table_; }
  /// Why there is no answer; empty: there is one, or it is being made.
  QString problem() const;
  void set_theme(const views::Theme&);

 public slots:
  void reject() override;

 private:
  void add_fields(QFormLayout&);
  void add_foot(QLayout&);
  ToolValues values() const;
  void start();
  void cancel();
  void show_progress(const QString& stage, double fraction);
  void finish(const engine::Result<Answer>&);
  void show_answer();
  void say(const QString& problem);

  MainWindow& window_;
  const Tool& tool_;
  std::map<QString, QWidget*> fields_;
  QLabel *sentence_, *notes_, *problem_, *stage_, *count_;
  QProgressBar* bar_;
  views::TableView* table_;
  QPushButton *run_, *cancel_, *copy_, *save_;
  QThread* thread_ = nullptr;
  std::shared_ptr<std::atomic<bool>> stop_;
  bool again_ = false;  ///< a field changed while the answer to the fields before was made
  Answer answer_;
};

/// The dialog of a tool, in front.
void show_tool(MainWindow&, const Tool&);

}  // namespace app::gui
