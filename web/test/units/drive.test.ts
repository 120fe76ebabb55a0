// From keys and gamepad to samples: the right arm, the right way, and only when it is asked.
import { Quaternion, Vector3 } from 'three';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseServerMessage, type Welcome } from '../../src/protocol.ts';
import { Drive, jogAxes } from '../../src/teleop/drive.ts';
import { Pad, withoutDrift } from '../../src/teleop/gamepad.ts';
import { handsOf } from '../../src/teleop/hands.ts';
import { Keyboard } from '../../src/teleop/keyboard.ts';
import { SampleWriter } from '../../src/teleop/sample.ts';
import { MockWelcome } from './mock_welcome.ts';

const welcome = parseServerMessage(JSON.stringify(MockWelcome)) as Welcome;
const layout = welcome.devices[0]!.layout;
const kAhead = new Vector3(1, 0, 0); // the camera looks along W's x
const kDt = 1 / 60;

/// References that the hands' samples move as the server would: by relative motion, at once.
class Follower {
  readonly drive = new Drive(handsOf(welcome));
  readonly writer = new SampleWriter(layout);
  readonly references = [
    { p: new Vector3(0.5, 0.4, 0.4), q: new Quaternion() },
    { p: new Vector3(0.5, -0.4, 0.4), q: new Quaternion(0, 1, 0, 0) }];
  readonly clutched = [false, false];
  private base: ({ hand: Vector3; handQ: Quaternion; from: Vector3; fromQ: Quaternion } | undefined)[] = [];

  run(seconds: number, jog: () => import('../../src/teleop/keyboard.ts').Jog, look = kAhead): void {
    for (let t = 0; t < seconds; t += kDt) {
      this.drive.update(kDt, [jog()], (i) => this.references[i], look);
      this.drive.write(0, this.writer);
      ['left', 'right'].forEach((side, i) => this.follow(side, i));
    }
  }

  private follow(side: string, i: number): void {
    const n = this.writer.numbers;
    const axis = (name: string) => n[24 + layout.axes.indexOf(name)]!;
    this.clutched[i] = axis(`${side}.squeeze`) > 0.6 && axis(`${side}.trigger`) > 0.6;
    expect(n[8 * i], 'tracked as a controller').toBe(1);
    // WebXR's axes: x right, y up, -z forward; the operator's forward is W's x
    const [x, y, z] = [n[8 * i + 1]!, n[8 * i + 2]!, n[8 * i + 3]!];
    const hand = new Vector3(-z, -x, y);
    const q = this.drive.hands[i]!.R_WV.clone()
      .multiply(new Quaternion().fromArray([...n.subarray(8 * i + 4, 8 * i + 8)]));
    const reference = this.references[i]!;
    if (!this.clutched[i]) return void (this.base[i] = undefined);
    const base = (this.base[i] ??=
      { hand, handQ: q, from: reference.p.clone(), fromQ: reference.q.clone() });
    reference.p.copy(base.from).add(hand).sub(base.hand);
    reference.q.copy(q.multiply(base.handQ.clone().invert()).multiply(base.fromQ));
  }
}

const press = (...codes: string[]) => {
  const keyboard = new Keyboard();
  codes.forEach((code) => keyboard.press(code));
  return () => keyboard.read();
};
const nothing = press();

describe('keyboard', () => {
  const moved = (code: string, side = 0, prepare: (f: Follower) => void = () => undefined) => {
    const follower = new Follower();
    prepare(follower);
    const before = follower.references.map(({ p }) => p.clone());
    follower.run(1, press(code));
    return follower.references[side]!.p.clone().sub(before[side]!);
  };

  it.each([['KeyW', [1, 0, 0]], ['KeyS', [-1, 0, 0]], ['KeyA', [0, 1, 0]], ['KeyD', [0, -1, 0]],
    ['KeyR', [0, 0, 1]], ['KeyF', [0, 0, -1]]] as const)(
    '%s moves the left hand along %j of W at the speed that was set', (code, axis) => {
      const way = moved(code);
      const along = way.dot(new Vector3(...axis));
      // what it takes to close the clutch and to get up to speed is missing
      expect(along).toBeGreaterThan(0.11);
      expect(along).toBeLessThan(0.15);
      expect(way.clone().addScaledVector(new Vector3(...axis), -along).length()).toBeLessThan(1e-9);
    });

  it('moves only the hand that was chosen, both together, or mirrored', () => {
    const choose = (choice: 'left' | 'right' | 'together' | 'mirror') =>
      (f: Follower) => (f.drive.choice = choice);
    expect(moved('KeyA', 1, choose('left')).length()).toBe(0);
    expect(moved('KeyA', 0, choose('right')).length()).toBe(0);
    expect(moved('KeyA', 1, choose('right')).y).toBeGreaterThan(0.1);
    expect(moved('KeyA', 1, choose('together')).y).toBeGreaterThan(0.1);
    expect(moved('KeyA', 0, choose('mirror')).y).toBeGreaterThan(0.1);
    expect(moved('KeyA', 1, choose('mirror')).y).toBeLessThan(-0.1);
    expect(moved('KeyR', 1, choose('mirror')).z).toBeGreaterThan(0.1);
  });

  it('turns about the axis that its key says, and mirrored the other way round', () => {
    const follower = new Follower();
    follower.drive.choice = 'mirror';
    const before = follower.references.map(({ q }) => q.clone());
    follower.run(0.8, press('KeyJ'));
    const turns = follower.references.map(({ q }, i) => q.clone().multiply(before[i]!.invert()));
    expect(turns[0]!.z).toBeGreaterThan(0.15);
    expect(Math.hypot(turns[0]!.x, turns[0]!.y)).toBeLessThan(1e-9);
    expect(turns[1]!.z).toBeCloseTo(-turns[0]!.z, 9);
    expect(follower.references[0]!.p.y).toBeCloseTo(0.4, 9);
  });

  it('closes no clutch until a key is down, and opens it soon after', () => {
    const follower = new Follower();
    follower.run(0.5, nothing);
    expect(follower.clutched).toEqual([false, false]);
    follower.run(0.2, press('KeyW'));
    expect(follower.clutched).toEqual([true, false]);
    follower.run(1, nothing);
    expect(follower.clutched).toEqual([false, false]);
    const rest = follower.references[0]!.p.clone();
    follower.run(1, nothing);
    expect(follower.references[0]!.p.distanceTo(rest)).toBe(0);
  });

  it('holds the clutch closed at rest with C', () => {
    const follower = new Follower();
    follower.run(2, press('KeyC'));
    expect(follower.clutched).toEqual([true, false]);
    expect(follower.references[0]!.p.distanceTo(new Vector3(0.5, 0.4, 0.4))).toBeLessThan(1e-12);
  });

  it('goes a quarter as fast with shift', () => {
    const follower = new Follower();
    follower.run(1, press('KeyW', 'ShiftLeft'));
    expect(follower.references[0]!.p.x - 0.5).toBeLessThan(0.15 / 4);
  });

  it('goes away from the camera, to the nearest quarter turn, when it is jogged as seen', () => {
    const hand = handsOf(welcome)[0]!;
    const forward = (look: Vector3, axes: 'view' | 'world' = 'view') =>
      jogAxes(axes, hand, look)[1].toArray().map((x) => Math.round(x) + 0);
    expect(forward(new Vector3(1, 0.3, -0.5))).toEqual([1, 0, 0]);
    expect(forward(new Vector3(-1, 0.3, -0.5))).toEqual([-1, 0, 0]);
    expect(forward(new Vector3(0.3, 1, -0.5))).toEqual([0, 1, 0]);
    expect(forward(new Vector3(0.3, -1, -0.5))).toEqual([0, -1, 0]);
    expect(forward(new Vector3(0, -1, 0), 'world')).toEqual([1, 0, 0]);
    const right = jogAxes('view', hand, new Vector3(-1, 0, 0))[0];
    expect(right.y).toBeCloseTo(1, 9);
  });

  it('does not run away from an arm that does not follow', () => {
    const follower = new Follower();
    const stuck = follower.references.map(({ p, q }) => ({ p: p.clone(), q }));
    for (let t = 0; t < 10; t += kDt)
      follower.drive.update(kDt, [press('KeyW')()], (i) => stuck[i], kAhead);
    expect(follower.drive.made[0]!.p.distanceTo(stuck[0]!.p)).toBeLessThan(0.22);
  });

  it('goes to where the gizmo is dragged', () => {
    const follower = new Follower();
    const q = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), 0.5);
    follower.drive.drag = { p: new Vector3(0.6, 0.3, 0.5), q };
    follower.run(3, nothing);
    expect(follower.references[0]!.p.distanceTo(follower.drive.drag.p)).toBeLessThan(1e-3);
    expect(follower.references[0]!.q.angleTo(q)).toBeLessThan(1e-2);
  });

  it.each([['left', 0.15], ['together', 0.15], ['left', 1]] as const)(
    'by the gizmo as by keys %s is no faster than the %d m/s that were set', (choice, speed) => {
      const follower = new Follower();
      follower.drive.choice = choice;
      follower.drive.speed = speed;
      follower.drive.turnRate = 0.7;
      const q = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), 3);
      follower.drive.drag = { p: new Vector3(0.5, 0.4, 1.4 + speed), q };
      let [fastest, turned] = [0, 0];
      const begun = follower.references.map(({ p }) => p.clone());
      for (let t = 0; t < 1; t += kDt) {
        const before = follower.references.map(({ p, q: at }) => ({ p: p.clone(), q: at.clone() }));
        follower.run(kDt / 2, nothing);
        follower.references.forEach((one, i) => {
          fastest = Math.max(fastest, one.p.distanceTo(before[i]!.p) / kDt);
          turned = Math.max(turned, one.q.angleTo(before[i]!.q) / kDt);
        });
      }
      expect(fastest).toBeLessThan(speed * (1 + 1e-9));
      expect(turned).toBeLessThan(0.7 * (1 + 1e-6));
      follower.drive.driven.forEach((i) =>
        expect(follower.references[i]!.p.distanceTo(begun[i]!)).toBeGreaterThan(0.8 * speed));
      // where it is asked to go is told
      expect(follower.drive.targets.get(follower.drive.hands[0]!.referenceName)).toBe(follower.drive.drag);
    });

  it('tells no target of hands that rest', () => {
    const follower = new Follower();
    follower.run(0.2, nothing);
    expect(follower.drive.targets.size).toBe(0);
    follower.run(0.2, press('KeyW'));
    expect([...follower.drive.targets.keys()]).toEqual([follower.drive.hands[0]!.referenceName]);
  });

  it('gives controls that are no clutch to the hand that is driven', () => {
    const follower = new Follower();
    follower.drive.choice = 'right';
    follower.run(0.1, press('KeyB', 'KeyG'));
    const buttons = [...follower.writer.numbers.subarray(28)];
    expect(buttons).toEqual([0, 1]);
    // the trigger is the clutch's
    expect(follower.clutched).toEqual([false, false]);
  });
});

describe('gamepad', () => {
  const pad = { id: 'pad', connected: true, mapping: 'standard', axes: [0, 0, 0, 0],
    buttons: Array.from({ length: 17 }, () => ({ pressed: false, value: 0 })) };
  beforeEach(() => {
    pad.axes = [0, 0, 0, 0];
    pad.buttons.forEach((button) => Object.assign(button, { pressed: false, value: 0 }));
    vi.stubGlobal('navigator', { getGamepads: () => [null, pad] });
  });
  afterEach(() => vi.unstubAllGlobals());
  const read = (next = () => undefined as void, stop = () => undefined as void) => new Pad().read(next, stop);

  it('moves nothing without its clutch', () => {
    pad.axes = [1, -1, 0, 0];
    expect(read().move.length()).toBe(0);
    expect(read().clutch).toBe(false);
  });

  it('moves with it: up on a stick is ahead, and up', () => {
    pad.buttons[5]!.pressed = true;
    pad.axes = [0, -1, 0, -1];
    expect(read().move.toArray()).toEqual([0, 1, 1]);
    pad.axes = [1, 0, 1, 0];
    const jog = read();
    expect([jog.move.x, jog.turn.z, jog.clutch]).toEqual([1, -1, true]);
  });

  it('has a dead zone, and no step at its end', () => {
    expect(withoutDrift(0.11)).toBe(0);
    expect(withoutDrift(0.13)).toBeLessThan(0.02);
    expect(withoutDrift(-1)).toBe(-1);
  });

  it('takes a press once', () => {
    const one = new Pad();
    const next = vi.fn();
    const stop = vi.fn();
    pad.buttons[3]!.pressed = pad.buttons[9]!.pressed = true;
    for (let i = 0; i < 5; ++i) one.read(next, stop);
    expect(next).toHaveBeenCalledTimes(1);
    expect(stop).toHaveBeenCalledTimes(1);
  });
});

describe('clutch', () => {
  const jog = (clutch: boolean, x = 0) => () =>
    ({ move: new Vector3(x, 0, 0), turn: new Vector3(), clutch, controls: { primary: 1 } });

  it('opens at once when it is let go, and lingers after keys', () => {
    const follower = new Follower();
    follower.run(0.3, jog(true, 1));
    expect(follower.clutched[0]).toBe(true);
    follower.run(kDt, jog(false));
    expect(follower.clutched[0]).toBe(false);
    follower.run(0.3, press('KeyW'));
    follower.run(0.2, nothing);
    expect(follower.clutched[0]).toBe(true);
    follower.run(0.3, nothing);
    expect(follower.clutched[0]).toBe(false);
  });
});

describe('hands', () => {
  it('are as the server says', () => {
    const said = parseServerMessage(JSON.stringify({
      ...MockWelcome, hands: [{ name: 'person', reference: 'right_hand', device: 'headset', pose: 'left',
        controls: ['left.primary'], space: [0, 0, 0, 1], scale: [2, 2, 2], jog: [1, 2] }] })) as Welcome;
    expect(handsOf(said)).toMatchObject([
      { reference: 1, device: 0, pose: 'left', controls: ['left.primary'], jog: [1, 2] }]);
  });

  it('are found by name when it does not say: its clutch is then squeeze and trigger', () => {
    expect(handsOf(welcome)).toMatchObject([
      { reference: 0, pose: 'left', controls: ['left.squeeze', 'left.trigger'] },
      { reference: 1, pose: 'right', controls: ['right.squeeze', 'right.trigger'] }]);
  });
});
