// SPDX-License-Identifier: GPL-3.0-or-later
// Values: channel slider, picture and histogram, list of tensors; follows and sets the selection.
#include "views/values/values_view.h"

#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "profiler/analysis/result_table.h"
#include "profiler/analysis/storage.h"
#include "profiler/capture/results.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/flow_layout.h"

namespace views {
namespace {

using profiler::ResultRecord;

constexpr int kHeadingHeight = 26;

QString number(double value) { return std::isnan(value) ? QStringLiteral("–") : QString::number(value, 'g', 6); }

QString extents_words(const std::vector<int64_t>& shape) {
  QStringList extents;
  for (const int64_t extent : shape) extents << QString::number(extent);
  return extents.isEmpty() ? QObject::tr("scalar") : extents.join(QStringLiteral("×"));
}

}  // namespace

ValuesView::ValuesView(Document& document, QWidget* parent)
    : View(document, parent),
      toolbar_(new QWidget(this)),
      channel_(new QSlider(Qt::Horizontal, toolbar_)),
      channel_label_(new QLabel(toolbar_)),
      colours_(new QCheckBox(tr("Colours"), toolbar_)),
      keep_(new QPushButton(tr("Keep values"), toolbar_)),
      canvas_(new Canvas(this)),
      heading_(new QLabel(this)),
      list_(new RankedList(this)),
      panes_(new SidePanes(
          QStringLiteral("values"), canvas_, heading_, kHeadingHeight, list_,
          [](const QSizeF& room) { return std::clamp(room.width() * 0.32, 240.0, 460.0); }, this)) {
  setWindowTitle(tr("Values"));
  setAccessibleName(tr("Values: what was in each tensor of a step"));
  setFocusProxy(canvas_);  // arrows work as soon as the view is in front
  auto* row = new FlowLayout(toolbar_);
  row->setContentsMargins(2 * kGrid, 4, kGrid, 4);
  row->setSpacing(kGrid);
  channel_->setAccessibleName(tr("Channel"));
  channel_->setToolTip(tr("Channel of the picture; also Left and Right"));
  channel_->setMinimumWidth(160);
  colours_->setToolTip(tr("Three channels as red, green and blue"));
  keep_->setToolTip(tr("Runs it again, and reads every tensor in one further step"));
  row->add(new QLabel(tr("Picture"), toolbar_));
  row->add(channel_);
  row->add(channel_label_);
  row->add(colours_);
  row->add_stretch();
  row->add(keep_);
  canvas_->setAccessibleName(tr("Histogram and picture"));
  canvas_->paint = [this](QPainter& p, const QRectF& r) { draw_canvas(p, r, *theme_); };
  canvas_->tip = [this](QPointF at) { return tip_at(at); };
  canvas_->key = [this](int key) { return on_key(key); };
  canvas_->setMinimumWidth(22 * QFontMetrics(data_font()).height());
  list_->setAccessibleName(tr("Tensors in the order in which they were made"));
  list_->set_empty_text(tr("No values were kept."));
  heading_->setTextFormat(Qt::RichText);
  stack_rows(this, {toolbar_}, panes_);
  connect(channel_, &QSlider::valueChanged, this, &ValuesView::show_plane);
  connect(colours_, &QCheckBox::toggled, this, &ValuesView::show_plane);
  connect(keep_, &QPushButton::clicked, this, [this] { this->document().request_collect(QStringLiteral("values")); });
  connect(list_, &RankedList::chosen, this, [this](uint32_t id) {
    show_record(id);
    if (shown() != nullptr && shown()->tensor != profiler::kNoTensor)
      this->document().selection().select_tensor(shown()->tensor);
  });
  connect(&document, &Document::replaced, this, &ValuesView::on_replaced);
  connect(&document, &Document::collect_refusal_changed, this, &ValuesView::offer_collector);
  connect(&document, &Document::run_refusal_changed, this, &ValuesView::offer_collector);
  connect(&document.selection(), &Selection::changed, this, &ValuesView::follow);
  set_theme(Theme::light());
  on_replaced();
}

void ValuesView::set_theme(const Theme& theme) {
  theme_ = &theme;
  list_->set_theme(theme);
  canvas_->update();
}

QSize ValuesView::minimumSizeHint() const {
  const int line = QFontMetrics(data_font()).height();
  return records_.empty() ? QSize() : QSize(34 * line, toolbar_->height() + 17 * line);
}

void ValuesView::on_replaced() {
  records_.clear();
  makers_.clear(), first_bad_.clear();
  if (document().loaded()) {
    const profiler::Capture& c = document().capture();
    makers_ = profiler::makers(c);
    const auto kept = profiler::tensor_values(c);
    for (const ResultRecord& r : kept.empty() ? profiler::step_results(c) : kept)
      if (r.tensor != profiler::kNoTensor) records_.push_back(&r);
  }
  fill_list();
  heading_->setText(QStringLiteral("<b>%1</b>").arg(list_title().toHtmlEscaped()));
  panes_->set_side_shown(!records_.empty());
  size_t first = 0;  // what is wrong, else an image
  if (document().loaded()) {
    const ResultRecord* image = image_result(document().capture());
    for (size_t i = 0; i < records_.size(); ++i)
      if (records_[i] == image) first = i;
    first_bad_ = profiler::first_not_finite(document().capture());
    for (size_t i = records_.size(); !first_bad_.empty() && i-- > 0;)
      if (records_[i]->not_finite > 0 && makers_[records_[i]->tensor] == first_bad_.front()) first = i;
  }
  show_record(first);
  offer_collector();
  updateGeometry();
}

void ValuesView::offer_collector() {
  const bool kept = document().loaded() && !profiler::tensor_values(document().capture()).empty();
  const Document::CollectRefusal& refusal = document().collect_refusal();
  const QString why = !refusal || !document().loaded()      ? QString()
                      : !document().run_refusal().isEmpty() ? document().run_refusal()
                                                            : refusal(QStringLiteral("values"));
  keep_->setVisible(static_cast<bool>(refusal) && document().loaded() && !kept);
  keep_->setEnabled(why.isEmpty());
  keep_->setToolTip(why.isEmpty() ? tr("Runs it again, and reads every tensor in one further step")
                                  : displayed_text(why));
}

QString ValuesView::list_title() const {
  if (!document().loaded() || records_.empty()) return tr("Tensors");
  return profiler::tensor_values(document().capture()).empty() ? tr("Results of the step: %1").arg(records_.size())
                                                               : tr("Tensors of a step: %1").arg(records_.size());
}

void ValuesView::fill_list() {
  std::vector<RankedRow> rows;
  for (size_t i = 0; i < records_.size(); ++i) {
    const ResultRecord& r = *records_[i];
    const profiler::TensorRecord& tensor = document().capture().tensors()[r.tensor];
    RankedRow row;
    row.id = static_cast<uint32_t>(i);
    row.text = text(document().capture().name(tensor.name));
    row.detail = extents_words(tensor.shape);
    row.value =
        r.not_finite > 0 ? tr("%L1 not finite").arg(r.not_finite) : tr("%1 to %2").arg(number(r.least), number(r.most));
    row.ratio = r.elements > 0 ? static_cast<double>(r.not_finite) / static_cast<double>(r.elements) : 0;
    row.colour = role_colour;
    row.key = static_cast<int>(tensor.role);
    rows.push_back(std::move(row));
  }
  list_->set_rows(std::move(rows));
}

void ValuesView::follow() {
  canvas_->update();
  if (records_.empty()) return;
  const SelectionState& state = document().selection().state();
  std::optional<profiler::TensorId> wanted = state.tensor;
  if (!wanted && state.op && *state.op < document().capture().ops().size())
    for (const profiler::OperandRecord& o : document().capture().operands(document().capture().ops()[*state.op]))
      if (o.output && !wanted) wanted = o.tensor;
  if (!wanted || (shown() != nullptr && shown()->tensor == *wanted)) return;
  const auto found = std::ranges::find(records_, *wanted, &ResultRecord::tensor);
  if (found != records_.end()) show_record(static_cast<size_t>(found - records_.begin()));
}

void ValuesView::show_record(size_t index) {
  shown_ = index;
  const ResultRecord* r = shown();
  planes_ = r == nullptr ? ValuePlanes() : planes_of(document().capture().tensors()[r->tensor].shape);
  if (r != nullptr && !profiler::is_whole(*r)) planes_ = {};
  histogram_ = r == nullptr ? profiler::ValueHistogram() : profiler::histogram_of(*r);
  list_->set_selected(r == nullptr ? std::nullopt : std::optional(static_cast<uint32_t>(index)));
  const QSignalBlocker silent(channel_);
  channel_->setRange(0, static_cast<int>(std::clamp<int64_t>(planes_.count - 1, 0, 1 << 30)));
  channel_->setValue(0);
  channel_->setEnabled(planes_.count > 1);
  colours_->setEnabled(planes_.colours());
  show_plane();
}

void ValuesView::show_plane() {
  const ResultRecord* r = shown();
  const bool in_colours = planes_.colours() && colours_->isChecked();
  const int64_t plane = channel_->value();
  picture_ = r == nullptr ? QImage() : value_picture(*r, planes_, plane, in_colours);
  words_ = in_colours && planes_.count > 3 ? tr("image %1 of %2").arg(plane / 3 + 1).arg(planes_.count / 3)
                                           : (in_colours ? tr("in colours") : planes_.label(plane));
  channel_label_->setText(words_);
  canvas_->setAccessibleDescription(figures().join(QStringLiteral(". ")));
  canvas_->update();
}

bool ValuesView::on_key(int key) {
  if (planes_.count <= 1 || (key != Qt::Key_Left && key != Qt::Key_Right)) return false;
  const int step = planes_.colours() && colours_->isChecked() ? 3 : 1;
  channel_->setValue(channel_->value() + (key == Qt::Key_Left ? -step : step));
  return true;
}

QStringList ValuesView::figures() const {
  const ResultRecord* r = shown();
  if (r == nullptr) return {};
  const profiler::Capture& c = document().capture();
  const profiler::TensorRecord& tensor = c.tensors()[r->tensor];
  const profiler::OpId op = makers_[r->tensor];
  // As profiler::nan_count() has it, without counting at each move of the mouse.
  const int64_t nans = r->not_finite == 0 ? 0 : profiler::is_whole(*r) ? histogram_.nans : -1;
  QStringList lines;
  lines << tr("%1, %2, %3, %4")
               .arg(displayed(text(c.name(tensor.name))), text(engine::name(tensor.dtype)), extents_words(tensor.shape),
                    op == profiler::kNoOp ? tr("given from outside the step")
                                          : tr("made by %1").arg(displayed(text(c.name(c.ops()[op].name)))));
  lines << tr("Least %1, largest %2, mean %3").arg(number(r->least), number(r->most), number(r->mean));
  lines << (nans >= 0 ? tr("NaN: %L1 of %L2, infinite: %L3").arg(nans).arg(r->elements).arg(r->not_finite - nans)
                      : tr("Not finite: %L1 of %L2, NaN and infinities together").arg(r->not_finite).arg(r->elements));
  if (!profiler::is_whole(*r))
    lines << tr("%L1 evenly spread values are kept: too few for a picture").arg(profiler::kept_count(*r));
  for (const profiler::OpId first : first_bad_)
    if (first == op) lines << tr("NaN or infinity first appears here: the operands were finite");
  return lines;
}

ValuesLayout ValuesView::layout_in(const QRectF& rect) const {
  return layout_values(rect, QFontMetricsF(data_font()).height() * 1.2, static_cast<int>(figures().size()), histogram_,
                       picture_.size());
}

void ValuesView::draw_canvas(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.setFont(data_font());
  if (!document().loaded()) {
    draw_message(p, rect, theme, tr("No capture on the table"),
                 tr("Run a workload with its values kept: then this shows what was in each tensor."));
    return;
  }
  if (records_.empty()) {
    const profiler::Capture& c = document().capture();
    const SelectionState& state = document().selection().state();
    const std::string_view chosen = state.tensor && *state.tensor < c.tensors().size()
                                        ? c.name(c.tensors()[*state.tensor].name)
                                    : state.op && *state.op < c.ops().size() ? c.name(c.ops()[*state.op].name)
                                                                             : std::string_view();
    const std::string why = profiler::no_values_words(c);
    draw_message(p, rect, theme,
                 chosen.empty() ? tr("No values in this capture") : tr("No values of %1").arg(displayed(text(chosen))),
                 text(why));
    return;
  }
  p.fillRect(rect, theme.surface);
  const ValuesLayout layout = layout_in(rect);
  const QStringList lines = figures();
  const double line = layout.figures.height() / std::max<qsizetype>(1, lines.size());
  for (qsizetype i = 0; i < lines.size(); ++i) {
    const QRectF at(layout.figures.left(), layout.figures.top() + static_cast<double>(i) * line, layout.figures.width(),
                    line);
    const bool alarm = shown()->not_finite > 0 && i >= 2;
    if (i == 0) draw_bold(p, at, Qt::AlignLeft | Qt::AlignVCenter, lines[i], theme.text);
    else draw_text(p, at, Qt::AlignLeft | Qt::AlignVCenter, lines[i], alarm ? theme.slower : theme.text);
  }
  for (const QRectF& bar : layout.bars) p.fillRect(bar, theme.measure);
  p.setPen(QPen(theme.border, 1));
  p.drawLine(layout.histogram.bottomLeft(), layout.histogram.bottomRight());
  draw_text(p, layout.axis, Qt::AlignLeft | Qt::AlignVCenter, number(histogram_.least), theme.text_secondary);
  draw_text(p, layout.axis, Qt::AlignRight | Qt::AlignVCenter, number(histogram_.most), theme.text_secondary);
  const QString count = tr("%L1 values").arg(histogram_.values);
  const double ends = text_width(p.font(), number(histogram_.least)) + text_width(p.font(), number(histogram_.most));
  if (ends + text_width(p.font(), count) + 2 * kGrid < layout.axis.width())
    draw_text(p, layout.axis, Qt::AlignHCenter | Qt::AlignVCenter, count, theme.text_secondary);
  if (layout.picture.isEmpty()) return;
  QString title = tr("%1 × %2").arg(planes_.height).arg(planes_.width);
  if (planes_.folded) title = tr("One axis, in rows of %1").arg(planes_.width);
  if (!words_.isEmpty()) title += QStringLiteral(": ") + words_;
  if (shown()->not_finite > 0) title += tr(". Red: NaN");
  draw_text(p, layout.picture_title, Qt::AlignLeft | Qt::AlignVCenter, title, theme.text_secondary);
  p.setRenderHint(QPainter::SmoothPixmapTransform, false);
  p.drawImage(layout.picture, picture_);
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(theme.border, 1));
  p.drawRect(layout.picture);
}

QString ValuesView::tip_at(QPointF at) const {
  if (records_.empty()) return {};
  const ValuesLayout layout = layout_in(canvas_->rect());
  for (size_t i = 0; i < layout.bars.size(); ++i) {
    const QRectF& bar = layout.bars[i];
    if (at.x() < bar.left() || at.x() >= bar.right() || !layout.histogram.contains(at)) continue;
    const double width = (histogram_.most - histogram_.least) / static_cast<double>(layout.bars.size());
    return tr("%L1 values from %2 to %3")
        .arg(histogram_.counts[i])
        .arg(number(histogram_.least + static_cast<double>(i) * width),
             number(histogram_.least + static_cast<double>(i + 1) * width));
  }
  if (picture_.isNull() || !layout.picture.contains(at)) return {};
  const auto x = static_cast<int64_t>((at.x() - layout.picture.left()) / layout.picture.width() *
                                      static_cast<double>(planes_.width)),
             y = static_cast<int64_t>((at.y() - layout.picture.top()) / layout.picture.height() *
                                      static_cast<double>(planes_.height));
  const int64_t place = channel_->value() * planes_.plane_step + y * planes_.row_step + x * planes_.column_step;
  if (x >= planes_.width || y >= planes_.height || place >= planes_.elements) return {};
  return tr("Row %1, column %2: %3").arg(y).arg(x).arg(profiler::kept_value(*shown(), place));
}

void ValuesView::render_picture(QPainter& p, const QRectF& rect, const Theme& theme) {
  if (records_.empty()) {
    draw_canvas(p, rect, theme);
    return;
  }
  const SidePanes::Parts panes = panes_->split(rect);
  p.fillRect(rect, theme.surface);
  draw_canvas(p, panes.picture, theme);
  p.fillRect(panes.heading, theme.background);
  draw_bold(p, panes.heading.adjusted(kGrid, 0, -kGrid, 0), Qt::AlignLeft | Qt::AlignVCenter, list_title(), theme.text);
  list_->draw(p, panes.list, theme);
}

profiler::Table ValuesView::data() const {
  if (!document().loaded()) return {};
  const profiler::Capture& c = document().capture();
  if (!profiler::tensor_values(c).empty()) return profiler::values_table(c);
  return records_.empty() ? profiler::storage_table(c) : profiler::results_table(c);
}

QString ValuesView::nothing() const {
  if (!document().loaded()) return {};
  const profiler::Capture& c = document().capture();
  const bool can_have = c.run().source.empty() && c.computed();  // a run of ours offers to keep them
  return can_have ? QString() : text(profiler::no_values_words(c));
}

}  // namespace views
