// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a file whole or not at all.
#include "views/base/save_file.h"

#include <QSaveFile>

namespace views {

QString save_file(const QString& path, const QByteArray& bytes) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return file.errorString();
  // A disk that fills up takes a part first; only the write after it says why. commit() would forget it.
  for (qsizetype done = 0; done < bytes.size();) {
    const qint64 taken = file.write(bytes.constData() + done, bytes.size() - done);
    if (taken <= 0) return file.errorString();
    done += taken;
  }
  return file.flush() && file.commit() ? QString() : file.errorString();
}

}  // namespace views
