// SPDX-License-Identifier: GPL-3.0-or-later
// SweepDialog: which settings of the workload in the form are varied, and over which values.
#pragma once

#include <QDialog>
#include <vector>

#include "app/gui/setup_panel.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace app::gui {

class SweepDialog : public QDialog {
  Q_OBJECT

 public:
  SweepDialog(const SetupValues&, QWidget* parent);
  /// Arguments of `tensortide sweep`, without -o and --progress.
  QStringList arguments() const;

 private:
  struct AxisRow {
    QComboBox* name;
    QLineEdit* values;
  };
  void on_study();
  void add_row(QVBoxLayout* rows, const QString& name);
  void validate();
  /// "batch=1..64" of a row; empty: the row is not used.
  QString axis_text(const AxisRow&) const;

  SetupValues values_;
  std::vector<AxisRow> rows_;
  QComboBox* study_ = nullptr;
  QLabel* syntax_ = nullptr;
  QLineEdit* seconds_ = nullptr;
  QLabel* verdict_ = nullptr;
  QPushButton* start_ = nullptr;
};

}  // namespace app::gui
