// SPDX-License-Identifier: GPL-3.0-or-later
// StartPage: what the window shows before there is a capture: files at the left, workloads to run at the right, the
// machine at the foot.
#pragma once

#include <QWidget>
#include <vector>

#include "views/base/theme.h"

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace views {

class WorkloadCard;

struct StartCard {
  QString key, title;
  QString lesson = {};   ///< what it teaches, in plain sentences
  QString group = {};    ///< heading it stands under at first; empty: it is found by search
  QString summary = {};  ///< in the first cards in place of `lesson`, which search looks through; empty: `lesson`
  bool runs = true;      ///< false: it opens a model instead
};

struct StartFile {
  QString path, title, detail;
  bool there = true;  ///< false: greyed
};

/// Which cards a search finds, best first: all words of `text` in name, title or words. Empty text: all.
std::vector<size_t> found_cards(const std::vector<StartCard>&, const QString& text);

class StartPage : public QWidget {
  Q_OBJECT

 public:
  explicit StartPage(QWidget* parent);
  void set_cards(std::vector<StartCard>);
  void set_files(std::vector<StartFile> recent, std::vector<StartFile> examples);
  /// One line about the machine; `action`: on the button behind it.
  void set_machine(const QString& text, const QString& action, const QString& why);
  /// While something runs nothing else can be run.
  void set_running(bool);
  void set_theme(const Theme&);

 signals:
  void setup_requested(const QString& workload);
  void run_requested(const QString& workload);
  void open_requested();
  void open_model_requested();
  void probe_requested();
  void file_chosen(const QString& path);

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  struct Group {
    QLabel* title = nullptr;
    QGridLayout* grid = nullptr;
    std::vector<WorkloadCard*> cards;
  };
  void build_files(QVBoxLayout*);
  void build_search(QVBoxLayout*);
  void fill_files();
  void fill_cards();
  void add_group(const QString& title, const std::vector<size_t>& cards, bool picked);
  void add_rows(const QString& title, const std::vector<StartFile>&, const char* name);
  WorkloadCard* make_card(const StartCard&, bool picked);
  void place();
  void take_first();

  const Theme* theme_;
  std::vector<StartCard> cards_;
  std::vector<StartFile> recent_, examples_;
  bool running_ = false;
  QScrollArea* scroll_;
  QWidget *page_, *left_;
  QLabel *headline_, *hint_, *count_, *machine_;
  QPushButton *open_, *probe_;
  QLineEdit* search_;
  QToolButton* all_;
  QVBoxLayout *rows_, *groups_room_;
  QWidget *rows_box_ = nullptr, *cards_box_ = nullptr;
  std::vector<Group> groups_;
  std::vector<size_t> found_;
};

}  // namespace views
