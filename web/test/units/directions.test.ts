// Up is up and left is left: for every space that a hand may have, every view and every device.
import { Euler, Matrix4, PerspectiveCamera, Quaternion, Vector3 } from 'three';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Drive, type JogAxes, looks } from '../../src/teleop/drive.ts';
import { Pad } from '../../src/teleop/gamepad.ts';
import type { Jogged } from '../../src/teleop/hands.ts';
import { type Jog, Keyboard, emptyJog } from '../../src/teleop/keyboard.ts';
import { SampleWriter } from '../../src/teleop/sample.ts';
import { facing, standMatrix, toSample, usualStand } from '../../src/teleop/stand.ts';
import type { BindingInfo, Welcome } from '../../src/protocol.ts';

type Row = [number, number, number];
const space = (...rows: [Row, Row, Row]) =>
  new Quaternion().setFromRotationMatrix(new Matrix4().set(
    ...rows[0], 0, ...rows[1], 0, ...rows[2], 0, 0, 0, 0, 1));
const turned = (q: Quaternion, yaw: number) =>
  new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), yaw).multiply(q);

// as src/teleop/pose_mapping.cpp has them
const kWebXr = space([0, 0, -1], [-1, 0, 0], [0, 1, 0]);
const kToss = space([-1, 0, 0], [0, 0, 1], [0, 1, 0]);
const kGrab = space([0, 0, 1], [1, 0, 0], [0, 1, 0]);
const kNone = new Quaternion();
const kSpaces: [name: string, R_WV: Quaternion][] = [
  ['webxr', kWebXr], ['webxr, yaw 40 deg', turned(kWebXr, 0.7)],
  ['toss', kToss], ['toss, yaw -90 deg', turned(kToss, -Math.PI / 2)],
  ['grab', kGrab], ['grab, yaw 180 deg', turned(kGrab, Math.PI)],
  // what the thesis prints: a tracker's up is down
  ['upside down', space([-1, 0, 0], [0, 0, -1], [0, -1, 0])],
  // a tracker whose z is up, as a program may have it
  ['z up', kNone],
];

// the views of the scenes that come along, one straight from above and one from below
const kViews: [name: string, eye: Row, target: Row][] = [
  ['toss overview', [2.3, -0.6, 1.9], [0.1, -1.1, 0.9]], ['toss belt', [0.33, -3.4, 1.9], [0.3, -1, 0.9]],
  ['follow overview', [2.2, 0, 1.3], [0.3, 0, 0.4]], ['grab overview', [1.9, 2.1, 1.4], [0.4, 0.4, 0.3]],
  ['grab operator', [-0.9, 0.4, 1.1], [0.59, 0.4, 0.3]], ['hold belt', [1.9, -0.2, 1.7], [0.1, -1.2, 0.8]],
  ['reach front', [-1.8, 0, 1.6], [0.6, 0, 0.4]], ['from above', [0.5, 0, 3], [0.5, 0, 0]],
  ['from below', [0.5, 0.1, -1], [0.5, 0, 1]],
];

function camera(eye: Row, target: Row): PerspectiveCamera {
  const one = new PerspectiveCamera();
  one.up.set(0, 0, 1);
  one.position.set(...eye);
  one.lookAt(...target);
  one.updateMatrixWorld();
  return one;
}

const kRates = ['x', 'y', 'z', 'roll', 'pitch', 'yaw'];
const layout = { poses: [], axes: [...kRates, ...kRates.map((rate) => `${rate}2`)],
  buttons: ['clutch', ...kRates.flatMap((rate) => [`${rate}.plus`, `${rate}.minus`])], outputs: [] };

// axes that a jog of the server may have, and what its rates come from
const kJogs: [name: string, frame: 'fixed' | 'tool', R_WO: Quaternion, rates: BindingInfo[], response: [number, number]][] = [
  ['the world', 'fixed', kNone, kRates.map((axis) => ({ axis, sign: 1 })), [0, 1]],
  ['a base that is turned, with axes that are turned round', 'fixed', turned(kNone, 0.7),
    kRates.map((rate, i) => ({ axis: `${rate}2`, sign: i % 2 ? -1 : 1 })), [0.1, 2]],
  ['the tool', 'tool', kNone, kRates.map((axis) => ({ axis, sign: -1 })), [0.1, 1]],
  ['buttons', 'fixed', kNone, kRates.map((rate) => ({ plus: `${rate}.plus`, minus: `${rate}.minus` })), [0.1, 1]],
];
const jogged = (R_WV: Quaternion, [, frame, R_WO, rates, [deadZone, exponent]]: typeof kJogs[number]): Jogged => ({
  name: 'left', reference: 0, referenceName: 'hand', device: 0, prefix: '', rates,
  R_WO: frame === 'tool' ? undefined : R_WO, R_WV, deadMan: 'clutch', faster: null, slower: null,
  speed: 0.3, turnRate: 1.4, deadZone, exponent, hand: undefined,
});

/// Which way the server's jog (src/teleop/jog.hpp) carries the reference, and about which axis it turns it,
/// in W [m/s, rad/s].
function carried(R_WV: Quaternion, kind: typeof kJogs[number], axes: JogAxes, look: Vector3,
                 jog: () => Jog): { way: Vector3; axis: Vector3 } {
  const [, frame, R_WO, rates, [deadZone, exponent]] = kind;
  const drive = new Drive([jogged(R_WV, kind)]);
  drive.axes = axes;
  const writer = new SampleWriter(layout);
  const reference = { p: new Vector3(0.5, 0.1, 0.4), q: new Quaternion().setFromEuler(new Euler(0.4, -1.1, 2)) };
  drive.update(1 / 60, [{ by: 'key', jog: jog() }], () => reference, look);
  drive.write(0, writer);
  expect(writer.value('clutch')).toBe(1);
  const [x, y, z, roll, pitch, yaw] = rates.map((rate) => {
    const value = 'axis' in rate ? rate.sign * writer.value(rate.axis)!
      : writer.value(rate.plus)! - writer.value(rate.minus)!;
    const beyond = Math.max(0, (Math.abs(value) - deadZone) / (1 - deadZone));
    return Math.sign(value) * beyond ** exponent;
  });
  const R = frame === 'tool' ? reference.q : R_WO;
  const inW = (v: Vector3, full: number) =>
    v.multiplyScalar(full / Math.max(1, v.length())).applyQuaternion(R);
  return { way: inW(new Vector3(x, y, z), 0.3), axis: inW(new Vector3(roll, pitch, yaw), 1.4) };
}

const keys = (code: string) => () => {
  const keyboard = new Keyboard();
  keyboard.press(code);
  return keyboard.read();
};
function stick(axes: number[]): () => Jog {
  return () => {
    const buttons = Array.from({ length: 17 }, (_, i) => ({ pressed: i === 5, value: 0 }));
    vi.stubGlobal('navigator', { getGamepads: () => [{ index: 0, id: 'pad', connected: true, mapping: 'standard', axes, buttons }] });
    return new Pad().read(() => undefined, () => undefined);
  };
}
// what a finger on the pads asks for: right, up
const touch = (flat: [number, number], lift: [number, number]) => () => {
  const jog = emptyJog();
  jog.move.set(flat[0], flat[1], lift[1]);
  jog.turn.z = -lift[0];
  jog.clutch = true;
  return jog;
};

// each as right, forward, up of whoever asks
const kMoves: [name: string, jog: () => Jog, way: Row][] = [
  ['R', keys('KeyR'), [0, 0, 1]], ['F', keys('KeyF'), [0, 0, -1]], ['A', keys('KeyA'), [-1, 0, 0]],
  ['D', keys('KeyD'), [1, 0, 0]], ['W', keys('KeyW'), [0, 1, 0]], ['S', keys('KeyS'), [0, -1, 0]],
  ['left stick to the left', stick([-1, 0, 0, 0]), [-1, 0, 0]],
  ['left stick away', stick([0, -1, 0, 0]), [0, 1, 0]],
  ['right stick away', stick([0, 0, 0, -1]), [0, 0, 1]],
  ['finger to the left', touch([-1, 0], [0, 0]), [-1, 0, 0]],
  ['finger up', touch([0, 0], [0, 1]), [0, 0, 1]],
];
const kTurns: [name: string, jog: () => Jog, axis: Row][] = [
  ['J turns to the left', keys('KeyJ'), [0, 0, 1]], ['L to the right', keys('KeyL'), [0, 0, -1]],
  ['right stick to the left', stick([0, 0, -1, 0]), [0, 0, 1]],
  ['O rolls to the right', keys('KeyO'), [0, 1, 0]], ['K tilts up', keys('KeyK'), [1, 0, 0]],
];

afterEach(() => vi.unstubAllGlobals());

describe.each(kSpaces)('in the space %s', (_, R_WV) => {
  const ahead = new Vector3(0, 0, -1).applyQuaternion(facing(R_WV));
  const right = new Vector3(1, 0, 0).applyQuaternion(facing(R_WV));
  const inW = ([x, y, z]: Row, to: Vector3, on: Vector3) =>
    new Vector3().addScaledVector(to, x).addScaledVector(on, y).add(new Vector3(0, 0, z));

  const kWholes = kJogs.filter(([name]) => name !== 'buttons');

  it.each(kMoves)('%s goes as the operator stands, at the speed that was set', (_name, jog, way) => {
    for (const kind of kWholes) {
      const to = carried(R_WV, kind, 'world', new Vector3(1, 0, 0), jog).way;
      expect(to.length(), kind[0]).toBeCloseTo(0.15, 9);
      expect(to.normalize().distanceTo(inW(way, right, ahead)), kind[0]).toBeLessThan(1e-6);
    }
  });

  it.each(kTurns)('%s', (_name, jog, axis) => {
    for (const kind of kWholes) {
      const by = carried(R_WV, kind, 'world', new Vector3(1, 0, 0), jog).axis;
      expect(by.length(), kind[0]).toBeCloseTo(0.7, 9);
      expect(by.normalize().distanceTo(inW(axis, right, ahead)), kind[0]).toBeLessThan(1e-6);
    }
  });

  it('buttons for each direction are pressed the right way', () => {
    if (R_WV !== kWebXr) return;
    for (const [name, jog, way] of kMoves) {
      const to = carried(R_WV, kJogs.at(-1)!, 'world', new Vector3(1, 0, 0), jog).way.normalize();
      expect(to.distanceTo(inW(way, right, ahead)), name).toBeLessThan(1e-6);
    }
  });

  it.each(kViews)('keys, sticks and fingers go as the picture shows, in the view %s', (_name, eye, target) => {
    const view = camera(eye, target);
    const screen = new Vector3(1, 0, 0).applyQuaternion(view.quaternion);
    for (const kind of kWholes)
      for (const [name, jog, way] of kMoves) {
        const to = carried(R_WV, kind, 'view', looks(view), jog).way.normalize();
        if (way[2] !== 0) expect(to.z, name).toBeCloseTo(way[2], 9);
        // to the nearest quarter turn
        if (way[0] !== 0) expect(to.dot(screen) * way[0], name).toBeGreaterThan(0.7);
        if (way[1] !== 0) expect(to.dot(looks(view)) * way[1], name).toBeGreaterThan(0.7);
      }
  });

  it('a hand in the headset goes as it is seen to, and the scene stands on the operator\'s floor', () => {
    const welcome = { scene: { frames: [] } } as unknown as Welcome;
    const usual = usualStand(welcome, [new Vector3(0.2, 0.1, 0.9)], R_WV);
    expect(new Vector3(0.2 - usual.x, 0.1 - usual.y, 0).normalize().distanceTo(ahead)).toBeLessThan(1e-9);
    for (const yaw of [0, 1.2]) {
      const X_WS = standMatrix({ ...usual, yaw }, R_WV);
      expect(new Vector3(0, 1.7, 0).applyMatrix4(X_WS).z, 'the eyes are above the floor').toBeCloseTo(1.7, 9);
      const looksAlong = new Vector3(0, 0, -1).transformDirection(X_WS);
      for (const way of [[0, 0.1, 0], [-0.1, 0, 0], [0, 0, -0.1]] as Row[]) {
        const [from, to] = [new Vector3(0.2, 1.1, -0.4), new Vector3(0.2, 1.1, -0.4).add(new Vector3(...way))];
        const seen = to.clone().applyMatrix4(X_WS).sub(from.clone().applyMatrix4(X_WS));
        for (const p of [from, to]) toSample(X_WS, R_WV, p, new Quaternion());
        const moved = to.sub(from).applyQuaternion(R_WV);
        expect(moved.distanceTo(seen)).toBeLessThan(1e-9);
        if (way[1]) expect(moved.z).toBeCloseTo(0.1, 9);
        if (way[0]) expect(new Vector3().crossVectors(looksAlong, moved).z).toBeCloseTo(0.1, 9);
        if (way[2]) expect(moved.dot(looksAlong)).toBeCloseTo(0.1, 9);
      }
    }
  });
});

it('the toss stands as the thesis has it: forward is -y of the world, right is -x', () => {
  const right = new Vector3(1, 0, 0).applyQuaternion(facing(kToss));
  expect(right.toArray().map((x) => Math.round(x))).toEqual([-1, 0, 0]);
  expect(facing(kToss).angleTo(kToss)).toBeLessThan(1e-7);
});

describe('an axis that rests at an end', () => {
  const buttons = Array.from({ length: 17 }, () => ({ pressed: false, value: 0 }));
  const pad = { index: 0, id: 'throttle', connected: true, mapping: 'standard', axes: [-1, 0, 0, 0], buttons };
  const read = (one: Pad) => one.read(() => undefined, () => undefined);

  it('moves nothing when the clutch is held, until it was at its middle', () => {
    vi.stubGlobal('navigator', { getGamepads: () => [pad] });
    const one = new Pad();
    read(one);
    buttons[5] = { pressed: true, value: 1 };
    expect(read(one).move.length()).toBe(0);
    pad.axes = [0, 0, 0, 0];
    read(one);
    pad.axes = [-1, 0, 0, 0];
    expect(read(one).move.x).toBe(-1);
  });

  it('is a trigger that is not pressed', () => {
    buttons[6] = { pressed: false, value: -1 };
    vi.stubGlobal('navigator', { getGamepads: () => [pad] });
    expect(read(new Pad()).controls['trigger']).toBe(0);
  });
});
