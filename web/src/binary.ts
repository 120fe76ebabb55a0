// The binary frames of docs/protocol.md: what a page is shown, and samples of devices.
import { ProtocolError } from './check.ts';
import type { Numbers } from './protocol.ts';

export const kFrameKind = 1;
export const kSampleKind = 16;
export const kPoseNumbers = 8;

export interface Contact {
  a: number; // bodies
  b: number;
  position: Numbers; // in W (3)
  force: Numbers; // on b, in W [N] (3)
}

export interface Frame {
  stopped: boolean;
  recording: boolean;
  episode: boolean;
  replay: boolean;
  sequence: number;
  tick: number;
  time: number; // simulated [s]
  taken: number; // by the server's clock [s]
  poses: Float32Array; // 7 a body
  holding: boolean[]; // of each reference
  references: Float32Array; // 7 each; zero of what is not a pose
  contacts: Contact[];
  channels: Map<number, Float32Array>; // by index
}

const kFlags = ['stopped', 'recording', 'episode', 'replay'] as const;

class Reader {
  private at = 0;
  private readonly view: DataView;
  private readonly what: string;

  constructor(data: ArrayBuffer, what: string) {
    this.view = new DataView(data);
    this.what = what;
  }

  private step(bytes: number): number {
    const at = this.at;
    this.at += bytes;
    if (this.at > this.view.byteLength)
      throw new ProtocolError(`${this.what} of ${this.view.byteLength} bytes ends too early`);
    return at;
  }

  u8 = () => this.view.getUint8(this.step(1));
  u16 = () => this.view.getUint16(this.step(2), true);
  u32 = () => this.view.getUint32(this.step(4), true);
  i64 = () => Number(this.view.getBigInt64(this.step(8), true));
  f64 = () => this.view.getFloat64(this.step(8), true);

  floats(n: number, into = new Float32Array(n), first = 0): Float32Array {
    const at = this.step(4 * n);
    for (let i = 0; i < n; ++i) into[first + i] = this.view.getFloat32(at + 4 * i, true);
    return into;
  }

  end(): void {
    const more = this.view.byteLength - this.at;
    if (more > 0) throw new ProtocolError(`${this.what} with ${more} bytes too many`);
  }
}

/// @throws ProtocolError
export function decodeFrame(data: ArrayBuffer): Frame {
  const from = new Reader(data, 'a frame');
  const kind = from.u8();
  if (kind !== kFrameKind)
    throw new ProtocolError(`a binary frame of kind ${kind}; the server's are ${kFrameKind}`);
  const flags = from.u8();
  const bodies = from.u16();
  const head = { sequence: from.u32(), tick: from.i64(), time: from.f64(), taken: from.f64() };
  if (!Number.isFinite(head.time) || !Number.isFinite(head.taken))
    throw new ProtocolError('a frame whose time is not finite');
  const poses = from.floats(7 * bodies);
  const count = from.u16();
  const holding: boolean[] = [];
  const references = new Float32Array(7 * count);
  for (let r = 0; r < count; ++r) {
    holding.push(from.u8() !== 0);
    from.floats(7, references, 7 * r);
  }
  const contacts: Contact[] = [];
  for (let c = from.u16(); c > 0; --c) {
    const [a, b] = [from.u16(), from.u16()];
    contacts.push({ a, b, position: [...from.floats(3)], force: [...from.floats(3)] });
  }
  const channels = new Map<number, Float32Array>();
  for (let c = from.u16(); c > 0; --c) {
    const index = from.u16();
    channels.set(index, from.floats(from.u16()));
  }
  from.end();
  const [stopped, recording, episode, replay] = kFlags.map((_, i) => (flags & (1 << i)) !== 0) as
    [boolean, boolean, boolean, boolean];
  return {
    stopped, recording, episode, replay, ...head, poses, holding, references, contacts, channels,
  };
}

/// For a server in TypeScript, and tests.
export function encodeFrame(frame: Frame): ArrayBuffer {
  const bodies = frame.poses.length / 7;
  const numbers = [...frame.channels.values()].reduce((sum, values) => sum + values.length, 0);
  const data = new ArrayBuffer(
    38 + 28 * bodies + 29 * frame.holding.length + 28 * frame.contacts.length +
      4 * (frame.channels.size + numbers),
  );
  const view = new DataView(data);
  let at = 0;
  const u8 = (x: number) => view.setUint8(at++, x);
  const u16 = (x: number) => view.setUint16((at += 2) - 2, x, true);
  const f64 = (x: number) => view.setFloat64((at += 8) - 8, x, true);
  const floats = (values: Iterable<number>) => {
    for (const x of values) view.setFloat32((at += 4) - 4, x, true);
  };
  u8(kFrameKind);
  u8(kFlags.reduce((sum, key, i) => sum + (frame[key] ? 1 << i : 0), 0));
  u16(bodies);
  view.setUint32((at += 4) - 4, frame.sequence, true);
  view.setBigInt64((at += 8) - 8, BigInt(frame.tick), true);
  f64(frame.time);
  f64(frame.taken);
  floats(frame.poses);
  u16(frame.holding.length);
  frame.holding.forEach((holding, r) => {
    u8(holding ? 1 : 0);
    floats(frame.references.subarray(7 * r, 7 * r + 7));
  });
  u16(frame.contacts.length);
  for (const contact of frame.contacts) {
    u16(contact.a);
    u16(contact.b);
    floats(contact.position);
    floats(contact.force);
  }
  u16(frame.channels.size);
  for (const [index, values] of frame.channels) {
    u16(index);
    u16(values.length);
    floats(values);
  }
  return data;
}

export interface Sample {
  device: number; // index
  sequence: number;
  stamp: number; // page's clock [s]
  offset: number; // server's clock minus the page's [s]
  numbers: Float64Array; // as src/teleop/device.hpp says
}

export function encodeSample(sample: Sample): ArrayBuffer {
  const data = new ArrayBuffer(24 + 8 * sample.numbers.length);
  const view = new DataView(data);
  view.setUint8(0, kSampleKind);
  view.setUint8(1, sample.device);
  view.setUint16(2, sample.numbers.length, true);
  view.setUint32(4, sample.sequence, true);
  view.setFloat64(8, sample.stamp, true);
  view.setFloat64(16, sample.offset, true);
  sample.numbers.forEach((x, i) => view.setFloat64(24 + 8 * i, x, true));
  return data;
}

/// For a server in TypeScript, and tests. @throws ProtocolError
export function decodeSample(data: ArrayBuffer): Sample {
  const from = new Reader(data, 'a sample');
  const kind = from.u8();
  if (kind !== kSampleKind)
    throw new ProtocolError(`a binary frame of kind ${kind}; a page's are ${kSampleKind}`);
  const device = from.u8();
  const n = from.u16();
  const head = { device, sequence: from.u32(), stamp: from.f64(), offset: from.f64() };
  if (!Number.isFinite(head.stamp) || !Number.isFinite(head.offset))
    throw new ProtocolError('a sample whose stamp or offset is not finite');
  const numbers = Float64Array.from({ length: n }, from.f64);
  from.end();
  return { ...head, numbers };
}
