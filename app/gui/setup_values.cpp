// SPDX-License-Identifier: GPL-3.0-or-later
// SetupValues.
#include "app/gui/setup_values.h"

#include <QObject>
#include <limits>

#include "app/base/run_settings.h"
#include "engine/netfile/network_file.h"
#include "views/base/file_name.h"
#include "views/base/plain_text.h"

namespace app::gui {

namespace {

constexpr const char* kDevice = "device";

QString check_integer(const QString& label, const QString& text, qint64 minimum, qint64 maximum) {
  if (text.isEmpty()) return {};
  bool number = false;
  const qint64 value = text.toLongLong(&number);
  if (!number) return QObject::tr("%1: \"%2\" is not a whole number").arg(label, text);
  if (value < minimum || value > maximum)
    return QObject::tr("%1: %2 is out of range, %3 to %4").arg(label).arg(value).arg(minimum).arg(maximum);
  return {};
}

}  // namespace

bool is_model_file(const QString& workload) { return workload.endsWith(QLatin1String(".onnx"), Qt::CaseInsensitive); }
bool is_network_file(const QString& workload) { return workload.endsWith(QLatin1String(".json")); }

QStringList run_arguments(const SetupValues& v) {
  QStringList out{v.workload};
  for (const auto& [key, value] : v.arguments)
    if (!value.empty()) out << QStringLiteral("--set") << views::text(key) + QLatin1Char('=') + views::text(value);
  for (const RunSetting& setting : run_settings()) {
    if (const auto said = v.settings.find(setting.name()); said != v.settings.end() && !said->second.empty())
      out << views::text(setting.flag()) << views::text(said->second);
  }
  return out;
}

RunRequest run_request(const SetupValues& v) {
  RunRequest request;
  request.workload = views::name_bytes(v.workload);
  for (const auto& [key, value] : v.arguments)
    if (!value.empty()) request.settings[key] = value;
  for (const auto& [name, value] : v.settings) {
    const RunSetting* setting = find_run_setting(name);
    if (setting == nullptr || !setting->varies()) continue;
    if (const auto checked = checked_value(*setting, value)) set_value(request, *setting, *checked);
  }
  return request;
}

QString check_values(const SetupValues& v) {
  if (is_model_file(v.workload)) {
    if (!views::file_exists(v.workload)) return QObject::tr("%1 does not exist").arg(v.workload);
    const auto batch = v.arguments.find("batch");
    if (batch != v.arguments.end())
      if (const QString problem = check_integer(QObject::tr("Batch size"), views::text(batch->second), 1,
                                                std::numeric_limits<qint64>::max());
          !problem.isEmpty())
        return problem;
  } else if (is_network_file(v.workload)) {
    const auto network =
        engine::load_network_file(views::name_bytes(v.workload));  // as it is now: it may have been edited meanwhile
    if (!network) return views::text(network.error().message);
    const auto resolved = engine::resolve(*network, v.arguments);
    if (!resolved) return views::text(resolved.error().message);
  } else {
    const auto workload = engine::find_workload(v.workload.toStdString());
    if (!workload) return views::text(workload.error().message);
    const auto resolved = engine::resolve(**workload, v.arguments);
    if (!resolved) return views::text(resolved.error().message);
  }
  const auto said = [&](const char* name, const char* value) {
    const auto found = v.settings.find(name);
    return found != v.settings.end() && found->second == value;
  };
  if (said("fuse", "on") && said("graph", "eager"))
    return QObject::tr("Fusion: eager mode runs each op before the next exists; choose the static graph");
  const auto device = v.settings.find(kDevice);
  for (const auto& [name, value] : v.settings) {
    const RunSetting* setting = find_run_setting(name);
    if (setting == nullptr || value.empty()) continue;
    const auto checked = checked_value(*setting, value);
    if (!checked)
      return QStringLiteral("%1: %2").arg(views::text(setting->parameter.label), views::text(checked.error().message));
    if (const auto here = check_device(*setting, value, device == v.settings.end() ? "cpu" : device->second); !here)
      return views::text(here.error().message);
  }
  return {};
}

}  // namespace app::gui
