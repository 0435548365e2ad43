// SPDX-License-Identifier: GPL-3.0-or-later
// SaveController: writes what is shown to files: the report, a view's picture, its data.
#pragma once

#include <QCoreApplication>
#include <QString>

#include "views/base/document.h"

class QWidget;

namespace views {
struct ReportRequest;
}

namespace app::gui {

class Notices;
class Settings;
class ViewArea;

class SaveController {
  Q_DECLARE_TR_FUNCTIONS(app::gui::SaveController)

 public:
  SaveController(views::Document&, const Settings&, ViewArea&, Notices&, QWidget& window);
  void ask_report();
  void ask_picture();
  void ask_data();
  /// The table behind the picture in front.
  void show_data();

 private:
  /// Writes a report of what `shown` has, and says so.
  void save_report(views::Document& shown, const views::ReportRequest&, const QString& file);
  /// "FOLDER/CAPTURE-VIEW.SUFFIX"
  QString offered_name(const QString& suffix) const;
  /// `saved`: "Picture saved to %1".
  void save_view(const QString& file, const QString& saved);

  views::Document& document_;
  const Settings& settings_;
  ViewArea& views_;
  Notices& notices_;
  QWidget& window_;
};

}  // namespace app::gui
