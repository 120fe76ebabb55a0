// Who is paired: listed, and ended, by the operator.
import { h } from '../dom.ts';
import type { Station } from '../station.ts';
import { told } from './ask.ts';

function since(silent: number): string {
  return silent < 120 ? `${Math.round(silent)} s ago` : `${Math.round(silent / 60)} min ago`;
}

export class Devices {
  readonly element: HTMLElement;

  constructor(station: Station) {
    const list = h('ul', { class: 'devices' });
    const ask = () => told(station.ask({ type: 'devices' }));
    this.element = h('details', { ontoggle: () => this.element.hasAttribute('open') && void ask() },
      h('summary', {}, 'Paired devices'), list);
    station.on('devices', ({ devices }) => list.replaceChildren(...devices.map((device) => h('li', {},
      h('span', {}, `${device.name}, ${device.address}, ${device.pages ? 'here' : since(device.silent)}`
        + (device.you ? ' (you)' : '')),
      h('button', {
        title: 'it has to pair anew',
        onclick: () => void told(station.ask({ type: 'unpair', device: device.id })).then(ask),
      }, 'End')))));
  }
}
