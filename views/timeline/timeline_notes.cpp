// SPDX-License-Identifier: GPL-3.0-or-later
// Notes as JSON: read as if written by a stranger, replaced as a whole.
#include "views/timeline/timeline_notes.h"

#include <fmt/format.h>

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "engine/base/display_text.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/store/whole_file.h"
#include "views/base/file_name.h"

namespace views {

namespace {

constexpr qsizetype kMostEntries = 10000;
constexpr qsizetype kMostBytes = 16 << 20;
constexpr size_t kMostOthers = 20;  // as a menu can offer

QJsonArray to_array(const auto& texts) {
  QJsonArray array;
  for (const std::string& text : texts) array.append(QString::fromStdString(text));
  return array;
}

/// At most kMostEntries texts of an array; what is no text is left out.
std::vector<std::string> texts_of(const QJsonValue& value) {
  std::vector<std::string> texts;
  for (const QJsonValue& v : value.toArray()) {
    if (v.isString() && static_cast<qsizetype>(texts.size()) < kMostEntries)
      texts.push_back(v.toString().toStdString());
  }
  return texts;
}

/// Times go as text: a JSON number is a double and loses nanoseconds after 104 days.
int64_t time_of(const QJsonValue& value, bool& good) {
  bool number = false;
  const int64_t t = value.toString().toLongLong(&number);
  good = good && number && t >= 0;
  return t;
}

}  // namespace

bool TimelineArrangement::is_pinned(const std::string& key) const {
  return std::find(pinned.begin(), pinned.end(), key) != pinned.end();
}

QString capture_id(const profiler::Capture& capture) {
  QCryptographicHash hash(QCryptographicHash::Sha1);
  const auto add = [&hash](const std::string& text) {
    hash.addData(QByteArray::fromStdString(text));
    hash.addData(QByteArray(1, '\0'));
  };
  add(capture.run().created_at);
  // As earlier versions read them: the id of a recording stays what it was.
  add(engine::display_line(capture.run().command));
  add(engine::display_line(capture.run().workload));
  for (const int64_t figure : {capture.begin_ns(), capture.end_ns(), static_cast<int64_t>(capture.activities().size()),
                               static_cast<int64_t>(capture.names().size())})
    add(std::to_string(figure));
  return QString::fromLatin1(hash.result().toHex());
}

QString notes_file(const profiler::Capture& capture) {
  return QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) + QStringLiteral("/timeline/") +
         capture_id(capture) + QStringLiteral(".json");
}

QString notes_beside(const QString& capture_path) { return capture_path + QStringLiteral(".notes"); }

namespace {

const QString kRecordings = QStringLiteral("recordings"), kId = QStringLiteral("capture_id"),
              kName = QStringLiteral("recording");

/// All recordings of a notes file by their id, as they stand there; nothing where there is no file. Refused: a link,
/// pipe or device, too big, no JSON object.
engine::Result<QJsonObject> recordings_in(const QString& path) {
  std::error_code code;
  if (path.isEmpty() || !std::filesystem::exists(std::filesystem::symlink_status(name_bytes(path), code)))
    return QJsonObject();
  const auto bytes = profiler::read_whole_file(name_bytes(path), kMostBytes);
  if (!bytes) return bytes.error();
  if (bytes->empty()) return QJsonObject();
  QJsonParseError why;
  const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(*bytes), &why);
  if (!document.isObject()) {
    return engine::refused_error(QObject::tr("%1: holds no notes: %2")
                                     .arg(path, document.isNull() ? why.errorString() : QObject::tr("no JSON object"))
                                     .toStdString());
  }
  const QJsonObject root = document.object();
  if (root.contains(kRecordings)) return root[kRecordings].toObject();
  // Earlier versions kept one recording, whose id stood among its notes.
  return root.isEmpty() ? QJsonObject() : QJsonObject{{root[kId].toString(), root}};
}

/// What a notes file says of one recording; empty: nothing. An empty `id`: of the first there is.
QJsonObject notes_object(const QString& path, const QString& id) {
  const auto recordings = recordings_in(path);
  if (!recordings || recordings->isEmpty()) return {};
  return id.isEmpty() ? recordings->begin().value().toObject() : (*recordings)[id].toObject();
}

}  // namespace

QString notes_file_for(const profiler::Capture& capture, const QString& capture_path) {
  const QString beside = notes_beside(capture_path), own = notes_file(capture), id = capture_id(capture);
  if (capture_path.isEmpty() || notes_object(beside, id).isEmpty()) return own;
  // The later of two: where the place beside the capture was full, the last marks are with the user's settings.
  const bool own_is_later =
      !notes_object(own, id).isEmpty() && file_state(own).modified_ns > file_state(beside).modified_ns;
  return own_is_later ? own : beside;
}

engine::Result<KeptNotes> keep_notes(const TimelineNotes& notes, const profiler::Capture& capture,
                                     const QString& capture_path, const QString& current_file) {
  const QString beside = notes_beside(capture_path), own = notes_file(capture), id = capture_id(capture);
  const QString recording = QString::fromStdString(capture.run().created_at);
  const bool written = !notes.marks.empty() ||
                       std::any_of(notes.views.begin(), notes.views.end(), [](const auto& v) { return v.has_value(); });
  std::string why;
  if (current_file == beside || (written && file_state(capture_path).is_file)) {
    const auto saved = save_notes(notes, beside, id, recording);
    if (saved) return KeptNotes{beside, {}};
    why = saved.error().message;
  }
  if (const auto saved = save_notes(notes, own, id, recording); !saved) {
    return engine::refused_error(why.empty() ? saved.error().message
                                             : fmt::format("{}; nor {}", why, saved.error().message));
  }
  return KeptNotes{own, QString::fromStdString(why)};
}

namespace {

TimelineNotes notes_of(const QJsonObject& root) {
  TimelineNotes notes;
  notes.rows.pinned = texts_of(root[QStringLiteral("pinned_rows")]);
  notes.rows.order = texts_of(root[QStringLiteral("row_order")]);
  for (auto& key : texts_of(root[QStringLiteral("hidden_rows")])) notes.rows.hidden.insert(key);
  for (auto& key : texts_of(root[QStringLiteral("folded_groups")])) notes.rows.folded.insert(key);
  for (const QJsonValue& v : root[QStringLiteral("marks")].toArray()) {
    bool good = static_cast<qsizetype>(notes.marks.size()) < kMostEntries;
    const QJsonObject o = v.toObject();
    const TimelineMark mark{
        time_of(o[QStringLiteral("begin_ns")], good), time_of(o[QStringLiteral("end_ns")], good),
        o[QStringLiteral("text")].toString().toStdString()};  // as written; escaped where it is painted
    if (good && mark.end_ns >= mark.begin_ns) notes.marks.push_back(mark);
  }
  std::stable_sort(notes.marks.begin(), notes.marks.end(),
                   [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  const QJsonObject saved = root[QStringLiteral("views")].toObject();
  for (size_t i = 0; i < notes.views.size(); ++i) {
    const QJsonObject o = saved[QString::number(i)].toObject();
    bool good = !o.isEmpty();
    const SavedWindow w{time_of(o[QStringLiteral("begin_ns")], good), time_of(o[QStringLiteral("end_ns")], good)};
    if (good && w.end_ns > w.begin_ns) notes.views[i] = w;
  }
  return notes;
}

QJsonObject object_of(const TimelineNotes& notes) {
  QJsonObject root;
  root[QStringLiteral("pinned_rows")] = to_array(notes.rows.pinned);
  root[QStringLiteral("row_order")] = to_array(notes.rows.order);
  root[QStringLiteral("hidden_rows")] = to_array(notes.rows.hidden);
  root[QStringLiteral("folded_groups")] = to_array(notes.rows.folded);
  const auto span = [](int64_t begin, int64_t end) {
    return QJsonObject{{QStringLiteral("begin_ns"), QString::number(begin)},
                       {QStringLiteral("end_ns"), QString::number(end)}};
  };
  QJsonArray marks;
  for (const TimelineMark& m : notes.marks) {
    QJsonObject o = span(m.begin_ns, m.end_ns);
    o[QStringLiteral("text")] = QString::fromStdString(m.text);
    marks.append(o);
  }
  root[QStringLiteral("marks")] = marks;
  QJsonObject saved;
  for (size_t i = 0; i < notes.views.size(); ++i)
    if (notes.views[i]) saved[QString::number(i)] = span(notes.views[i]->begin_ns, notes.views[i]->end_ns);
  root[QStringLiteral("views")] = saved;
  return root;
}

}  // namespace

TimelineNotes load_notes(const QString& path, const QString& id) { return notes_of(notes_object(path, id)); }

engine::Result<void> save_notes(const TimelineNotes& notes, const QString& path, const QString& id,
                                const QString& recording) {
  const auto refused = [&path](const std::string& why) {
    const QString text = QString::fromStdString(why);
    return engine::refused_error(QObject::tr("%1: marks and rows cannot be saved: %2")
                                     .arg(path, text.startsWith(path) ? text.mid(path.size() + 2) : text)
                                     .toStdString());
  };
  auto recordings = recordings_in(path);
  if (!recordings) return refused(recordings.error().message);
  // Marks that were not understood, of a later version or of another hand, are kept beside those that were.
  const QJsonObject before = (*recordings)[id].toObject();
  const qsizetype marks = before[QStringLiteral("marks")].toArray().size();
  if (marks > static_cast<qsizetype>(notes_of(before).marks.size()))
    (*recordings)[id + QStringLiteral(" as found")] = before;
  QJsonObject own = object_of(notes);
  own[kName] = recording.isEmpty() ? before[kName].toString() : recording;
  (*recordings)[id] = own;
  const QByteArray bytes = QJsonDocument(QJsonObject{{kRecordings, *recordings}}).toJson();
  if (bytes.size() > kMostBytes)
    return refused(QObject::tr("with these it would have over %1 bytes").arg(kMostBytes).toStdString());
  std::error_code ignored;  // writing says what is wrong
  std::filesystem::create_directories(std::filesystem::path(name_bytes(path)).parent_path(), ignored);
  if (const auto done = profiler::write_whole_file(
          name_bytes(path), std::string_view(bytes.constData(), static_cast<size_t>(bytes.size())));
      !done) {
    return refused(done.error().message);
  }
  return {};
}

std::vector<OtherNotes> other_notes(const QString& path, const QString& id) {
  std::vector<OtherNotes> others;
  const auto recordings = recordings_in(path);
  if (!recordings) return others;
  for (auto at = recordings->begin(); at != recordings->end() && others.size() < kMostOthers; ++at) {
    if (at.key() == id) continue;
    OtherNotes other{at.value().toObject()[kName].toString(), notes_of(at.value().toObject())};
    if (!other.notes.marks.empty()) others.push_back(std::move(other));
  }
  return others;
}

TimelineNotes with_marks(TimelineNotes notes, const std::vector<TimelineMark>& more) {
  for (const TimelineMark& mark : more) {
    if (std::ranges::find(notes.marks, mark) == notes.marks.end()) notes.marks.push_back(mark);
  }
  std::ranges::stable_sort(notes.marks, {}, &TimelineMark::begin_ns);
  return notes;
}

}  // namespace views
