// SPDX-License-Identifier: GPL-3.0-or-later
// CollectBox: which sources of figures a run has besides those of every run; what is not available says why and what
// helps.
#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "app/base/collector_choices.h"
#include "views/base/theme.h"

class QCheckBox;
class QLabel;

namespace app::gui {

class CollectBox : public QWidget {
  Q_OBJECT

 public:
  explicit CollectBox(QWidget* parent);
  /// What `--collect` takes: "ops,simulate"; empty: nothing besides what every run has.
  QString value() const;
  void set_value(const QString& list);
  /// What works on this device; "" is the usual one.
  void set_device(const QString& device);
  void set_theme(const views::Theme&);

 signals:
  void changed();

 private:
  struct Row {
    std::string name;
    QCheckBox* check;
    QLabel *title, *why;
  };
  void show_choices(const std::string& device, const std::vector<CollectorChoice>&);
  void add_row(const std::string& name, const QString& title);

  std::vector<Row> rows_;
  QLabel* always_;
};

}  // namespace app::gui
