// SPDX-License-Identifier: GPL-3.0-or-later
// PlaygroundPanel: lines go to the child process, a JSON document per line comes back.
#include "app/gui/playground_panel.h"

#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/recorder_process.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/flow_layout.h"

namespace app::gui {

using views::kGrid;

namespace {

constexpr int kMostLogLines = 500;

/// Ready lines for each button; a line that names what is not there makes it first.
struct Scene {
  const char *name, *text, *tip;
  QStringList lines;
};

std::vector<Scene> scenes() {
  const auto lines = [](std::initializer_list<const char*> list) {
    QStringList all;
    for (const char* one : list) all << QLatin1String(one);
    return all;
  };
  return {{"create", "Create", "A tensor on each device", lines({"u = tensor(1, 2, 3)", "g = ones(3, sim:0)"})},
          {"to", ".to()", "A copy on another device; the tensor itself where it lies there already",
           lines({"u = tensor(1, 2, 3)", "v = u.to(sim:0)", "w = u.to(cpu)"})},
          {"write", "Write", "Writing to a tensor shows under all its names, and in no copy",
           lines({"u = tensor(1, 2, 3)", "v = u.to(sim:0)", "w = u.to(cpu)", "w[0] = 5"})},
          {"copy", "copy_", "Overwrites elements in place, across devices and data types",
           lines({"u = tensor(1, 2, 3)", "h = zeros(3, f16, sim:1)", "h.copy_(u)"})},
          {"add", "x + y", "Tensors on two devices: refused before anything is computed",
           lines({"x = ones(3)", "y = ones(3, sim:0)", "z = x + y"})},
          {"scalar", "0-d scalar", "A 0-d tensor mixes with any device; its 4 bytes are fetched unasked",
           lines({"s = scalar(2)", "v = tensor(1, 2, 3, sim:0)", "t = v * s"})},
          {"module", "Module", "Parameters move in place with their module; other tensors stay",
           lines({"m = linear(10, 6)", "x = ones(4x10)", "m.to(sim:1)", "y = m(x)"})},
          {"dtype", "new_full", "New tensors take data type and device of their source",
           lines({"h = zeros(2, f16, sim:1)", "n = h.new_full(2x3, 1.4)"})}};
}

}  // namespace

PlaygroundLayout layout_playground(const QRectF& rect, const QStringList& devices,
                                   const std::vector<PlaygroundChip>& chips, const std::vector<PlaygroundArrow>& arrows,
                                   double line) {
  PlaygroundLayout layout;
  if (devices.isEmpty()) return layout;
  const auto count = static_cast<double>(devices.size());
  const double gap = std::clamp(rect.width() / 10, 48.0, 120.0);
  const double width = std::max(60.0, (rect.width() - gap * (count - 1)) / count);
  const double strip = arrows.empty() ? 0 : line * 1.6;  // above the boxes: arrows that pass one
  for (qsizetype d = 0; d < devices.size(); ++d)
    layout.devices.emplace_back(rect.left() + static_cast<double>(d) * (width + gap), rect.top() + strip, width,
                                rect.height() - strip);
  const double chip = 3 * line + 8;
  std::vector<double> next(static_cast<size_t>(devices.size()), line + 12);
  layout.left_out.assign(static_cast<size_t>(devices.size()), 0);
  for (const PlaygroundChip& c : chips) {
    const qsizetype at = devices.indexOf(c.device);
    if (at < 0) {
      layout.chips.emplace_back();
      continue;
    }
    const auto d = static_cast<size_t>(at);
    const QRectF& box = layout.devices[d];
    if (next[d] + chip + line > box.height()) {
      ++layout.left_out[d];
      layout.chips.emplace_back();
      continue;
    }
    layout.chips.emplace_back(box.left() + 6, box.top() + next[d], box.width() - 12, chip);
    next[d] += chip + 6;
  }
  double y = rect.top() + strip + line * 2;
  for (const PlaygroundArrow& a : arrows) {
    const qsizetype from = devices.indexOf(a.from), to = devices.indexOf(a.to);
    if (from < 0 || to < 0 || from == to) {
      layout.arrows.push_back({});
      continue;
    }
    const QRectF &start = layout.devices[static_cast<size_t>(from)], &end = layout.devices[static_cast<size_t>(to)];
    const bool right = to > from, beside = std::abs(to - from) == 1;
    const double height = beside ? y : rect.top() + line + 2;
    PlaygroundLayout::Arrow arrow;
    arrow.from = {right ? start.right() : start.left(), height};
    arrow.to = {right ? end.left() : end.right(), height};
    if (!beside) {
      arrow.from.setX(start.center().x());
      arrow.to.setX(end.center().x());
    }
    const double middle = (arrow.from.x() + arrow.to.x()) / 2;
    arrow.label = QRectF(middle - gap / 2, height - line - 2, gap, line);
    if (beside) y += 2.2 * line;
    layout.arrows.push_back(arrow);
  }
  return layout;
}

PlaygroundPanel::PlaygroundPanel(QWidget* parent)
    : QWidget(parent),
      line_(new QLineEdit(this)),
      remedy_(new QPushButton(this)),
      result_(new QLabel(this)),
      canvas_(new views::Canvas(this)),
      log_(new QPlainTextEdit(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  column->setSpacing(kGrid);
  auto* teaches = new QLabel(tr("A tensor lies in the memory of one device, which computes with it. Bytes move only "
                                "where a line asks for it, with one exception: 0-d tensors."),
                             this);
  teaches->setWordWrap(true);
  column->addWidget(teaches);
  auto* bar = new QWidget(this);
  add_scenes(bar);
  column->addWidget(bar);
  auto* row = new QHBoxLayout;
  line_->setObjectName(QStringLiteral("playground.line"));
  line_->setAccessibleName(tr("A line to run"));
  line_->setPlaceholderText(QStringLiteral("y = x.to(sim:0)"));
  line_->setMaxLength(400);
  auto* go = new QPushButton(tr("Run line"), this);
  go->setObjectName(QStringLiteral("playground.go"));
  const auto run_line = [this] {
    if (line_->text().trimmed().isEmpty()) return;
    run({line_->text()});
    line_->clear();
  };
  connect(go, &QPushButton::clicked, this, run_line);
  connect(line_, &QLineEdit::returnPressed, this, run_line);
  row->addWidget(line_, 1);
  row->addWidget(go);
  column->addLayout(row);
  auto* said = new QHBoxLayout;
  result_->setWordWrap(true);
  result_->setTextFormat(Qt::PlainText);
  result_->setAccessibleName(tr("What the last line did"));
  remedy_->setObjectName(QStringLiteral("playground.remedy"));
  remedy_->setToolTip(tr("Runs the line with the copy that is missing"));
  remedy_->hide();
  connect(remedy_, &QPushButton::clicked, this, [this] { run({remedy_line_}); });
  said->addWidget(result_, 1);
  said->addWidget(remedy_);
  column->addLayout(said);
  canvas_->setAccessibleName(tr("Devices and the tensors on them"));
  canvas_->setMinimumHeight(150);
  canvas_->paint = [this](QPainter& p, const QRectF& r) { paint(p, r); };
  column->addWidget(canvas_, 3);
  log_->setReadOnly(true);
  log_->setMaximumBlockCount(kMostLogLines);
  log_->setAccessibleName(tr("Lines so far"));
  log_->setMinimumHeight(60);
  column->addWidget(log_, 1);
  connect(&process_, &QProcess::readyReadStandardOutput, this, &PlaygroundPanel::read_answers);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;  // it ends, and then says why
    waiting_ = 0;
    result_->setText(tr("The playground ended: %1. The next line starts it again.").arg(process_.errorString()));
  });
  connect(&process_, &QProcess::finished, this, [this] {
    // Lines that nobody answered: what the program said instead, or that it ended.
    const QString said = views::displayed(QString::fromUtf8(process_.readAllStandardError()).trimmed());
    if (std::exchange(waiting_, 0) > 0)
      result_->setText(said.isEmpty() ? tr("The playground ended. The next line starts it again.") : said);
  });
}

PlaygroundPanel::~PlaygroundPanel() {
  process_.disconnect(this);
  process_.closeWriteChannel();
  if (process_.state() != QProcess::NotRunning && !process_.waitForFinished(2000)) process_.kill();
  process_.waitForFinished(1000);
}

void PlaygroundPanel::add_scenes(QWidget* bar) {
  auto* row = new views::FlowLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(kGrid / 2);
  for (const Scene& scene : scenes()) {
    auto* button = new QPushButton(QLatin1String(scene.text), bar);
    button->setObjectName(QStringLiteral("playground.") + QLatin1String(scene.name));
    button->setToolTip(tr("%1:\n%2").arg(tr(scene.tip), scene.lines.join(QLatin1Char('\n'))));
    connect(button, &QPushButton::clicked, this, [this, lines = scene.lines] { run(lines); });
    row->add(button);
  }
  auto* restart = new QPushButton(tr("Start again"), bar);
  restart->setObjectName(QStringLiteral("playground.restart"));
  restart->setToolTip(tr("Forgets all tensors"));
  connect(restart, &QPushButton::clicked, this, [this] {
    process_.kill();
    process_.waitForFinished(2000);
    waiting_ = 0;
    chips_.clear(), arrows_.clear(), log_->clear(), result_->clear();
    remedy_->hide();
    canvas_->update();
  });
  row->add(restart);
}

void PlaygroundPanel::start() {
  if (process_.state() != QProcess::NotRunning) return;
  chips_.clear();
  process_.start(RecorderProcess::program(), {QStringLiteral("playground"), QStringLiteral("--json")});
}

void PlaygroundPanel::run(const QStringList& lines) {
  start();
  remedy_->hide();
  for (QString line : lines) {
    line.replace(QLatin1Char('\n'), QLatin1Char(' '));
    ++waiting_;
    process_.write(line.toUtf8() + '\n');
  }
}

void PlaygroundPanel::read_answers() {
  while (process_.canReadLine()) {
    waiting_ = std::max(0, waiting_ - 1);
    show_answer(process_.readLine());
  }
}

void PlaygroundPanel::show_answer(const QByteArray& text) {
  const QJsonObject answer = QJsonDocument::fromJson(text).object();
  const auto words = [&](const char* key) { return views::displayed(answer[QLatin1String(key)].toString()); };
  const bool refused = answer[QStringLiteral("refused")].toBool();
  const QString said = refused ? tr("Refused: %1").arg(words("text")) : words("text");
  result_->setText(said);
  log_->appendPlainText(QStringLiteral("%1   %2").arg(words("line"), said));
  remedy_line_ = answer[QStringLiteral("remedy")].toString();
  remedy_->setText(tr("Add the copy: %1").arg(views::displayed(remedy_line_)));
  remedy_->setVisible(!remedy_line_.isEmpty());
  devices_.clear();
  for (const QJsonValue& device : answer[QStringLiteral("devices")].toArray()) devices_ << device.toString();
  chips_.clear();
  QStringList shown;
  for (const QJsonValue& value : answer[QStringLiteral("values")].toArray()) {
    const QJsonObject v = value.toObject();
    const QString name = v[QStringLiteral("name")].toString();
    if (shown.contains(name)) continue;
    QStringList names{name};
    if (const QString same = v[QStringLiteral("same_as")].toString(); !same.isEmpty())
      names << same.split(QStringLiteral(", "));
    shown << names;
    const bool module = v[QStringLiteral("kind")].toString() == QLatin1String("module");
    chips_.push_back({names.join(QStringLiteral(" = ")),
                      tr("%1%2 %3 · %4")
                          .arg(module ? tr("module, ") : QString(), v[QStringLiteral("dtype")].toString(),
                               v[QStringLiteral("shape")].toString(),
                               tr("%L1 B").arg(static_cast<qlonglong>(v[QStringLiteral("size_bytes")].toDouble()))),
                      v[QStringLiteral("values")].toString(), v[QStringLiteral("device")].toString(), module});
  }
  arrows_.clear();
  for (const QJsonValue& value : answer[QStringLiteral("moves")].toArray()) {
    const QJsonObject m = value.toObject();
    const bool hidden = m[QStringLiteral("reason")].toString() == QLatin1String("fetched");
    const QString from = m[QStringLiteral("from")].toString(), to = m[QStringLiteral("to")].toString();
    const auto bytes = static_cast<qlonglong>(m[QStringLiteral("size_bytes")].toDouble());
    const QString label = hidden ? tr("%L1 B, unasked").arg(bytes) : tr("%L1 B").arg(bytes);
    arrows_.push_back({from, to, label, hidden});
  }
  canvas_->update();
}

void PlaygroundPanel::set_theme(const views::Theme& theme) {
  theme_ = &theme;
  canvas_->update();
}

void PlaygroundPanel::paint(QPainter& p, const QRectF& rect) const {
  p.fillRect(rect, theme_->background);
  const QFont font = views::data_font();
  const double line = QFontMetricsF(font).height();
  const PlaygroundLayout layout = layout_playground(rect.adjusted(1, 1, -1, -1), devices_, chips_, arrows_, line);
  p.setFont(font);
  for (size_t d = 0; d < layout.devices.size(); ++d) {
    const QRectF& box = layout.devices[d];
    p.setPen(QPen(theme_->border, 1));
    p.setBrush(theme_->surface);
    p.drawRect(box);
    views::draw_bold(p, QRectF(box.left() + 8, box.top() + 4, box.width() - 16, line), Qt::AlignLeft | Qt::AlignVCenter,
                     devices_[static_cast<qsizetype>(d)], theme_->text);
    if (layout.left_out[d] > 0)
      views::draw_text(p, QRectF(box.left() + 8, box.bottom() - line - 2, box.width() - 16, line), Qt::AlignLeft,
                       tr("and %1 more").arg(layout.left_out[d]), theme_->text_secondary);
  }
  for (size_t i = 0; i < layout.chips.size(); ++i) {
    const QRectF& r = layout.chips[i];
    if (r.isEmpty()) continue;
    const PlaygroundChip& chip = chips_[i];
    p.setPen(QPen(theme_->border, 1));
    p.setBrush(theme_->surface_alternate);
    p.drawRect(r);
    p.fillRect(QRectF(r.left(), r.top(), 4, r.height()),
               theme_->role(chip.module ? engine::Role::weight : engine::Role::activation));
    QRectF text(r.left() + 10, r.top() + 3, r.width() - 14, line);
    views::draw_bold(p, text, Qt::AlignLeft | Qt::AlignVCenter, chip.names, theme_->text);
    text.translate(0, line);
    views::draw_text(p, text, Qt::AlignLeft | Qt::AlignVCenter, chip.detail, theme_->text);
    text.translate(0, line);
    views::draw_text(p, text, Qt::AlignLeft | Qt::AlignVCenter, chip.values, theme_->text_secondary);
  }
  for (size_t i = 0; i < layout.arrows.size(); ++i) {
    const auto& arrow = layout.arrows[i];
    if (arrow.label.isEmpty()) continue;
    const QColor ink = arrows_[i].hidden ? theme_->warning : theme_->text;
    p.setPen(QPen(ink, 1.5, arrows_[i].hidden ? Qt::DashLine : Qt::SolidLine));
    p.drawLine(arrow.from, arrow.to);
    const double sign = arrow.to.x() > arrow.from.x() ? 1 : -1;
    p.setPen(Qt::NoPen);
    p.setBrush(ink);
    p.drawPolygon(QPolygonF{arrow.to, arrow.to + QPointF(-8 * sign, -4), arrow.to + QPointF(-8 * sign, 4)});
    views::draw_text(p, arrow.label, Qt::AlignCenter, arrows_[i].words, ink);
  }
}

}  // namespace app::gui
