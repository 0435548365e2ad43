// SPDX-License-Identifier: GPL-3.0-or-later
// TapePanel: the curve is of what is shown; a plan with other checkpoints is made on a thread and never run.
#include "views/network/tape_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <utility>

#include "views/base/paint.h"
#include "views/base/phase.h"
#include "views/base/plain_text.h"

namespace views {
namespace {

using profiler::Quantity;

const char* const kSetting = "checkpointing";

QString bytes_words(double bytes) { return quantity(bytes, Quantity::bytes); }

/// "a (4.19 MB), b (1.05 MB) and 3 more".
QString tensor_words(const profiler::Capture& capture, std::vector<profiler::TapeTensor> list) {
  if (list.empty()) return TapePanel::tr("nothing");
  std::ranges::stable_sort(list, std::ranges::greater{}, &profiler::TapeTensor::size_bytes);
  constexpr size_t kMost = 2;
  QStringList words;
  for (size_t i = 0; i < std::min(kMost, list.size()); ++i) {
    const std::string_view name = capture.name(capture.tensors()[list[i].tensor].name);
    const QString text = displayed(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
    words << TapePanel::tr("%1 (%2)").arg(text.isEmpty() ? TapePanel::tr("a tensor") : text,
                                          bytes_words(static_cast<double>(list[i].size_bytes)));
  }
  if (list.size() > kMost) words << TapePanel::tr("%1 more").arg(list.size() - kMost);
  return words.join(QStringLiteral(", "));
}

}  // namespace

TapePanel::TapePanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      back_(new QPushButton(QStringLiteral("◀"), this)),
      forward_(new QPushButton(QStringLiteral("▶"), this)),
      peak_(new QPushButton(tr("Peak"), this)),
      position_(new QSlider(Qt::Horizontal, this)),
      checkpoints_(new QSlider(Qt::Horizontal, this)),
      checkpoints_name_(new QLabel(this)),
      moment_(new QLabel(this)),
      comparison_(new QLabel(this)),
      canvas_(new Canvas(this)) {
  setAccessibleName(tr("Tape: what each op stores and frees"));
  back_->setAccessibleName(tr("Op before"));
  back_->setToolTip(tr("Goes back by one op"));
  forward_->setAccessibleName(tr("Next op"));
  forward_->setToolTip(tr("Goes on by one op"));
  peak_->setToolTip(tr("Goes to the op with most bytes alive"));
  for (QPushButton* button : {back_, forward_}) button->setMaximumWidth(4 * kGrid);
  position_->setAccessibleName(tr("Op of the step"));
  checkpoints_->setAccessibleName(tr("Checkpointing"));
  checkpoints_->setPageStep(1);
  checkpoints_->setMaximumWidth(140);
  checkpoints_->setTickPosition(QSlider::TicksBelow);
  moment_->setWordWrap(true);
  moment_->setTextFormat(Qt::PlainText);
  comparison_->setWordWrap(true);
  comparison_->setTextFormat(Qt::PlainText);
  canvas_->setAccessibleName(tr("Bytes alive over the ops of the step"));
  canvas_->setMinimumHeight(56);
  canvas_->paint = [this](QPainter& p, const QRectF& r) { render(p, r, *theme_); };
  const auto point = [this](QPointF at) {
    const TapeLayout layout = layout_tape(QRectF(canvas_->rect()), tape_, nullptr);
    if (const profiler::OpId op = layout.op_at(at.x()); op != profiler::kNoOp) go_to(op, true);
  };
  connect(canvas_, &Canvas::pressed, this, point);
  connect(canvas_, &Canvas::dragged, this, point);
  connect(back_, &QPushButton::clicked, this, [this] { go_to(op_ > 0 ? op_ - 1 : 0, true); });
  connect(forward_, &QPushButton::clicked, this, [this] { go_to(op_ + 1, true); });
  connect(peak_, &QPushButton::clicked, this, [this] { go_to(tape_.peak_op, true); });
  connect(position_, &QSlider::valueChanged, this, [this](int op) { go_to(static_cast<profiler::OpId>(op), true); });
  connect(checkpoints_, &QSlider::valueChanged, this, &TapePanel::plan_with);
  connect(&document, &Document::replaced, this, &TapePanel::on_replaced);
  connect(&document.selection(), &Selection::changed, this, &TapePanel::follow_selection);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kGrid, kGrid / 2, kGrid, kGrid / 2);
  column->setSpacing(kGrid / 2);
  auto* row = new QHBoxLayout;
  row->addWidget(back_);
  row->addWidget(forward_);
  row->addWidget(peak_);
  row->addWidget(position_, 1);
  row->addSpacing(kGrid);
  row->addWidget(checkpoints_name_);
  row->addWidget(checkpoints_);
  column->addLayout(row);
  column->addWidget(moment_);
  column->addWidget(canvas_, 1);
  column->addWidget(comparison_);
}

TapePanel::~TapePanel() {
  forget_plan();
  for (QThread* thread : threads_) {
    thread->wait();
    delete thread;
  }
}

void TapePanel::set_theme(const Theme& theme) {
  theme_ = &theme;
  canvas_->update();
}

/// What is being planned is no longer wanted.
void TapePanel::forget_plan() {
  ++generation_;
  if (stop_ != nullptr) *stop_ = true;
}

void TapePanel::on_replaced() {
  stale_ = true;
  forget_plan();
  if (isVisible()) follow();
}

void TapePanel::follow() {
  if (!std::exchange(stale_, false)) return;
  const bool there = document_.loaded() && profiler::no_tape_words(document_.capture()).empty();
  setEnabled(there);
  own_ = {};
  if (!there) {
    shown_.reset();
    tape_ = {};
    moment_->setText(document_.loaded() ? QString::fromStdString(profiler::no_tape_words(document_.capture()))
                                        : QString());
    comparison_->clear();
    return canvas_->update();
  }
  own_ = profiler::tape(document_.capture());
  op_ = 0;
  offer_checkpoints();
  show_plan(document_.shared()->capture);
  follow_selection();
}

/// What the slider stands for: as it is, then every k-th layer.
QStringList TapePanel::choices() const {
  QStringList all;
  const auto& arguments = document_.capture().run().arguments;
  if (const auto own = arguments.find(kSetting); own != arguments.end()) all << QString::fromStdString(own->second);
  for (const char* other : {"none", "sqrt", "8", "6", "4", "3", "2", "1"})
    if (!all.isEmpty() && !all.contains(QLatin1String(other))) all << QLatin1String(other);
  return all;
}

void TapePanel::offer_checkpoints() {
  const QStringList all = choices();
  const profiler::RunInfo& run = document_.capture().run();
  const auto mode = run.arguments.find("mode");
  const bool trains = mode == run.arguments.end() || mode->second != "inference";
  const QSignalBlocker silent(checkpoints_);
  checkpoints_->setRange(0, std::max<int>(0, static_cast<int>(all.size()) - 1));
  checkpoints_->setValue(0);
  const QString why = all.isEmpty()          ? tr("This network has no setting for checkpoints.")
                      : !trains              ? tr("Only training keeps results for a backward pass.")
                      : !document_.planner() ? tr("Plans are made in the window of the program.")
                                             : QString();
  checkpoints_->setEnabled(why.isEmpty());
  checkpoints_->setToolTip(why.isEmpty() ? tr("Keeps the outputs of every k-th layer and computes the rest again: less "
                                              "memory, more work. The step is planned, not run.")
                                         : why);
  checkpoints_name_->setText(all.isEmpty() ? tr("No checkpoints") : tr("Checkpoints: %1").arg(all.front()));
  checkpoints_name_->setToolTip(checkpoints_->toolTip());
  comparison_->setText({});
}

void TapePanel::plan_with(int choice) {
  const QStringList all = choices();
  if (choice < 0 || choice >= all.size()) return;
  forget_plan();
  const quint64 generation = generation_;
  stop_ = std::make_shared<std::atomic<bool>>(false);
  checkpoints_name_->setText(tr("Checkpoints: %1").arg(all[choice]));
  if (choice == 0) {
    show_plan(document_.shared()->capture);
    return;
  }
  comparison_->setText(tr("Planning …"));
  struct Answer {
    std::shared_ptr<const profiler::Capture> plan;
    QString refusal;
  };
  auto answer = std::make_shared<Answer>();
  QThread* thread = QThread::create([answer, planner = document_.planner(), run = document_.capture().run(),
                                     value = all[choice].toStdString(), stop = stop_] {
    auto plan = planner(run, {{kSetting, value}}, *stop);
    if (plan) answer->plan = *std::move(plan);
    else answer->refusal = QString::fromStdString(plan.error().message);
  });
  threads_.push_back(thread);
  connect(thread, &QThread::finished, this, [this, thread, answer, generation] {
    std::erase(threads_, thread);
    thread->deleteLater();
    if (generation != generation_) return;
    if (answer->plan == nullptr) return comparison_->setText(displayed_text(answer->refusal));
    show_plan(answer->plan);
  });
  thread->start();
}

void TapePanel::show_plan(std::shared_ptr<const profiler::Capture> plan) {
  shown_ = std::move(plan);
  tape_ = profiler::tape(*shown_);
  const QSignalBlocker silent(position_);
  position_->setRange(0, std::max<int>(0, static_cast<int>(tape_.live_bytes.size()) - 1));
  const bool other = shown_ != document_.shared()->capture;
  comparison_->setText(
      other ? tr("Planned, not run: the peak is %1 instead of %2, kept for the backward pass %3 instead of %4, with %5 "
                 "instead of %6.")
                  .arg(bytes_words(tape_.peak_bytes), bytes_words(own_.peak_bytes), bytes_words(tape_.peak_kept_bytes),
                       bytes_words(own_.peak_kept_bytes),
                       tape_.live_bytes.size() == 1 ? tr("1 op") : tr("%1 ops").arg(tape_.live_bytes.size()))
                  .arg(own_.live_bytes.size())
            : tr("Peak %1, of them kept for the backward pass at most %2; %3 of weights, inputs and states on top.")
                  .arg(bytes_words(tape_.peak_bytes), bytes_words(tape_.peak_kept_bytes),
                       bytes_words(tape_.persistent_bytes)));
  go_to(std::min<profiler::OpId>(op_, static_cast<profiler::OpId>(position_->maximum())), false);
}

void TapePanel::go_to(profiler::OpId op, bool select) {
  if (shown_ == nullptr || tape_.live_bytes.empty()) return;
  op_ = std::min(op, static_cast<profiler::OpId>(tape_.live_bytes.size() - 1));
  {
    const QSignalBlocker silent(position_);
    position_->setValue(static_cast<int>(op_));
  }
  back_->setEnabled(op_ > 0);
  forward_->setEnabled(op_ + 1 < tape_.live_bytes.size());
  say();
  canvas_->update();
  if (!select || shown_ != document_.shared()->capture) return;
  selecting_ = true;
  document_.selection().select_op(op_);
  selecting_ = false;
}

void TapePanel::follow_selection() {
  if (selecting_ || !isVisible() || !document_.loaded() || shown_ != document_.shared()->capture) return;
  if (const auto op = document_.selection().state().op) go_to(*op, false);
}

void TapePanel::say() {
  const profiler::OpRecord& op = shown_->ops()[op_];
  const std::string_view name = shown_->name(op.name);
  moment_->setText(tr("Op %1 of %2: %3 (%4). Stores %5. Frees %6. Alive %7, of them kept for the backward pass %8.")
                       .arg(op_ + 1)
                       .arg(tape_.live_bytes.size())
                       .arg(displayed(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))),
                            phase_words(*shown_, op.phase), tensor_words(*shown_, tape_.stored(op_)),
                            tensor_words(*shown_, tape_.freed(op_)), bytes_words(tape_.live_bytes[op_]),
                            bytes_words(tape_.kept_bytes[op_])));
}

void TapePanel::render(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.fillRect(rect, theme.surface);
  if (shown_ == nullptr) return draw_message(p, rect, theme, tr("No tape"), moment_->text());
  const bool other = shown_ != document_.shared()->capture;
  const TapeLayout layout = layout_tape(rect, tape_, other ? &own_ : nullptr);
  const auto area = [&](const std::vector<QPointF>& points, const QColor& colour) {
    if (points.empty()) return;
    QPolygonF polygon(points.begin(), points.end());
    polygon << QPointF(points.back().x(), rect.bottom()) << QPointF(points.front().x(), rect.bottom());
    p.setPen(Qt::NoPen);
    p.setBrush(colour);
    p.drawPolygon(polygon);
  };
  QColor pale = theme.role(engine::Role::activation);
  pale.setAlphaF(0.45F);
  area(layout.live, pale);
  area(layout.kept, theme.role(engine::Role::activation));
  if (!layout.other.empty()) {
    p.setPen(QPen(theme.text_secondary, 1, Qt::DashLine));
    p.setBrush(Qt::NoBrush);
    p.drawPolyline(layout.other.data(), static_cast<int>(layout.other.size()));
  }
  p.setPen(QPen(theme.accent, 1.5));
  p.drawLine(QPointF(layout.x_of(op_), rect.top()), QPointF(layout.x_of(op_), rect.bottom()));
  p.setFont(data_font());
  const double line = QFontMetricsF(data_font()).height();
  QString key = tr("%1 at the top. Dark: kept for the backward pass; pale: all that is alive")
                    .arg(bytes_words(layout.most_bytes));
  if (other) key += tr("; dashed: as it ran");
  const double width = std::min(rect.width() - 8, text_width(data_font(), key) + 8);
  QColor ground = theme.surface;
  ground.setAlphaF(0.8F);
  p.fillRect(QRectF(rect.left() + 4, rect.top() + 2, width, line), ground);
  draw_text(p, QRectF(rect.left() + 8, rect.top() + 2, rect.width() - 16, line), Qt::AlignLeft | Qt::AlignVCenter, key,
            theme.text_secondary);
}

}  // namespace views
