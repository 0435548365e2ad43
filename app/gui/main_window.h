// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: setup and runs at the left, the answers and views in the middle, the inspector at the
// right, honesty at the foot.
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

class QLabel;
class QStackedWidget;

namespace views {
class Inspector;
class StartPage;
class SummaryStrip;
}  // namespace views

namespace app::gui {

class CommandPalette;
class HonestyStrip;
class RunList;
class SetupPanel;

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
  void open_all(const QStringList& files) { documents_->open_all(files); }
  void show_capture(std::shared_ptr<const profiler::Analyzed> analyzed, const QString& file) {
    documents_->show_capture(std::move(analyzed), file);
  }
  void show_sweep(std::shared_ptr<const profiler::Sweep> sweep, const QString& file) {
    documents_->show_sweep(std::move(sweep), file);
  }
  void close_capture() { documents_->close_capture(); }
  void compare_with(const QString& file) { documents_->compare_with(file); }
  void run() { run_control_->run(); }
  void cancel_run() { run_control_->cancel(); }
  void import_to_compare(const QStringList& files) { run_control_->import_to_compare(files); }
  void export_trace(const QString& file, bool range_only) { run_control_->export_trace(file, range_only); }
  bool show_view(const QString& key) { return views_->show_view(key); }
  void show_what_there_is() { views_->show_what_there_is(); }
  bool tab_shown(const QString& key) const { return views_->tab_shown(key); }
  views::View* current_view() const { return views_->current(); }
  views::View* view(const QString& key) const { return views_->view(key); }
  void apply_theme(const views::Theme&);
  void choose_theme(ThemeChoice);
  /// From the next start on; offers one.
  void choose_scale(double);
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
  QDockWidget& setup_dock() const { return *setup_dock_; }
  QDockWidget& inspector_dock() const { return *inspector_dock_; }
  const RecorderProcess& recorder() const { return run_control_->recorder(); }
  const views::Theme& theme() const { return views_->theme(); }

 protected:
  void showEvent(QShowEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void closeEvent(QCloseEvent*) override;
  void dragEnterEvent(QDragEnterEvent*) override;
  void dropEvent(QDropEvent*) override;

 private:
  void build_center();
  void build_docks();
  void connect_parts();
  void connect_start_page();
  void update_start_page();
  void on_document();
  void update_state();

  static constexpr int kLayoutVersion = 1;  // of the saved arrangement of docks
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
  views::SummaryStrip* summary_ = nullptr;
  views::Inspector* inspector_ = nullptr;
  ViewArea* views_ = nullptr;
  MessageBar* messages_ = nullptr;
  SetupPanel* setup_ = nullptr;
  RunList* runs_ = nullptr;
  QLabel* runs_title_ = nullptr;
  HonestyStrip* honesty_ = nullptr;
  CommandPalette* palette_ = nullptr;
  QDockWidget *setup_dock_ = nullptr, *inspector_dock_ = nullptr;
  QByteArray default_layout_;
  bool was_shown_ = false, narrow_ = false;
  bool inspector_wanted_ = true;  // the user has not closed it
};

}  // namespace app::gui
