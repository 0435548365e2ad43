// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a file whole or not at all.
#pragma once

#include <QByteArray>
#include <QString>

namespace views {

/// Puts `bytes` at `path`, replacing what is there only once all is written. Empty, or why it failed in the system's
/// words: "No space left on device".
QString save_file(const QString& path, const QByteArray& bytes);

}  // namespace views
