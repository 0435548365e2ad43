// SPDX-License-Identifier: GPL-3.0-or-later
// DocumentController: what is on the window's table: captures and sweeps that are opened, shown, compared and put away.
#pragma once

#include <QObject>
#include <functional>
#include <map>
#include <memory>

#include "app/gui/capture_loader.h"
#include "app/gui/settings.h"
#include "views/base/document.h"
#include "views/base/file_name.h"
#include "views/base/view.h"

namespace app::gui {

class Notices;
class RunList;

/// Whether a file becomes a workload: ONNX models, and networks in JSON.
bool is_model(const QString& file);
/// What File > Open offers: first all that it opens, so that no trace or model is hidden.
QStringList open_filters();
/// "ResNet-50 · batch 4 · f32 · training · cpu (2 threads)"
QString run_title(const profiler::RunInfo&, bool with_device);

class DocumentController : public QObject {
  Q_OBJECT

 public:
  DocumentController(views::Document&, Settings&, RunList&, Notices&, QWidget& window);
  /// Opens a .tide capture, or shows a model before it is run (in the background); asks others to take traces, and
  /// models into the form. What cannot be opened is said.
  void open(const QString& file);
  /// Shows what a run of this request would be: graph, shapes, bytes and memory without times.
  void preview(const RunRequest&);
  /// Lists all, opens the last. Of two or more captures the last is compared with the first.
  void open_all(const QStringList& files);
  /// Opens what was on the table when the window was closed; says what of it is gone.
  void restore(const Settings::Session&);
  /// Puts a capture on the table at once.
  void show_capture(std::shared_ptr<const profiler::Analyzed>, const QString& file);
  /// Puts a sweep on the table, beside whatever capture is there.
  void show_sweep(std::shared_ptr<const profiler::Sweep>, const QString& file);
  /// Reads a sweep that is still written, unless something is being read.
  void reread_sweep(const QString& file);
  /// Back to the start page.
  void close_capture();
  /// Loads the capture that the one on the table is compared with. The one on the table itself is refused.
  void compare_with(const QString& file);
  void end_comparison() { document_.set_reference(nullptr, {}); }
  void ask_open();
  void ask_reference();
  void ask_model();
  QStringList recent() const;
  /// Whether a child process still writes captures: a point of its sweep is not opened then.
  void set_still_written(std::function<bool()> still_written) { still_written_ = std::move(still_written); }

 signals:
  /// A model or a network file is to be set up for a run.
  void model_chosen(const QString& file);
  /// A picture is to be shown as a tensor.
  void picture_chosen(const QString& file);
  /// A lesson (.md), or a folder of them.
  void lessons_chosen(const QString& path);
  /// Traces of other tools are to be imported.
  void traces_chosen(const QStringList& files);
  /// A model is on the table that was not run.
  void preview_shown();
  /// A capture came in place of none, or of one of our own runs.
  void first_look_wanted();
  void view_wanted(views::ViewEntry::Of);
  void recent_changed();
  /// What was to be opened is on the table, or cannot be opened.
  void settled();

 private:
  struct Cached {
    std::shared_ptr<const profiler::Analyzed> analyzed;
    views::FileState state;  // a capture recorded anew under its old name is read anew
  };
  void connect_loaders();
  void on_loaded(const QString& file, std::shared_ptr<const profiler::Analyzed>);
  void on_previewed(const QString& file, std::shared_ptr<const profiler::Analyzed>, const QString& does_not_fit);
  void on_sweep_loaded(const QString& file, std::shared_ptr<const profiler::Sweep>);
  void keep_as_recent(const QString& file);
  /// Null: it has not been read, or has changed since.
  std::shared_ptr<const profiler::Analyzed> kept(const QString& path) const;
  QString point_label(const QString& file) const;

  views::Document& document_;
  Settings& settings_;
  RunList& runs_;
  Notices& notices_;
  QWidget& window_;
  CaptureLoader loader_, reference_loader_;
  std::function<bool()> still_written_;
  std::map<QString, Cached> cache_;         // of this session, by file
  QString point_wanted_;                    // of the sweep that is being read, in place of its first
  QString compare_shown_, compare_before_;  // as soon as the first is on the table it is compared with the second
  QString followed_sweep_;                  // the growing sweep that came to the table
};

}  // namespace app::gui
