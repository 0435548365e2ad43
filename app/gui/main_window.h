// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: setup and runs at the left, the answers and views in the middle, the inspector at the
// right, honesty at the foot.
#pragma once

#include <QElapsedTimer>
#include <QMainWindow>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "app/gui/capture_loader.h"
#include "app/gui/recorder_process.h"
#include "app/gui/settings.h"
#include "app/gui/sweep_dialog.h"
#include "views/base/file_name.h"
#include "views/base/view.h"

class QLabel;
class QProgressBar;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace views {
class Inspector;
class StartPage;
class SummaryStrip;
}  // namespace views

namespace app::gui {

class CommandPalette;
class HonestyStrip;
class MessageBar;
class RunList;
class SetupPanel;

/// What File > Open offers: first all that it opens, so that no trace or model is hidden.
QStringList open_filters();

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens a .tide capture (in the background) or shows a model (.onnx, or a network in .json) in the setup panel.
  /// Anything else: said in the message bar.
  void open(const QString& file);
  /// The setup panel with a model or network file in it.
  void choose_model(const QString& file);
  /// Lists all, opens the last.
  void open_all(const QStringList& files);
  /// Puts a capture on the table at once.
  void show_capture(std::shared_ptr<const profiler::Analyzed>, const QString& file);
  /// Puts a sweep on the table, beside whatever capture is there.
  void show_sweep(std::shared_ptr<const profiler::Sweep>, const QString& file);
  /// Back to the start page.
  void close_capture();
  void run();
  /// Reads traces of other tools (several: ranks of one run) in a child process, then opens the capture it wrote.
  void import(const QStringList& files);
  /// Reads them one after the other; then the last is compared with the first.
  void import_to_compare(const QStringList& files);
  /// Several traces at once: the ranks of one run, or runs to compare?
  void ask_several_traces(const QStringList& files);
  /// Writes the capture on the table, or its selected range, in another tool's format, in a child process.
  void export_trace(const QString& file, bool range_only);
  /// Asks for axes, then sweeps what the form says.
  void ask_sweep();
  void sweep(const QStringList& arguments);
  /// Runs the capture on the table with and without the change of a finding (1-based), in a child process.
  void try_finding(int finding);
  /// Loads the capture that the one on the table is compared with. The one on the table itself is refused.
  void compare_with(const QString& file);
  void cancel_run();
  /// Writes the report of the capture, or of the sweep, and says so in the message bar.
  void save_report(bool of_sweep, const QString& file);
  void apply_theme(const views::Theme&);
  /// Shows the tab of a view; false when there is no such view.
  bool show_view(const QString& key);
  /// Of a trace of another tool the view that shows any, in place of the first one, which needs more than such a trace
  /// says.
  void show_what_there_is();
  /// Whether the view's tab is there: one that has nothing of what is on the table has none, until it is asked for.
  bool tab_shown(const QString& key) const;
  views::View* current_view() const;
  views::View* view(const QString& key) const;
  views::Document& document() { return document_; }
  SetupPanel* setup() const { return setup_; }
  MessageBar* messages() const { return messages_; }
  RunList* runs() const { return runs_; }
  const RecorderProcess& recorder() const { return recorder_; }
  const views::Theme& theme() const { return *theme_; }

 protected:
  void showEvent(QShowEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void closeEvent(QCloseEvent*) override;
  void dragEnterEvent(QDragEnterEvent*) override;
  void dropEvent(QDropEvent*) override;

 private:
  // main_window.cpp
  void build_center();
  void build_docks();
  void connect_parts();
  void update_start_page();
  // window_documents.cpp
  void on_loaded(const QString& file, std::shared_ptr<const profiler::Analyzed>);
  void on_sweep_loaded(const QString& file, std::shared_ptr<const profiler::Sweep>);
  void on_document();
  QString point_label(const QString& file) const;
  // window_runs.cpp
  void start(const QString& verb, const QStringList& arguments);
  void show_partial_sweep();
  void on_run_finished(const RunOutcome&);
  // window_views.cpp
  void choose_theme(ThemeChoice);
  views::View* view_of(views::ViewEntry::Of) const;
  void bring_to_front(views::View*);
  void update_state();
  void update_tabs();
  // window_actions.cpp
  QAction* add(QMenu* menu, const char* name, const QString& text, const QList<QKeySequence>& keys, const QString& tip,
               std::function<void()> run);
  void build_menus();
  void build_file_menu();
  void build_view_menu();
  void build_compare_menu();
  void build_help_menu();
  void ask_open();
  void ask_reference();
  void ask_open_model();
  void ask_report();
  void export_picture();
  void export_data();
  void fill_recent_menu();
  void choose_scale(double);
  // window_traces.cpp
  bool on_compared_trace(const RunOutcome&);
  void on_exported(const RunOutcome&);
  void ask_export_trace(bool range_only);

  QString compare_shown_, compare_before_;  // as soon as the first is on the table it is compared with the second
  static constexpr int kLayoutVersion = 1;  // of the saved arrangement of docks
  Settings settings_;
  views::Document document_;
  CaptureLoader loader_, reference_loader_;
  RecorderProcess recorder_;
  const views::Theme* theme_;
  bool system_is_dark_ = false;
  struct Cached {
    std::shared_ptr<const profiler::Analyzed> analyzed;
    views::FileState state;  // a capture recorded anew under its old name is read anew
  };
  std::map<QString, Cached> cache_;  // of this session, by file
  QStackedWidget* stack_ = nullptr;
  views::StartPage* start_ = nullptr;
  views::SummaryStrip* summary_ = nullptr;
  views::Inspector* inspector_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QToolButton* without_data_ = nullptr;  // names the views whose tabs are hidden, and why
  std::vector<views::View*> views_;
  MessageBar* messages_ = nullptr;
  SetupPanel* setup_ = nullptr;
  std::pair<QString, SweepChoice> sweep_choice_;  // of the last sweep that was started: its workload
  RunList* runs_ = nullptr;
  QLabel* runs_title_ = nullptr;
  HonestyStrip* honesty_ = nullptr;
  CommandPalette* palette_ = nullptr;
  QDockWidget *setup_dock_ = nullptr, *inspector_dock_ = nullptr;
  QElapsedTimer partial_shown_;
  QStringList compared_traces_,
      compared_captures_;  // still to be imported, the one that is included; and those that were
  QMenu *recent_menu_ = nullptr, *view_menu_ = nullptr;
  std::map<QString, QAction*> actions_;
  QByteArray default_layout_;
  bool was_shown_ = false, narrow_ = false;
  bool inspector_wanted_ = true;  // the user has not closed it
};

}  // namespace app::gui
