// SPDX-License-Identifier: GPL-3.0-or-later
// The file of the user's choices: dividers, columns, keys.
#pragma once

#include <QSettings>

namespace views {

/// The same file whatever the program is called, so that tests and the window agree: tensortide/tensortide.ini in the
/// user's configuration folder.
inline QSettings view_settings() {
  return QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("tensortide"),
                   QStringLiteral("tensortide"));
}

}  // namespace views
