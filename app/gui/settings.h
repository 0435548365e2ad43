// SPDX-License-Identifier: GPL-3.0-or-later
// Settings: what the window remembers between starts; one INI file, one typed class.
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QList>
#include <QSettings>
#include <QString>
#include <QStringList>

#include "profiler/base/table.h"

namespace app::gui {

enum class ThemeChoice { system, light, dark };

class Settings {
 public:
  Settings();
  ThemeChoice theme() const;
  void set_theme(ThemeChoice);
  /// Scale of texts and controls: 1, 1.25, 1.5 or 2; applied at the next start.
  double scale() const;
  void set_scale(double);
  /// Code of the language of the window; empty: that of the system. Applied at the next start.
  QString language() const;
  void set_language(const QString& code);
  profiler::ByteUnits byte_units() const;
  void set_byte_units(profiler::ByteUnits);
  /// Where runs of the window are written; created on first use.
  QString captures_folder() const;
  void set_captures_folder(const QString&);  ///< empty: the usual one
  /// Where reports, pictures, data and traces are saved until another folder is chosen: where the window was started,
  /// unless the user set one.
  QString exports_folder() const;
  void set_exports_folder(const QString&);  ///< empty: the usual one
  /// "FOLDER/NAME" in the folder of exports.
  QString export_path(const QString& name) const;
  /// What is on the table, to be opened at the next start.
  struct Session {
    QString capture, reference, sweep;    ///< files; empty: none
    QString view;                         ///< key of the view in front
    bool inspector = true, runs = false;  ///< panels beside a capture
    bool empty() const { return capture.isEmpty() && sweep.isEmpty(); }
    friend bool operator==(const Session&, const Session&) = default;
  };
  Session session() const;
  void keep_session(const Session&);
  /// Whether the next start opens the session.
  bool restores_session() const;
  void set_restores_session(bool);
  /// Captures that still exist, newest first.
  QStringList recent() const;
  void add_recent(const QString& file);
  /// All of them, those that are gone too, newest first; `opened`: when, invalid where that is not known.
  struct Recent {
    QString file;
    QDateTime opened;
    bool there = true;
  };
  QList<Recent> all_recent() const;
  void clear_recent();
  /// What the list of runs said of a file, as long as the file is as it was then; empty: nothing is known. Kept for as
  /// many files as recent(). `as_it_was`: also of a file that is gone or has changed since.
  QString detail(const QString& file, bool as_it_was = false) const;
  void keep_detail(const QString& file, const QString& detail);
  /// Points that a lesson earned when it was last taken: "3 / 4"; empty: never.
  QString lesson_points(const QString& name) const;
  void keep_lesson_points(const QString& name, const QString& points);
  QByteArray geometry() const;
  QByteArray layout() const;
  void set_window(const QByteArray& geometry, const QByteArray& layout);

 private:
  mutable QSettings file_;
};

}  // namespace app::gui
