// One person without a headset drives one hand or two: what keys, gamepad, pads and gizmo ask for
// becomes deflections of the axes that a jog of the server has. The server moves the reference, with
// the jog's workspace, slow-down, scale of its speed and dead man.
import { type Camera, Quaternion, Vector3 } from 'three';
import { type Hand, type Jogged, type Place } from './hands.ts';
import { emptyJog, type Jog } from './keyboard.ts';
import type { SampleWriter } from './sample.ts';
import { facing } from './stand.ts';

export const kChoices = ['left', 'right', 'together', 'mirror'] as const;
export type Choice = (typeof kChoices)[number];

/// To what the operator's axes are: as somebody stands who looks along the hand's forward, or as the
/// camera looks, to the nearest quarter turn. Up is W's.
export type JogAxes = 'view' | 'world';

/// What asks: a device whose layout the same thing feeds directly does not hear it here too.
export type Asker = 'key' | 'pad' | 'touch';
export interface Asked {
  by: Asker;
  jog: Jog;
}

const kLinger = 0.35; // the dead man is held for so long after the last motion by keys [s]
const kDragGain = 5; // of the gizmo: slow enough for a jog that takes 0.1 s to brake [1/s]
const kPressed = 0.05; // a rate that a button gives is asked for above it

/// Where a camera looks, along the floor: also of one that looks straight down, whose picture has it
/// upwards.
export function looks(camera: Camera): Vector3 {
  const right = new Vector3(1, 0, 0).applyQuaternion(camera.getWorldQuaternion(new Quaternion()));
  return new Vector3(0, 0, 1).cross(right).setZ(0).normalize();
}

/// Right, forward and up in W. @param R_WV x right, y up, z back of who stands
export function jogAxes(axes: JogAxes, R_WV: Quaternion, look: Vector3): [Vector3, Vector3, Vector3] {
  const stands = facing(R_WV);
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

/// Of two orientations, as a turn vector that leads from one to the other [rad].
function turnBetween(from: Quaternion, to: Quaternion): Vector3 {
  const q = to.clone().multiply(from.clone().invert());
  if (q.w < 0) q.set(-q.x, -q.y, -q.z, -q.w);
  const sine = Math.hypot(q.x, q.y, q.z);
  return new Vector3(q.x, q.y, q.z).multiplyScalar(
    sine > 1e-9 ? (2 * Math.atan2(sine, q.w)) / sine : 2);
}

/// The deflection of which a jog makes this share of its speed.
export function deflection(share: number, deadZone: number, exponent: number): number {
  const size = Math.min(1, Math.abs(share));
  return size < 1e-9 ? 0 : Math.sign(share) * (deadZone + (1 - deadZone) * size ** (1 / exponent));
}

/// What is asked of one hand.
class Wish {
  readonly move = new Vector3(); // of the frame, in W [m/s]
  readonly turn = new Vector3(); // [rad/s]
  q = new Quaternion(); // of the reference
  closed = false; // its dead man is held
  controls: Record<string, number> = {};
  private idle = 0;
  private held = false;

  open(): void {
    this.rest();
    this.closed = this.held = false;
    this.idle = 0;
  }

  rest(): void {
    this.move.set(0, 0, 0);
    this.turn.set(0, 0, 0);
    this.controls = {};
  }

  /// A dead man that is let go opens at once; keys that end are often followed by others.
  close(dt: number, hold: boolean): void {
    const moves = this.move.lengthSq() > 0 || this.turn.lengthSq() > 0;
    this.idle = moves || hold ? 0 : this.idle + dt;
    this.closed = moves || hold || (this.closed && !this.held && this.idle <= kLinger);
    this.held = hold;
  }
}

export class Drive {
  choice: Choice = 'left';
  axes: JogAxes = 'view';
  speed = 0.15; // [m/s]
  turnRate = 0.7; // [rad/s]
  drag: Place | undefined; // of the first hand that is driven
  readonly hands: Jogged[];
  private readonly clutched: Hand[]; // of headsets
  private readonly wishes: Wish[];
  private readonly direct: Set<Asker>[]; // by device
  private controls: Record<string, number> = {};

  /// @param direct of each device: what feeds its layout directly
  constructor(hands: Jogged[], clutched: Hand[] = [], direct: Set<Asker>[] = []) {
    this.hands = hands;
    this.clutched = clutched;
    this.direct = direct;
    this.wishes = hands.map(() => new Wish());
    if (hands[0]) {
      this.speed = hands[0].speed / 2;
      this.turnRate = hands[0].turnRate / 2;
    }
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

  /// Where a hand is asked to go, by its reference's name: where the gizmo was dragged to.
  get targets(): Map<string, Place> {
    const first = this.hands[this.driven[0] ?? -1];
    return new Map(first && this.drag ? [[first.referenceName, this.drag]] : []);
  }

  /// Whether it asks the jog of this device for something now.
  asks(device: number): boolean {
    return this.hands.some((hand, i) => hand.device === device && this.wishes[i]!.closed);
  }

  next(): void {
    this.choice = kChoices[(kChoices.indexOf(this.choice) + 1) % kChoices.length]!;
  }

  open(): void {
    for (const wish of this.wishes) wish.open();
    this.drag = undefined;
    this.controls = {};
  }

  /// @param references where each is @param look of the camera, in W: looks()
  update(dt: number, asked: Asked[], references: (reference: number) => Place | undefined,
         look: Vector3): void {
    this.controls = merged(asked).controls;
    const driven = this.driven;
    const first = this.hands[driven[0] ?? -1];
    const from = first && references(first.reference);
    this.hands.forEach((hand, i) => {
      const wish = this.wishes[i]!;
      const at = references(hand.reference);
      if (!at || !first || !driven.includes(i)) return wish.open();
      wish.rest();
      wish.q = at.q;
      const jog = merged(asked.filter(({ by }) => !this.direct[hand.device]?.has(by)));
      const [right, forward, up] = jogAxes(this.axes, first.R_WV, look);
      const inW = (to: Vector3, v: Vector3, by: number) =>
        to.addScaledVector(right, v.x * by).addScaledVector(forward, v.y * by).addScaledVector(up, v.z * by);
      const speed = Math.min(this.speed, hand.speed);
      const turnRate = Math.min(this.turnRate, hand.turnRate);
      inW(wish.move, jog.move, speed);
      inW(wish.turn, jog.turn, turnRate);
      if (this.drag && from) {
        // the second hand goes as fast as the first, not to the same place
        wish.move.subVectors(this.drag.p, from.p).multiplyScalar(kDragGain).clampLength(0, speed);
        if (hand === first)
          wish.turn.copy(turnBetween(at.q, this.drag.q)).multiplyScalar(kDragGain).clampLength(0, turnRate);
      }
      if (hand !== first && this.choice === 'mirror') {
        const side = new Vector3(1, 0, 0).applyQuaternion(facing(hand.R_WV));
        wish.move.addScaledVector(side, -2 * side.dot(wish.move));
        // a turn is mirrored as what it does to points is
        wish.turn.addScaledVector(side, -2 * side.dot(wish.turn)).negate();
      }
      wish.controls = jog.controls;
      wish.close(dt, jog.clutch || this.drag !== undefined);
    });
  }

  /// @param index of the device
  write(index: number, sample: SampleWriter): void {
    this.hands.forEach((hand, i) => {
      const wish = this.wishes[i]!;
      if (hand.device === index) this.writeJog(hand, wish, sample);
    });
    const driven = this.driven.map((i) => this.hands[i]!);
    for (const hand of this.clutched) {
      if (hand.device !== index) continue;
      const jogged = this.hands.findIndex((one) => one.hand?.pose === hand.pose && one.hand.device === index);
      // what closes the clutch is the clutch's, and held where it is for something else too
      if (this.wishes[jogged]?.closed)
        for (const control of hand.controls) sample.ask(control, 1);
      if (jogged >= 0 ? !driven.includes(this.hands[jogged]!) : this.hands.length > 0) continue;
      for (const [name, value] of Object.entries(this.controls))
        if (!hand.controls.includes(`${hand.pose}.${name}`)) sample.ask(`${hand.pose}.${name}`, value);
    }
  }

  private writeJog(hand: Jogged, wish: Wish, sample: SampleWriter): void {
    for (const [name, value] of Object.entries(wish.controls)) {
      const control = { faster: hand.faster, slower: hand.slower }[name] ?? hand.prefix + name;
      if (control !== hand.deadMan) sample.ask(control, value);
    }
    if (!wish.closed) return;
    if (hand.deadMan) sample.ask(hand.deadMan, 1);
    const R_OW = (hand.R_WO ?? wish.q).clone().invert();
    const rates = [...wish.move.clone().divideScalar(hand.speed).applyQuaternion(R_OW).toArray(),
      ...wish.turn.clone().divideScalar(hand.turnRate).applyQuaternion(R_OW).toArray()];
    rates.forEach((share, k) => {
      const rate = hand.rates[k];
      if (!rate) return;
      if ('axis' in rate) sample.ask(rate.axis, rate.sign * deflection(share, hand.deadZone, hand.exponent));
      else if (Math.abs(share) > kPressed) sample.ask(share > 0 ? rate.plus : rate.minus, 1);
    });
  }
}

function merged(asked: Asked[]): Jog {
  const jog = emptyJog();
  for (const { jog: { move, turn, clutch, controls } } of asked) {
    jog.move.add(move);
    jog.turn.add(turn);
    jog.clutch ||= clutch;
    for (const [name, value] of Object.entries(controls))
      jog.controls[name] = Math.max(value, jog.controls[name] ?? 0);
  }
  jog.move.clampLength(0, 1);
  jog.turn.clampLength(0, 1);
  return jog;
}
