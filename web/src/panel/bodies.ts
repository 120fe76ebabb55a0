// What the scene is made of: bodies with their masses and frames, and what touches what now.
import { h, say } from '../dom.ts';
import type { Frame, Welcome } from '../protocol.ts';

const kPeriod = 200; // between looks at what touches [ms]

export class BodyList {
  readonly element = h('div', { class: 'bodies' });
  /// Axes of all frames are to be drawn, or not.
  axes: (on: boolean) => void = () => undefined;
  /// A body is pointed at; -1: none.
  point: (body: number) => void = () => undefined;
  private readonly touching = h('ul', { class: 'touching', 'aria-label': 'what touches' });
  private names: string[] = [];
  private last = 0;
  private told = '';

  load({ scene }: Welcome): void {
    this.names = scene.bodies.map(({ name, kind }) => (kind === 'ground' ? 'ground' : name));
    this.told = '';
    const groups = new Map<string, HTMLElement[]>();
    const masses = new Map<string, number>();
    scene.bodies.forEach((body, i) => {
      if (body.kind === 'ground') return;
      const group = body.kind === 'robot' ? body.robot : `${body.kind}s`;
      masses.set(group, (masses.get(group) ?? 0) + body.mass);
      const name = body.kind === 'robot' ? body.name.replace(`${body.robot}.`, '') : body.name;
      const row = h('li', { tabindex: 0 }, h('span', {}, name),
        h('small', {}, body.mass > 0 ? `${Number(body.mass.toPrecision(4))} kg` : ''));
      if (body.frames.length)
        row.append(h('em', {}, body.frames.map((frame) =>
          frame.name.replace(`${body.robot}.`, '')).join(', ')));
      for (const event of ['mouseenter', 'focus']) row.addEventListener(event, () => this.point(i));
      for (const event of ['mouseleave', 'blur']) row.addEventListener(event, () => this.point(-1));
      groups.set(group, [...(groups.get(group) ?? []), row]);
    });
    const axes = h('input', { type: 'checkbox' });
    axes.addEventListener('change', () => this.axes(axes.checked));
    this.axes(false);
    this.element.replaceChildren(
      h('label', { class: 'switch' }, axes, h('span', {}, 'axes of frames')),
      h('fieldset', {}, h('legend', {}, 'touching now'), this.touching),
      ...[...groups].map(([group, rows]) => h('fieldset', {},
        h('legend', {}, group, masses.get(group)! > 0
          && h('small', {}, ` ${Number(masses.get(group)!.toPrecision(4))} kg`)),
        h('ul', {}, ...rows))));
    this.show(new Map());
  }

  take(frame: Frame, time: number): void {
    if (this.element.hidden || time - this.last < kPeriod) return;
    this.last = time;
    const pairs = new Map<string, number>();
    for (const { a, b, force } of frame.contacts) {
      const pair = [this.names[a], this.names[b]].sort().join(' – ');
      pairs.set(pair, (pairs.get(pair) ?? 0) + Math.hypot(...force));
    }
    this.show(pairs);
  }

  private show(pairs: Map<string, number>): void {
    const rows = [...pairs].sort(([a], [b]) => (a < b ? -1 : 1));
    const told = rows.map(([pair]) => pair).join('\n');
    if (told !== this.told || !this.touching.firstChild)
      this.touching.replaceChildren(...(rows.length
        ? rows.map(([pair]) => h('li', {}, h('span', {}, pair), h('small', {})))
        : [h('li', { class: 'none' }, 'nothing')]));
    this.told = told;
    rows.forEach(([, force], i) =>
      say(this.touching.children[i]!.lastElementChild!, force >= 0.5 ? `${force.toFixed(0)} N` : ''));
  }
}
