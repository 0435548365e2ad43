// SPDX-License-Identifier: GPL-3.0-or-later
// Memory: picture switch, canvas, contents at the peak; follows and sets the selection.
#include "views/memory/memory_view.h"

#include <algorithm>
#include <numeric>

#include "profiler/analysis/process_memory.h"
#include "profiler/analysis/tables/tables.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/memory/memory_paint.h"
#include "views/widgets/flow_layout.h"

namespace views {
namespace {

using profiler::Quantity;

constexpr int kToolbarHeight = 40;
constexpr int kHeadingHeight = 26;

QString lifetime(const profiler::Capture& capture, const profiler::TensorRecord& tensor) {
  if (tensor.persistent) return QObject::tr("lives across steps");
  const auto name_of = [&](profiler::OpId op) {
    return op < capture.ops().size() ? text(capture.name(capture.ops()[op].name)) : QStringLiteral("–");
  };
  return QObject::tr("from %1\nto %2").arg(name_of(tensor.first_op), name_of(tensor.last_op));
}

QString tensor_tip(const profiler::Capture& capture, const profiler::TensorRecord& tensor) {
  QStringList shape;
  for (int64_t extent : tensor.shape) shape << QString::number(extent);
  return Tip{
      text(capture.name(tensor.name)),
      QStringLiteral("%1, %2 %3\n%4\n%5")
          .arg(quantity(static_cast<double>(tensor.size_bytes), Quantity::bytes), text(engine::name(tensor.dtype)),
               shape.isEmpty() ? QObject::tr("scalar") : shape.join(QStringLiteral("×")), role_title(tensor.role),
               lifetime(capture, tensor)),
      QObject::tr("Bytes the tensor occupies, and the ops between which they are needed."),
      {},
      profiler::Origin::exact,
      {}}
      .html();
}

/// What the process holds beside its tensors, below them.
std::vector<RankedRow> process_rows(const profiler::Capture& capture, const profiler::Footprint& footprint) {
  const profiler::ProcessMemory process = profiler::process_memory(capture);
  std::vector<RankedRow> rows;
  if (!process.known() || footprint.at_peak.empty()) return rows;
  const auto largest = static_cast<double>(capture.tensors()[footprint.at_peak.front()].size_bytes);
  const auto add = [&](const QString& name, double bytes, const QString& what) {
    RankedRow row;
    row.id = profiler::kNoTensor;
    row.text = name;
    row.detail = QObject::tr("process");
    row.value = quantity(bytes, Quantity::bytes);
    row.ratio = largest > 0 ? std::clamp(bytes / largest, 0.0, 1.0) : 0;
    row.tip = Tip{
        name,
        QObject::tr("%1 of %2 resident")
            .arg(quantity(bytes, Quantity::bytes), quantity(process.resident_bytes, Quantity::bytes)),
        what,
        QObject::tr("resident = persistent + arena + workspace + files + unaccounted"),
        profiler::Origin::measured,
        {}}.html();
    rows.push_back(std::move(row));
  };
  add(QObject::tr("Code and mapped files"), process.files_bytes,
      QObject::tr("Pages that files back: the program, its libraries, mapped data."));
  if (process.unaccounted_bytes >= 0)
    add(QObject::tr("Unaccounted"), process.unaccounted_bytes,
        QObject::tr("Resident bytes without an owner: buffers of libraries, the recording, the heap."));
  return rows;
}

}  // namespace

MemoryView::MemoryView(Document& document, QWidget* parent)
    : View(document, parent),
      toolbar_(new QWidget(this)),
      canvas_(new Canvas(this)),
      heading_(new QLabel(this)),
      list_(new RankedList(this)),
      panes_(new SidePanes(
          QStringLiteral("memory"), canvas_, heading_, kHeadingHeight, list_,
          [](const QSizeF& room) { return std::clamp(room.width() * 0.27, 220.0, 400.0); }, this)) {
  setWindowTitle(tr("Memory"));
  setAccessibleName(tr("Memory: bytes alive over the step"));
  setFocusProxy(canvas_);  // arrows work as soon as the view is in front
  auto* row = new FlowLayout(toolbar_);
  toolbar_->setMinimumHeight(kToolbarHeight);
  row->setContentsMargins(2 * kGrid, 4, kGrid, 4);
  row->setSpacing(kGrid);
  picture_ = new Switch(tr("Picture"), {tr("Live bytes"), tr("Arena map")});
  picture_->button(0)->setToolTip(tr("Bytes alive while each op runs, stacked by role"));
  picture_->button(1)->setToolTip(
      tr("Bytes of the arena by tensor, over time. Boxes above one another "
         "share the same time; boxes beside one another reuse the same bytes"));
  row->add(new QLabel(tr("Show")));
  row->add(picture_);
  row->add_stretch();
  canvas_->setAccessibleName(tr("Memory picture"));
  canvas_->paint = [this](QPainter& p, const QRectF& r) { draw_canvas(p, r, *theme_); };
  canvas_->tip = [this](QPointF at) { return tip_at(at); };
  canvas_->clickable = [this](QPointF at) { return usable() && layout_on_screen().op_at(at).has_value(); };
  canvas_->key = [this](int key) { return on_key(key); };
  list_->setAccessibleName(tr("Tensors alive at the peak, largest first"));
  list_->set_empty_text(tr("Nothing is alive."));
  heading_->setTextFormat(Qt::RichText);
  heading_->setWordWrap(true);  // in some languages it is longer than the list is wide
  canvas_->setMinimumWidth(22 * QFontMetrics(data_font()).height());
  stack_rows(this, {toolbar_}, panes_);
  connect(picture_, &Switch::chosen, this, [this](int) { canvas_->update(); });
  connect(canvas_, &Canvas::pressed, this, &MemoryView::on_pressed);
  connect(list_, &RankedList::chosen, this, [this](uint32_t id) {
    if (id < this->document().capture().tensors().size()) this->document().selection().select_tensor(id);
  });
  connect(&document, &Document::replaced, this, &MemoryView::on_replaced);
  connect(&document.selection(), &Selection::changed, this, [this] {
    list_->set_selected(this->document().selection().state().tensor);
    canvas_->update();
  });
  set_theme(Theme::light());
  on_replaced();
}

void MemoryView::set_theme(const Theme& theme) {
  theme_ = &theme;
  list_->set_theme(theme);
  canvas_->update();
}

/// What its pictures need; with less the window scrolls it.
QSize MemoryView::minimumSizeHint() const {
  const int line = QFontMetrics(data_font()).height();
  return usable() || shows_allocated() ? QSize(32 * line, toolbar_->height() + 17 * line) : QSize();
}

void MemoryView::on_replaced() {
  footprint_ = document().loaded() ? profiler::footprint(document().capture()) : profiler::Footprint();
  subtitle_ = usable() ? memory_subtitle(document().capture(), footprint_) : QString();
  allocated_ =
      document().loaded() ? profiler::allocated_series(document().capture()) : std::vector<profiler::AllocatedSeries>();
  laid_ = {};
  fill_list();
  heading_->setText(QStringLiteral("<b>%1</b>").arg(list_title().toHtmlEscaped()));
  canvas_->setAccessibleDescription(usable() ? tr("Peak %1").arg(quantity(footprint_.peak_bytes, Quantity::bytes))
                                    : shows_allocated() ? allocated_headline(allocated_)
                                                        : QString());
  toolbar_->setEnabled(usable());
  panes_->set_side_shown(usable());
  updateGeometry();
  canvas_->update();
}

QString MemoryView::list_title() const {
  const size_t count = footprint_.at_peak.size();
  return count == 1 ? tr("At the peak: 1 tensor") : tr("At the peak: %1 tensors").arg(count);
}

void MemoryView::fill_list() {
  std::vector<RankedRow> rows;
  if (document().loaded()) {
    const profiler::Capture& capture = document().capture();
    for (profiler::TensorId id : footprint_.at_peak) {
      const profiler::TensorRecord& tensor = capture.tensors()[id];
      RankedRow row;
      row.id = id;
      row.text = text(capture.name(tensor.name));
      row.value = quantity(static_cast<double>(tensor.size_bytes), Quantity::bytes);
      const auto largest = static_cast<double>(capture.tensors()[footprint_.at_peak.front()].size_bytes);
      row.ratio = largest > 0 ? static_cast<double>(tensor.size_bytes) / largest : 0;
      row.detail = tensor.persistent ? tr("always") : QString();
      row.colour = role_colour;
      row.key = static_cast<int>(tensor.role);
      row.tip = tensor_tip(capture, tensor);
      rows.push_back(std::move(row));
    }
    for (RankedRow& row : process_rows(capture, footprint_)) rows.push_back(std::move(row));
  }
  list_->set_rows(std::move(rows));
  list_->set_selected(document().selection().state().tensor);
}

void MemoryView::on_pressed(QPointF at) {
  if (!usable()) return;
  const MemoryLayout& layout = layout_on_screen();
  if (const TensorBox* box = layout.tensor_at(at)) document().selection().select_tensor(box->tensor);
  else if (const auto op = layout.op_at(at)) document().selection().select_op(*op);
}

bool MemoryView::on_key(int key) {
  if (!usable() || (key != Qt::Key_Left && key != Qt::Key_Right)) return false;
  const auto last = static_cast<int64_t>(footprint_.points.size()) - 1;
  const auto& op = document().selection().state().op;
  const int64_t now = op ? static_cast<int64_t>(*op) : static_cast<int64_t>(footprint_.peak_op);
  document().selection().scrub_op(
      static_cast<profiler::OpId>(std::clamp<int64_t>(now + (key == Qt::Key_Left ? -1 : 1), 0, last)));
  return true;
}

MemoryView::Laid& MemoryView::laid_for(const QRectF& rect) const {
  if (laid_.rect != rect || laid_.font != data_font())
    laid_ = {.rect = rect, .font = data_font(), .live = {}, .allocated = {}};
  return laid_;
}

const MemoryLayout& MemoryView::layout_in(const QRectF& rect) const {
  Laid& laid = laid_for(rect);
  const auto picture = static_cast<MemoryPicture>(picture_->current());
  if (!laid.live || laid.live->picture != picture)
    laid.live = layout_memory(document().capture(), footprint_, picture, rect, laid.font);
  return *laid.live;
}

const AllocatedLayout& MemoryView::allocated_in(const QRectF& rect) const {
  Laid& laid = laid_for(rect);
  if (!laid.allocated) laid.allocated = layout_allocated(document().capture(), allocated_, rect, laid.font);
  return *laid.allocated;
}

const MemoryLayout& MemoryView::layout_on_screen() const { return layout_in(canvas_->rect()); }

QString MemoryView::tip_at(QPointF at) const {
  if (shows_allocated()) return allocated_tip(document().capture(), allocated_, allocated_in(canvas_->rect()), at);
  if (!usable()) return {};
  const profiler::Capture& capture = document().capture();
  const MemoryLayout& layout = layout_on_screen();
  if (const TensorBox* box = layout.tensor_at(at)) return tensor_tip(capture, capture.tensors()[box->tensor]);
  if (layout.title.united(layout.subtitle).contains(at)) {
    return Tip{tr("Memory of the step"),
               {},
               (capture.run().eager() ? tr("Pool: memory that an eager run has reserved from the device, "
                                           "in segments larger than its values. The sum of a step's values "
                                           "is given too. ")
                                      : tr("Arena: one block in which tensors of the step take turns, planned "
                                           "before the run. Without reuse: what it would take if each "
                                           "tensor had bytes of its own. ")) +
                   tr("Persistent: weights, optimiser state, inputs. Workspace: scratch "
                      "memory of kernels."),
               tr("live = persistent + workspace + tensors between their first and last op"),
               profiler::Origin::exact,
               {}}
        .html();
  }
  const auto op = layout.op_at(at);
  if (!op) return {};
  const profiler::RoleBytes& live = footprint_.points[*op].live_bytes;
  QString value = tr("%1 alive").arg(quantity(std::accumulate(live.begin(), live.end(), 0.0), Quantity::bytes));
  for (size_t r = 0; r < live.size(); ++r) {
    if (live[r] > 0)
      value +=
          QStringLiteral("\n%1  %2").arg(quantity(live[r], Quantity::bytes), role_title(static_cast<engine::Role>(r)));
  }
  return Tip{text(capture.name(capture.ops()[*op].name)),
             value,
             tr("Bytes alive while this op runs."),
             {},
             profiler::Origin::exact,
             {}}
      .html();
}

void MemoryView::draw_canvas(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.setFont(data_font());
  if (!document().loaded()) {
    draw_message(p, rect, theme, tr("No capture on the table"),
                 tr("Run a workload or open a .tide file: then this shows which tensors fill the memory, and when."));
    return;
  }
  if (shows_allocated()) {
    p.fillRect(rect, theme.surface);
    paint_allocated(p, allocated_in(rect), theme);
    return;
  }
  if (!usable() && !document().capture().run().source.empty()) {
    draw_message(p, rect, theme, tr("Memory is not in the trace"),
                 tr("The trace holds neither live tensors nor allocations. PyTorch records them with "
                    "profile_memory=True."));
    return;
  }
  if (!usable()) {
    draw_message(p, rect, theme, tr("No ops in this capture"),
                 tr("The run ended before its plan was recorded, so nothing is known of its memory."));
    return;
  }
  p.fillRect(rect, theme.surface);
  const SelectionState& state = document().selection().state();
  MemoryMarks marks;
  marks.op = state.op;
  if (state.tensor && *state.tensor < document().capture().tensors().size())
    marks.tensor = root_of(document().capture(), *state.tensor);
  paint_memory(p, document().capture(), footprint_, subtitle_, layout_in(rect), marks, theme);
}

void MemoryView::render_picture(QPainter& p, const QRectF& rect, const Theme& theme) {
  if (!usable()) {
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

profiler::Table MemoryView::data() const {
  if (!document().loaded()) return {};
  return profiler::memory_table(document().analyzed());
}

QString MemoryView::nothing() const {
  if (!document().loaded() || usable() || shows_allocated()) return {};
  return document().capture().run().source.empty() ? tr("The run ended before its plan was recorded.")
                                                   : tr("The trace holds neither tensors nor allocations.");
}

}  // namespace views
