// What happened, newest first.
import { clock, h } from '../dom.ts';
import type { Welcome } from '../protocol.ts';
import type { Station } from '../station.ts';

const kKept = 200;

export class Events {
  readonly element: HTMLElement;
  private readonly list = h('ol', { class: 'events' });

  constructor(station: Station) {
    this.element = h('div', {}, this.list);
    let welcome: Welcome | undefined;
    station.on('welcome', (w) => {
      welcome = w;
      this.list.replaceChildren();
    });
    station.on('event', ({ tick, kind, name, text }) => {
      const time = clock(tick * (welcome?.base_period ?? 0));
      this.list.prepend(h('li', {}, h('time', {}, time), h('b', {}, kind),
        h('span', {}, [name, text].filter(Boolean).join(': '))));
      while (this.list.children.length > kKept) this.list.lastElementChild!.remove();
    });
  }
}
