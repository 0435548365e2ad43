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
.badge { display: inline-block; border: 1px solid #9a6700; border-radius: 12px; background: #fff8c5; color: #5c3d00; padding: 2px 12px; font-size: 12px; text-decoration: none; }
a.badge:hover, a.badge:focus { text-decoration: underline; }
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
dl.wide > div { grid-template-columns: 1fr minmax(180px, 36%); }
dl.wide dt { color: #1f2328; }
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
.scroll.tall { max-height: 640px; overflow: auto; border: 1px solid #d0d7de; }
table { border-collapse: collapse; font-size: 12px; width: 100%; }
.caption { font-weight: bold; font-size: 14px; margin: 16px 0 4px; }
.caption ~ .scroll { margin-top: 4px; }
table.sortable, table.sortable thead { display: block; }
table.sortable tbody { display: flex; flex-direction: column; }
table.sortable tr { display: grid; grid-template-columns: var(--c); }
table.sortable thead { position: sticky; top: 0; background: #fff; z-index: 1; }
table.sortable td { max-width: none; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
table.sortable th { white-space: normal; }
table.sortable tbody tr:hover, tbody tr:hover { background: #dbe9f9; }
.sort { position: absolute; opacity: 0; width: 1px; height: 1px; pointer-events: none; }
.by { white-space: nowrap; margin-left: 3px; }
.by label { cursor: pointer; color: #8c959f; font-size: 9px; padding: 1px; }
.by label:hover { color: #0550ae; }
th, td { text-align: left; vertical-align: top; padding: 3px 8px; border-bottom: 1px solid #eaeef2; }
th { border-bottom: 1px solid #8c959f; white-space: nowrap; }
td { max-width: 46ch; overflow-wrap: anywhere; }
.n { text-align: right; white-space: nowrap; }
figure { margin: 16px 0; }
figcaption { margin: 0 0 4px; }
figure svg { display: block; width: 100%; height: auto; }
.frame { overflow: auto; border: 1px solid #d0d7de; max-height: 86vh; }
.zoom > input { margin: 0 4px 4px 0; vertical-align: middle; }
.zoom > label { margin-right: 12px; font-size: 12px; cursor: pointer; }
.z2:checked ~ .frame svg { width: 200%; }
.z4:checked ~ .frame svg { width: 400%; }
svg .hit:hover { stroke: #1f2328; stroke-width: 1.5; }
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
  #charts, #ops { break-before: page; }
  .scroll, .scroll.tall { overflow: visible; max-height: none; border: 0; }
  .by, .zoom > input, .zoom > label, tr.more { display: none !important; }
  .frame { overflow: visible; max-height: none; }
  .zoom .frame svg { width: 100% !important; }
  table.sortable thead { position: static; }
  table { font-size: 9px; }
  thead { display: table-header-group; }
  .caption { break-after: avoid; }
  tr, figure, .answer, .findings > li, dl.facts > div { break-inside: avoid; }
  figure svg { max-height: 165mm; }
  th, td { padding: 2px 4px; }
}
.d0:checked~.scroll tbody tr{order:var(--0)}.u0:checked~.scroll tbody tr{order:calc(-1*var(--0))}.d0:checked~.scroll label.d0,.u0:checked~.scroll label.u0{color:#0550ae;font-weight:bold}.d0:focus-visible~.scroll label.d0,.u0:focus-visible~.scroll label.u0{outline:2px solid #0550ae}
.d1:checked~.scroll tbody tr{order:var(--1)}.u1:checked~.scroll tbody tr{order:calc(-1*var(--1))}.d1:checked~.scroll label.d1,.u1:checked~.scroll label.u1{color:#0550ae;font-weight:bold}.d1:focus-visible~.scroll label.d1,.u1:focus-visible~.scroll label.u1{outline:2px solid #0550ae}
.d2:checked~.scroll tbody tr{order:var(--2)}.u2:checked~.scroll tbody tr{order:calc(-1*var(--2))}.d2:checked~.scroll label.d2,.u2:checked~.scroll label.u2{color:#0550ae;font-weight:bold}.d2:focus-visible~.scroll label.d2,.u2:focus-visible~.scroll label.u2{outline:2px solid #0550ae}
.d3:checked~.scroll tbody tr{order:var(--3)}.u3:checked~.scroll tbody tr{order:calc(-1*var(--3))}.d3:checked~.scroll label.d3,.u3:checked~.scroll label.u3{color:#0550ae;font-weight:bold}.d3:focus-visible~.scroll label.d3,.u3:focus-visible~.scroll label.u3{outline:2px solid #0550ae}
.d4:checked~.scroll tbody tr{order:var(--4)}.u4:checked~.scroll tbody tr{order:calc(-1*var(--4))}.d4:checked~.scroll label.d4,.u4:checked~.scroll label.u4{color:#0550ae;font-weight:bold}.d4:focus-visible~.scroll label.d4,.u4:focus-visible~.scroll label.u4{outline:2px solid #0550ae}
.d5:checked~.scroll tbody tr{order:var(--5)}.u5:checked~.scroll tbody tr{order:calc(-1*var(--5))}.d5:checked~.scroll label.d5,.u5:checked~.scroll label.u5{color:#0550ae;font-weight:bold}.d5:focus-visible~.scroll label.d5,.u5:focus-visible~.scroll label.u5{outline:2px solid #0550ae}
.d6:checked~.scroll tbody tr{order:var(--6)}.u6:checked~.scroll tbody tr{order:calc(-1*var(--6))}.d6:checked~.scroll label.d6,.u6:checked~.scroll label.u6{color:#0550ae;font-weight:bold}.d6:focus-visible~.scroll label.d6,.u6:focus-visible~.scroll label.u6{outline:2px solid #0550ae}
.d7:checked~.scroll tbody tr{order:var(--7)}.u7:checked~.scroll tbody tr{order:calc(-1*var(--7))}.d7:checked~.scroll label.d7,.u7:checked~.scroll label.u7{color:#0550ae;font-weight:bold}.d7:focus-visible~.scroll label.d7,.u7:focus-visible~.scroll label.u7{outline:2px solid #0550ae}
.d8:checked~.scroll tbody tr{order:var(--8)}.u8:checked~.scroll tbody tr{order:calc(-1*var(--8))}.d8:checked~.scroll label.d8,.u8:checked~.scroll label.u8{color:#0550ae;font-weight:bold}.d8:focus-visible~.scroll label.d8,.u8:focus-visible~.scroll label.u8{outline:2px solid #0550ae}
.d9:checked~.scroll tbody tr{order:var(--9)}.u9:checked~.scroll tbody tr{order:calc(-1*var(--9))}.d9:checked~.scroll label.d9,.u9:checked~.scroll label.u9{color:#0550ae;font-weight:bold}.d9:focus-visible~.scroll label.d9,.u9:focus-visible~.scroll label.u9{outline:2px solid #0550ae}
.d10:checked~.scroll tbody tr{order:var(--10)}.u10:checked~.scroll tbody tr{order:calc(-1*var(--10))}.d10:checked~.scroll label.d10,.u10:checked~.scroll label.u10{color:#0550ae;font-weight:bold}.d10:focus-visible~.scroll label.d10,.u10:focus-visible~.scroll label.u10{outline:2px solid #0550ae}
.d11:checked~.scroll tbody tr{order:var(--11)}.u11:checked~.scroll tbody tr{order:calc(-1*var(--11))}.d11:checked~.scroll label.d11,.u11:checked~.scroll label.u11{color:#0550ae;font-weight:bold}.d11:focus-visible~.scroll label.d11,.u11:focus-visible~.scroll label.u11{outline:2px solid #0550ae}
.d12:checked~.scroll tbody tr{order:var(--12)}.u12:checked~.scroll tbody tr{order:calc(-1*var(--12))}.d12:checked~.scroll label.d12,.u12:checked~.scroll label.u12{color:#0550ae;font-weight:bold}.d12:focus-visible~.scroll label.d12,.u12:focus-visible~.scroll label.u12{outline:2px solid #0550ae}
.d13:checked~.scroll tbody tr{order:var(--13)}.u13:checked~.scroll tbody tr{order:calc(-1*var(--13))}.d13:checked~.scroll label.d13,.u13:checked~.scroll label.u13{color:#0550ae;font-weight:bold}.d13:focus-visible~.scroll label.d13,.u13:focus-visible~.scroll label.u13{outline:2px solid #0550ae}
.d14:checked~.scroll tbody tr{order:var(--14)}.u14:checked~.scroll tbody tr{order:calc(-1*var(--14))}.d14:checked~.scroll label.d14,.u14:checked~.scroll label.u14{color:#0550ae;font-weight:bold}.d14:focus-visible~.scroll label.d14,.u14:focus-visible~.scroll label.u14{outline:2px solid #0550ae}
.d15:checked~.scroll tbody tr{order:var(--15)}.u15:checked~.scroll tbody tr{order:calc(-1*var(--15))}.d15:checked~.scroll label.d15,.u15:checked~.scroll label.u15{color:#0550ae;font-weight:bold}.d15:focus-visible~.scroll label.d15,.u15:focus-visible~.scroll label.u15{outline:2px solid #0550ae}
)css";

}  // namespace profiler
