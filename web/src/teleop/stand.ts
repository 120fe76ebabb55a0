// Where the operator stands in the scene. S is the headset's floor space (x right, y up, -z
// forward), V the axes that a hand's mapping has: where the operator sees a hand is where samples
// say it is, so it makes no difference how the operator walked or turned.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Welcome } from '../protocol.ts';

export interface Stand {
  x: number; // of S's origin in W [m]
  y: number;
  height: number; // of the operator's floor above W's
  yaw: number; // of the operator's forward from the space's, about W's z [rad]
}

/// How somebody stands who looks along a hand's forward: S in W, whose up is W's whatever axes the
/// hand's samples have.
export function facing(R_WV: Quaternion): Quaternion {
  const up = new Vector3(0, 0, 1);
  const forward = new Vector3(0, 0, -1).applyQuaternion(R_WV).projectOnPlane(up);
  // one that looks up or down: the axis to the right says it
  if (forward.length() < 1e-3)
    forward.crossVectors(up, new Vector3(1, 0, 0).applyQuaternion(R_WV)).projectOnPlane(up);
  if (forward.length() < 1e-3) forward.set(1, 0, 0);
  forward.normalize();
  const right = new Vector3().crossVectors(forward, up);
  return new Quaternion().setFromRotationMatrix(
    new Matrix4().makeBasis(right, up, forward.negate()));
}

/// Behind the robots that are there, in the middle, 0.6 m back.
export function usualStand(welcome: Welcome, bases: Vector3[], R_WV: Quaternion): Stand {
  const frame = welcome.scene.frames.find(({ name }) => name === 'operator');
  if (frame) {
    const [x = 0, y = 0, height = 0] = frame.position;
    return { x, y, height, yaw: 0 };
  }
  const middle = bases.reduce((sum, p) => sum.add(p), new Vector3())
    .divideScalar(Math.max(1, bases.length));
  const back = new Vector3(0, 0, 1).applyQuaternion(facing(R_WV));
  return { x: middle.x + 0.6 * back.x, y: middle.y + 0.6 * back.y, height: 0, yaw: 0 };
}

/// X_WS.
export function standMatrix(stand: Stand, R_WV: Quaternion): Matrix4 {
  const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), stand.yaw);
  return new Matrix4().compose(
    new Vector3(stand.x, stand.y, stand.height), turn.multiply(facing(R_WV)),
    new Vector3(1, 1, 1));
}

/// A pose in S as the samples have it, in V.
export function toSample(X_WS: Matrix4, R_WV: Quaternion, p: Vector3, q: Quaternion): void {
  const R_VW = R_WV.clone().invert();
  p.applyMatrix4(X_WS).applyQuaternion(R_VW);
  q.premultiply(new Quaternion().setFromRotationMatrix(X_WS)).premultiply(R_VW);
}

/// Moves where the operator stands, as they look: right and forward [m].
export function step(stand: Stand, R_WV: Quaternion, right: number, forward: number): void {
  const v = new Vector3(right, 0, -forward)
    .applyMatrix4(standMatrix({ ...stand, x: 0, y: 0, height: 0 }, R_WV));
  stand.x += v.x;
  stand.y += v.y;
}
