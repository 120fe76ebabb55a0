// Where the operator sees a hand is where the samples say it is, wherever the operator stands.
import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { kWebXrSpace } from '../../src/teleop/hands.ts';
import { standMatrix, step, toSample } from '../../src/teleop/stand.ts';

const R_WV = new Quaternion(...kWebXrSpace as [number, number, number, number]);

describe('stand', () => {
  it('puts a hand half a metre ahead of the operator half a metre along W\'s x', () => {
    const X_WS = standMatrix({ x: -1, y: 0.4, height: 0, yaw: 0 }, R_WV);
    const hand = new Vector3(0.1, 1.2, -0.5).applyMatrix4(X_WS);
    expect(hand.toArray()).toEqual([-0.5, expect.closeTo(0.3, 9), expect.closeTo(1.2, 9)]);
  });

  it('leaves samples alone but for a shift while the operator does not turn', () => {
    const X_WS = standMatrix({ x: -1, y: 0.4, height: 0.2, yaw: 0 }, R_WV);
    const a = new Vector3(0.1, 1.2, -0.5);
    const b = new Vector3(0.2, 1.0, -0.1);
    const q = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), 0.7);
    const turned = q.clone();
    const [p_a, p_b] = [a.clone(), b.clone()];
    toSample(X_WS, R_WV, p_a, turned);
    toSample(X_WS, R_WV, p_b, q.clone());
    expect(p_b.sub(p_a).distanceTo(b.sub(a))).toBeLessThan(1e-9);
    expect(turned.angleTo(q)).toBeLessThan(1e-7);
  });

  it('follows what the operator sees after a turn: away from the operator is away in the scene', () => {
    const X_WS = standMatrix({ x: 0, y: 0, height: 0, yaw: Math.PI / 2 }, R_WV);
    const [from, to] = [new Vector3(0, 1, 0), new Vector3(0, 1, -0.3)];
    for (const p of [from, to]) toSample(X_WS, R_WV, p, new Quaternion());
    const seen = new Vector3(0, 1, -0.3).applyMatrix4(X_WS).sub(new Vector3(0, 1, 0).applyMatrix4(X_WS));
    const moved = to.sub(from).applyQuaternion(R_WV);
    expect(moved.distanceTo(seen)).toBeLessThan(1e-9);
    expect(seen.y).toBeCloseTo(0.3, 9);
  });

  it('walks as the operator looks', () => {
    const stand = { x: 0, y: 0, height: 0, yaw: Math.PI / 2 };
    step(stand, R_WV, 0, 1);
    expect([stand.x, stand.y]).toEqual([expect.closeTo(0, 9), expect.closeTo(1, 9)]);
    step(stand, R_WV, 1, 0);
    expect([stand.x, stand.y]).toEqual([expect.closeTo(1, 9), expect.closeTo(1, 9)]);
  });
});
