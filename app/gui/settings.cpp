// SPDX-License-Identifier: GPL-3.0-or-later
// The INI file behind Settings: $XDG_CONFIG_HOME/tensortide/tensortide.ini.
#include "app/gui/settings.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>
#include <array>

#include "views/base/file_name.h"

namespace app::gui {

namespace {
constexpr int kSchema = 1;
constexpr qsizetype kRecentCount = 12;
}  // namespace

Settings::Settings()
    : file_(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("tensortide"), QStringLiteral("tensortide")) {
  // A file of another schema is not half understood: it starts anew.
  if (file_.contains(QStringLiteral("schema")) && file_.value(QStringLiteral("schema")).toInt() != kSchema)
    file_.clear();
  if (!file_.contains(QStringLiteral("schema"))) file_.setValue(QStringLiteral("schema"), kSchema);
}

ThemeChoice Settings::theme() const {
  const QString text = file_.value(QStringLiteral("theme")).toString();
  return text == QLatin1String("light")  ? ThemeChoice::light
         : text == QLatin1String("dark") ? ThemeChoice::dark
                                         : ThemeChoice::system;
}

void Settings::set_theme(ThemeChoice choice) {
  constexpr std::array names{"system", "light", "dark"};
  file_.setValue(QStringLiteral("theme"), QLatin1String(names[static_cast<size_t>(choice)]));
}

double Settings::scale() const {
  const double scale = file_.value(QStringLiteral("scale"), 1.0).toDouble();
  return scale >= 1.0 && scale <= 3.0 ? scale : 1.0;
}

void Settings::set_scale(double scale) { file_.setValue(QStringLiteral("scale"), scale); }

QString Settings::language() const { return file_.value(QStringLiteral("language")).toString(); }

void Settings::set_language(const QString& code) { file_.setValue(QStringLiteral("language"), code); }

profiler::ByteUnits Settings::byte_units() const {
  const bool binary = file_.value(QStringLiteral("byte_units")).toString() == QLatin1String("binary");
  return binary ? profiler::ByteUnits::binary : profiler::ByteUnits::decimal;
}

void Settings::set_byte_units(profiler::ByteUnits units) {
  const bool binary = units == profiler::ByteUnits::binary;
  file_.setValue(QStringLiteral("byte_units"), QLatin1String(binary ? "binary" : "decimal"));
}

QString Settings::captures_folder() const {
  const QString usual =
      QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/tensortide/captures");
  const QString folder = file_.value(QStringLiteral("captures_folder"), usual).toString();
  QDir().mkpath(folder);
  return folder;
}

void Settings::set_captures_folder(const QString& folder) {
  if (folder.isEmpty()) file_.remove(QStringLiteral("captures_folder"));
  else file_.setValue(QStringLiteral("captures_folder"), folder);
}

namespace {

/// As the settings' file, which holds text, keeps a name of any bytes: those that Qt does not know in percents, behind
/// a mark that no absolute path has.
const QString kInPercents = QStringLiteral("percent:");
QString kept(const QString& path) {
  return views::qt_knows(path)
             ? path
             : kInPercents +
                   QString::fromLatin1(QByteArray::fromStdString(views::name_bytes(path)).toPercentEncoding("/"));
}
QString found(const QString& entry) {
  return entry.startsWith(kInPercents)
             ? views::name_text(QByteArray::fromPercentEncoding(entry.mid(kInPercents.size()).toLatin1()).toStdString())
             : entry;
}

}  // namespace

QString Settings::exports_folder() const {
  const QString folder = file_.value(QStringLiteral("exports_folder")).toString();
  return folder.isEmpty() || !QFileInfo(folder).isDir() ? QDir::currentPath() : folder;
}

void Settings::set_exports_folder(const QString& folder) {
  if (folder.isEmpty()) file_.remove(QStringLiteral("exports_folder"));
  else file_.setValue(QStringLiteral("exports_folder"), folder);
}

QString Settings::export_path(const QString& name) const { return QDir(exports_folder()).filePath(name); }

Settings::Session Settings::session() const {
  const auto file = [this](const char* key) { return found(file_.value(QLatin1String(key)).toString()); };
  return {.capture = file("session/capture"),
          .reference = file("session/reference"),
          .sweep = file("session/sweep"),
          .view = file_.value(QStringLiteral("session/view")).toString(),
          .inspector = file_.value(QStringLiteral("session/inspector"), true).toBool(),
          .runs = file_.value(QStringLiteral("session/runs"), false).toBool()};
}

void Settings::keep_session(const Session& session) {
  file_.setValue(QStringLiteral("session/capture"), kept(session.capture));
  file_.setValue(QStringLiteral("session/reference"), kept(session.reference));
  file_.setValue(QStringLiteral("session/sweep"), kept(session.sweep));
  file_.setValue(QStringLiteral("session/view"), session.view);
  file_.setValue(QStringLiteral("session/inspector"), session.inspector);
  file_.setValue(QStringLiteral("session/runs"), session.runs);
}

bool Settings::restores_session() const { return file_.value(QStringLiteral("session/restore"), true).toBool(); }
void Settings::set_restores_session(bool restores) { file_.setValue(QStringLiteral("session/restore"), restores); }

QStringList Settings::recent() const {
  QStringList files;
  for (const QString& entry : file_.value(QStringLiteral("recent")).toStringList()) {
    if (const QString file = found(entry); views::file_exists(file)) files << file;
  }
  return files;
}

void Settings::add_recent(const QString& file) {
  const QString path = QFileInfo(file).absoluteFilePath();
  QList<Recent> files = all_recent();
  files.removeIf([&](const Recent& one) { return one.file == path; });
  files.prepend({path, QDateTime::currentDateTime(), true});
  QStringList entries, times;
  for (const Recent& one : files.mid(0, kRecentCount)) {
    entries << kept(one.file);
    times << one.opened.toString(Qt::ISODate);
  }
  file_.setValue(QStringLiteral("recent"), entries);
  file_.setValue(QStringLiteral("recent_opened"), times);
}

QList<Settings::Recent> Settings::all_recent() const {
  const QStringList entries = file_.value(QStringLiteral("recent")).toStringList(),
                    times = file_.value(QStringLiteral("recent_opened")).toStringList();
  QList<Recent> all;
  for (qsizetype i = 0; i < entries.size(); ++i) {
    const QString file = found(entries[i]);
    all.append({file, QDateTime::fromString(times.value(i), Qt::ISODate), views::file_exists(file)});
  }
  return all;
}

void Settings::clear_recent() {
  file_.remove(QStringLiteral("recent"));
  file_.remove(QStringLiteral("recent_opened"));
  file_.remove(QStringLiteral("details"));
}

namespace {

/// Tells a file that was recorded anew from the one that was described.
QString stamp(const views::FileState& state) {
  return QStringLiteral("%1 %2").arg(state.modified_ns / 1'000'000).arg(state.size_bytes);
}

}  // namespace

QString Settings::detail(const QString& file, bool as_it_was) const {
  const QString path = kept(QFileInfo(file).absoluteFilePath());
  const views::FileState state = views::file_state(file);
  for (const QVariant& entry : file_.value(QStringLiteral("details")).toList()) {
    const QStringList row = entry.toStringList();
    if (row.size() == 3 && row[0] == path)
      return as_it_was || (state.exists && row[1] == stamp(state)) ? row[2] : QString();
  }
  return {};
}

void Settings::keep_detail(const QString& file, const QString& detail) {
  const QString path = kept(QFileInfo(file).absoluteFilePath());
  QVariantList entries = file_.value(QStringLiteral("details")).toList();
  entries.removeIf([&](const QVariant& entry) { return entry.toStringList().value(0) == path; });
  entries.prepend(QStringList{path, stamp(views::file_state(file)), detail});
  file_.setValue(QStringLiteral("details"), entries.mid(0, kRecentCount));
}

QString Settings::lesson_points(const QString& name) const {
  return file_.value(QStringLiteral("lessons/") + name).toString();
}

void Settings::keep_lesson_points(const QString& name, const QString& points) {
  file_.setValue(QStringLiteral("lessons/") + name, points);
}

QByteArray Settings::geometry() const { return file_.value(QStringLiteral("window/geometry")).toByteArray(); }
QByteArray Settings::layout() const { return file_.value(QStringLiteral("window/layout")).toByteArray(); }

void Settings::set_window(const QByteArray& geometry, const QByteArray& layout) {
  file_.setValue(QStringLiteral("window/geometry"), geometry);
  file_.setValue(QStringLiteral("window/layout"), layout);
}

}  // namespace app::gui
