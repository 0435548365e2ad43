// SPDX-License-Identifier: GPL-3.0-or-later
// Traffic: scope switch, picture, ranked tensors, scrubber; follows and sets the selection.
#include "views/traffic/traffic_view.h"

#include <algorithm>
#include <cmath>

#include "profiler/analysis/tables/tables.h"
#include "profiler/capture/only_planned.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/flow_layout.h"

namespace views {
namespace {

constexpr int kToolbarHeight = 40;
constexpr int kHeadingHeight = 26;
constexpr int kBatchHeight = 36;
constexpr int kPlayInterval = 80;  // ms per op

/// Whole counts as such; copies per step may be less than one.
QString times_text(double times) { return QString::number(times, 'f', times == std::floor(times) ? 0 : 2); }

/// "once", "3 times", "0.25 times"
QString times_words(double times) {
  return times == 0   ? QObject::tr("never")
         : times == 1 ? QObject::tr("once")
                      : QObject::tr("%1 times").arg(times_text(times));
}

QString tensor_tip(const profiler::Capture& capture, const TensorFlow& part, const TrafficLinkFigure& link) {
  const profiler::TensorRecord& tensor = capture.tensors()[part.tensor];
  QStringList shape;
  for (int64_t extent : tensor.shape) shape << QString::number(extent);
  return Tip{
      text(capture.name(tensor.name)),
      QObject::tr("%1 %2, %3\n%4, %5\nread %6, written %7 this step")
          .arg(text(engine::name(tensor.dtype)),
               shape.isEmpty() ? QObject::tr("scalar") : shape.join(QStringLiteral("×")),
               quantity(static_cast<double>(tensor.size_bytes), profiler::Quantity::bytes), role_title(tensor.role),
               tensor.persistent ? QObject::tr("lives across steps") : QObject::tr("lives within the step"))
          .arg(times_words(part.reads), times_words(part.writes)),
      QObject::tr("This tensor's part of the bytes on the chosen link and direction."),
      {},
      link.origin,
      link.origin == profiler::Origin::exact
          ? QString()
          : QObject::tr("A line that is written must first be fetched: such fills count as read.")}
      .html();
}

}  // namespace

TrafficView::TrafficView(Document& document, QWidget* parent)
    : View(document, parent),
      toolbar_(new QWidget(this)),
      canvas_(new Canvas(this)),
      list_heading_(new QLabel(this)),
      tensors_(new RankedList(this)),
      panes_(new SidePanes(
          QStringLiteral("traffic"), canvas_, list_heading_, kHeadingHeight, tensors_,
          [](const QSizeF& room) { return std::clamp(room.width() * 0.24, 264.0, 400.0); }, this)) {
  setWindowTitle(tr("Traffic"));
  setAccessibleName(tr("Traffic: bytes between memory levels"));
  setFocusProxy(canvas_);  // arrows work as soon as the view is in front
  build_toolbar();
  batches_ = new BatchStrip(this);
  canvas_->setAccessibleName(tr("Memory traffic picture"));
  tensors_->setAccessibleName(tr("Tensors of the chosen ribbon, largest first"));
  tensors_->set_empty_text(tr("Nothing crosses this link in this direction."));
  list_heading_->setTextFormat(Qt::RichText);
  list_heading_->setWordWrap(true);  // in some languages it is longer than the list is wide
  // In a narrow room the list gives way to the picture's rows, down to its heading and a tensor.
  panes_->stack_below(1000, [this](const QSizeF& room) {
    const double wished = std::clamp(room.height() * 0.24, 84.0, 220.0),
                 spare = room.height() - traffic_least_height(figure_, room.width(), data_font(), scale());
    return std::clamp(spare, std::min(wished, 2.0 * kHeadingHeight + kGrid), wished);
  });
  batches_->setFixedHeight(kBatchHeight);
  stack_rows(this, {toolbar_, batches_}, panes_);
  build_fill_buttons();
  canvas_->paint = [this](QPainter& p, const QRectF& r) { draw_canvas(p, r, *theme_); };
  canvas_->tip = [this](QPointF at) {
    return this->document().loaded() ? traffic_tip(figure_, layout_on_screen(), ops_, this->document().capture(), at)
                                     : QString();
  };
  canvas_->clickable = [this](QPointF at) {
    const TrafficLayout layout = layout_on_screen();
    return layout.ribbon_at(at) || layout.scrubber_index_at(at, ops_.size());
  };
  canvas_->key = [this](int key) { return on_key(key); };
  connect(canvas_, &Canvas::pressed, this, &TrafficView::on_pressed);
  connect(canvas_, &Canvas::dragged, this, &TrafficView::scrub_to);
  connect(canvas_, &Canvas::hovered, this, [this](QPointF at) {
    const TrafficLayout layout = layout_on_screen();
    const Ribbon* ribbon = layout.ribbon_at(at);
    const auto next =
        ribbon ? std::optional<size_t>(static_cast<size_t>(ribbon - layout.ribbons.data())) : std::nullopt;
    if (next == hover_) return;
    hover_ = next;
    canvas_->update();
  });
  connect(canvas_, &Canvas::left, this, [this] {
    hover_.reset();
    canvas_->update();
  });
  connect(tensors_, &RankedList::chosen, this, [this](uint32_t id) { this->document().selection().select_tensor(id); });
  connect(&player_, &QTimer::timeout, this, [this] {
    if (current_index().value_or(0) + 1 >= ops_.size()) set_playing(false);
    else step_op(1);
  });
  player_.setInterval(kPlayInterval);
  connect(batches_, &BatchStrip::wanted, this, [this](size_t point) { this->document().request_point(point); });
  connect(&document, &Document::sweep_changed, this, &TrafficView::show_batches);
  connect(&document, &Document::reference_changed, this, &TrafficView::on_reference);
  connect(&document, &Document::replaced, this, &TrafficView::on_replaced);
  connect(&document.selection(), &Selection::changed, this, &TrafficView::on_selection);
  set_theme(Theme::light());
  on_replaced();
}

void TrafficView::build_toolbar() {
  auto* row = new FlowLayout(toolbar_);
  toolbar_->setMinimumHeight(kToolbarHeight);
  row->setContentsMargins(2 * kGrid, 4, kGrid, 4);
  row->setSpacing(kGrid);
  scope_ = new Switch(tr("Scope"), {tr("Step"), tr("Layer"), tr("Op")});
  scope_->button(0)->setToolTip(tr("Bytes of the whole step"));
  scope_->button(1)->setToolTip(
      tr("Bytes of the selected layer and what is inside it. Select a layer or an op first."));
  scope_->button(2)->setToolTip(tr("Bytes of the selected op. Select one: in the strip below, or in any other view."));
  scale_ = new Switch(tr("Ribbon width"), {tr("Linear"), tr("Log")});
  scale_->button(1)->setToolTip(
      tr("Width grows with the logarithm of the bytes, over four decades below the step's largest flow: "
         "small flows stay visible"));
  scale_->button(0)->setToolTip(tr("Width is proportional to the bytes; the largest flow of the scope is the widest"));
  play_ = new QToolButton;
  play_->setText(tr("Play step"));
  play_->setAccessibleName(tr("Play the step op by op"));
  play_->setToolTip(tr("Goes through the step op by op; the ribbons follow (Space)"));
  row->add(new QLabel(tr("Scope")));
  row->add(scope_);
  row->add_spacing(kGrid);
  row->add(new QLabel(tr("Width")));
  row->add(scale_);
  compare_ = new QToolButton;
  compare_->setToolTip(
      tr("Puts the bytes of a second capture below these, in the same scale, with the difference per link"));
  row->add_stretch();
  row->add(compare_);
  row->add(play_);
  connect(scope_, &Switch::chosen, this, [this](int index) {
    kind_ = static_cast<ScopeKind>(index);
    show_scope();
  });
  connect(scale_, &Switch::chosen, this, [this](int) {
    show_parts();  // the legend has one line more in one of the scales
    canvas_->update();
  });
  connect(compare_, &QToolButton::clicked, this, [this] {
    if (document().reference() != nullptr) document().set_reference(nullptr, {});
    else document().request_reference();
  });
  connect(play_, &QToolButton::clicked, this, [this] { set_playing(!player_.isActive()); });
}

void TrafficView::set_theme(const Theme& theme) {
  theme_ = &theme;
  tensors_->set_theme(theme);
  batches_->set_theme(theme);
  canvas_->update();
}

int TrafficView::least_picture_width() const {
  constexpr int kBox = 88, kGap = 56;
  const int levels = static_cast<int>(figure_.levels.size());
  return usable() ? levels * kBox + (levels - 1) * kGap + 4 * kGrid : 0;
}

/// What its pictures need; with less the window scrolls it.
QSize TrafficView::minimumSizeHint() const {
  if (!usable()) return {};
  constexpr int kShortList = 3 * kHeadingHeight;
  const int width = least_picture_width();
  const double picture = traffic_least_height(figure_, std::max(this->width(), width), data_font(), scale());
  const int above =
      bar_height(*toolbar_, std::max(this->width(), width), kToolbarHeight) + (batches_->usable() ? kBatchHeight : 0);
  return {width, above + static_cast<int>(std::ceil(picture)) + kShortList};
}

bool TrafficView::usable() const { return document().loaded() && !figure_.links.empty(); }

/// No divider makes rows overprint.
void TrafficView::fit_canvas() {
  const double width = std::max(this->width(), least_picture_width());
  const double height = usable() ? traffic_least_height(figure_, width, data_font(), scale()) : 0;
  canvas_->setMinimumSize(least_picture_width(), static_cast<int>(std::ceil(height)));
}

void TrafficView::show_parts() {
  batches_->setVisible(usable() && batches_->usable());
  fit_canvas();
  panes_->set_side_shown(usable());
  panes_->refresh();
  updateGeometry();
  place_fill_buttons();
}

void TrafficView::build_fill_buttons() {
  for (QToolButton*& button : fill_buttons_) {
    button = new QToolButton(canvas_);
    button->hide();
    connect(button, &QToolButton::clicked, this, [this, &button] {
      const auto row = button == fill_buttons_[0] ? FigureRow::simulated : FigureRow::measured;
      const CollectOffer* offer = offer_of(figure_, row);
      if (offer != nullptr) document().request_collect(offer->collector);
    });
  }
  connect(canvas_, &Canvas::resized, this, [this] {
    fit_canvas();
    place_fill_buttons();
  });
  const auto offer = [this] {
    offer_collectors();
    show_scope();
  };
  connect(&document(), &Document::collect_refusal_changed, this, offer);
  connect(&document(), &Document::run_refusal_changed, this, offer);
}

void TrafficView::offer_collectors() {
  offers_.clear();
  const Document::CollectRefusal& refusal = document().collect_refusal();
  if (!refusal || !document().loaded()) return;
  offers_ = collect_offers(make_traffic_figure(document().analyzed(), {}), document().analyzed());
  const QString& running = document().run_refusal();
  for (CollectOffer& offer : offers_) offer.refusal = running.isEmpty() ? refusal(offer.collector) : running;
}

void TrafficView::place_fill_buttons() {
  const TrafficLayout layout = usable() ? layout_on_screen() : TrafficLayout();
  for (size_t i = 0; i < fill_buttons_.size(); ++i) {
    const FigureRow row = i == 0 ? FigureRow::simulated : FigureRow::measured;
    const auto fill = std::ranges::find(layout.fills, row, &FillRow::row);
    const CollectOffer* offer = offer_of(figure_, row);
    QToolButton& button = *fill_buttons_[i];
    button.setVisible(fill != layout.fills.end() && offer != nullptr);
    if (button.isHidden()) continue;
    button.setText(offer->action);
    button.setAccessibleName(offer->action +
                             (i == 0 ? tr(": fills the row “simulated”") : tr(": fills the row “measured”")));
    button.setEnabled(offer->refusal.isEmpty());
    button.setToolTip(plain_tip(offer->refusal.isEmpty()
                                    ? tr("Runs this workload again as it was recorded, and fills this row. "
                                         "The new run is shown; this one stays in the list.")
                                    : offer->refusal));
    button.setGeometry(fill->button.toRect());
  }
}

void TrafficView::on_replaced() {
  set_playing(false);
  hover_.reset();
  ribbon_ = kNoRibbon;
  kind_ = ScopeKind::step;
  ops_.clear();
  figure_ = {};
  step_reference_ = 0;
  if (document().loaded()) {
    ops_ = scrubber_ops(document().analyzed());
    step_reference_ = largest_flow(make_traffic_figure(document().analyzed(), {}));
  }
  offer_collectors();
  toolbar_->setEnabled(document().loaded() && !document().capture().ops().empty());
  on_selection();
  show_batches();
}

/// Both runs are drawn in one scale: the larger one's.
void TrafficView::on_reference() {
  const profiler::Analyzed* other = document().reference();
  other_step_reference_ = other != nullptr ? largest_flow(make_traffic_figure(*other, {})) : 0;
  show_scope();
}

void TrafficView::show_batches() {
  std::vector<BatchPoint> points;
  std::optional<size_t> shown;
  QString link;
  if (const profiler::Sweep* sweep = document().sweep(); sweep != nullptr && document().loaded()) {
    shown = point_of_capture(*sweep, document().sweep_path(), document().path());
    points = batch_points(*sweep, shown.value_or(0));
    if (!figure_.links.empty())
      link = QString::fromStdString(ops_link(figure_).bytes.outer + " → " + ops_link(figure_).bytes.inner);
  }
  batches_->set_points(std::move(points), shown, link);
  show_parts();
}

void TrafficView::on_selection() {
  const SelectionState& state = document().selection().state();
  if (state.op) kind_ = kind_ == ScopeKind::layer ? ScopeKind::layer : ScopeKind::op;
  else if (state.layer) kind_ = ScopeKind::layer;
  else kind_ = ScopeKind::step;
  show_scope();
}

profiler::Scope TrafficView::wanted_scope() const {
  const SelectionState& state = document().selection().state();
  profiler::Scope scope;
  if (kind_ == ScopeKind::op) scope.op = state.op;
  if (kind_ == ScopeKind::layer) {
    if (state.layer) scope.layer = state.layer->toStdString();
    else if (state.op)
      scope.layer = std::string(document().capture().name(document().capture().ops()[*state.op].layer));
    if (scope.layer && scope.layer->empty()) scope.layer.reset();
  }
  return scope;
}

void TrafficView::show_scope() {
  const SelectionState& state = document().selection().state();
  scope_->button(1)->setEnabled(state.layer.has_value() || state.op.has_value());
  scope_->button(2)->setEnabled(state.op.has_value());
  scope_->set_current(static_cast<int>(kind_));
  compare_->setText(document().reference() != nullptr ? tr("End comparison") : tr("Compare with…"));
  if (document().loaded()) {
    figure_ = make_traffic_figure(document().analyzed(), wanted_scope());
    if (document().capture().ops().empty()) figure_.links.clear();  // nothing is known that could be drawn
    // Nothing crosses any link that could be drawn: the message says why.
    if (!figure_.no_bytes.isEmpty() && !(largest_flow(figure_) > 0)) figure_.links.clear();
    if (!figure_.links.empty()) figure_.offers = offers_;
    if (document().reference() != nullptr) compare_with(figure_, document().capture(), *document().reference());
    mark_scope(ops_, document().capture(), figure_.scope);
    if (ribbon_ >= figure_.links.size() * 2) ribbon_ = 2 * first_busy_link(figure_);
    QStringList sentence{figure_.title};
    for (const auto& link : figure_.links) {
      sentence << tr("%1 to %2: %3 read, %4 written")
                      .arg(QString::fromStdString(link.bytes.outer), QString::fromStdString(link.bytes.inner),
                           quantity(total(link.read), profiler::Quantity::bytes),
                           quantity(total(link.written), profiler::Quantity::bytes));
    }
    canvas_->setAccessibleDescription(sentence.join(QStringLiteral("; ")));
  }
  fill_tensors();
  show_parts();
  canvas_->update();
}

QString TrafficView::list_title() const {
  const size_t link = ribbon_ / 2;
  if (link >= figure_.links.size()) return {};
  const auto& bytes = figure_.links[link].bytes;
  const QString outer = QString::fromStdString(bytes.outer), inner = QString::fromStdString(bytes.inner);
  const size_t count = tensors_->rows().size();
  return (ribbon_ % 2 == 0 ? tr("%1 → %2, read").arg(outer, inner) : tr("%1 → %2, written").arg(inner, outer)) +
         (count == 1 ? tr(": 1 tensor") : tr(": %1 tensors").arg(count));
}

void TrafficView::fill_tensors() {
  std::vector<RankedRow> rows;
  const size_t link = ribbon_ / 2;
  if (document().loaded() && link < figure_.tensors.size()) {
    const profiler::Capture& capture = document().capture();
    const bool read = ribbon_ % 2 == 0;
    const auto bytes_of = [&](const TensorFlow& part) { return read ? part.read : part.written; };
    std::vector<const TensorFlow*> parts;
    for (const auto& part : figure_.tensors[link]) {
      if (bytes_of(part) > 0) parts.push_back(&part);
    }
    std::stable_sort(parts.begin(), parts.end(), [&](auto* a, auto* b) { return bytes_of(*a) > bytes_of(*b); });
    for (const auto* part : parts) {
      const profiler::TensorRecord& tensor = capture.tensors()[part->tensor];
      RankedRow row;
      row.id = part->tensor;
      row.text = text(capture.name(tensor.name));
      const double times = read ? part->reads : part->writes;
      const bool copied = link < figure_.beyond;
      if (times > 0)
        row.detail = QStringLiteral("%1 %2×").arg(copied ? tr("copied")
                                                  : read ? tr("read")
                                                         : tr("written"),
                                                  times_text(times));
      row.value = quantity(bytes_of(*part), profiler::Quantity::bytes);
      row.ratio = bytes_of(*part) / bytes_of(*parts.front());
      row.colour = role_colour;
      row.key = static_cast<int>(tensor.role);
      row.tip = tensor_tip(capture, *part, figure_.links[link]);
      rows.push_back(std::move(row));
    }
  }
  const bool moves =
      link < figure_.links.size() &&
      !(total(figure_.links[link].flow(ribbon_ % 2 == 0 ? FlowDirection::read : FlowDirection::written)) == 0);
  tensors_->set_empty_text(moves ? tr("The tensors of these bytes are not recorded.")
                                 : tr("Nothing crosses this link in this direction."));
  tensors_->set_rows(std::move(rows));
  tensors_->set_selected(document().selection().state().tensor);
  list_heading_->setText(QStringLiteral("<b>%1</b>").arg(list_title().toHtmlEscaped()));
}

void TrafficView::choose_ribbon(size_t index) {
  if (index >= figure_.links.size() * 2) return;
  ribbon_ = index;
  fill_tensors();
  canvas_->update();
}

void TrafficView::on_pressed(QPointF at) {
  const TrafficLayout layout = layout_on_screen();
  if (const Ribbon* ribbon = layout.ribbon_at(at)) choose_ribbon(static_cast<size_t>(ribbon - layout.ribbons.data()));
  else scrub_to(at);
}

void TrafficView::scrub_to(QPointF at) {
  const auto index = layout_on_screen().scrubber_index_at(at, ops_.size());
  if (!index) return;
  set_playing(false);
  document().selection().scrub_op(ops_[*index].op);
}

std::optional<size_t> TrafficView::current_index() const {
  const auto& op = document().selection().state().op;
  if (!op) return {};
  const auto found = std::find_if(ops_.begin(), ops_.end(), [&](const ScrubberOp& item) { return item.op == *op; });
  return found == ops_.end() ? std::nullopt : std::optional<size_t>(static_cast<size_t>(found - ops_.begin()));
}

void TrafficView::step_op(int by) {
  if (ops_.empty()) return;
  const auto now = current_index();
  const auto last = static_cast<std::ptrdiff_t>(ops_.size()) - 1;
  const std::ptrdiff_t next =
      now ? std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(*now) + by, 0, last) : (by > 0 ? 0 : last);
  document().selection().scrub_op(ops_[static_cast<size_t>(next)].op);
}

void TrafficView::set_playing(bool playing) {
  if (playing && !ops_.empty()) {
    if (current_index().value_or(0) + 1 >= ops_.size()) document().selection().scrub_op(ops_.front().op);
    player_.start();
  } else {
    player_.stop();
  }
  play_->setText(player_.isActive() ? tr("Pause") : tr("Play step"));
}

bool TrafficView::on_key(int key) {
  const size_t count = figure_.links.size() * 2;
  switch (key) {
    case Qt::Key_Left: step_op(-1); return true;
    case Qt::Key_Right: step_op(1); return true;
    case Qt::Key_Home: step_op(-static_cast<int>(ops_.size())); return true;
    case Qt::Key_End: step_op(static_cast<int>(ops_.size())); return true;
    case Qt::Key_Up:
      if (count > 0) choose_ribbon((ribbon_ + count - 1) % count);
      return true;
    case Qt::Key_Down:
      if (count > 0) choose_ribbon((ribbon_ + 1) % count);
      return true;
    case Qt::Key_Space: set_playing(!player_.isActive()); return true;
    default: return false;
  }
}

WidthScale TrafficView::scale() const { return scale_->current() == 1 ? WidthScale::logarithmic : WidthScale::linear; }

TrafficLayout TrafficView::layout_in(const QRectF& rect) const { return layout_of(figure_, rect); }

TrafficLayout TrafficView::layout_of(const TrafficFigure& figure, const QRectF& rect) const {
  TrafficLayoutOptions options;
  options.scale = scale();
  options.reference_bytes = options.scale == WidthScale::linear
                                ? largest_flow(figure)
                                : std::max({step_reference_, other_step_reference_, largest_flow(figure)});
  return layout_traffic(figure, ops_, rect, data_font(), options);
}

TrafficLayout TrafficView::layout_on_screen() const { return layout_in(canvas_->rect()); }

TrafficMarks TrafficView::marks() const {
  TrafficMarks marks;
  marks.ribbon = ribbon_;
  marks.current_op = current_index();
  if (marks.current_op) {
    const auto& capture = document().capture();
    marks.current_text = tr("%1  (%2 of %3)")
                             .arg(text(capture.name(capture.ops()[ops_[*marks.current_op].op].name)))
                             .arg(*marks.current_op + 1)
                             .arg(ops_.size());
  }
  return marks;
}

void TrafficView::draw_canvas(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.setFont(data_font());
  if (!document().loaded()) {
    draw_message(p, rect, theme, tr("No capture on the table"),
                 tr("Run a workload or open a .tide file to see how many bytes cross each link of the "
                    "memory hierarchy, by tensor."));
    return;
  }
  if (document().capture().ops().empty()) {
    draw_message(p, rect, theme, tr("No ops in this capture"),
                 document().capture().run().source.empty()
                     ? tr("The run ended before its plan was recorded, so its bytes are unknown.")
                     : tr("The trace names no ops, so their bytes are unknown. The Timeline shows what it "
                          "recorded."));
    return;
  }
  if (figure_.links.empty() && !figure_.no_bytes.isEmpty()) {
    draw_message(p, rect, theme, tr("No bytes in this trace"), figure_.no_bytes);
    return;
  }
  if (figure_.links.empty()) {
    draw_message(p, rect, theme, tr("Memory levels unknown"),
                 tr("This capture does not hold the memory levels of its machine. Choose "
                    "“Tools > Measure the roofs”, then record the run again."));
    return;
  }
  p.fillRect(rect, theme.surface);
  TrafficMarks now = marks();
  now.hover = hover_;
  paint_traffic(p, figure_, layout_in(rect), now, theme);
}

void TrafficView::render_picture(QPainter& p, const QRectF& rect, const Theme& theme) {
  p.setFont(data_font());
  if (!document().loaded() || figure_.links.empty()) {
    draw_canvas(p, rect, theme);
    return;
  }
  const int strip = batches_->usable() ? kBatchHeight : 0;
  const SidePanes::Parts panes = panes_->split(rect.adjusted(0, strip, 0, 0));
  TrafficFigure figure = figure_;
  figure.offers.clear();  // a picture has no buttons
  p.fillRect(rect, theme.surface);
  if (strip > 0) batches_->draw(p, QRectF(rect.left(), rect.top(), rect.width(), strip), theme);
  paint_traffic(p, figure, layout_of(figure, panes.picture), marks(), theme);
  p.fillRect(panes.heading, theme.background);
  draw_bold(p, panes.heading.adjusted(kGrid, 0, -kGrid, 0), Qt::AlignLeft | Qt::AlignVCenter, list_title(), theme.text);
  tensors_->draw(p, panes.list, theme);
}

profiler::Table TrafficView::data() const {
  if (!document().loaded()) return {};
  return profiler::traffic_table(document().analyzed(), figure_.scope);
}

QString TrafficView::nothing() const {
  if (!document().loaded()) return {};
  if (document().capture().ops().empty()) return tr("The bytes that it moved are unknown: there are no ops.");
  if (profiler::only_planned(document().capture())) return tr("Nothing has run yet.");
  const bool flows = std::ranges::any_of(
      figure_.links, [](const TrafficLinkFigure& link) { return total(link.read) + total(link.written) > 0; });
  const bool ops = std::ranges::any_of(ops_, [](const ScrubberOp& op) { return op.bytes > 0; });
  const bool foreign = !document().capture().run().source.empty();
  return foreign && !flows && !ops ? tr("The trace does not hold the bytes of its ops.") : QString();
}

}  // namespace views
