// SPDX-License-Identifier: GPL-3.0-or-later
// SweepDialog: which settings of the workload in the form are varied, and over which values.
#pragma once

#include <QDialog>
#include <QProcess>
#include <utility>
#include <vector>

#include "app/gui/setup_panel.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace app::gui {

/// What a user chose, to be offered again: a sweep that was refused is corrected, not typed anew.
struct SweepChoice {
  QString study, seconds;
  std::vector<std::pair<QString, QString>> axes;  ///< name, values
  bool simulate = false;
};

class SweepDialog : public QDialog {
  Q_OBJECT

 public:
  SweepDialog(const SetupValues&, QWidget* parent);
  ~SweepDialog() override;
  /// Arguments of `tensortide sweep`, without -o and --progress.
  QStringList arguments() const;
  SweepChoice choice() const;
  /// Axes that the workload in the form does not have are left out.
  void offer(const SweepChoice&);

 private:
  struct AxisRow {
    QComboBox* name;
    QLineEdit* values;
  };
  void on_study();
  /// Asks a child process what this sweep will take: it measures two points.
  void estimate();
  void show_estimate();
  void stop_estimate();
  void add_row(QVBoxLayout* rows, const QString& name);
  void validate();
  /// "batch=1..64" of a row; empty: the row is not used.
  QString axis_text(const AxisRow&) const;
  QStringList varied() const;

  SetupValues values_;
  std::vector<AxisRow> rows_;
  QComboBox* study_ = nullptr;
  QLabel* syntax_ = nullptr;
  QLineEdit* seconds_ = nullptr;
  QCheckBox* simulate_ = nullptr;
  QLabel *verdict_ = nullptr, *cost_ = nullptr;
  QPushButton* estimate_ = nullptr;
  QProcess costing_;
  QPushButton* start_ = nullptr;
};

}  // namespace app::gui
