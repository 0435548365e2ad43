// SPDX-License-Identifier: GPL-3.0-or-later
// SettingsDialog.
#include "app/gui/settings_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "app/gui/main_window.h"
#include "app/gui/translation.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/action_keys.h"

namespace app::gui {

namespace {

constexpr std::array kScales{1.0, 1.25, 1.5, 2.0};

QLabel* explanation(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setForegroundRole(QPalette::PlaceholderText);
  return label;
}

}  // namespace

const std::vector<SettingTopic>& setting_topics() {
  static const std::vector<SettingTopic> topics{
      {QObject::tr("Theme"), QStringLiteral("general"), QStringLiteral("settings.theme")},
      {QObject::tr("Scale of texts and controls"), QStringLiteral("general"), QStringLiteral("settings.scale")},
      {QObject::tr("Language"), QStringLiteral("general"), QStringLiteral("settings.language")},
      {QObject::tr("Units of bytes: MB or MiB"), QStringLiteral("general"), QStringLiteral("settings.bytes")},
      {QObject::tr("Open the last session at the start"), QStringLiteral("general"),
       QStringLiteral("settings.session")},
      {QObject::tr("Folder of captures"), QStringLiteral("folders"), QStringLiteral("settings.captures")},
      {QObject::tr("Folder of exports and reports"), QStringLiteral("folders"), QStringLiteral("settings.exports")},
      {QObject::tr("Keys of all commands"), QStringLiteral("keys"), QStringLiteral("settings.keys.search")}};
  return topics;
}

SettingsDialog::SettingsDialog(MainWindow& window)
    : QDialog(&window),
      window_(window),
      list_(new QListWidget(this)),
      pages_(new QStackedWidget(this)),
      restores_(explanation({}, this)),
      restore_(new QPushButton(tr("Restore"), this)) {
  setObjectName(QStringLiteral("settings"));
  setWindowTitle(tr("Settings"));
  resize(std::min(760, window.width() - 32), std::min(560, window.height() - 32));
  list_->setAccessibleName(tr("Pages of settings"));
  list_->setFixedWidth(120);
  restore_->setObjectName(QStringLiteral("settings.restore"));
  add_page({.key = QStringLiteral("general"),
            .title = tr("General"),
            .restores = tr("Restore sets theme, scale, language, units and session as they were at the first start."),
            .restore =
                [this] {
                  theme_->setCurrentIndex(static_cast<int>(ThemeChoice::system));
                  scale_->setCurrentIndex(0);
                  language_->setCurrentIndex(0);
                  bytes_->setCurrentIndex(0);
                  session_->setChecked(true);
                }},
           general_page());
  add_page({.key = QStringLiteral("folders"),
            .title = tr("Folders"),
            .restores = tr("Restore chooses the usual folders. It moves and deletes no file."),
            .restore =
                [this] {
                  for (const Folder& folder : folders_) take_folder(folder, {});
                }},
           folders_page());
  add_page({.key = QStringLiteral("keys"),
            .title = tr("Keys"),
            .restores = tr("Restore gives every command the key it had at the first start."),
            .restore =
                [this] {
                  keys_->fill_in_usual_keys();
                  keys_->save();
                }},
           keys_page());
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  connect(restore_, &QPushButton::clicked, this, [this] {
    known_[static_cast<size_t>(pages_->currentIndex())].restore();
    fill();
  });
  connect(list_, &QListWidget::currentRowChanged, this, &SettingsDialog::turned_to);
  auto* foot = new QHBoxLayout;
  foot->addWidget(restore_);
  foot->addWidget(restores_, 1);
  foot->addWidget(buttons);
  auto* sides = new QHBoxLayout;
  sides->addWidget(list_);
  sides->addWidget(pages_, 1);
  auto* whole = new QVBoxLayout(this);
  whole->addLayout(sides, 1);
  whole->addLayout(foot);
  // Return ends what is typed; it presses no button.
  for (QPushButton* button : findChildren<QPushButton*>()) button->setAutoDefault(false);
  fill();
  list_->setCurrentRow(0);
}

void SettingsDialog::add_page(Page page, QWidget* widget) {
  list_->addItem(page.title);
  pages_->addWidget(widget);
  known_.push_back(std::move(page));
}

void SettingsDialog::turned_to(int page) {
  if (page < 0) return;
  pages_->setCurrentIndex(page);
  restores_->setText(known_[static_cast<size_t>(page)].restores);
  restore_->setToolTip(restores_->text());
  restore_->setAccessibleDescription(restores_->text());
}

void SettingsDialog::show_page(const QString& page, const QString& control) {
  const auto found = std::ranges::find(known_, page, &Page::key);
  if (found != known_.end()) list_->setCurrentRow(static_cast<int>(found - known_.begin()));
  fill();
  show();
  raise();
  activateWindow();
  if (QWidget* wanted = control.isEmpty() ? nullptr : findChild<QWidget*>(control)) wanted->setFocus();
}

QWidget* SettingsDialog::general_page() {
  auto* page = new QWidget;
  auto* form = new QFormLayout(page);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  theme_ = new QComboBox(page);
  theme_->setObjectName(QStringLiteral("settings.theme"));
  theme_->setAccessibleName(tr("Theme"));
  theme_->addItems({tr("As the system"), tr("Light"), tr("Dark")});
  connect(theme_, &QComboBox::currentIndexChanged, this, [this](int index) {
    const auto choice = static_cast<ThemeChoice>(index);
    if (choice == window_.settings().theme()) return;
    window_.settings().set_theme(choice);
    window_.choose_theme(choice);
  });
  form->addRow(tr("Theme"), theme_);
  scale_ = new QComboBox(page);
  scale_->setObjectName(QStringLiteral("settings.scale"));
  scale_->setAccessibleName(tr("Scale of texts and controls"));
  for (const double scale : kScales) scale_->addItem(tr("%1 %").arg(scale * 100), scale);
  restart_ = new QPushButton(tr("Restart now"), page);
  restart_->setObjectName(QStringLiteral("settings.restart"));
  restart_->setToolTip(tr("Closes the window and opens it again with what is on the table"));
  connect(restart_, &QPushButton::clicked, this, [this] { window_.restart(); });
  auto* line = new QHBoxLayout;
  line->addWidget(scale_);
  line->addWidget(restart_);
  line->addStretch(1);
  form->addRow(tr("Scale"), line);
  scale_note_ = explanation(tr("A new scale is used from the next start on."), page);
  form->addRow(QString(), scale_note_);
  connect(scale_, &QComboBox::currentIndexChanged, this, [this] {
    window_.settings().set_scale(scale_->currentData().toDouble());
    fill();
  });
  language_ = new QComboBox(page);
  language_->setObjectName(QStringLiteral("settings.language"));
  language_->setAccessibleName(tr("Language"));
  language_->addItem(tr("As the system"), QString());
  for (const Language& one : languages())
    language_->addItem(QString::fromUtf8(one.name), QString::fromLatin1(one.code));
  connect(language_, &QComboBox::currentIndexChanged, this, [this] {
    window_.settings().set_language(language_->currentData().toString());
    fill();
  });
  form->addRow(tr("Language"), language_);
  form->addRow(QString(),
               explanation(tr("Of the window and of lessons, from the next start on. Reports and the command "
                              "line are in English."),
                           page));
  bytes_ = new QComboBox(page);
  bytes_->setObjectName(QStringLiteral("settings.bytes"));
  bytes_->setAccessibleName(tr("Units of bytes"));
  bytes_->addItems({tr("Powers of ten: kB, MB, GB/s"), tr("Powers of two: KiB, MiB, GiB/s")});
  connect(bytes_, &QComboBox::currentIndexChanged, this,
          [this](int index) { window_.choose_byte_units(static_cast<profiler::ByteUnits>(index)); });
  form->addRow(tr("Bytes"), bytes_);
  form->addRow(QString(),
               explanation(tr("Of tensors, traffic and rates. Sizes of caches and memories are powers of two "
                              "in either case."),
                           page));
  session_ = new QCheckBox(tr("Open the last session at the start"), page);
  session_->setObjectName(QStringLiteral("settings.session"));
  connect(session_, &QCheckBox::toggled, this, [this](bool on) { window_.settings().set_restores_session(on); });
  form->addRow(tr("Session"), session_);
  form->addRow(QString(), explanation(tr("Opens the captures and the view that were shown last. Files named on the "
                                         "command line are opened instead."),
                                      page));
  return page;
}

QWidget* SettingsDialog::folders_page() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  Settings& settings = window_.settings();
  problem_ = new QLabel(page);
  problem_->setObjectName(QStringLiteral("settings.problem"));
  add_folder(page, tr("Captures"), tr("Runs and imported traces of this window are written here."), "settings.captures",
             {nullptr, [&settings] { return settings.captures_folder(); },
              [&settings](const QString& folder) { settings.set_captures_folder(folder); }});
  add_folder(page, tr("Exports"),
             tr("Reports, pictures, data and traces are saved here unless you choose another folder. Usually it is the "
                "folder where the window was started."),
             "settings.exports",
             {nullptr, [&settings] { return settings.exports_folder(); },
              [&settings](const QString& folder) { settings.set_exports_folder(folder); }});
  problem_->setWordWrap(true);
  problem_->setTextFormat(Qt::PlainText);
  problem_->hide();
  column->addWidget(problem_);
  column->addStretch(1);
  return page;
}

void SettingsDialog::add_folder(QWidget* page, const QString& title, const QString& help, const char* name,
                                Folder folder) {
  auto* column = static_cast<QVBoxLayout*>(page->layout());
  auto* heading = new QLabel(title, page);
  heading->setFont(views::scaled_font(views::data_font(), 1.0, true));
  folder.path = new QLineEdit(page);
  folder.path->setObjectName(QLatin1String(name));
  folder.path->setAccessibleName(tr("Folder of %1").arg(title.toLower()));
  auto* choose = new QPushButton(tr("Choose…"), page);
  choose->setObjectName(QLatin1String(name) + QStringLiteral(".choose"));
  choose->setAccessibleName(tr("Choose the folder of %1").arg(title.toLower()));
  auto* line = new QHBoxLayout;
  line->addWidget(folder.path, 1);
  line->addWidget(choose);
  column->addWidget(heading);
  column->addLayout(line);
  column->addWidget(explanation(help, page));
  column->addSpacing(views::kGrid);
  connect(folder.path, &QLineEdit::editingFinished, this, [this, folder] {
    if (folder.path->text() != folder.get()) take_folder(folder, folder.path->text());
  });
  connect(choose, &QPushButton::clicked, this, [this, folder, title] {
    const QString chosen =
        QFileDialog::getExistingDirectory(this, tr("Folder of %1").arg(title.toLower()), folder.get());
    if (!chosen.isEmpty()) take_folder(folder, chosen);
  });
  folders_.push_back(std::move(folder));
}

void SettingsDialog::take_folder(const Folder& folder, const QString& path) {
  const QString wanted = path.trimmed();
  const QFileInfo info(wanted);
  QString problem;
  if (!wanted.isEmpty() && (!info.isAbsolute() || !info.isDir() || !info.isWritable()))
    problem = !info.isAbsolute() ? tr("%1 is not a full path. Type one that begins with /.").arg(wanted)
              : !info.isDir()    ? tr("There is no folder %1. Choose one that is there.").arg(wanted)
                                 : tr("Nothing can be written to %1. Choose another folder.").arg(wanted);
  if (problem.isEmpty()) folder.set(wanted);
  problem_->setText(views::displayed_text(problem));
  problem_->setVisible(!problem.isEmpty());
  folder.path->setText(folder.get());
}

/// A field that loses the focus tells what was typed: while this still is a whole dialog.
SettingsDialog::~SettingsDialog() { hide(); }

QWidget* SettingsDialog::keys_page() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  auto* search = new QLineEdit(page);
  search->setObjectName(QStringLiteral("settings.keys.search"));
  search->setPlaceholderText(tr("Search commands by name, place or key"));
  search->setAccessibleName(tr("Search commands"));
  search->setClearButtonEnabled(true);
  keys_ = new views::KeyEditor(views::named_actions(window_), window_, page);
  connect(search, &QLineEdit::textChanged, keys_, &views::KeyEditor::set_filter);
  connect(keys_, &views::KeyEditor::edited, this, [this] {
    if (keys_->save()) window_.keys_changed();
  });
  column->addWidget(search);
  column->addWidget(keys_, 1);
  return page;
}

void SettingsDialog::fill() {
  const Settings& settings = window_.settings();
  const QSignalBlocker quiet_theme(theme_), quiet_scale(scale_), quiet_session(session_), quiet_bytes(bytes_),
      quiet_language(language_);
  theme_->setCurrentIndex(static_cast<int>(settings.theme()));
  const auto scale = std::ranges::find(kScales, settings.scale());
  if (scale != kScales.end()) scale_->setCurrentIndex(static_cast<int>(scale - kScales.begin()));
  language_->setCurrentIndex(std::max(0, language_->findData(settings.language())));
  const bool scale_waits = settings.scale() != window_.scale_in_use();
  const bool waits = scale_waits || language_of(settings.language()) != language_in_use();
  restart_->setVisible(waits);
  scale_note_->setText(scale_waits ? tr("The new scale is used from the next start on.")
                                   : tr("A change of the scale takes effect at the next start."));
  bytes_->setCurrentIndex(static_cast<int>(settings.byte_units()));
  session_->setChecked(settings.restores_session());
  for (const Folder& folder : folders_) folder.path->setText(folder.get());
}

}  // namespace app::gui
