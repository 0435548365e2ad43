// SPDX-License-Identifier: GPL-3.0-or-later
// SetupPanel: a form made from a workload's parameters, the Run button, and the progress of the
// run.
#pragma once

#include <QWidget>
#include <map>
#include <optional>
#include <vector>

#include "app/gui/recorder_process.h"
#include "app/gui/setup_values.h"
#include "engine/workloads/workload.h"
#include "profiler/capture/capture.h"
#include "views/base/theme.h"

class QAction;
class QComboBox;
class QFormLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace app::gui {

class CollectBox;
class IntegerBox;
class ModelSearch;

class SetupPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SetupPanel(QWidget* parent = nullptr);
  SetupValues values() const;
  /// Shows the form of a workload (or of a model or network file, which is read and added to the list).
  void choose(const QString& workload);
  /// `what_is_set_up`: what runs is what the form says, rather than an import, an export or another child process.
  void set_running(bool running, bool what_is_set_up = false);
  void show_progress(const RunProgress&);
  /// "Recording: step 3 of 20".
  static QString stage_text(const RunProgress&);
  void set_theme(const views::Theme&);
  bool ready() const { return ready_; }
  /// Shows what the run on the table was made with, unless the form was touched since (`over_touched`: even then); a
  /// trace of another tool or null, nothing on the table, leave it as it is. A model file is looked for as
  /// app::find_file() does, from where `capture` lies, on a thread of its own; one of other content is not taken.
  void follow(const profiler::RunInfo*, const QString& capture = {}, bool over_touched = false);
  /// What can be asked about the form before it is run, in the menu of a button at its foot.
  void set_offers(const QList<QAction*>&);
  /// The line of a shell that runs what the form says.
  QString command() const;
  /// A model file is being looked for.
  bool searching() const;

 signals:
  void run_requested();
  void cancel_requested();
  void open_model_requested();
  void copy_requested();
  void look_requested();
  void changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void build_form();
  void apply_preset(int index);
  void add_parameter(const engine::Parameter&);
  void add_settings();
  void validate();
  QLayout* foot();
  QToolButton* expander(const char* name, const QString& text, QWidget& box);
  void connect_search();
  void show_search(double fraction);
  void fill_from(const profiler::RunInfo&, const QString& workload);
  /// Of the catalog, or of a network file that could be read; null: a model file, or one that could not.
  const engine::Workload* workload() const;

  QComboBox *workloads_, *presets_;
  QLabel *description_, *problem_, *stage_, *detail_;
  QWidget *form_box_, *more_box_, *progress_box_, *search_box_;
  QLabel* search_text_;
  ModelSearch* search_;
  std::optional<profiler::RunInfo> searched_for_;  ///< the run that is followed once its model file is found
  QFormLayout* form_;
  CollectBox* collect_;
  QPushButton* run_;
  QToolButton *copy_, *look_, *ask_;
  QProgressBar* bar_;
  std::map<std::string, QWidget*> fields_;    ///< parameters of the workload
  std::map<std::string, QWidget*> settings_;  ///< settings of the run
  std::optional<engine::Workload> network_;   ///< the network file that is chosen, as read when it was
  const views::Theme* theme_;
  bool running_ = false, ready_ = false, cancelling_ = false;
  bool filling_ = false;  ///< by follow(), not by the user
  bool touched_ = false;
};

}  // namespace app::gui
