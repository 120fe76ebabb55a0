// A made-up world for the mock server: two FR3 and a box on a pillar, beside a belt. What is pushed
// from both sides is held; nothing here is physics.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { BodyInfo, Contact, HandInfo, JogInfo, LayoutInfo, ShapeInfo } from '../src/protocol.ts';
import { kWebXrSpace } from '../src/teleop/hands.ts';
import { Arm } from './arm.ts';

export const kLayout: LayoutInfo = {
  poses: ['left', 'right', 'head'],
  axes: ['left', 'right'].flatMap((s) => ['trigger', 'squeeze', 'stick_x', 'stick_y'].map((a) => `${s}.${a}`)),
  buttons: ['left', 'right'].flatMap((s) => ['primary', 'secondary', 'stick'].map((a) => `${s}.${a}`)),
  outputs: ['left.rumble', 'right.rumble'].map((name) => ({ name, size: 1, unit: '' })),
};
export const kSides = ['left', 'right'] as const;
const kStiffness = 800; // [N/m]
const kHeld = 4; // [N]
const kFast = 1; // of a reference [m/s]
const kRest = new Vector3(0.52, 0.4, 0.37);
const kHalf = 0.145;

export const kHands: HandInfo[] = kSides.map((side) => ({
  name: `${side}_person`, reference: `${side}_hand`, device: 'headset', pose: side,
  controls: [`${side}.squeeze`, `${side}.trigger`], space: kWebXrSpace,
}));

const kRates = ['x', 'y', 'z', 'roll', 'pitch', 'yaw'];
const kButtons = ['clutch', 'trigger', 'squeeze', 'primary', 'secondary', 'stick'];
export const kPageLayout: LayoutInfo = {
  poses: [], axes: kSides.flatMap((side) => kRates.map((rate) => `${side}.${rate}`)),
  buttons: kSides.flatMap((side) => kButtons.map((button) => `${side}.${button}`)), outputs: [],
};
const kJogSpeed = 0.3, kJogTurnRate = 1.4; // [m/s, rad/s]
export const kJogs: JogInfo[] = kSides.map((side) => ({
  name: `${side}_jog`, reference: `${side}_hand`, device: 'page',
  rates: kRates.map((rate) => ({ axis: `${side}.${rate}`, sign: 1 })), frame: 'world', axes: [0, 0, 0, 1],
  dead_man: `${side}.clutch`, faster: null, slower: null, snap: null, speed: [kJogSpeed, kJogTurnRate], response: [0, 1],
}));

const box = (size: number[], rgba: number[]): ShapeInfo => ({
  type: 'box', size, position: [0, 0, 0], quaternion: [0, 0, 0, 1], rgba, collides: true, vertices: [],
});

export interface Reference {
  p: Vector3;
  q: Quaternion;
  holding: boolean;
  reason: string;
}

class Clutch {
  closed = false;
  private ready = false;
  private base: { p: Vector3; q: Quaternion; from: Vector3; fromQ: Quaternion } | undefined;

  /// @param held each control @return the pose that is wanted, if it is closed
  update(tracked: boolean, held: number[], p: Vector3, q: Quaternion, reference: Reference) {
    if (held.every((x) => x < 0.4)) this.ready = true;
    const closed = tracked && this.ready && held.every((x) => x > 0.6);
    if (this.closed && !tracked) this.ready = false;
    this.closed = closed;
    if (!closed) return (this.base = undefined);
    this.base ??= { p: reference.p.clone(), q: reference.q.clone(), from: p.clone(), fromQ: q.clone() };
    return {
      p: p.clone().sub(this.base.from).add(this.base.p),
      q: q.clone().multiply(this.base.fromQ.clone().invert()).multiply(this.base.q),
    };
  }
}

/// A jog: moves while its dead man is held, which must be pressed anew after what interrupted it.
class DeadMan {
  closed = false;
  private ready = false;

  update(there: boolean, held: boolean): boolean {
    this.ready = there && (this.ready || !held);
    return (this.closed = this.ready && held);
  }
}

export class World {
  time = 0;
  timeout = 0.1; // without a sample [s]
  stopped = false;
  scripted = true;
  state = 'rest';
  beltSpeed = 0.1;
  sample: Float64Array | undefined;
  sampleAt = -Infinity; // by the world's time
  page: Float64Array | undefined; // of the device of that name
  pageAt = -Infinity;
  readonly deadMen = kSides.map(() => new DeadMan());
  readonly arms = [new Arm('left', new Vector3(0, 0.8, 0)), new Arm('right', new Vector3(0, 0, 0))];
  readonly references: Reference[];
  readonly clutches = kSides.map(() => new Clutch());
  readonly forces = [0, 0];
  contacts: Contact[] = [];
  readonly box = kRest.clone();
  private phase = 0;

  constructor() {
    this.references = this.arms.map(({ X_WE }) => ({
      p: new Vector3().setFromMatrixPosition(X_WE), q: new Quaternion().setFromRotationMatrix(X_WE),
      holding: false, reason: '',
    }));
  }

  get bodies(): BodyInfo[] {
    return [
      { name: 'world', kind: 'ground', robot: '', shapes: [], speed: [], mass: 0.5, frames: [] },
      ...this.arms.flatMap((arm) => arm.bodies),
      { name: 'box', kind: 'object', robot: '', shapes: [box([0.24, 0.29, 0.24], [0.78, 0.6, 0.38, 1])], speed: [], mass: 0.5, frames: [] },
      { name: 'pillar', kind: 'fixture', robot: '', shapes: [box([0.16, 0.16, 0.25], [0.45, 0.47, 0.5, 1])], speed: [], mass: 0.5, frames: [] },
      { name: 'conveyor', kind: 'belt', robot: '', shapes: [box([1.6, 0.45, 0.3], [0.25, 0.27, 0.3, 1])], speed: [this.beltSpeed, 0, 0], mass: 0.5, frames: [] },
    ];
  }

  get poses(): Float32Array {
    const of = (X: Matrix4) => [...new Vector3().setFromMatrixPosition(X).toArray(),
      ...new Quaternion().setFromRotationMatrix(X).toArray()];
    return Float32Array.from([
      [0, 0, 0, 0, 0, 0, 1], ...this.arms.flatMap((arm) => arm.X_WL.map(of)),
      [...this.box.toArray(), 0, 0, 0, 1], [0.52, 0.4, 0.125, 0, 0, 0, 1],
      [0.85, -0.75, 0.15, 0, 0, Math.SQRT1_2, Math.SQRT1_2],
    ].flat());
  }

  get sampleAge(): number | null {
    return this.sample ? this.time - this.sampleAt : null;
  }

  advance(dt: number): void {
    this.time += dt;
    if (!this.stopped) (this.scripted ? this.script(dt) : this.person(dt));
    this.arms.forEach((arm, i) => arm.follow(this.references[i]!.p, this.references[i]!.q));
    this.touch(dt);
  }

  private toward(i: number, p: Vector3, q: Quaternion, speed: number, dt: number): void {
    const reference = this.references[i]!;
    reference.p.add(p.clone().sub(reference.p).clampLength(0, speed * dt));
    reference.q.rotateTowards(q, 2.5 * dt);
    reference.holding = false;
    reference.reason = '';
  }

  // approach, press, lift, keep, lower, let go, again
  private script(dt: number): void {
    this.phase = (this.phase + dt) % 16;
    const t = this.phase;
    const step = t < 3 ? 0 : t < 5 ? 1 : t < 7.5 ? 2 : t < 9.5 ? 3 : t < 12 ? 4 : 5;
    this.state = ['approach', 'press', 'lift', 'keep', 'lower', 'let_go'][step]!;
    const gap = [0.26, 0.137, 0.137, 0.137, 0.137, 0.28][step]!;
    const up = step === 2 || step === 3 ? 0.22 : 0;
    kSides.forEach((_, i) => {
      const sign = i === 0 ? 1 : -1;
      const p = kRest.clone().add(new Vector3(0, sign * gap, up));
      const q = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), (sign * Math.PI) / 2);
      this.toward(i, p, q, 0.18, dt);
    });
  }

  private person(dt: number): void {
    this.state = 'teleoperate';
    const sample = this.sample;
    const late = this.time - this.sampleAt > this.timeout;
    const R_WV = new Quaternion(...kWebXrSpace as [number, number, number, number]);
    kSides.forEach((side, i) => {
      const n = sample?.subarray(8 * i, 8 * i + 8);
      const tracked = !late && n?.[0] === 1;
      const held = ['squeeze', 'trigger'].map((control) => {
        const at = kLayout.axes.indexOf(`${side}.${control}`);
        return sample && !late ? sample[24 + at]! : 1;
      });
      const p = new Vector3(...(n ? [n[1]!, n[2]!, n[3]!] : [0, 0, 0]) as [number, number, number]).applyQuaternion(R_WV);
      const q_VC = new Quaternion(...(n ? [...n.subarray(4)] : [0, 0, 0, 1]) as [number, number, number, number]);
      const q = R_WV.clone().multiply(q_VC).multiply(R_WV.clone().invert());
      const reference = this.references[i]!;
      const wanted = this.clutches[i]!.update(tracked, held, p, q, reference);
      if (this.jog(i, dt)) return;
      if (wanted) return this.toward(i, wanted.p, wanted.q, kFast, dt);
      reference.holding = true;
      reference.reason = late ? 'no samples come' : !tracked
        ? n?.[0] === 2 ? 'what is tracked is a hand' : 'tracking is lost' : 'the clutch is open';
    });
  }

  /// Whether a hand or a jog moves the reference.
  closed(i: number): boolean {
    return this.clutches[i]!.closed || this.deadMen[i]!.closed;
  }

  private jog(i: number, dt: number): boolean {
    const n = this.page ?? new Float64Array(kPageLayout.axes.length + kPageLayout.buttons.length);
    const there = this.page !== undefined && this.time - this.pageAt <= this.timeout;
    const held = n[kPageLayout.axes.length + kButtons.length * i]! > 0.5;
    if (!this.deadMen[i]!.update(there, held)) return false;
    const rates = n.subarray(6 * i, 6 * i + 6);
    const reference = this.references[i]!;
    const move = new Vector3(rates[0], rates[1], rates[2]).clampLength(0, 1);
    reference.p.addScaledVector(move, kJogSpeed * dt);
    const turn = new Vector3(rates[3], rates[4], rates[5]).clampLength(0, 1);
    if (turn.length() > 0)
      reference.q.premultiply(new Quaternion().setFromAxisAngle(
        turn.clone().normalize(), kJogTurnRate * turn.length() * dt)).normalize();
    reference.holding = false;
    reference.reason = '';
    return true;
  }

  /// Hands over: nothing that is held now counts.
  handOver(scripted: boolean): void {
    this.scripted = scripted;
    this.sample = undefined;
    this.page = undefined;
    this.sampleAt = this.pageAt = -Infinity;
    kSides.forEach((_, i) => {
      this.clutches[i] = new Clutch();
      this.deadMen[i] = new DeadMan();
    });
  }

  stop(): void {
    this.stopped = true;
    this.handOver(this.scripted);
    for (const reference of this.references) Object.assign(reference, { holding: true, reason: 'stopped' });
  }

  private touch(dt: number): void {
    this.contacts = [];
    const names = this.bodies.map(({ name }) => name);
    const at = this.references.map(({ p }) => p.clone().sub(this.box));
    const faces = at.map((d, i) => (i === 0 ? kHalf - d.y : kHalf + d.y));
    const near = at.map((d) => Math.abs(d.x) < 0.1 && Math.abs(d.z) < 0.1);
    kSides.forEach((side, i) => {
      this.forces[i] = near[i] && faces[i]! > 0 && faces[i]! < 0.1 ? kStiffness * faces[i]! : 0;
      if (this.forces[i]! > 0)
        for (const [x, z] of [[-0.05, -0.05], [0.05, -0.05], [-0.05, 0.05], [0.05, 0.05]])
          this.contacts.push({
            a: names.indexOf(`${side}.pad_body`), b: names.indexOf('box'),
            position: [this.references[i]!.p.x + x!, this.box.y + (i === 0 ? kHalf : -kHalf), this.references[i]!.p.z + z!],
            force: [0, (i === 0 ? -1 : 1) * this.forces[i]!, 0],
          });
    });
    const held = this.forces.every((f) => f > kHeld);
    if (held) {
      const middle = this.references[0]!.p.clone().add(this.references[1]!.p).multiplyScalar(0.5);
      this.box.lerp(new Vector3(middle.x, middle.y, Math.max(middle.z, kRest.z)), 0.3);
    } else {
      this.box.z = Math.max(kRest.z, this.box.z - 0.6 * dt);
      this.box.x += (kRest.x - this.box.x) * 0.02;
      this.box.y += (kRest.y - this.box.y) * 0.02;
    }
  }
}
