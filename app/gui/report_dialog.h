// SPDX-License-Identifier: GPL-3.0-or-later
// ReportDialog: what a report is of and which sections it has, before its file is named.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QPushButton>
#include <QVBoxLayout>
#include <vector>

#include "views/report/report_file.h"

namespace app::gui {

class ReportDialog : public QDialog {
  Q_OBJECT

 public:
  /// Of a document that can give a report; `kind` is chosen first.
  ReportDialog(views::Document&, profiler::ReportKind kind, QWidget* parent);
  /// What is chosen now.
  views::ReportRequest request() const;

 private:
  /// The boxes of a kind, ticked as usual.
  void list_sections();
  void tick(bool all);
  void changed();

  views::Document& document_;
  QComboBox* kinds_ = nullptr;
  QVBoxLayout* list_ = nullptr;
  QPushButton* save_ = nullptr;
  std::vector<QCheckBox*> boxes_;
};

}  // namespace app::gui
