// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: while a run is set up, form and runs at the left of the start page; while a capture is shown, one line
// about it, the answers and views, the inspector at the right. Honesty at the foot.
#pragma once

#include <QMainWindow>
#include <memory>

#include "app/gui/action_registry.h"
#include "app/gui/document_controller.h"
#include "app/gui/notices.h"
#include "app/gui/run_controller.h"
#include "app/gui/save_controller.h"
#include "app/gui/settings.h"
#include "app/gui/view_area.h"

class QStackedWidget;

namespace views {
class Inspector;
class RunPage;
class StartPage;
class SummaryStrip;
}  // namespace views

namespace app::gui {

class CommandPalette;
class HonestyStrip;
class RunBar;
class RunList;
class SetupPanel;

/// What the window is about: setting up a run, or what a capture or sweep shows.
enum class Mode { record, analyse };

/// Makes the parts and joins them; what each does is its own. Its functions that only pass on are there for callers
/// that have the whole window.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  void open(const QString& file) { documents_->open(file); }
  /// The setup panel with a model or network file in it.
  void choose_model(const QString& file);
  /// The same with a workload of the catalog.
  void choose_workload(const QString& name);
  void open_all(const QStringList& files) { documents_->open_all(files); }
  void show_capture(std::shared_ptr<const profiler::Analyzed> analyzed, const QString& file) {
    documents_->show_capture(std::move(analyzed), file);
  }
  void show_sweep(std::shared_ptr<const profiler::Sweep> sweep, const QString& file) {
    documents_->show_sweep(std::move(sweep), file);
  }
  void close_capture() { documents_->close_capture(); }
  void compare_with(const QString& file) { documents_->compare_with(file); }
  /// What the form says; while a capture is shown, that run again. Beside an imported trace the form is shown.
  void run();
  /// The network of what the form says, before it is run.
  void look();
  /// The form with the settings of the capture that is shown.
  void change_settings();
  /// The line that does in a terminal what the form says, or what recorded the capture that is shown.
  void copy_command();
  Mode mode() const { return mode_; }
  /// Analysing needs a document.
  void set_mode(Mode);
  /// Whether a capture or a sweep is on the table.
  bool has_document() const { return document_.loaded() || document_.sweep() != nullptr; }
  void cancel_run() { run_control_->cancel(); }
  void import_to_compare(const QStringList& files) { run_control_->import_to_compare(files); }
  void export_trace(const QString& file, bool range_only) { run_control_->export_trace(file, range_only); }
  /// False when there is no such view.
  bool show_view(const QString& key);
  void show_what_there_is() { views_->show_what_there_is(); }
  bool tab_shown(const QString& key) const { return views_->tab_shown(key); }
  views::View* current_view() const { return views_->current(); }
  views::View* view(const QString& key) const { return views_->view(key); }
  void apply_theme(const views::Theme&);
  void choose_theme(ThemeChoice);
  /// From the next start on; offers one.
  void choose_byte_units(profiler::ByteUnits);
  void choose_scale(double);
  /// The scale that this window was started with.
  double scale_in_use() const { return scale_in_use_; }
  /// Closes this window and starts the program again with what is on the table.
  void restart();
  /// Opens these files; without any what was shown last, unless the user does not want that. What is shown from now on
  /// is kept for the next start.
  void begin_session(const QStringList& files);
  /// The settings, at a page of theirs ("keys"; empty: as they were) and a control of it.
  void show_settings(const QString& page, const QString& control = {});
  /// Commands got other keys.
  void keys_changed() { actions_.update(); }
  /// Panels where they were at the first start.
  void reset_layout();

  views::Document& document() { return document_; }
  Settings& settings() { return settings_; }
  DocumentController& documents() { return *documents_; }
  RunController& run_control() { return *run_control_; }
  SaveController& save_control() { return *save_control_; }
  SetupPanel* setup() const { return setup_; }
  MessageBar* messages() const { return messages_; }
  RunList* runs() const { return runs_; }
  HonestyStrip& honesty() const { return *honesty_; }
  CommandPalette& palette_of_commands() const { return *palette_; }
  QUndoGroup& edits() const { return views_->edits(); }
  QDockWidget& runs_dock() const { return *runs_dock_; }
  QDockWidget& inspector_dock() const { return *inspector_dock_; }
  const RecorderProcess& recorder() const { return run_control_->recorder(); }
  const views::Theme& theme() const { return views_->theme(); }

 protected:
  bool event(QEvent*) override;
  void showEvent(QShowEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void closeEvent(QCloseEvent*) override;
  void dragEnterEvent(QDragEnterEvent*) override;
  void dropEvent(QDropEvent*) override;

 private:
  void build_center();
  void build_docks();
  void connect_parts();
  void connect_state();
  void connect_start_page();
  void update_start_page();
  void connect_run_page();
  void show_center();
  void on_document();
  void update_state();
  void keep_session();
  void end_of_restoring();

  static constexpr int kLayoutVersion = 2;  // of the saved arrangement of docks
  Settings settings_;
  views::Document document_;
  ActionRegistry actions_{*this};
  std::unique_ptr<Notices> notices_;
  std::unique_ptr<DocumentController> documents_;
  std::unique_ptr<RunController> run_control_;
  std::unique_ptr<SaveController> save_control_;
  bool system_is_dark_ = false;
  QStackedWidget* stack_ = nullptr;
  views::StartPage* start_ = nullptr;
  views::RunPage* run_page_ = nullptr;
  views::SummaryStrip* summary_ = nullptr;
  views::Inspector* inspector_ = nullptr;
  ViewArea* views_ = nullptr;
  MessageBar* messages_ = nullptr;
  SetupPanel* setup_ = nullptr;
  RunList* runs_ = nullptr;
  RunBar* run_bar_ = nullptr;
  HonestyStrip* honesty_ = nullptr;
  CommandPalette* palette_ = nullptr;
  QDockWidget *setup_dock_ = nullptr, *runs_dock_ = nullptr, *inspector_dock_ = nullptr;
  QByteArray default_layout_;
  Mode mode_ = Mode::record;
  bool was_shown_ = false, changing_mode_ = false, low_ = false, narrow_ = false;
  double scale_in_use_ = 1;
  bool keeps_session_ = false;
  Settings::Session session_;  // as the settings have it
  QString restored_view_;      // to be shown once the session's capture is there; empty: none
  // While a capture is shown: what the user has not closed, and what was asked for.
  bool inspector_wanted_ = true, runs_wanted_ = false;
};

}  // namespace app::gui
