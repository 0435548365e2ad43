// SPDX-License-Identifier: GPL-3.0-or-later
// RunController: what a child process does for the window: runs, sweeps, trials, imports and exports of traces, from
// their start to what comes of them.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <functional>
#include <utility>

#include "app/gui/model_search.h"
#include "app/gui/recorder_process.h"
#include "app/gui/sweep_dialog.h"
#include "views/base/document.h"

namespace app::gui {

class Notices;
class Settings;
class SetupPanel;

class RunController : public QObject {
  Q_OBJECT

 public:
  RunController(views::Document&, Settings&, SetupPanel&, Notices&, QWidget& window);
  ~RunController() override;
  /// Whether a child works, or the model file of one that is to be started is looked for.
  bool running() const { return recorder_.running() || search_.busy() || cancel_tool_ != nullptr; }
  /// A tool starts processes until end_tool(): nothing else is run meanwhile. `cancel` stops it.
  void begin_tool(std::function<void()> cancel);
  void end_tool();
  /// Why no run can be started: one goes on. Empty: it can.
  QString refusal() const;
  const RecorderProcess& recorder() const { return recorder_; }
  /// Runs what the form says.
  void run();
  /// Runs the capture on the table again, as its recorded command says.
  void run_again() { again({}); }
  /// The same with one collector more ("simulate").
  void collect_again(const QString& collector);
  /// Asks for axes, then sweeps what the form says.
  void ask_sweep();
  /// Runs the capture on the table with and without the change of a finding (1-based).
  void try_finding(int finding);
  /// Reads traces of other tools (several: ranks of one run), then opens the capture of them.
  void import(const QStringList& files);
  /// Reads them one after the other; then the last is compared with the first.
  void import_to_compare(const QStringList& files);
  /// One trace is imported; of several: are they the ranks of one run, or runs to compare?
  void take_traces(const QStringList& files);
  /// A picture as a tensor of 3 x H x W: the example of the workload "tensors", with its values.
  void run_picture(const QString& file);
  void ask_export_trace(bool range_only);
  /// Writes the capture on the table, or its selected range, in another tool's format.
  void export_trace(const QString& file, bool range_only);
  /// Measures the roofs of this machine.
  void probe();
  void cancel();

 signals:
  /// A child was started, or has ended.
  void changed();
  /// The form, with what stands against a run, is to be in sight.
  void form_wanted();
  /// A child wrote a capture or sweep.
  void finished_file(const QString& file);
  /// All traces to compare have become captures.
  void compare_wanted(const QStringList& captures);
  /// The file of the sweep that runs has grown.
  void sweep_grew(const QString& file);
  void roofs_measured();
  /// What is remembered of trials has changed.
  void records_changed();

 private:
  /// Whether the form can be run; says why not.
  bool form_is_ready();
  void again(const QString& collector);
  void start_again(const QString& model = {});
  /// `workload` names the file that is written.
  void start(const QString& verb, const QStringList& arguments, const QString& workload);
  void launch(const QString& verb, const QStringList& arguments, const QString& file, bool what_is_set_up);
  void show_partial_sweep();
  void on_finished(const RunOutcome&);
  bool on_compared_trace(const RunOutcome&);
  void on_exported(const RunOutcome&);
  void ask_several_traces(const QStringList& files);

  views::Document& document_;
  Settings& settings_;
  SetupPanel& setup_;
  Notices& notices_;
  QWidget& window_;
  RecorderProcess recorder_;
  std::function<void()> cancel_tool_;  // empty: no tool runs
  ModelSearch search_;                 // of a run again
  QString searched_for_;               // its capture
  QString collector_;                  // that it gets besides those of its command; empty: none
  QStringList differences_;            // of the run again, to what was recorded
  QElapsedTimer partial_shown_;
  std::pair<QString, SweepChoice> sweep_choice_;  // of the last sweep that was started: its workload
  // Still to be imported, the one that is included; and those that were.
  QStringList compared_traces_, compared_captures_;
};

}  // namespace app::gui
