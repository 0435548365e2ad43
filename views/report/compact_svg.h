// SPDX-License-Identifier: GPL-3.0-or-later
// Qt's SVG of a picture made fit for a page: what draws nothing goes, what repeats is said once.
#pragma once

#include <QByteArray>
#include <string>

namespace views {

/// The <svg> element of a document that QSvgGenerator wrote, without prolog, fixed size, and title; it draws the same.
/// Empty when the document is not well-formed. `name`: its patterns and gradients are called after it, so that several
/// share a page.
std::string compact_svg(const QByteArray& document, const QString& name);

}  // namespace views
