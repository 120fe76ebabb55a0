import { expect, test } from 'vitest';
import { actsAlone, lateOf, operatorOf } from '../../src/panel/bar.ts';
import type { DeviceInfo, Status } from '../../src/protocol.ts';

const layout = { poses: [], axes: [], buttons: [], outputs: [] };
const app = (driver: string, takes_samples: boolean): { devices: DeviceInfo[] } =>
  ({ devices: [{ name: 'd', driver, takes_samples, layout, feeds: [], own: false }] });
const status = (more: object) => ({
  you_operate: false, operators: { hand: null }, clients: [], scripted: true, ...more,
}) as unknown as Status;

test('who acts alone is what the app has', () => {
  expect(actsAlone(app('person', true))).toBe('scripted person');
  expect(actsAlone(app('gamepad', false))).toBe("the app's devices");
  expect(actsAlone(app('headset', true))).toBe('');
  expect(actsAlone({ devices: [] })).toBe('');
});

test('nobody operates where no scripted person is', () => {
  expect(operatorOf(status({}), app('headset', true))).toBe('nobody operates');
  expect(operatorOf(status({}), app('person', true))).toBe('scripted person');
  expect(operatorOf(status({ scripted: false }), app('person', true))).toBe('nobody operates');
  expect(operatorOf(status({ you_operate: true }), app('person', true))).toBe('you operate');
  expect(operatorOf(status({ operators: { hand: 2 }, clients: [{ id: 2, name: 'Ann' }] }), app('person', true)))
    .toBe('Ann operates');
});

test('late ticks are said to be ticks', () => {
  expect(lateOf({ late_ticks: 67 })).toBe('67 ticks late');
  expect(lateOf({ late_ticks: 1 })).toBe('1 tick late');
});
