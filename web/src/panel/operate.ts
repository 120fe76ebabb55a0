// Taking over, handing over, and how the arms are driven without a headset.
import { h, keep, kept, say } from '../dom.ts';
import type { Status } from '../protocol.ts';
import type { Station } from '../station.ts';
import { type Choice, type Drive, type JogAxes, kChoices } from '../teleop/drive.ts';
import { kGamepadKeys } from '../teleop/gamepad.ts';
import { KeyLabels } from '../teleop/key_labels.ts';
import { kKeys } from '../teleop/keyboard.ts';
import { ask, notice, told } from './ask.ts';
import { actsAlone, operatorOf } from './bar.ts';

const kJog = [0.15, 0.7] as const; // [m/s, rad/s]

function keyTable(rows: [string, string][], label = (key: string) => key): HTMLElement {
  return h('dl', { class: 'keys' }, ...rows.flatMap(([keys, what]) =>
    [h('dt', {}, ...keys.split(' ').map((key) => (/^(Key)?[A-Z0-9]$|Shift|Esc|Space/.test(key)
      ? h('kbd', {}, label(key)) : `${key} `))), h('dd', {}, what)]));
}

// the keys, as they are printed
function keyboardTable(): HTMLElement {
  const labels = new KeyLabels();
  const element = h('div', {});
  labels.changed = () => element.replaceChildren(keyTable(kKeys, (key) => labels.of(key)));
  labels.changed();
  void labels.listen();
  return element;
}

/// A choice of a few, as buttons side by side.
function choice<T extends string>(label: string, words: readonly T[], chosen: (word: T) => void) {
  const buttons = words.map((word) => h('button', { onclick: () => chosen(word) }, word));
  const element = h('div', { class: 'choice', role: 'group', 'aria-label': label }, ...buttons);
  const show = (word: T) => buttons.forEach((button, i) =>
    button.setAttribute('aria-pressed', String(words[i] === word)));
  return { element, show, buttons };
}

export class Operate {
  readonly element: HTMLElement;
  drive: Drive | undefined;
  gizmoMode: (mode: 'translate' | 'rotate') => void = () => undefined;
  touch: (on: boolean) => void = () => undefined;
  private readonly station: Station;
  private readonly who = h('p', { class: 'who' });
  private readonly take = h('button', { class: 'primary', 'data-is': 'take', onclick: () => void this.operate() });
  private readonly handOver = h('select', { 'aria-label': 'hand over to' });
  private readonly give = h('button', { onclick: () => this.yield() }, 'Hand over');
  private readonly giving = h('div', { class: 'row' }, this.handOver, this.give);
  private readonly anew = h('button', {
    class: 'quiet', 'data-is': 'restart', onclick: () => void this.restart(),
  }, 'Begin anew…');
  private readonly name = h('input', { 'aria-label': 'your name, as it is in the log', maxlength: 40, required: true });
  private readonly by: HTMLElement;
  private readonly none = h('p', { hidden: true },
    'No jog of this app hears the page: its sources need one of a device of type page.');
  private readonly hand = choice<Choice>('hand', kChoices, (word) => this.choose(word));
  private readonly axes = choice<JogAxes>('axes', ['view', 'world'], (word) => {
    if (this.drive) this.drive.axes = word;
    keep('axes', word);
    this.axes.show(word);
  });
  private readonly gizmo = choice<'translate' | 'rotate'>('gizmo', ['translate', 'rotate'], (word) => {
    this.gizmoMode(word);
    this.gizmo.show(word);
  });
  private readonly speed = h('input', { type: 'range', min: 0.02, max: 2 * kJog[0], step: 0.01, value: kJog[0], 'aria-label': 'speed of jog' });
  private readonly speedText = h('small', {});
  private readonly pad = h('small', {}, 'no gamepad: press one of its buttons');
  private jog: readonly [speed: number, turnRate: number] = [0, 0]; // at most, as the app says
  private state = '';

  constructor(station: Station) {
    this.station = station;
    this.name.value = station.name;
    this.name.addEventListener('change', () => {
      const name = this.name.value.trim();
      if (!name) return;
      keep('name', name);
      station.rename(name);
    });
    this.speed.addEventListener('input', () => this.setSpeed());
    const coarse = matchMedia('(pointer: coarse)').matches;
    const pads = h('input', { type: 'checkbox', checked: coarse });
    pads.addEventListener('change', () => this.touch(pads.checked));
    this.by = h('div', { class: 'by' }, this.none,
      h('fieldset', {}, h('legend', {}, 'Hand'), this.hand.element),
      h('fieldset', {}, h('legend', {}, 'Jog'),
        h('label', { class: 'inline' }, h('span', {}, 'axes'), this.axes.element),
        h('label', { class: 'inline' }, h('span', {}, 'speed'), this.speed, this.speedText),
        h('label', { class: 'inline' }, h('span', {}, 'gizmo'), this.gizmo.element),
        h('label', { class: 'inline' }, h('span', {}, 'pads'), pads)),
      h('details', { open: !coarse }, h('summary', {}, 'Keyboard'), keyboardTable()),
      h('details', {}, h('summary', {}, 'Gamepad'), this.pad, keyTable(kGamepadKeys)));
    this.element = h('div', { class: 'operate' },
      h('fieldset', {}, h('legend', {}, 'Operator'), this.who, this.take, this.giving, this.anew,
        h('label', { class: 'inline' }, h('span', {}, 'name'), this.name)),
      this.by);
    this.axes.show((kept('axes') as JogAxes) || 'view');
    this.gizmo.show('translate');
    station.on('status', (status) => this.status(status));
    station.on('asked', ({ by }) => {
      const close = notice(`${by.name} asks to operate`, '', h('button', {
        class: 'primary', onclick: () => {
          close();
          void told(station.ask({ type: 'yield', to: by.id }));
        },
      }, 'Hand over'));
    });
  }

  load(drive: Drive): void {
    this.drive = drive;
    drive.axes = (kept('axes') as JogAxes) === 'world' ? 'world' : 'view';
    const count = drive.hands.length;
    this.hand.buttons.forEach((button, i) => {
      button.hidden = count < 2;
      if (i < 2 && count >= 2) say(button, drive.hands[i]!.name);
    });
    this.hand.element.parentElement!.hidden = count < 2;
    this.none.hidden = count > 0;
    this.choose('left');
    const [first] = drive.hands;
    const jog = first ? [first.speed, first.turnRate] as const : kJog;
    // what was chosen stays when the app begins anew
    if (String(jog) !== String(this.jog)) {
      this.jog = jog;
      this.speed.max = String(jog[0]);
      this.speed.value = String(jog[0] / 2);
    }
    this.setSpeed();
  }

  choose(word: Choice): void {
    if (this.drive) this.drive.choice = word;
    this.hand.show(word);
  }

  private setSpeed(): void {
    if (this.drive) {
      this.drive.speed = this.speed.valueAsNumber;
      this.drive.turnRate = this.jog[1] / this.jog[0] * this.speed.valueAsNumber;
    }
    say(this.speedText, `${this.speed.valueAsNumber.toFixed(2)} m/s`);
  }

  gamepad(name: string): void {
    say(this.pad, name || 'no gamepad: press one of its buttons');
  }

  private async operate(): Promise<void> {
    const asks = this.state === 'ask';
    if (await told(this.station.ask({ type: asks ? 'ask' : 'operate' })) && asks)
      notice('Asked: the operator sees it now.');
  }

  private async restart(): Promise<void> {
    if (await ask('Begin anew?', 'The run ends, and a recording with it. Robots and objects are then where the scene has them.',
      'Begin anew', 'Go on')) void told(this.station.ask({ type: 'restart' }));
  }

  private yield(): void {
    const to = this.handOver.value;
    void told(this.station.ask({
      type: 'yield', to: to === 'scripted' ? 'scripted' : to === '' ? null : Number(to),
    }));
  }

  private status(status: Status): void {
    const someone = Object.values(status.operators).some((who) => who !== null);
    this.state = status.you_operate ? 'you' : someone ? 'ask' : 'free';
    say(this.who, operatorOf(status, this.station.welcome));
    say(this.take, someone ? 'Ask for the hand-over' : 'Take over');
    this.take.hidden = status.you_operate || this.station.role === 'viewer';
    this.giving.hidden = this.anew.hidden = !status.you_operate;
    document.body.classList.toggle('operating', status.you_operate);
    const others = status.clients.filter(({ id, role }) =>
      id !== this.station.welcome?.you && role === 'operator');
    const alone = actsAlone(this.station.welcome);
    const options = [['', 'nobody'],
      ...(alone ? [['scripted', alone.replace(/^scripted/, 'the scripted')]] : []),
      ...others.map(({ id, name }) => [String(id), name])];
    const key = JSON.stringify(options);
    if (this.handOver.dataset.key === key) return;
    this.handOver.dataset.key = key;
    const before = this.handOver.value;
    this.handOver.replaceChildren(...options.map(([value, text]) => h('option', { value: value! }, text!)));
    this.handOver.value = options.some(([value]) => value === before) ? before : '';
  }
}
