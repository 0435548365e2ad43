// SPDX-License-Identifier: GPL-3.0-or-later
// SaveController.
#include "app/gui/save_controller.h"

#include <QApplication>
#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QUrl>

#include "app/gui/data_dialog.h"
#include "app/gui/notices.h"
#include "app/gui/report_dialog.h"
#include "app/gui/settings.h"
#include "app/gui/translation.h"
#include "app/gui/view_area.h"
#include "profiler/analysis/analyze.h"
#include "profiler/base/say.h"

namespace app::gui {
namespace {

/// What analyses have said is in the language that they were made in.
void say_again(views::Document& shown) {
  const std::shared_ptr<const profiler::Analyzed> reference = shown.shared_reference();
  if (shown.loaded()) shown.set(profiler::analyze(shown.analyzed().capture, shown.analyzed().rules), shown.path());
  if (reference != nullptr)
    shown.set_reference(profiler::analyze(reference->capture, reference->rules), shown.reference_path());
}

}  // namespace

SaveController::SaveController(views::Document& document, const Settings& settings, ViewArea& area, Notices& notices,
                               QWidget& window)
    : document_(document), settings_(settings), views_(area), notices_(notices), window_(window) {}

void SaveController::ask_report() {
  // While the dialogs are open a run may end and put its capture on the table: the report is of what was there.
  views::Document shown;
  shown.take(document_);
  const std::vector<profiler::ReportKind> kinds = views::report_kinds(shown);
  if (kinds.empty()) return;
  // what is in front is what is meant
  const auto in_front = [&](views::ViewEntry::Of of) { return views_.current() == &views_.view_of(of); };
  profiler::ReportKind kind = kinds.front();
  for (const profiler::ReportKind each : kinds) {
    if ((each == profiler::ReportKind::sweep && in_front(views::ViewEntry::Of::sweep)) ||
        (each == profiler::ReportKind::comparison && in_front(views::ViewEntry::Of::comparison)))
      kind = each;
  }
  ReportDialog dialog(shown, kind, &window_);
  if (dialog.exec() != QDialog::Accepted) return;
  const views::ReportRequest request = dialog.request();
  const bool of_sweep = request.kind == profiler::ReportKind::sweep;
  const QString name =
      QFileInfo(of_sweep ? shown.sweep_path() : shown.path()).completeBaseName() +
      (request.kind == profiler::ReportKind::comparison ? QStringLiteral("-compared.html") : QStringLiteral(".html"));
  const QString file = QFileDialog::getSaveFileName(&window_, tr("Save report"), settings_.export_path(name),
                                                    tr("HTML, one file (*.html);;PDF (*.pdf)"));
  if (!file.isEmpty()) save_report(shown, request, file);
}

void SaveController::save_report(views::Document& shown, const views::ReportRequest& request, const QString& file) {
  QApplication::setOverrideCursor(Qt::WaitCursor);
  const auto done = [&] {
    const profiler::InEnglish english;  // reports are, whatever the window's language is
    if (language_in_use() != QLatin1String("en")) say_again(shown);
    return views::save_report(shown, request, file);
  }();
  QApplication::restoreOverrideCursor();
  if (done) {
    notices_.inform(tr("Report saved to %1").arg(file), tr("Open it"),
                    [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
  } else {
    notices_.error(QString::fromStdString(done.error().message));
  }
}

QString SaveController::offered_name(const QString& suffix) const {
  const QString& of = document_.loaded() ? document_.path() : document_.sweep_path();
  return settings_.export_path(QFileInfo(of).completeBaseName() + QLatin1Char('-') +
                               views_.current()->windowTitle().toLower() + suffix);
}

void SaveController::save_view(const QString& file, const QString& saved) {
  const auto done = views::export_view(*views_.current(), file, views_.theme(), views_.current()->size());
  if (done) {
    notices_.inform(saved.arg(file));
  } else {
    notices_.error(QString::fromStdString(done.error().message));
  }
}

void SaveController::ask_picture() {
  if (views_.current() == nullptr) return;
  const QString file =
      QFileDialog::getSaveFileName(&window_, tr("Export picture"), offered_name(QStringLiteral(".png")),
                                   tr("PNG, twice the size (*.png);;SVG (*.svg);;PDF (*.pdf)"));
  if (!file.isEmpty() && views_.current() != nullptr) save_view(file, tr("Picture saved to %1"));
}

void SaveController::ask_data() {
  if (views_.current() == nullptr) return;
  const QString suffix = QStringLiteral(".csv");
  const QString file =
      QFileDialog::getSaveFileName(&window_, tr("Export data"), offered_name(suffix), tr("CSV (*.csv)"));
  if (!file.isEmpty() && views_.current() != nullptr)
    save_view(file.endsWith(suffix) ? file : file + suffix, tr("Data saved to %1"));
}

void SaveController::show_data() {
  if (views_.current() != nullptr)
    app::gui::show_data(&window_, tr("%1: the data behind the picture").arg(views_.current()->windowTitle()),
                        views_.current()->data(), settings_.exports_folder());
}

}  // namespace app::gui
