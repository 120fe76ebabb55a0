// A hand made of jog keys, sticks or a dragged gizmo, for those without a headset: it lies where
// the reference is, closes its clutch when it is asked to move, and then moves as asked, so that
// the server's relative mapping carries the reference along. Everything in W.
import { Quaternion, Vector3 } from 'three';

const kRamp = 0.07; // time constant of its velocity [s]
const kSettle = 0.07; // from closing to moving: the server takes its place meanwhile [s]
const kLinger = 0.35; // closed after the last motion [s]
const kLeash = 0.2; // ahead of the reference [m]
const kDragGain = 14; // [1/s]

export interface Place {
  p: Vector3;
  q: Quaternion;
}

export interface Wish {
  move: Vector3; // velocity [m/s]
  turn: Vector3; // [rad/s]
  hold: boolean; // the clutch, also at rest
  drag: Place | undefined; // where it should go instead, at most as fast as:
  speed: number; // [m/s]
  turnRate: number; // [rad/s]
}

/// Of two orientations, as a turn vector that leads from one to the other [rad].
function turnBetween(from: Quaternion, to: Quaternion): Vector3 {
  const q = to.clone().multiply(from.clone().invert());
  if (q.w < 0) q.set(-q.x, -q.y, -q.z, -q.w);
  const sine = Math.hypot(q.x, q.y, q.z);
  return new Vector3(q.x, q.y, q.z).multiplyScalar(
    sine > 1e-9 ? (2 * Math.atan2(sine, q.w)) / sine : 2);
}

export class MadeHand implements Place {
  readonly p = new Vector3();
  readonly q = new Quaternion();
  closed = false;
  private readonly v = new Vector3();
  private readonly w = new Vector3();
  private since = 0; // it closed [s]
  private idle = 0;
  private held = false;

  open(): void {
    this.closed = false;
    this.since = this.idle = 0;
    this.v.set(0, 0, 0);
    this.w.set(0, 0, 0);
  }

  /// @param dt [s] @param reference that it moves
  update(dt: number, reference: Place, wish: Wish): void {
    const moves = wish.move.lengthSq() > 0 || wish.turn.lengthSq() > 0 || wish.drag !== undefined;
    this.idle = moves || wish.hold ? 0 : this.idle + dt;
    // a clutch that is let go opens at once; keys that end are often followed by others
    if (this.idle > kLinger || (this.held && !wish.hold && !moves)) this.open();
    this.held = wish.hold;
    if (!this.closed) {
      this.p.copy(reference.p);
      this.q.copy(reference.q);
      if (!moves && !wish.hold) return;
      this.closed = true;
    }
    this.since += dt;
    const move = wish.move.clone();
    const turn = wish.turn.clone();
    if (wish.drag) {
      move.subVectors(wish.drag.p, this.p).multiplyScalar(kDragGain).clampLength(0, wish.speed);
      turn.copy(turnBetween(this.q, wish.drag.q)).multiplyScalar(kDragGain)
        .clampLength(0, wish.turnRate);
    }
    // an arm that cannot follow is not run away from
    const ahead = this.p.clone().sub(reference.p);
    if (ahead.length() > kLeash && move.dot(ahead) > 0)
      move.addScaledVector(ahead, -move.dot(ahead) / ahead.lengthSq());
    if (this.since < kSettle) {
      move.set(0, 0, 0);
      turn.set(0, 0, 0);
    }
    const s = 1 - Math.exp(-dt / kRamp);
    this.v.lerp(move, s);
    this.w.lerp(turn, s);
    this.p.addScaledVector(this.v, dt);
    const angle = this.w.length() * dt;
    if (angle > 0)
      this.q.premultiply(new Quaternion().setFromAxisAngle(this.w.clone().normalize(), angle))
        .normalize();
  }
}
