// What a person moves at the page, by the names of device/page_inputs.hpp, and how it fills the layout
// of a device that asks for it by these names.
import type { BindingInfo, DeviceInfo, FeedInfo } from '../protocol.ts';
import type { Asker } from './drive.ts';
import { jogs, type Keyboard } from './keyboard.ts';
import type { Pads } from './pads.ts';
import type { SampleWriter } from './sample.ts';
import type { Stylus } from './stylus.ts';

// of the standard mapping, in which sticks are positive downwards
const kPadAxes: Record<string, [index: number, sign: number]> = {
  'left.stick_x': [0, 1], 'left.stick_y': [1, -1], 'right.stick_x': [2, 1], 'right.stick_y': [3, -1],
};
const kPadButtons = ['south', 'east', 'west', 'north', 'left.shoulder', 'right.shoulder', 'left.trigger',
  'right.trigger', 'back', 'start', 'left.stick', 'right.stick', 'dpad.up', 'dpad.down', 'dpad.left', 'dpad.right', 'guide'];
const kUsed = 0.3; // what is moved farther is used

/// How many of them a page has, as the server says it too.
export const kStickAxes = 16, kStickButtons = 32;

export class Inputs {
  private readonly keyboard: Keyboard;
  private readonly pads: Pads;
  private readonly stylus: Stylus;
  private released = new Set<string>(); // that are held and not meant: until they are let go of

  constructor(keyboard: Keyboard, pads: Pads, stylus: Stylus) {
    this.keyboard = keyboard;
    this.pads = pads;
    this.stylus = stylus;
  }

  /// What is pressed now counts as let go of, and is pressed anew first. Axes stay what they are: that
  /// they were at rest is the server's to see.
  release(devices: DeviceInfo[]): void {
    this.released = new Set(devices.flatMap(({ feeds }) => feeds.flatMap(inputsOf)));
  }

  /// -1 to 1; none: it is not there.
  value(name: string): number | undefined {
    const [value, pressed] = this.read(name);
    if (!pressed || !this.released.has(name)) return value;
    if (!(value! > 0.5)) this.released.delete(name);
    return value === undefined ? undefined : 0;
  }

  private read(name: string): [value: number | undefined, pressed: boolean] {
    const [kind, what] = [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)];
    if (kind === 'key') return [this.keyboard.isDown(what) ? 1 : 0, true];
    if (kind === 'touch') return [this.pads.value(what), false];
    if (kind === 'pen') return [this.stylus.value(what), false];
    const found = (navigator.getGamepads?.() ?? []).filter((one) => one?.connected) as Gamepad[];
    if (kind === 'pad') {
      const pad = found.find(({ mapping }) => mapping === 'standard');
      const axis = kPadAxes[what];
      if (axis) return [pad && axis[1] * (pad.axes[axis[0]] ?? NaN) + 0, false];
      const button = pad?.buttons[kPadButtons.indexOf(what)];
      return [button && (what.endsWith('trigger') ? button.value : button.pressed ? 1 : 0), !what.endsWith('trigger')];
    }
    // a stick that the browser knows as a pad is one too where there is no other
    const stick = found.find(({ mapping }) => mapping !== 'standard') ?? found[0];
    const axis = /^axis(\d+)$/.exec(what);
    if (axis) return [stick?.axes[Number(axis[1])], false];
    const button = stick?.buttons[Number(/^button(\d+)$/.exec(what)?.[1])];
    return [button && (button.pressed ? 1 : 0), true];
  }

  /// Fills the controls that inputs of the page feed; one of which nothing is there is not valid.
  /// @return whether any of them is used
  fill({ feeds }: DeviceInfo, sample: SampleWriter): boolean {
    let used = false;
    const there = new Set<string>();
    for (const feed of feeds) {
      const value = this.bound(feed);
      if (value === undefined) continue;
      there.add(feed.control);
      sample.ask(feed.control, value);
      used ||= Math.abs(value) > kUsed;
    }
    for (const { control } of feeds) if (!there.has(control)) sample.control(control, NaN);
    return used;
  }

  private bound(binding: BindingInfo): number | undefined {
    if ('axis' in binding) {
      const value = this.value(binding.axis);
      return value === undefined || Number.isNaN(value) ? undefined : binding.sign * value + 0;
    }
    const [plus, minus] = [binding.plus, binding.minus].map((name) => (name ? this.value(name) : 0));
    return plus === undefined || minus === undefined ? undefined : (plus > 0.5 ? 1 : 0) - (minus > 0.5 ? 1 : 0);
  }
}

function inputsOf(feed: FeedInfo): string[] {
  return 'axis' in feed ? [feed.axis] : [feed.plus, feed.minus].filter((name) => name !== '');
}

/// What feeds a device directly: its jog then does not hear the same thing through the page's mapping. Keys that
/// jog nothing feed beside that mapping.
export function directlyFed({ feeds }: DeviceInfo): Set<Asker> {
  const kinds = feeds.flatMap(inputsOf).filter((name) => !name.startsWith('key.') || jogs(name.slice(4)))
    .map((name) => name.slice(0, name.indexOf('.')));
  return new Set((['key', 'pad', 'touch'] as const).filter((kind) =>
    kinds.includes(kind) || (kind === 'pad' && kinds.includes('stick'))));
}

/// Keys that devices ask for.
export function keysOf(devices: DeviceInfo[]): Set<string> {
  return new Set(devices.flatMap(({ feeds }) => feeds.flatMap(inputsOf))
    .filter((name) => name.startsWith('key.')).map((name) => name.slice(4)));
}
