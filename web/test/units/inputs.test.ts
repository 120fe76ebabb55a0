// Devices of any layout, from what a person has at the page.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DeviceInfo, FeedInfo } from '../../src/protocol.ts';
import { directlyFed, Inputs, keysOf, kStickAxes, kStickButtons } from '../../src/teleop/inputs.ts';
import { Keyboard } from '../../src/teleop/keyboard.ts';
import type { Pads } from '../../src/teleop/pads.ts';
import { SampleWriter } from '../../src/teleop/sample.ts';
import type { Stylus } from '../../src/teleop/stylus.ts';

const names: string[] = JSON.parse(readFileSync(
  new URL('../../../tests/station/fixtures/page_inputs.json', import.meta.url), 'utf8'));

const pressed = (...down: number[]) =>
  Array.from({ length: 17 }, (_, i) => ({ pressed: down.includes(i), value: down.includes(i) ? 1 : 0 }));
let gamepads: object[] = [];
const touch: Record<string, number> = {};
const pen: Record<string, number> = {};
beforeEach(() => {
  gamepads = [];
  vi.stubGlobal('navigator', { getGamepads: () => gamepads });
});
afterEach(() => vi.unstubAllGlobals());

function made() {
  const keyboard = new Keyboard();
  const value = (of: Record<string, number>) => ({ value: (name: string) => of[name] });
  return { keyboard, inputs: new Inputs(keyboard, value(touch) as unknown as Pads, value(pen) as unknown as Stylus) };
}

const device = (axes: string[], buttons: string[], feeds: FeedInfo[]): DeviceInfo =>
  ({ name: 'd', driver: 'page', layout: { poses: [], axes, buttons, outputs: [] }, feeds, takes_samples: true, own: false });

const stick = (mapping: string, axes: number[], ...down: number[]) =>
  ({ connected: true, mapping, axes, buttons: pressed(...down) });

it('there is every input that the server knows', () => {
  const pad = stick('standard', [0.1, 0.2, 0.3, 0.4], ...Array.from({ length: 17 }, (_, i) => i));
  const joystick = { connected: true, mapping: '', axes: Array.from({ length: kStickAxes }, () => 0.5),
    buttons: Array.from({ length: kStickButtons }, () => ({ pressed: true, value: 1 })) };
  gamepads = [pad, joystick];
  Object.assign(touch, { left_x: 1, left_y: 1, left: 1, right_x: 1, right_y: 1, right: 1 });
  Object.assign(pen, { x: 1, y: 1, pressure: 1, tilt_x: 1, tilt_y: 1, down: 1 });
  const { keyboard, inputs } = made();
  for (const name of names) {
    if (name.startsWith('key.')) keyboard.press(name.slice(4));
    expect(inputs.value(name), name).toBeTypeOf('number');
    expect(inputs.value(name), name).not.toBe(0);
  }
  expect(inputs.value('stick.axis16')).toBeUndefined();
});

it('a flight stick fills its own layout, whatever its axes are called', () => {
  const feeds: FeedInfo[] = [
    { control: 'roll', axis: 'stick.axis0', sign: 1 }, { control: 'throttle', axis: 'stick.axis2', sign: -1 },
    { control: 'trim', plus: 'stick.button1', minus: 'stick.button2' }, { control: 'fire', axis: 'stick.button0', sign: 1 }];
  const info = device(['roll', 'throttle', 'trim'], ['fire'], feeds);
  const sample = new SampleWriter(info.layout);
  gamepads = [stick('standard', [1, 1, 1, 1], 0, 1, 2), stick('', [0.25, 0, 0.75], 2)];
  const { inputs } = made();
  expect(inputs.fill(info, sample)).toBe(true);
  expect([...sample.numbers]).toEqual([0.25, -0.75, -1, 0]);
  // unplugged, nothing of it is valid
  gamepads = [];
  sample.rest();
  expect(inputs.fill(info, sample)).toBe(false);
  expect([...sample.numbers].every(Number.isNaN)).toBe(true);
});

it('of several inputs for one control what is moved farthest counts', () => {
  const info = device(['x'], [], [{ control: 'x', axis: 'pad.left.stick_x', sign: 1 },
    { control: 'x', plus: 'key.KeyD', minus: 'key.KeyA' }]);
  const sample = new SampleWriter(info.layout);
  gamepads = [stick('standard', [0.5, 0, 0, 0])];
  const { keyboard, inputs } = made();
  inputs.fill(info, sample);
  expect(sample.value('x')).toBe(0.5);
  keyboard.press('KeyA');
  sample.rest();
  inputs.fill(info, sample);
  expect(sample.value('x')).toBe(-1);
  expect(directlyFed(info)).toEqual(new Set(['key', 'pad']));
  expect(keysOf([info])).toEqual(new Set(['KeyD', 'KeyA']));
});

it('keys that jog nothing leave the others to the jog', () => {
  const keys = (...plus: string[]) => directlyFed(device(['x'], [], plus.map((key) => ({ control: 'x', plus: key, minus: '' }))));
  expect(keys('key.ArrowUp', 'key.PageUp')).toEqual(new Set());
  expect(keys('key.ArrowUp', 'key.KeyG')).toEqual(new Set(['key']));
});

it('sticks of a pad are positive to the right and away', () => {
  gamepads = [stick('standard', [0.1, -0.2, 0.3, -0.4])];
  const { inputs } = made();
  expect(['left.stick_x', 'left.stick_y', 'right.stick_x', 'right.stick_y'].map((name) => inputs.value(`pad.${name}`)))
    .toEqual([0.1, 0.2, 0.3, 0.4]);
});

it('what is pressed when everything is released must be let go of first', () => {
  const info = device(['x'], ['go'], [{ control: 'go', axis: 'pad.south', sign: 1 }, { control: 'x', axis: 'pad.left.stick_x', sign: 1 }]);
  const sample = new SampleWriter(info.layout);
  const { inputs } = made();
  const go = () => {
    sample.rest();
    inputs.fill(info, sample);
    return [...sample.numbers];
  };
  gamepads = [stick('standard', [0.5, 0, 0, 0], 0)];
  expect(go()).toEqual([0.5, 1]);
  inputs.release([info]);
  expect(go()).toEqual([0.5, 0]);
  gamepads = [stick('standard', [0.5, 0, 0, 0])];
  expect(go()).toEqual([0.5, 0]);
  gamepads = [stick('standard', [0.5, 0, 0, 0], 0)];
  expect(go()).toEqual([0.5, 1]);
});
