// SPDX-License-Identifier: GPL-3.0-or-later
// StoragePanel: controls above, the byte map in the middle, the tensors below.
#include "views/storage/storage_panel.h"

#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/flow_layout.h"

namespace views {

namespace {

QString numbers(const std::vector<int64_t>& list) {
  QStringList words;
  for (const int64_t n : list) words << QString::number(n);
  return words.join(QStringLiteral(", "));
}

QString shape_of(const engine::TensorType& type) {
  return type.shape.empty() ? StoragePanel::tr("scalar") : text(engine::to_string(type.shape));
}

QString bytes_text(int64_t bytes) { return StoragePanel::tr("%L1 B").arg(bytes); }

}  // namespace

StoragePanel::StoragePanel(QWidget* parent)
    : QWidget(parent),
      examples_(new QComboBox(this)),
      teaches_(new QLabel(this)),
      result_(new QLabel(this)),
      shape_(new QLineEdit(this)),
      list_(new QTableWidget(this)),
      canvas_(new Canvas(this)),
      use_(StorageUse{}) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  column->setSpacing(kGrid);
  auto* top = new QHBoxLayout;
  examples_->setObjectName(QStringLiteral("storage.example"));
  examples_->setAccessibleName(tr("Tensor to begin with"));
  teaches_->setWordWrap(true);
  top->addWidget(examples_);
  top->addWidget(teaches_, 1);
  column->addLayout(top);
  auto* bar = new QWidget(this);
  add_ops(bar);
  column->addWidget(bar);
  result_->setObjectName(QStringLiteral("storage.result"));
  result_->setWordWrap(true);
  result_->setTextFormat(Qt::PlainText);
  result_->setAccessibleName(tr("What the last op did"));
  column->addWidget(result_);
  canvas_->setAccessibleName(tr("Map of the buffer's bytes"));
  canvas_->setMinimumHeight(120);
  canvas_->paint = [this](QPainter& p, const QRectF& r) { paint(p, r); };
  canvas_->tip = [this](QPointF at) { return tip_at(at); };
  connect(canvas_, &Canvas::resized, this, &StoragePanel::lay_out);
  column->addWidget(canvas_, 3);
  list_->setObjectName(QStringLiteral("storage.tensors"));
  list_->setAccessibleName(tr("Tensors"));
  list_->setColumnCount(7);
  list_->setHorizontalHeaderLabels(
      {tr("Tensor"), tr("Made by"), tr("Shape"), tr("Strides"), tr("Offset"), tr("Buffer"), tr("Copied")});
  list_->horizontalHeaderItem(3)->setToolTip(tr("Elements to the next index along each axis"));
  list_->horizontalHeaderItem(4)->setToolTip(tr("Elements from the start of the buffer to the first one"));
  list_->horizontalHeaderItem(6)->setToolTip(tr("Bytes that were written to a new buffer"));
  list_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  list_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
  list_->verticalHeader()->hide();
  list_->setSelectionBehavior(QAbstractItemView::SelectRows);
  list_->setSelectionMode(QAbstractItemView::SingleSelection);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setMinimumHeight(90);
  connect(list_, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (row >= 0 && static_cast<size_t>(row) != selected_) select(static_cast<size_t>(row));
  });
  column->addWidget(list_, 2);
  offered_ = engine::tensor_examples();
  for (const engine::TensorExample& example : offered_) examples_->addItem(text(example.title));
  connect(examples_, &QComboBox::currentIndexChanged, this, [this](int example) { begin(example); });
  begin(0);
}

QSpinBox* StoragePanel::add_number(QWidget* bar, const char* name, const QString& label, int value) {
  auto* box = new QSpinBox(bar);
  box->setObjectName(QStringLiteral("storage.") + QLatin1String(name));
  box->setRange(-999999, 999999);
  box->setValue(value);
  box->setAccessibleName(label);
  box->setToolTip(label);
  box->setPrefix(QStringLiteral("%1 ").arg(label));
  bar->layout()->addWidget(box);
  return box;
}

QPushButton* StoragePanel::add_button(QWidget* bar, const char* name, const QString& words, const QString& tip) {
  auto* button = new QPushButton(words, bar);
  button->setObjectName(QStringLiteral("storage.") + QLatin1String(name));
  button->setToolTip(tip);
  bar->layout()->addWidget(button);
  return button;
}

void StoragePanel::add_ops(QWidget* bar) {
  auto* row = new FlowLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(kGrid);
  // What belongs to one op stays in one row.
  const auto group = [&] {
    auto* box = new QWidget(bar);
    auto* line = new QHBoxLayout(box);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(kGrid / 2);
    row->add(box);
    return box;
  };
  QWidget* shapes = group();
  shape_->setAccessibleName(tr("New shape"));
  shape_->setToolTip(tr("Extents such as 6x4; in a reshape one may be -1"));
  shape_->setMaximumWidth(150);
  shape_->setMinimumWidth(90);
  shapes->layout()->addWidget(shape_);
  const auto shaped = [this](auto op) {
    const auto shape = parse_shape(shape_->text().toStdString());
    if (!shape) return run(shape.error());
    run(op(*shape));
  };
  const auto on = [this](QPushButton* button, auto action) { connect(button, &QPushButton::clicked, this, action); };
  on(add_button(shapes, "reshape", tr("Reshape"), tr("The same elements in row-major order under a new shape")),
     [this, shaped] { shaped([this](const auto& shape) { return model_->reshape(selected_, shape); }); });
  on(add_button(shapes, "expand", tr("Expand"), tr("Repeats axes of extent 1, and adds leading axes, with stride 0")),
     [this, shaped] { shaped([this](const auto& shape) { return model_->expand(selected_, shape); }); });
  QWidget* axes = group();
  axis_a_ = add_number(axes, "axis_a", tr("axis"), 0);
  axis_b_ = add_number(axes, "axis_b", tr("and"), 1);
  on(add_button(axes, "transpose", tr("Transpose"), tr("Exchanges two axes")),
     [this] { run(model_->transpose(selected_, axis_a_->value(), axis_b_->value())); });
  QWidget* part = group();
  axis_ = add_number(part, "slice_axis", tr("axis"), 0);
  from_ = add_number(part, "from", tr("from"), 0);
  to_ = add_number(part, "to", tr("to"), 1);
  step_ = add_number(part, "step", tr("step"), 1);
  on(add_button(part, "slice", tr("Slice"), tr("Elements of an axis from a start up to, not including, an end")),
     [this] { run(model_->slice(selected_, axis_->value(), from_->value(), to_->value(), step_->value())); });
  QWidget* rest = group();
  on(add_button(rest, "contiguous", tr("Contiguous"), tr("A row-major copy; the tensor itself where it is row-major")),
     [this] { run(model_->contiguous(selected_)); });
  on(add_button(rest, "write", tr("Write first element"), tr("Sets it to -1: every tensor over that byte sees it")),
     [this] {
       const auto done = model_->write_first(selected_, -1);
       const StorageTensor& t = model_->tensors()[selected_];
       result_->setText(done ? tr("The first element of %1 is -1 now, and so it is for every tensor over that byte of "
                                  "buffer %2.")
                                   .arg(text(t.name), text(model_->buffers()[t.buffer].name))
                             : displayed_text(text(done.error().message)));
       canvas_->update();
     });
  on(add_button(rest, "restart", tr("Start again"), tr("Only the tensor to begin with")),
     [this] { begin(examples_->currentIndex(), false); });
}

void StoragePanel::offer(const QString& name, const profiler::TensorRecord& record) {
  engine::TensorExample example{
      .key = "capture",
      .title = tr("Of the capture: %1").arg(displayed(name)).toStdString(),
      .teaches = tr("A tensor of the capture with its own strides; values are counted up from 0.").toStdString(),
      .type = {record.dtype, record.shape, record.strides}};
  if (record.strides.size() != record.shape.size()) example.type.strides = engine::contiguous_strides(record.shape);
  offered_.insert(offered_.begin(), std::move(example));
  examples_->insertItem(0, text(offered_.front().title));
  examples_->setCurrentIndex(0);
}

void StoragePanel::begin(int example, bool all) {
  if (example < 0 || static_cast<size_t>(example) >= offered_.size()) return;
  const engine::TensorExample& chosen = offered_[static_cast<size_t>(example)];
  model_.emplace(chosen.title, chosen.type, chosen.name);
  if (all) model_->follow(chosen);
  teaches_->setText(text(chosen.teaches));
  const std::vector<int64_t>& shape = chosen.type.shape;
  int64_t rest = 1;
  for (size_t i = 1; i < shape.size(); ++i) rest *= shape[i];
  shape_->setText(shape.empty() ? QStringLiteral("1") : QStringLiteral("%1x%2").arg(rest).arg(shape.front()));
  result_->setText(
      tr("Reshape, transpose, slice and expand are new views of the same bytes. Bytes are copied only where "
         "no strides describe the new shape."));
  select(0);
}

void StoragePanel::run(const engine::Result<size_t>& made) {
  if (!made) {
    result_->setText(displayed_text(text(made.error().message)));
    return;
  }
  const StorageTensor& t = model_->tensors()[*made];
  const QString buffer = text(model_->buffers()[t.buffer].name);
  result_->setText(
      t.copied_bytes > 0
          ? tr("%1 = %2: no strides over the old buffer give this, so %3 were copied to buffer %4.")
                .arg(text(t.name), text(t.made_by), bytes_text(t.copied_bytes), buffer)
          : tr("%1 = %2: a view of buffer %3, no byte was moved.").arg(text(t.name), text(t.made_by), buffer));
  select(*made);
}

void StoragePanel::select(size_t tensor) {
  selected_ = tensor;
  fill_list();
  use_ = use_of(*model_, selected_);
  lay_out();
}

void StoragePanel::fill_list() {
  const QSignalBlocker silent(list_);
  list_->setRowCount(static_cast<int>(model_->tensors().size()));
  const size_t shown = model_->tensors()[selected_].buffer;
  for (size_t i = 0; i < model_->tensors().size(); ++i) {
    const StorageTensor& t = model_->tensors()[i];
    const QStringList cells{text(t.name),
                            displayed(text(t.made_by)),
                            shape_of(t.type),
                            t.type.strides.empty() ? QStringLiteral("–") : numbers(t.type.strides),
                            QString::number(t.offset),
                            text(model_->buffers()[t.buffer].name),
                            t.copied_bytes > 0 ? bytes_text(t.copied_bytes) : tr("nothing")};
    for (int c = 0; c < cells.size(); ++c) {
      auto* item = new QTableWidgetItem(cells[c]);
      QFont font = list_->font();
      font.setBold(t.buffer == shown);  // over the same bytes
      item->setFont(font);
      item->setToolTip(plain_tip(cells[c]));
      list_->setItem(static_cast<int>(i), c, item);
    }
  }
  list_->setCurrentCell(static_cast<int>(selected_), 0);
  list_->scrollToItem(list_->item(static_cast<int>(selected_), 0));
}

void StoragePanel::lay_out() {
  const double line = QFontMetricsF(data_font()).height();
  const QRectF room = QRectF(canvas_->rect()).adjusted(0, 2 * line, 0, 0);
  const std::vector<int64_t>& first =
      model_->tensors()[model_->tensors()[selected_].buffer == 0 ? 0 : selected_].type.shape;
  layout_ = use_ ? layout_storage(room, *use_, first.empty() ? 1 : first.back()) : StorageLayout{};
  canvas_->update();
}

QString StoragePanel::title_of_map() const {
  const StorageTensor& t = model_->tensors()[selected_];
  const StorageBuffer& buffer = model_->buffers()[t.buffer];
  return tr("Buffer %1: %2, %3. %4 names %5 of them.")
      .arg(text(buffer.name), bytes_text(buffer.size_bytes()),
           buffer.elements == 1 ? tr("1 element") : tr("%1 elements").arg(buffer.elements), text(t.name),
           bytes_text(t.type.elements() == 0 ? 0 : t.type.distinct_bytes()));
}

void StoragePanel::paint(QPainter& p, const QRectF& rect) const {
  p.fillRect(rect, theme_->background);
  const double line = QFontMetricsF(data_font()).height();
  p.setFont(data_font());
  draw_text(p, QRectF(rect.left(), rect.top(), rect.width(), line), Qt::AlignLeft | Qt::AlignVCenter, title_of_map(),
            theme_->text);
  if (!use_) return draw_message(p, rect, *theme_, tr("No map"), text(use_.error().message));
  QString key =
      layout_.per_cell == 1 ? tr("One cell is one element.") : tr("One cell is %L1 elements.").arg(layout_.per_cell);
  if (!layout_.cells.empty()) key += tr(" Dark: read early, light: read late, grey: not named.");
  draw_text(p, QRectF(rect.left(), rect.top() + line, rect.width(), line), Qt::AlignLeft | Qt::AlignVCenter, key,
            theme_->text_secondary);
  if (layout_.cells.empty()) {
    draw_message(p, rect.adjusted(0, 2 * line, 0, 0), *theme_, tr("No bytes"), tr("The tensor has no elements."));
    return;
  }
  const auto count = static_cast<double>(std::max<int64_t>(1, model_->tensors()[selected_].type.elements() - 1));
  const size_t buffer = model_->tensors()[selected_].buffer;
  const double gap = layout_.size >= 10 ? 1 : layout_.size >= 6 ? 0.5 : 0;
  p.setFont(scaled_font(data_font(), 0.85));
  for (const StorageCell& cell : layout_.cells) {
    const QRectF r = cell.rect.adjusted(0, 0, -gap, -gap);
    QColor fill = theme_->surface_alternate;
    if (cell.used > 0) {
      const double late = static_cast<double>(cell.position) / count;
      const QColor &dark = theme_->measure, &pale = theme_->surface;
      const double part = 0.25 + 0.75 * (1 - late);
      fill = QColor::fromRgbF(static_cast<float>(pale.redF() + (dark.redF() - pale.redF()) * part),
                              static_cast<float>(pale.greenF() + (dark.greenF() - pale.greenF()) * part),
                              static_cast<float>(pale.blueF() + (dark.blueF() - pale.blueF()) * part));
    }
    p.fillRect(r, fill);
    if (layout_.size < 24 || cell.count != 1) continue;
    const QColor ink = qGray(fill.rgb()) > 140 ? QColor(0x1F, 0x23, 0x28) : QColor(Qt::white);
    const QString words = cell.readers > 1
                              ? QStringLiteral("%1×%2").arg(model_->value(buffer, cell.first)).arg(cell.readers)
                              : QString::number(model_->value(buffer, cell.first));
    if (!std::isnan(model_->value(buffer, cell.first)))
      draw_text(p, r, Qt::AlignCenter, words, cell.used > 0 ? ink : theme_->text_secondary, Qt::ElideNone);
  }
}

QString StoragePanel::tip_at(QPointF at) const {
  const int found = layout_.cell_at(at);
  if (found < 0) return {};
  const StorageCell& cell = layout_.cells[static_cast<size_t>(found)];
  const StorageTensor& t = model_->tensors()[selected_];
  const StorageBuffer& buffer = model_->buffers()[t.buffer];
  const auto size = static_cast<int64_t>(engine::size_bytes(buffer.dtype));
  QStringList lines{tr("Bytes %L1 to %L2").arg(cell.first * size).arg((cell.first + cell.count) * size - 1)};
  if (cell.used == 0) lines << tr("%1 does not name them.").arg(text(t.name));
  else if (cell.count == 1) {
    lines << text(index_text(t, cell.position));
    if (cell.readers > 1) lines << tr("Read at %L1 positions").arg(cell.readers);
  } else
    lines << tr("%L1 of %L2 elements named; the first is %3")
                 .arg(cell.used)
                 .arg(cell.count)
                 .arg(text(index_text(t, cell.position)));
  if (const double value = model_->value(t.buffer, cell.first); cell.count == 1 && !std::isnan(value))
    lines << tr("Value %1").arg(value);
  return lines.join(QStringLiteral("<br>"));
}

void StoragePanel::set_theme(const Theme& theme) {
  theme_ = &theme;
  canvas_->update();
}

}  // namespace views
