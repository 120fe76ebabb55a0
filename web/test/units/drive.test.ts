// From keys and gamepad to samples: the right arm, the right way, and only when it is asked.
import { Quaternion, Vector3 } from 'three';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseServerMessage, type Welcome } from '../../src/protocol.ts';
import { deflection, Drive, jogAxes } from '../../src/teleop/drive.ts';
import { Pad, withoutDrift } from '../../src/teleop/gamepad.ts';
import { handsOf, jogsOf } from '../../src/teleop/hands.ts';
import { Keyboard } from '../../src/teleop/keyboard.ts';
import { SampleWriter } from '../../src/teleop/sample.ts';
import { MockWelcome } from './mock_welcome.ts';

const welcome = parseServerMessage(JSON.stringify(MockWelcome)) as Welcome;
const layout = welcome.devices[1]!.layout;
const kAhead = new Vector3(1, 0, 0); // the camera looks along W's x
const kDt = 1 / 60;

/// References that samples of the device `page` move as jogs of the server would, at once.
class Follower {
  readonly drive = new Drive(jogsOf(welcome), handsOf(welcome));
  readonly writer = new SampleWriter(layout);
  readonly headset = new SampleWriter(welcome.devices[0]!.layout);
  readonly references = [
    { p: new Vector3(0.5, 0.4, 0.4), q: new Quaternion() },
    { p: new Vector3(0.5, -0.4, 0.4), q: new Quaternion(0, 1, 0, 0) }];
  readonly clutched = [false, false];

  run(seconds: number, jog: () => import('../../src/teleop/keyboard.ts').Jog, look = kAhead): void {
    for (let t = 0; t < seconds; t += kDt) {
      this.drive.update(kDt, [{ by: 'key', jog: jog() }], (i) => this.references[i], look);
      [this.headset, this.writer].forEach((writer, device) => {
        writer.rest();
        this.drive.write(device, writer);
      });
      ['left', 'right'].forEach((side, i) => this.follow(side, i));
    }
  }

  private follow(side: string, i: number): void {
    this.clutched[i] = this.writer.value(`${side}.clutch`) === 1;
    expect([this.headset.value(`${side}.squeeze`), this.headset.value(`${side}.trigger`)], 'safety of what it holds')
      .toEqual(this.clutched[i] ? [1, 1] : [0, 0]);
    expect(this.headset.numbers[8 * i], 'no hand is tracked').toBe(0);
    if (!this.clutched[i]) return;
    const [x, y, z, roll, pitch, yaw] =
      ['x', 'y', 'z', 'roll', 'pitch', 'yaw'].map((rate) => this.writer.value(`${side}.${rate}`)!);
    const reference = this.references[i]!;
    reference.p.addScaledVector(new Vector3(x, y, z).clampLength(0, 1), 0.3 * kDt);
    const turn = new Vector3(roll, pitch, yaw).clampLength(0, 1).multiplyScalar(1.4 * kDt);
    if (turn.length() > 0)
      reference.q.premultiply(new Quaternion().setFromAxisAngle(turn.clone().normalize(), turn.length()));
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
      expect(along).toBeCloseTo(0.15, 2);
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
    expect(follower.references[0]!.p.x - 0.5).toBeCloseTo(0.15 / 4, 2);
  });

  it('goes away from the camera, to the nearest quarter turn, when it is jogged as seen', () => {
    const { R_WV } = handsOf(welcome)[0]!;
    const forward = (look: Vector3, axes: 'view' | 'world' = 'view') =>
      jogAxes(axes, R_WV, look)[1].toArray().map((x) => Math.round(x) + 0);
    expect(forward(new Vector3(1, 0.3, -0.5))).toEqual([1, 0, 0]);
    expect(forward(new Vector3(-1, 0.3, -0.5))).toEqual([-1, 0, 0]);
    expect(forward(new Vector3(0.3, 1, -0.5))).toEqual([0, 1, 0]);
    expect(forward(new Vector3(0.3, -1, -0.5))).toEqual([0, -1, 0]);
    expect(forward(new Vector3(0, -1, 0), 'world')).toEqual([1, 0, 0]);
    const right = jogAxes('view', R_WV, new Vector3(-1, 0, 0))[0];
    expect(right.y).toBeCloseTo(1, 9);
  });

  it('goes to where the gizmo is dragged', () => {
    const follower = new Follower();
    const q = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), 0.5);
    follower.drive.drag = { p: new Vector3(0.6, 0.3, 0.5), q };
    follower.run(3, nothing);
    expect(follower.references[0]!.p.distanceTo(follower.drive.drag.p)).toBeLessThan(1e-3);
    expect(follower.references[0]!.q.angleTo(q)).toBeLessThan(1e-2);
  });

  it.each([['left', 0.15], ['together', 0.15], ['left', 0.3]] as const)(
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

  it('tells no target of hands that are not dragged', () => {
    const follower = new Follower();
    follower.run(0.2, press('KeyW'));
    expect(follower.drive.targets.size).toBe(0);
  });

  it('gives controls that are no clutch to the hand that is driven', () => {
    const follower = new Follower();
    follower.drive.choice = 'right';
    follower.run(0.1, press('KeyB', 'KeyG'));
    expect([follower.headset.value('left.primary'), follower.headset.value('right.primary')]).toEqual([0, 1]);
    expect([follower.writer.value('left.primary'), follower.writer.value('right.primary')]).toEqual([0, 1]);
    // the trigger is the clutch's
    expect(follower.headset.value('right.trigger')).toBe(0);
    expect(follower.clutched).toEqual([false, false]);
  });

  it('of a device that the keys feed directly asks nothing besides', () => {
    const drive = new Drive(jogsOf(welcome), [], [new Set(), new Set(['key'] as const)]);
    const writer = new SampleWriter(layout);
    drive.update(kDt, [{ by: 'key', jog: press('KeyW')() }], () => ({ p: new Vector3(), q: new Quaternion() }), kAhead);
    drive.write(1, writer);
    expect([...writer.numbers].every((x) => x === 0)).toBe(true);
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

describe('jogs', () => {
  it('are as the server says', () => {
    expect(jogsOf(welcome)).toMatchObject([
      { name: 'left', reference: 0, device: 1, prefix: 'left.', deadMan: 'left.clutch', speed: 0.3, turnRate: 1.4 },
      { name: 'right', reference: 1, device: 1, prefix: 'right.', hand: { pose: 'right', device: 0 } }]);
  });

  it('of a device that a page cannot be, or of joints, are none', () => {
    const said = (change: object) => jogsOf({ ...welcome, ...change } as Welcome);
    expect(said({ devices: welcome.devices.map((one) => ({ ...one, takes_samples: false })) })).toEqual([]);
    expect(said({ references: welcome.references.map((one) => ({ ...one, kind: 'joints' })) })).toEqual([]);
  });

  it('of a twist are those of its frame too, and of a kind that a program has none', () => {
    const of = (kind: string) => jogsOf({ ...welcome, references: welcome.references.map((one) => ({ ...one, kind })) });
    expect(of('twist').map(({ name }) => name)).toEqual(['left', 'right']);
    expect(of('wheels')).toEqual([]);
  });

  it('take a share of their speed by the deflection that their response makes it of', () => {
    for (const [deadZone, exponent] of [[0, 1], [0.1, 2], [0.3, 0.5]] as const)
      for (const share of [-1, -0.4, 0, 0.01, 0.7, 1]) {
        const x = deflection(share, deadZone, exponent);
        const beyond = Math.max(0, (Math.abs(x) - deadZone) / (1 - deadZone));
        expect(Math.sign(x) * beyond ** exponent).toBeCloseTo(share, 9);
      }
  });
});
