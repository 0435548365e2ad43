// SPDX-License-Identifier: GPL-3.0-or-later
// SettingsDialog: what the window remembers and how it looks, page by page; each change takes effect at once.
#pragma once

#include <QDialog>
#include <functional>
#include <vector>

#include "app/gui/settings.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QStackedWidget;

namespace views {
class KeyEditor;
}

namespace app::gui {

class MainWindow;

/// Something that can be set, for the palette.
struct SettingTopic {
  QString title;  ///< "Theme"
  QString page;   ///< "general"
  QString name;   ///< of the control that gets the focus
};
const std::vector<SettingTopic>& setting_topics();

class SettingsDialog : public QDialog {
  Q_OBJECT

 public:
  explicit SettingsDialog(MainWindow&);
  ~SettingsDialog() override;
  /// "general", "folders", "keys"; `control`: gets the focus. Empty: the page as it is.
  void show_page(const QString& page, const QString& control = {});
  views::KeyEditor& keys() const { return *keys_; }

 private:
  struct Page {
    QString key, title;
    QString restores;  ///< what Restore does on it: one sentence
    std::function<void()> restore;
  };
  struct Folder {
    QLineEdit* path;
    std::function<QString()> get;
    std::function<void(const QString&)> set;
  };
  void add_page(Page, QWidget*);
  QWidget* general_page();
  QWidget* folders_page();
  QWidget* keys_page();
  void add_folder(QWidget* page, const QString& title, const QString& help, const char* name, Folder);
  void take_folder(const Folder&, const QString& folder);
  void fill();
  void turned_to(int page);

  MainWindow& window_;
  QListWidget* list_;
  QStackedWidget* pages_;
  QLabel *restores_, *problem_ = nullptr, *scale_note_ = nullptr;
  QPushButton *restore_, *restart_ = nullptr;
  QComboBox *theme_ = nullptr, *scale_ = nullptr, *bytes_ = nullptr, *language_ = nullptr;
  QCheckBox* session_ = nullptr;
  views::KeyEditor* keys_ = nullptr;
  std::vector<Page> known_;
  std::vector<Folder> folders_;
};

}  // namespace app::gui
