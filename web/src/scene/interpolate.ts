// Where things are between two frames: what is shown lags the newest frame by a little more than
// their period, so that there is nearly always one on either side.
import type { Frame } from '../protocol.ts';

const kKept = 16;
const kLeastLag = 0.012;
const kMostLag = 0.15; // [s]

/// b's orientation may be the other of the two quaternions that mean it. Shortest arc, normalised.
export function blendPose(
  a: ArrayLike<number>, b: ArrayLike<number>, s: number, at: number, into: Float32Array,
): void {
  for (let i = 0; i < 3; ++i) into[at + i] = a[at + i]! + s * (b[at + i]! - a[at + i]!);
  let dot = 0;
  for (let i = 3; i < 7; ++i) dot += a[at + i]! * b[at + i]!;
  const sign = dot < 0 ? -1 : 1;
  const angle = Math.acos(Math.min(1, Math.abs(dot)));
  const sine = Math.sin(angle);
  // close together the chord is the arc
  const wa = sine > 1e-4 ? Math.sin((1 - s) * angle) / sine : 1 - s;
  const wb = sign * (sine > 1e-4 ? Math.sin(s * angle) / sine : s);
  let norm = 0;
  for (let i = 3; i < 7; ++i) {
    const x = wa * a[at + i]! + wb * b[at + i]!;
    into[at + i] = x;
    norm += x * x;
  }
  norm = Math.sqrt(norm) || 1;
  for (let i = 3; i < 7; ++i) into[at + i]! /= norm;
}

export interface Shown {
  poses: Float32Array; // 7 a body
  references: Float32Array;
  time: number; // simulated [s]
  newest: Frame;
}

export class Interpolator {
  private frames: Frame[] = [];
  private period = 1 / 60; // between frames, smoothed [s]
  private jitter = 0; // of their arrival [s]
  private arrived = 0;
  private shown: Shown | undefined;

  /// @param at when it arrived, by the server's clock as the page thinks [s]
  add(frame: Frame, at: number): void {
    const last = this.frames.at(-1);
    // another run, a replay, or a jump of one: nothing in between
    if (last && (frame.taken <= last.taken || frame.poses.length !== last.poses.length ||
        frame.replay !== last.replay || Math.abs(frame.time - last.time) > 0.5))
      this.frames = [];
    else if (last && frame.taken - last.taken < 0.5) {
      this.period += 0.05 * (frame.taken - last.taken - this.period);
      const late = Math.abs(at - this.arrived - (frame.taken - last.taken));
      this.jitter = Math.max(late, 0.98 * this.jitter);
    }
    this.arrived = at;
    this.frames.push(frame);
    if (this.frames.length > kKept) this.frames.shift();
  }

  /// Behind the newest frame [s].
  get lag(): number {
    return Math.min(kMostLag, Math.max(kLeastLag, this.period + this.jitter));
  }

  /// @param at the server's clock as the page thinks [s] @return none before the first frame
  show(at: number): Shown | undefined {
    const newest = this.frames.at(-1);
    if (!newest) return undefined;
    // an offset that is wrong must not show the past
    const time = Math.max(at - this.lag, newest.taken - kMostLag);
    let i = this.frames.length - 1;
    while (i > 0 && this.frames[i]!.taken > time) --i;
    const a = this.frames[i]!;
    const b = this.frames[Math.min(i + 1, this.frames.length - 1)]!;
    const span = b.taken - a.taken;
    const s = span > 0 ? Math.min(1, Math.max(0, (time - a.taken) / span)) : 1;
    if (!this.shown || this.shown.poses.length !== b.poses.length ||
        this.shown.references.length !== b.references.length)
      this.shown = {
        poses: new Float32Array(b.poses.length),
        references: new Float32Array(b.references.length),
        time: 0,
        newest,
      };
    for (let k = 0; k < b.poses.length; k += 7) blendPose(a.poses, b.poses, s, k, this.shown.poses);
    for (let k = 0; k < b.references.length; k += 7)
      blendPose(a.references, b.references, s, k, this.shown.references);
    this.shown.time = a.time + s * (b.time - a.time);
    this.shown.newest = newest;
    return this.shown;
  }

  clear(): void {
    this.frames = [];
  }
}
