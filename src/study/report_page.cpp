#include "study/report_page.hpp"

namespace handspan {

const char* const kReportStyle = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2530; --soft: #5c6775; --line: #dde2e8; --wash: #f5f7f9; --good: #1a7f4b; --bad: #b3261e;
  --good-wash: #e7f4ec; --bad-wash: #fbeae9; --warn-wash: #fdf4e3; --accent: #1f5fa8; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181d; --ink: #e3e7ec; --soft: #9aa5b1; --line: #2d353f; --wash: #1d232b; --good: #5ecb8f; --bad: #f2867e;
    --good-wash: #173326; --bad-wash: #3b1c1a; --warn-wash: #3a2f14; --accent: #7db4f0; }
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 24px 64px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 4px; }
h2 { font-size: 18px; margin: 36px 0 10px; padding-bottom: 4px; border-bottom: 1px solid var(--line); }
h3 { font-size: 15px; margin: 22px 0 6px; }
p { margin: 6px 0; max-width: 78ch; }
.soft { color: var(--soft); }
.verdict { display: inline-block; margin: 12px 0 4px; padding: 5px 14px; border-radius: 6px; font-weight: 600; }
.verdict.good { color: var(--good); background: var(--good-wash); }
.verdict.bad { color: var(--bad); background: var(--bad-wash); }
.good { color: var(--good); } .bad { color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 8px 0; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 14px 5px 0; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 500; font-size: 13px; }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
td.text { white-space: normal; }
.interval { color: var(--soft); font-size: 13px; }
pre { margin: 8px 0; padding: 12px 14px; background: var(--wash); border-radius: 6px; overflow-x: auto; font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
details > summary { cursor: pointer; color: var(--accent); margin: 8px 0; }
figure { margin: 18px 0 26px; break-inside: avoid; }
figcaption { font-weight: 600; margin-bottom: 6px; }
figure svg, figure img { max-width: 100%; height: auto; }
figure p { font-size: 13px; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); gap: 4px 20px; }
.plots figure { margin: 8px 0; min-width: 0; }
.drawing .live { display: none; }
@media screen { .drawing.drawn .live { display: block; } .drawing.drawn .still { display: none; } }
#vg-tooltip-element { position: fixed; z-index: 1000; visibility: hidden; padding: 6px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); color: var(--ink); font-size: 12px; pointer-events: none; }
#vg-tooltip-element.visible { visibility: visible; }
#vg-tooltip-element td { padding: 0 6px 0 0; border: 0; text-align: left; } #vg-tooltip-element td.key { color: var(--soft); }
.missing { padding: 12px 14px; background: var(--warn-wash); border-radius: 6px; }
label { margin-right: 18px; color: var(--soft); } select { font: inherit; padding: 2px 6px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 18px; margin: 8px 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 560px) { .plots { grid-template-columns: 1fr; } main { padding: 18px 14px 40px; } }
@media print { details, .files, .moves { display: none; } main { max-width: none; padding: 0; } body { font-size: 12px; }
  .wide { overflow-x: visible; } table, th, .interval { font-size: 9px; } th, td { padding: 3px 8px 3px 0; white-space: normal; } tr { break-inside: avoid; } h2, h3 { break-after: avoid; } }
)css";

}  // namespace handspan
