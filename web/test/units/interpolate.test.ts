import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import type { Frame } from '../../src/protocol.ts';
import { blendPose, Interpolator } from '../../src/scene/interpolate.ts';

const turned = (angle: number) =>
  new Quaternion().setFromAxisAngle(new Vector3(1, 2, 3).normalize(), angle);

function frame(taken: number, more: Partial<Frame> = {}, x = taken): Frame {
  return {
    stopped: false, recording: false, episode: false, replay: false, sequence: 0, tick: 0,
    time: taken, taken, poses: Float32Array.from([x, 0, 0, 0, 0, 0, 1]), holding: [],
    references: new Float32Array(), contacts: [], channels: new Map(), ...more,
  };
}

describe('blend of poses', () => {
  it('turns at an even rate along the shortest way, whichever quaternion says it', () => {
    const a = turned(0.3);
    const b = turned(1.9);
    for (const sign of [1, -1])
      for (const s of [0, 0.25, 0.5, 1]) {
        const into = new Float32Array(7);
        blendPose([0, 0, 0, ...a.toArray()], [2, 0, -4, ...b.toArray().map((x) => sign * x)], s, 0, into);
        const got = new Quaternion().fromArray(into, 3);
        expect(got.angleTo(turned(0.3 + 1.6 * s))).toBeLessThan(1e-3);
        expect([...into.subarray(0, 3)]).toEqual([2 * s, 0, 0 - 4 * s]);
      }
  });

  it('stays a rotation between what is nearly the same', () => {
    const into = new Float32Array(7);
    blendPose([0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 1e-5, 0, 0, 1], 0.5, 0, into);
    expect(Math.hypot(...into.subarray(3))).toBeCloseTo(1, 6);
  });
});

describe('interpolation', () => {
  it('shows what was, a little more than one frame ago, between the two frames around it', () => {
    const to = new Interpolator();
    for (let i = 0; i <= 30; ++i) to.add(frame(i / 60), i / 60 + 0.002);
    const at = 30 / 60 + 0.002;
    expect(to.lag).toBeGreaterThan(1 / 60 - 1e-9);
    expect(to.lag).toBeLessThan(2 / 60);
    expect(to.show(at)!.poses[0]).toBeCloseTo(at - to.lag, 5);
    expect(to.show(at + 0.005)!.poses[0]).toBeCloseTo(at + 0.005 - to.lag, 5);
  });

  it('never goes past the newest frame, however long none came', () => {
    const to = new Interpolator();
    to.add(frame(0), 0);
    to.add(frame(1 / 60), 1 / 60);
    expect(to.show(10)!.poses[0]).toBeCloseTo(1 / 60, 6);
  });

  it('does not blend over a jump: another run, a replay, a seek', () => {
    for (const jump of [frame(0.5 - 1, {}, 9), frame(0.5 + 1 / 60, { replay: true }, 9),
      frame(0.5 + 1 / 60, { time: 7 }, 9)]) {
      const to = new Interpolator();
      to.add(frame(0.5, {}, 0), 0.5);
      to.add(jump, 0.52);
      expect(to.show(jump.taken)!.poses[0]).toBe(9);
    }
  });

  it('shows nothing before there is anything', () =>
    expect(new Interpolator().show(1)).toBeUndefined());
});
