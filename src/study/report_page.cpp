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
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(460px, 1fr)); gap: 12px; }
.plot { min-width: 0; height: 320px; }
.plot.large { height: 440px; }
.missing { padding: 12px 14px; background: var(--warn-wash); border-radius: 6px; }
label { margin-right: 18px; color: var(--soft); } select { font: inherit; padding: 2px 6px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 18px; margin: 8px 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 560px) { .plots { grid-template-columns: 1fr; } main { padding: 18px 14px 40px; } }
@media print { details { display: none; } }
)css";

const char* const kReportScript = R"js(
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  if (typeof Plotly === 'undefined') return;
  const night = window.matchMedia('(prefers-color-scheme: dark)');
  const palettes = {
    day: ['#1f5fa8', '#c8591a', '#2c8a5b', '#8a4fa3', '#b08a00', '#4d6a7a', '#b3345a', '#5b8f00'],
    night: ['#6ba9ee', '#f0935a', '#5ecb8f', '#c792e0', '#dcb840', '#93b2c4', '#ee7f9f', '#a5d14c'],
  };
  const colour = (i) => { const colours = night.matches ? palettes.night : palettes.day; return colours[i % colours.length]; };
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const config = { responsive: true, displaylogo: false, modeBarButtonsToRemove: ['select2d', 'lasso2d'] };
  const axis = (title, more) => Object.assign({ title: { text: title, standoff: 8 }, gridcolor: style('--line'), zerolinecolor: style('--soft'), zerolinewidth: 1, automargin: true, exponentformat: 'e' }, more);
  const layout = (more) => Object.assign({
    margin: { l: 60, r: 16, t: 34, b: 46 }, font: { family: 'system-ui, sans-serif', size: 12, color: style('--ink') },
    paper_bgcolor: style('--paper'), plot_bgcolor: style('--paper'), hovermode: 'closest', hoverlabel: { namelength: -1 },
  }, more);
  const named = (quantity) => quantity.unit ? `${quantity.name} [${quantity.unit}]` : quantity.name;
  const of = (cell) => data.runs.filter((run) => run.cell === cell);
  const finite = (xs) => xs.filter((x) => x !== null);
  const mean = (xs) => xs.reduce((a, b) => a + b, 0) / xs.length;
  const deviation = (xs) => { const m = mean(xs); return Math.sqrt(xs.reduce((a, x) => a + (x - m) ** 2, 0) / (xs.length - 1)); };
  // the same for the same run, whatever is shown beside it
  const jitter = (number) => (((number * 2654435761) % 4294967296) / 4294967296 - 0.5) * 0.5;
  const hover = (run) => `run ${run.number}, seed ${run.seed}` + (run.good === false ? ', not good' : '');
  const marker = (runs, i, size) => ({ size, color: runs.map((run) => run.good === false ? style('--paper') : colour(i)), line: { width: 1.5, color: colour(i) }, opacity: 0.75 });

  // what is the same in all runs but for rounding is in the table
  const varies = (c) => {
    const values = finite(data.runs.map((run) => run.values[c]));
    return values.length > 1 && Math.max(...values) - Math.min(...values) > 1e-9 * Math.max(...values.map(Math.abs));
  };
  const plots = document.getElementById('plots');
  // all places first: how wide each is depends on how many there are
  const boxes = data.columns.map((column, c) => {
    if (column.flag || !varies(c)) return null;
    const box = document.createElement('div');
    box.className = 'plot';
    plots.append(box);
    return box;
  });
  const drawColumns = () => data.columns.forEach((column, c) => {
    const box = boxes[c];
    if (box === null) return;
    const traces = [];
    data.cells.forEach((cell, i) => {
      const runs = of(cell).filter((run) => run.values[c] !== null);
      const values = runs.map((run) => run.values[c]);
      traces.push({ type: 'scatter', mode: 'markers', name: cell, showlegend: false, x: runs.map((run) => i + jitter(run.number)), y: values, text: runs.map(hover),
        hovertemplate: '%{y:.4g} ' + column.unit + '<br>%{text}<extra></extra>', marker: marker(runs, i, 7) });
      if (values.length > 1) traces.push({ type: 'scatter', mode: 'markers', showlegend: false, x: [i + 0.36], y: [mean(values)], marker: { size: 9, symbol: 'diamond', color: style('--ink') },
        error_y: { type: 'data', array: [deviation(values)], color: style('--ink'), thickness: 1.5, width: 5 }, hovertemplate: 'mean %{y:.4g}, deviation ' + deviation(values).toPrecision(4) + '<extra></extra>' });
    });
    Plotly.react(box, traces, layout({ title: { text: named(column), font: { size: 14 }, x: 0.02, xanchor: 'left' },
      xaxis: axis('', { tickvals: data.cells.map((_, i) => i), ticktext: data.cells, range: [-0.6, data.cells.length - 0.4], showgrid: false, zeroline: false }), yaxis: axis('') }), config);
  });

  const published = document.getElementById('published-plot');
  const drawPublished = () => {
    if (!published) return;
    const rows = data.published;
    const bar = (row) => ({ up: row.ratio_interval[1] === null ? 0 : row.ratio_interval[1] - row.ratio, down: row.ratio_interval[0] === null ? 0 : row.ratio - row.ratio_interval[0] });
    published.style.height = `${110 + 34 * rows.length}px`;
    Plotly.react(published, [{ type: 'scatter', mode: 'markers', x: rows.map((row) => row.ratio), y: rows.map((row) => row.what), marker: { size: 10, color: colour(0) },
      error_x: { type: 'data', symmetric: false, array: rows.map((row) => bar(row).up), arrayminus: rows.map((row) => bar(row).down), color: colour(0), thickness: 1.5 },
      hovertemplate: '%{y}: %{x:.3g}<extra></extra>' }],
      layout({ margin: { l: 40, r: 16, t: 10, b: 46 }, xaxis: axis('ours / published, with 95 % interval'), yaxis: axis('', { autorange: 'reversed' }),
        shapes: [{ type: 'line', x0: 1, x1: 1, yref: 'paper', y0: 0, y1: 1, line: { color: style('--soft'), dash: 'dot', width: 1.5 } }] }), config);
  };

  const quantities = data.variations.map((v, i) => Object.assign({ get: (run) => run.drawn[i] }, v))
    .concat(data.columns.map((c, i) => Object.assign({ get: (run) => run.values[i] }, c)));
  const box = document.getElementById('explore');
  const choose = (id, chosen) => {
    const select = document.getElementById(id);
    quantities.forEach((q, i) => select.append(new Option(named(q), i)));
    select.value = chosen;
    select.addEventListener('change', draw);
    return select;
  };
  const draw = () => {
    const x = quantities[across.value], y = quantities[up.value];
    const traces = data.cells.map((cell, i) => {
      const runs = of(cell).filter((run) => x.get(run) !== null && y.get(run) !== null);
      return { type: 'scatter', mode: 'markers', name: cell, x: runs.map(x.get), y: runs.map(y.get), text: runs.map(hover),
        hovertemplate: '%{x:.4g} ' + x.unit + ', %{y:.4g} ' + y.unit + '<br>%{text}<extra>' + cell + '</extra>', marker: marker(runs, i, 8) };
    });
    Plotly.react(box, traces, layout({ showlegend: data.cells.length > 1, xaxis: axis(named(x)), yaxis: axis(named(y)) }), config);
  };
  const first = Math.min(data.variations.length + Math.max(0, boxes.findIndex((box) => box !== null)), quantities.length - 1);
  const across = choose('across', 0), up = choose('up', first);
  const drawAll = () => { drawColumns(); drawPublished(); draw(); };
  night.addEventListener('change', drawAll);
  drawAll();
})();
)js";

}  // namespace handspan
