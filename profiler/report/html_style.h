// SPDX-License-Identifier: Apache-2.0
// The look of an HTML report, on screen and on paper: light, dense, one accent; origins differ in shape, not in colour.
#pragma once

namespace profiler {

inline constexpr const char* kReportStyle = R"css(
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #f6f8fa; color: #1f2328; font: 14px/1.45 "DejaVu Sans", Verdana, "Segoe UI", sans-serif; font-variant-numeric: tabular-nums; }
main, footer { max-width: 1160px; margin: 0 auto; padding: 16px 24px; background: #fff; }
h1 { font-size: 22px; margin: 8px 0 0; }
h2 { font-size: 17px; margin: 32px 0 8px; padding-bottom: 4px; border-bottom: 1px solid #d0d7de; }
h3 { display: inline; font-size: 14px; }
p { margin: 8px 0; max-width: 100ch; }
a { color: #0550ae; }
nav a { margin-right: 16px; white-space: nowrap; }
.note { color: #57606a; font-size: 12px; }
.warning { border-left: 4px solid #9a6700; background: #fff8c5; padding: 8px 12px; }
.answers { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; margin: 16px 0; }
.answer { border: 1px solid #d0d7de; border-top: 4px solid #0550ae; border-radius: 4px; padding: 8px 16px; }
.answer h2 { margin: 0; border: 0; padding: 0; font-size: 13px; color: #57606a; }
.headline { font-size: 19px; font-weight: bold; margin: 4px 0 8px; line-height: 1.25; overflow-wrap: anywhere; }
.headline.long { font-size: 15px; }
dl.facts { margin: 8px 0; }
dl.two { columns: 2; column-gap: 32px; }
dl.two > div { break-inside: avoid; }
dl.facts > div { display: grid; grid-template-columns: minmax(140px, 32%) 1fr; gap: 8px; padding: 3px 0; border-top: 1px solid #eaeef2; }
dt { color: #57606a; overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; }
.o { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border: 2px solid #1f2328; }
.o.exact { border-radius: 50%; background: #1f2328; }
.o.measured { background: #1f2328; }
.o.simulated { background: repeating-linear-gradient(45deg, #1f2328 0 1px, #fff 1px 3px); border-width: 1px; }
.o.modelled { background: #fff; }
.o.emulated { background: #fff; border: 1px dotted #1f2328; }
.o.specified { background: #fff; border: 1px dashed #1f2328; }
.scroll { overflow-x: auto; margin: 12px 0; }
table { border-collapse: collapse; font-size: 12px; width: 100%; }
caption { text-align: left; font-weight: bold; font-size: 14px; padding: 4px 0; }
th, td { text-align: left; vertical-align: top; padding: 3px 8px; border-bottom: 1px solid #eaeef2; }
th { border-bottom: 1px solid #8c959f; white-space: nowrap; }
td { max-width: 46ch; overflow-wrap: anywhere; }
.n { text-align: right; white-space: nowrap; }
tbody tr:nth-child(even) { background: #f6f8fa; }
figure { margin: 16px 0; }
figcaption { margin: 0 0 4px; }
figure svg { display: block; width: 100%; height: auto; border: 1px solid #d0d7de; }
svg text { font-family: "DejaVu Sans", Verdana, sans-serif; white-space: pre; }
ol.findings > li { margin: 8px 0; }
.claim { font-weight: bold; margin: 0; }
.findings ul { margin: 4px 0; }
.advice { border-left: 4px solid #0550ae; padding-left: 8px; }
pre { background: #f6f8fa; border: 1px solid #d0d7de; padding: 8px 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 720px) { .answers { grid-template-columns: 1fr; } dl.two { columns: 1; } }
@media print {
  @page { size: A4 landscape; margin: 12mm; }
  body, main, footer { background: #fff; padding: 0; max-width: none; font-size: 11px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  nav { display: none; }
  h2 { margin-top: 16px; break-after: avoid; }
  #machine, #charts, #ops, #findings { break-before: page; }
  .scroll { overflow: visible; }
  table { font-size: 9px; }
  thead { display: table-header-group; }
  caption { break-after: avoid; }
  tr, figure, .answer, .findings > li, dl.facts > div { break-inside: avoid; }
  figure svg { max-height: 165mm; }
  th, td { padding: 2px 4px; }
}
)css";

}  // namespace profiler
