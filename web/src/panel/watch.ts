// Over the scene: how it was judged, why references hold, active limits, constraints that gave way, the picture's rate.
import { h, say } from '../dom.ts';
import type { Status, Welcome } from '../protocol.ts';

const kMostShown = 6;

function chips(host: HTMLElement, names: string[], kind: string): void {
  const shown = names.slice(0, kMostShown);
  if (names.length > kMostShown) shown.push(`${names.length - kMostShown} more`);
  const key = `${kind} ${shown.join(' ')}`;
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  host.title = names.join('\n');
  host.replaceChildren(...shown.map((name) => h('li', { class: kind }, name)));
}

export class Watch {
  readonly element: HTMLElement;
  private readonly judged = h('ul', { class: 'judged', role: 'status', 'aria-label': 'judged' });
  private readonly relaxed = h('ul', { 'aria-label': 'constraints that gave way' });
  private readonly limits = h('ul', { 'aria-label': 'active limits' });
  private readonly holding = h('ul', { 'aria-label': 'references that hold' });
  private followed = new Set<string>(); // references that somebody's hands move; empty: not told
  private readonly outputs = h('ul', { 'aria-label': 'sent to devices' });
  private readonly sent = new Map<string, HTMLElement>();
  private units = new Map<string, string>();
  private readonly rate = h('span', { class: 'rate' });

  constructor() {
    this.element = h('div', { class: 'watch' }, this.judged, this.relaxed, this.limits, this.holding, this.outputs);
    this.element.append(this.rate);
  }

  load({ hands, jogs, devices }: Welcome): void {
    this.followed = new Set([...hands, ...jogs].map(({ reference }) => reference));
    this.units = new Map(devices.flatMap(({ name, layout }) =>
      layout.outputs.map((output) => [`${name}.${output.name}`, output.unit])));
    this.sent.clear();
    this.outputs.replaceChildren();
  }

  /// What a device is sent. Three numbers without a unit are the colour of a light, and shown as one; a
  /// rumble is felt.
  output(device: string, name: string, values: number[]): void {
    if (/rumble$/.test(name)) return;
    const full = `${device}.${name}`;
    let item = this.sent.get(full);
    if (!item) {
      this.sent.set(full, (item = h('li', { 'data-output': full })));
      this.outputs.append(item);
    }
    const unit = this.units.get(full) ?? '';
    const light = values.length === 3 && unit === '';
    say(item, `${name} ${light ? '' : `${values.map((value) => value.toFixed(1)).join(' ')} ${unit}`}`.trim());
    item.style.borderLeft = light ? `1em solid rgb(${values.map((value) => Math.round(255 * value)).join(' ')})` : '';
  }

  /// Live, or of the recording that is shown.
  status(status: Status): void {
    const { judged, limits, relaxed, holding } = status.replay ?? status;
    const put_back = status.replay ? { count: 0, why: '' } : status.put_back;
    const key = JSON.stringify([judged, put_back]);
    if (this.judged.dataset.key !== key) {
      this.judged.dataset.key = key;
      this.judged.replaceChildren(...Object.entries(judged).map(([name, { verdict, words }]) =>
        h('li', { class: verdict === 'good' ? 'good' : verdict === 'open' ? '' : 'bad' },
          h('b', {}, `${name.replaceAll('_', ' ')} `), words || 'under way')));
      // words name what was put back, and where it was
      if (put_back.count > 0)
        this.judged.append(h('li', {}, h('b', {}, 'scene '),
          `put back ${put_back.count} ${put_back.count === 1 ? 'time' : 'times'}${put_back.why ? `: ${put_back.why}` : ''}`));
    }
    const then = status.replay?.stopped ? [`stopped then: ${status.replay.reason}`] : [];
    chips(this.relaxed, [...then, ...relaxed.map((name) => `gave way: ${name}`)], 'bad');
    chips(this.limits, limits, 'warn');
    // that nobody moves what nobody can move is no news
    const told = Object.entries(holding).filter(([name, why]) =>
      this.followed.size === 0 || this.followed.has(name) || why !== 'nobody has authority');
    chips(this.holding, told.map(([name, why]) =>
      `${name.replaceAll('_', ' ')} holds${why ? `: ${why}` : ''}`), '');
  }

  drawn(fps: number, software: boolean): void {
    say(this.rate, `${Math.round(fps)} fps${software ? ', drawn without a graphics card' : ''}`);
  }
}
