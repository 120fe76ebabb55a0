// One person without a headset drives one hand or two: what keys, gamepad, pads and gizmo ask for
// becomes the motion of hands made up for it, and those become samples as of a headset.
import { type Camera, Quaternion, Vector3 } from 'three';
import type { Hand } from './hands.ts';
import { emptyJog, type Jog } from './keyboard.ts';
import { MadeHand, type Place } from './made_hand.ts';
import { type SampleWriter, TrackedAs } from './sample.ts';
import { facing } from './stand.ts';

export const kChoices = ['left', 'right', 'together', 'mirror'] as const;
export type Choice = (typeof kChoices)[number];

/// To what the operator's axes are: as somebody stands who looks along the hand's forward, or as the
/// camera looks, to the nearest quarter turn. Up is W's.
export type JogAxes = 'view' | 'world';

/// Where a camera looks, along the floor: also of one that looks straight down, whose picture has it
/// upwards.
export function looks(camera: Camera): Vector3 {
  const right = new Vector3(1, 0, 0).applyQuaternion(camera.getWorldQuaternion(new Quaternion()));
  return new Vector3(0, 0, 1).cross(right).setZ(0).normalize();
}

/// Right, forward and up in W.
export function jogAxes(axes: JogAxes, hand: Hand, look: Vector3): [Vector3, Vector3, Vector3] {
  const stands = facing(hand.R_WV);
  const up = new Vector3(0, 0, 1);
  let forward = new Vector3(0, 0, -1).applyQuaternion(stands);
  let right = new Vector3(1, 0, 0).applyQuaternion(stands);
  if (axes === 'view') {
    const angle = Math.atan2(-look.dot(right), look.dot(forward));
    const turn = new Quaternion().setFromAxisAngle(
      up, Math.round(angle / (Math.PI / 2)) * (Math.PI / 2));
    forward = forward.applyQuaternion(turn);
    right = right.applyQuaternion(turn);
  }
  return [right, forward, up];
}

export class Drive {
  choice: Choice = 'left';
  axes: JogAxes = 'view';
  speed = 0.15; // [m/s]
  turnRate = 0.7; // [rad/s]
  drag: Place | undefined; // of the first hand that is driven
  readonly made: MadeHand[];
  readonly hands: Hand[];
  private controls: Record<string, number> = {};

  constructor(hands: Hand[]) {
    this.hands = hands;
    this.made = hands.map(() => new MadeHand());
  }

  /// What may be chosen of: with one hand there is one.
  get choices(): string[] {
    return this.hands.length >= 2
      ? [this.hands[0]!.name, this.hands[1]!.name, 'together', 'mirror']
      : this.hands.map((hand) => hand.name);
  }

  /// Indices of the hands that are driven.
  get driven(): number[] {
    if (this.hands.length < 2) return this.hands.map((_, i) => i);
    return this.choice === 'left' ? [0] : this.choice === 'right' ? [1] : [0, 1];
  }

  /// Where each hand is asked to go, by its reference's name: where the gizmo was dragged to, else
  /// where the made-up hand is ahead of the reference.
  get targets(): Map<string, Place> {
    const targets = new Map<string, Place>();
    this.driven.forEach((i, k) => {
      const place = k === 0 && this.drag ? this.drag : this.made[i]!.closed ? this.made[i]! : undefined;
      if (place) targets.set(this.hands[i]!.referenceName, place);
    });
    return targets;
  }

  next(): void {
    this.choice = kChoices[(kChoices.indexOf(this.choice) + 1) % kChoices.length]!;
  }

  open(): void {
    for (const hand of this.made) hand.open();
    this.drag = undefined;
    this.controls = {};
  }

  /// @param references where each is @param look of the camera, in W: looks()
  update(dt: number, jogs: Jog[], references: (reference: number) => Place | undefined,
         look: Vector3): void {
    const jog = emptyJog();
    for (const { move, turn, clutch, controls } of jogs) {
      jog.move.add(move);
      jog.turn.add(turn);
      jog.clutch ||= clutch;
      for (const [name, value] of Object.entries(controls))
        jog.controls[name] = Math.max(value, jog.controls[name] ?? 0);
    }
    jog.move.clampLength(0, 1);
    jog.turn.clampLength(0, 1);
    this.controls = jog.controls;

    const driven = this.driven;
    const first = driven[0] === undefined ? undefined : this.hands[driven[0]];
    const before = first && references(first.reference);
    const from = before && driven[0] !== undefined && this.made[driven[0]]!.closed
      ? this.made[driven[0]]! : before;
    this.hands.forEach((hand, i) => {
      const reference = references(hand.reference);
      if (!reference) return this.made[i]!.open();
      if (!driven.includes(i) || !first)
        return this.made[i]!.update(
          dt, reference, { move: new Vector3(), turn: new Vector3(), hold: false, drag: undefined, speed: 0, turnRate: 0 });
      const [right, forward, up] = jogAxes(this.axes, first, look);
      const inW = (v: Vector3, by: number) =>
        new Vector3().addScaledVector(right, v.x * by).addScaledVector(forward, v.y * by)
          .addScaledVector(up, v.z * by);
      const move = inW(jog.move, this.speed);
      const turn = inW(jog.turn, this.turnRate);
      const isFirst = i === driven[0];
      if (!isFirst && this.drag && from) {
        // the second hand goes as fast as the first must, not to the same place
        move.subVectors(this.drag.p, from.p).multiplyScalar(14).clampLength(0, this.speed);
      }
      if (!isFirst && this.choice === 'mirror') {
        const side = new Vector3(1, 0, 0).applyQuaternion(facing(hand.R_WV));
        move.addScaledVector(side, -2 * side.dot(move));
        // a turn is mirrored as what it does to points is
        turn.addScaledVector(side, -2 * side.dot(turn)).negate();
      }
      this.made[i]!.update(
        dt, reference, { move, turn, hold: jog.clutch, drag: isFirst ? this.drag : undefined,
          speed: this.speed, turnRate: this.turnRate });
    });
  }

  /// @param index of the device
  write(index: number, sample: SampleWriter): void {
    sample.rest();
    const driven = this.driven;
    this.hands.forEach((hand, i) => {
      if (hand.device !== index) return;
      const made = this.made[i]!;
      const to = hand.R_WV.clone().invert();
      const p = made.p.clone().divide(hand.scale).applyQuaternion(to);
      sample.pose(hand.pose, TrackedAs.controller, p, to.multiply(made.q).multiply(hand.R_EC));
      if (driven.includes(i))
        for (const [name, value] of Object.entries(this.controls)) {
          const full = `${hand.pose}.${name}`;
          // what closes the clutch is the clutch's
          if (!hand.controls.includes(full)) sample.control(full, value);
        }
      for (const control of hand.controls) sample.control(control, made.closed ? 1 : 0);
    });
  }
}
