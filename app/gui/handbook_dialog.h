// SPDX-License-Identifier: GPL-3.0-or-later
// The handbook in a window of its own: a list of pages, a search over all of them, and the page.
#pragma once

#include <QDialog>
#include <QTextBrowser>

class QLabel;
class QLineEdit;
class QListWidget;

namespace app::gui {

/// Shows pages of app::handbook() as "handbook:/docs/roofs.md", so that links between pages are relative as in the
/// files. Their pictures come from the program's resources, as wide as the view at most. Links to the web go to the
/// desktop's browser.
class HandbookBrowser : public QTextBrowser {
  Q_OBJECT

 public:
  using QTextBrowser::QTextBrowser;
  QVariant loadResource(int type, const QUrl& name) override;
};

class HandbookDialog : public QDialog {
  Q_OBJECT

 public:
  explicit HandbookDialog(QWidget* parent);
  /// By the name of a page or a command; unknown: the list of all pages.
  void show_page(const QString& topic);
  QString page() const;  ///< name of the page that is shown

 private:
  /// A link that was pressed: pages are shown here, addresses of the web in the browser.
  void follow(const QUrl& link);
  void search(const QString& text);
  void find_next(bool backwards);
  void on_page();
  void mark_found();

  QLineEdit* search_;
  QListWidget* pages_;
  QLabel* found_;
  HandbookBrowser* browser_;
};

/// Opens the handbook of `window`, or brings it to the front.
HandbookDialog& show_handbook(QWidget& window, const QString& topic = {});

}  // namespace app::gui
