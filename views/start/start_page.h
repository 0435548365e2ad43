// SPDX-License-Identifier: GPL-3.0-or-later
// StartPage: what the window shows before there is a capture: workloads to run, a capture to open,
// recent files.
#pragma once

#include <QScrollArea>
#include <vector>

#include "views/base/theme.h"

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace views {

struct StartCard {
  QString key, title, description;
  QString detail;      ///< "batch 4, f32, training"
  bool first = false;  ///< stands in front, among the few to begin with
};

struct RecentFile {
  QString path, detail;
};

class StartPage : public QScrollArea {
  Q_OBJECT

 public:
  explicit StartPage(QWidget* parent);
  void set_cards(std::vector<StartCard>);
  void set_recent(std::vector<RecentFile>);
  /// One line about the machine, and what the first run will do.
  void set_machine(const QString& text);
  void set_theme(const Theme&);

 signals:
  void setup_requested(const QString& workload);
  void run_requested(const QString& workload);
  void open_requested();
  void open_model_requested();
  void file_chosen(const QString& path);

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  void rebuild();
  void place_cards();

  std::vector<StartCard> cards_;
  std::vector<RecentFile> recent_;
  QString machine_;
  const Theme* theme_;
  struct Group {
    QGridLayout* grid = nullptr;
    std::vector<QWidget*> cards;
  };
  void add_group(const QString& title, bool first, QWidget* parent, QVBoxLayout* page);
  QWidget* make_card(const StartCard&, QWidget* parent);
  void add_files(QWidget* parent, QVBoxLayout* page);

  std::vector<Group> groups_;
  int columns_ = 0;
};

}  // namespace views
