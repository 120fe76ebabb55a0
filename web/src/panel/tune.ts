// Live parameters, within their ranges: sliders for numbers, boxes for what is on or off. What is
// shown is what the loop has, whoever changed it.
import { h, say } from '../dom.ts';
import type { ParameterInfo, Status, Welcome } from '../protocol.ts';
import type { Station } from '../station.ts';
import { told } from './ask.ts';

const kSteps = 200;
const kFollow = 50; // [ms]
const kSettle = 700; // the loop goes to a new value along a ramp [ms]

// "joint.ROBOT.NAME.position" and "gripper.ROBOT.NAME.width" are by robot, others by what they are of
const byRobot = (name: string) => /^(joint|gripper)\.([^.]+)\.(.+)\.[^.]+$/.exec(name);
const groupOf = (name: string) => {
  const of = byRobot(name);
  return of ? `${of[2]} ${of[1]}s` : name.split('.').slice(0, -1).join(' ') || 'parameters';
};
const labelOf = (name: string) => byRobot(name)?.[3] ?? name.split('.').at(-1)!;

export class Tune {
  readonly element = h('div', { class: 'tune' });
  changed: (name: string, value: number) => void = () => undefined;
  private readonly station: Station;
  private rows = new Map<string, (value: number) => void>();

  constructor(station: Station) {
    this.station = station;
    station.on('status', (status) => this.take(status));
  }

  private take({ parameters }: Status): void {
    for (const [name, value] of Object.entries(parameters)) this.rows.get(name)?.(value);
  }

  load({ parameters }: Welcome): void {
    this.rows.clear();
    const groups = new Map<string, ParameterInfo[]>();
    for (const parameter of parameters) {
      const group = groupOf(parameter.name);
      groups.set(group, [...(groups.get(group) ?? []), parameter]);
    }
    this.element.replaceChildren(...[...groups].map(([name, members]) =>
      h('fieldset', {}, h('legend', {}, name.replaceAll('_', ' ')),
        ...members.map((one) => (one.kind === 'switch' ? this.toggle(one) : this.slider(one))))));
    if (parameters.length === 0)
      this.element.append(h('p', { class: 'none' }, 'This app has nothing that may be changed live.'));
  }

  private toggle({ name, value, doc }: ParameterInfo): HTMLElement {
    const box = h('input', { type: 'checkbox', 'aria-label': name });
    const state = h('small');
    let edits = false; // one is under way
    let now = value;
    const show = () => {
      if (!edits) box.checked = now > 0.5;
      say(state, now >= 1 ? 'on' : now <= 0 ? 'off' : `${Math.round(100 * now)} %`);
    };
    this.rows.set(name, (newest) => {
      if (newest !== now) this.changed(name, newest);
      now = newest;
      show();
    });
    this.changed(name, now);
    show();
    box.addEventListener('change', async () => {
      edits = true;
      const done = await told(this.station.ask({ type: 'parameter', name, value: box.checked ? 1 : 0 }));
      setTimeout(() => {
        edits = false;
        show();
      }, done ? kSettle : 0);
    });
    return h('label', { class: 'switch', title: doc },
      h('span', { title: name }, labelOf(name).replaceAll('_', ' ')), box, state);
  }

  private slider(parameter: ParameterInfo): HTMLElement {
    const { name, unit, min, max, doc } = parameter;
    const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(min), Math.abs(max)) || 1)));
    const shown = (value: number) => value.toFixed(Math.min(8, digits));
    const slider = h('input', {
      type: 'range', min, max, step: (max - min) / kSteps, value: parameter.value, 'aria-label': name,
    });
    const field = h('input', { type: 'number', min, max, step: 'any', value: shown(parameter.value), 'aria-label': `${name} [${unit || 'no unit'}]` });
    let edits = 0; // that are under way: until then the person's value is shown
    let now = parameter.value;
    let asked = false;
    const show = () => {
      if (edits > 0) return;
      slider.value = String(now);
      field.value = shown(now);
      field.classList.remove('bad');
    };
    this.rows.set(name, (value) => {
      if (value !== now) this.changed(name, value);
      now = value;
      show();
    });
    this.changed(name, now);
    const set = async (value: number) => {
      const problem = !(value >= min && value <= max);
      field.classList.toggle('bad', problem);
      if (problem) return;
      const done = await told(this.station.ask({ type: 'parameter', name, value }));
      setTimeout(() => {
        edits = 0;
        show();
      }, done ? kSettle : 0);
    };
    slider.addEventListener('input', () => {
      edits = 1;
      field.value = shown(slider.valueAsNumber);
      // joints and jaws follow the slider as it moves
      if (byRobot(name) && !asked) {
        asked = true;
        setTimeout(() => {
          asked = false;
          void set(slider.valueAsNumber);
        }, kFollow);
      }
    });
    field.addEventListener('input', () => (edits = 1));
    slider.addEventListener('change', () => void set(slider.valueAsNumber));
    field.addEventListener('change', () => void set(field.valueAsNumber));
    const range = `${shown(min)} to ${shown(max)} ${unit}`.trimEnd();
    return h('label', { title: doc ? `${doc}: ${range}` : range },
      h('span', { title: name }, labelOf(name).replaceAll('_', ' ')), slider, field, h('small', {}, unit));
  }
}
