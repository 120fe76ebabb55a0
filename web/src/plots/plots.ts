// Live plots: the last seconds of any channel. Dragging over one stops them and zooms; a double
// click shows all again.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { h, keep, kept } from '../dom.ts';
import type { Frame, Welcome } from '../protocol.ts';
import { css, onTheme } from '../scene/theme.ts';
import { type Chart, chartOf, kForce } from './charts.ts';
import { History } from './history.ts';

const kRedraw = 1 / 20; // [s]

interface Drawn {
  chart: Chart;
  element: HTMLElement;
  plot: uPlot;
}

export class Plots {
  readonly element: HTMLElement;
  changed: () => void = () => undefined; // which channels are wanted
  private readonly row = h('div', { class: 'charts' });
  private readonly names = h('datalist', { id: 'channel-names' });
  private readonly pick = h('input', {
    class: 'pick', list: 'channel-names', placeholder: 'plot a channel…',
    'aria-label': 'channel to plot', spellcheck: 'false', autocomplete: 'off',
  });
  private readonly span = h('select', { 'aria-label': 'seconds shown' },
    ...[5, 10, 20, 60].map((s) => h('option', { value: s, selected: s === 10 }, `${s} s`)));
  private readonly pauseButton = h('button', { onclick: () => this.pause(!this.paused) }, 'Pause');
  private readonly history = new History();
  private drawn: Drawn[] = [];
  private welcome: Welcome | undefined;
  private paused = false;
  private last = 0;

  constructor() {
    this.element = h('section', { class: 'plots', 'aria-label': 'plots' },
      h('header', {}, h('h2', {}, 'Plots'), this.pick, this.names, h('span', { class: 'space' }),
        this.span, this.pauseButton),
      this.row);
    this.pick.addEventListener('change', () => {
      if (this.add(this.pick.value)) this.pick.value = '';
      this.store();
    });
    this.span.addEventListener('change', () => this.redraw());
    onTheme(() => this.rebuild());
    new ResizeObserver(() => this.fit()).observe(this.row);
  }

  load(welcome: Welcome): void {
    const same = this.welcome?.app === welcome.app && this.drawn.length > 0;
    const keys = same ? this.keys : (kept(`plots.${welcome.app}`) || kForce).split(' ');
    this.welcome = welcome;
    this.names.replaceChildren(...welcome.channels.map(({ name, unit, doc }) =>
      h('option', { value: name }, [unit, doc].filter(Boolean).join(', '))));
    this.history.clear();
    this.clear();
    for (const key of keys) this.add(key);
    if (this.drawn.length === 0) this.add(kForce);
    this.pause(false);
  }

  private get keys(): string[] {
    return this.drawn.map(({ chart }) => chart.key);
  }

  private store(): void {
    if (this.welcome) keep(`plots.${this.welcome.app}`, this.keys.join(' '));
  }

  /// Names of the channels that are plotted.
  get channels(): string[] {
    const indices = this.drawn.flatMap(({ chart }) => chart.series.map((s) => s.channel));
    return [...new Set(indices)].map((i) => this.welcome!.channels[i]!.name);
  }

  private add(key: string): boolean {
    const chart = this.welcome && chartOf(this.welcome.channels, key);
    if (!chart || this.keys.includes(key)) return false;
    const element = h('figure', {},
      h('figcaption', {}, chart.title, chart.unit && h('small', {}, ` ${chart.unit}`),
        h('button', {
          class: 'quiet', 'aria-label': `take ${chart.title} away`, onclick: () => this.remove(key),
        }, '×')));
    this.row.append(element);
    this.drawn.push({ chart, element, plot: this.make(chart, element) });
    this.keepHistory();
    this.fit();
    return true;
  }

  private remove(key: string): void {
    this.drawn = this.drawn.filter((drawn) => {
      if (drawn.chart.key !== key) return true;
      drawn.plot.destroy();
      drawn.element.remove();
      return false;
    });
    this.keepHistory();
    this.store();
  }

  private clear(): void {
    for (const { plot, element } of this.drawn) {
      plot.destroy();
      element.remove();
    }
    this.drawn = [];
  }

  private keepHistory(): void {
    const channels = this.welcome!.channels;
    this.history.keep(new Map(this.drawn.flatMap(({ chart }) => chart.series.map(({ channel }) => {
      const { type, size } = channels[channel]!;
      return [channel, type === 'pose' ? 7 : size ?? 1] as const;
    }))));
    this.changed();
  }

  private make(chart: Chart, host: HTMLElement): uPlot {
    const axis = {
      stroke: css('--muted'), font: '11px system-ui, sans-serif',
      grid: { stroke: css('--line'), width: 1 }, ticks: { show: false },
    };
    const width = Math.max(120, host.clientWidth);
    return new uPlot(
      {
        width, height: 120,
        padding: [6, 8, 0, 0],
        scales: { x: { time: false }, y: { range: (_u, low, high) => range(low, high, chart.fromZero) } },
        axes: [
          { ...axis, size: 22, space: 60, values: (_u, ticks) => ticks.map((t) => `${+t.toFixed(2)} s`) },
          { ...axis, size: 44, space: 26 },
        ],
        series: [
          { label: 't', value: (_u, t: number | null | undefined) => (t == null ? '' : `${t.toFixed(2)} s`) },
          ...chart.series.map(({ label, colour }) => ({
            label, stroke: colour, width: 1.6, points: { show: false },
            value: (_u: uPlot, v: number | null | undefined) => (v == null ? '–' : short(v)),
          })),
        ],
        cursor: { drag: { x: true, y: false }, points: { size: 5 } },
        legend: { live: true },
        hooks: {
          // who zooms wants it to stand still
          setSelect: [(plot) => plot.select.width > 0 && this.pause(true)],
          ready: [(plot) => plot.over.addEventListener('dblclick', () => this.redraw(Infinity))],
        },
      },
      [[], ...chart.series.map(() => [])] as unknown as uPlot.AlignedData, host);
  }

  private rebuild(): void {
    for (const drawn of this.drawn) {
      drawn.plot.destroy();
      drawn.plot = this.make(drawn.chart, drawn.element);
    }
    this.fit();
    this.redraw();
  }

  private fit(): void {
    for (const { plot, element } of this.drawn) {
      const legend = element.querySelector<HTMLElement>('.u-legend')?.offsetHeight ?? 0;
      const caption = element.querySelector<HTMLElement>('figcaption')?.offsetHeight ?? 0;
      const height = element.clientHeight - legend - caption;
      if (element.clientWidth > 60)
        plot.setSize({ width: element.clientWidth, height: Math.max(70, height) });
    }
  }

  pause(on: boolean): void {
    this.paused = on;
    this.pauseButton.textContent = on ? 'Go on' : 'Pause';
    this.pauseButton.setAttribute('aria-pressed', String(on));
  }

  take(frame: Frame): void {
    if (!this.paused) this.history.add(frame);
  }

  /// @param time of the page's clock [s]
  draw(time: number): void {
    if (this.paused || time - this.last < kRedraw || this.element.offsetParent === null) return;
    this.last = time;
    this.redraw();
  }

  private redraw(seconds = Number(this.span.value)): void {
    const end = this.history.newest;
    for (const { chart, plot } of this.drawn) {
      const data = this.history.since(end - seconds, chart.series);
      plot.setData(data as uPlot.AlignedData, false);
      const first = data[0][0] ?? 0;
      const begin = seconds === Infinity ? first : Math.max(end - seconds, Math.min(first, end - 1));
      if (Number.isFinite(end)) plot.setScale('x', { min: begin, max: end });
      // without a cursor over it the legend has the newest values
      if (data[0].length > 0 && (plot.cursor.idx == null || plot.cursor.left! < 0))
        plot.setLegend({ idx: data[0].length - 1 }, false);
    }
  }
}

function short(value: number): string {
  const size = Math.abs(value);
  return size >= 100 ? value.toFixed(0) : size >= 1 || size === 0 ? value.toFixed(1)
    : value.toPrecision(2);
}

function range(low: number | null, high: number | null, fromZero: boolean): [number, number] {
  if (low == null || high == null) return [0, 1];
  const span = Math.max(high - low, 1e-3 * Math.max(Math.abs(low), Math.abs(high)), 1e-9);
  return fromZero ? [0, Math.max(1, 1.08 * high)] : [low - 0.08 * span, high + 0.08 * span];
}
