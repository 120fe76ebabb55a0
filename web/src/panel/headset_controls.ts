// Entering a headset, and where the operator stands there.
import { h, keep, kept, say } from '../dom.ts';
import { Headset, type SessionMode } from '../teleop/headset.ts';
import type { Stand } from '../teleop/stand.ts';
import { notice } from './ask.ts';

const kFields: [key: keyof Stand, label: string, step: number, scale: number, unit: string][] = [
  ['x', 'x', 0.05, 1, 'm'], ['y', 'y', 0.05, 1, 'm'], ['height', 'up', 0.05, 1, 'm'],
  ['yaw', 'turn', 5, 180 / Math.PI, '°'],
];

export const kHeadsetKeys = 'In the headset, clutches open: the left stick walks, the right one turns and ' +
  'lifts. Both sticks down stop; the left one held for a second records. A ray on the board and its trigger ' +
  'stop, resume, take over and begin anew.';

export class HeadsetControls {
  readonly element: HTMLElement;
  readonly buttons: HTMLElement[];
  private readonly headset: Headset;
  private readonly none = h('p', { class: 'none' },
    'No headset here. In its own browser open this page by https, or by localhost over USB.');
  private readonly fields: HTMLInputElement[];
  private app = '';
  private usual: Stand | undefined;

  constructor(headset: Headset) {
    this.headset = headset;
    const button = (mode: SessionMode, label: string, title: string) => {
      const element = h('button', { hidden: true, title, onclick: () => void this.toggle(mode) }, label);
      void Headset.supported(mode).then((yes) => {
        element.hidden = !yes;
        if (yes) this.none.hidden = true;
      });
      return element;
    };
    this.buttons = [button('immersive-vr', 'Enter VR', 'both controllers move both arms'),
      button('immersive-ar', 'AR', 'the scene in your room')];
    this.fields = kFields.map(([key, label, step, scale]) => {
      const field = h('input', { type: 'number', step, 'aria-label': `stand ${label}` });
      field.addEventListener('change', () => {
        if (!Number.isFinite(field.valueAsNumber)) return;
        headset.stand[key] = field.valueAsNumber / scale;
        headset.place();
        this.store();
      });
      return field;
    });
    this.element = h('fieldset', {}, h('legend', {}, 'Headset'), this.none,
      h('div', { class: 'stand' }, ...this.fields.map((field, i) =>
        h('label', {}, kFields[i]![1], field, h('small', {}, kFields[i]![4])))),
      h('div', { class: 'row' },
        h('button', { class: 'quiet', onclick: () => this.reset() }, 'Usual place')),
      h('p', { class: 'none' }, kHeadsetKeys));
  }

  /// @param usual where the operator stands if they never chose
  load(app: string, usual: Stand): void {
    this.app = app;
    this.usual = usual;
    try {
      this.headset.stand = { ...usual, ...JSON.parse(kept(`stand.${app}`) || '{}') as Partial<Stand> };
    } catch {
      this.headset.stand = { ...usual };
    }
    this.show();
  }

  private reset(): void {
    if (this.usual) this.headset.stand = { ...this.usual };
    this.headset.place();
    this.show();
    this.store();
  }

  show(): void {
    this.fields.forEach((field, i) => {
      const [key, , , scale] = kFields[i]!;
      if (document.activeElement !== field)
        field.value = (this.headset.stand[key] * scale).toFixed(key === 'yaw' ? 0 : 2);
    });
  }

  private async toggle(mode: SessionMode): Promise<void> {
    if (this.headset.session) return this.headset.end();
    try {
      await this.headset.start(mode);
    } catch (error) {
      notice(`The browser gives no session: ${error instanceof Error ? error.message : error}`, 'bad');
    }
    this.labels();
  }

  /// After a session began or ended.
  labels(): void {
    say(this.buttons[0]!, this.headset.session ? 'Leave VR' : 'Enter VR');
    this.show();
    this.store();
  }

  private store(): void {
    if (this.app) keep(`stand.${this.app}`, JSON.stringify(this.headset.stand));
  }
}
