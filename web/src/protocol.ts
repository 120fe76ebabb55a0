// docs/protocol.md: every message between the station's server and a page, encoded, decoded and
// checked. What is not as it says throws a ProtocolError in words. Lengths in SI, W the world (z up),
// quaternions x y z w.
import {
  boolean, type Check, fail, integer, list, map, number, object, oneOf, optional, orNull,
  ProtocolError, text,
} from './check.ts';

export { ProtocolError };

export const kProtocol = 1;
export const kSubprotocol = 'handspan.1';
export const kFrameKind = 1;
export const kSampleKind = 16;
export const kPoseNumbers = 8;
export const kMostRate = 90;

// ---- what the welcome says -------------------------------------------------------------------

export type Numbers = number[];

export interface ShapeInfo {
  type: 'box' | 'sphere' | 'capsule' | 'cylinder' | 'ellipsoid' | 'plane' | 'mesh';
  size: Numbers; // full lengths of a box; radius and length of the others [m]
  position: Numbers; // in the body (3)
  quaternion: Numbers;
  rgba: Numbers;
  collides: boolean;
  vertices: Numbers[]; // of a mesh, that is convex [m]
}

export interface BodyInfo {
  name: string;
  kind: 'robot' | 'object' | 'fixture' | 'belt' | 'kinematic' | 'ground';
  robot: string;
  shapes: ShapeInfo[];
  speed: Numbers; // of a belt, in its axes [m/s]; empty: none
}

export interface ViewInfo {
  name: string;
  eye: Numbers;
  target: Numbers;
}

export interface FrameInfo {
  name: string;
  position: Numbers;
  quaternion: Numbers;
}

export interface ChannelInfo {
  name: string;
  type: 'number' | 'vector' | 'pose' | 'integer' | 'boolean' | 'choice';
  unit: string;
  size: number;
  labels: string[];
  choices: string[];
  rate: number;
  doc: string;
}

export interface LayoutInfo {
  poses: string[];
  axes: string[];
  buttons: string[];
  outputs: string[];
}

export interface DeviceInfo {
  name: string;
  driver: string;
  layout: LayoutInfo;
  takes_samples: boolean;
}

export interface ReferenceInfo {
  name: string;
  kind: 'pose' | 'joints' | 'wrench';
  frame: string;
}

/// How a pose of a device moves a reference; see teleop/hand.hpp.
export interface HandInfo {
  name: string;
  reference: string;
  device: string;
  pose: string;
  controls: string[]; // that close its clutch
  space: Numbers; // R_WV as a quaternion: the device's axes in W
  axes: Numbers; // R_EC as one: the controller's axes in the frame that it moves
  scale: Numbers; // of translation, along W's axes (3)
  jog: Numbers; // how fast keys and sticks move it at first [m/s, rad/s]
}

export interface ParameterInfo {
  name: string;
  value: number;
  unit: string;
  min: number;
  max: number;
}

export interface Welcome {
  type: 'welcome';
  protocol: number;
  version: string;
  session: string;
  you: number;
  app: string;
  base_period: number;
  clock: { server: number };
  scene: { name: string; bodies: BodyInfo[]; views: ViewInfo[]; frames: FrameInfo[] };
  channels: ChannelInfo[];
  devices: DeviceInfo[];
  references: ReferenceInfo[];
  hands: HandInfo[]; // empty: the server does not say
  parameters: ParameterInfo[];
  machines: { name: string; states: string[] }[];
}

const texts = list(text);
const vector3 = list(number, 3);
const quaternion: Check<Numbers> = (value, place) => {
  const q = list(number, 4)(value, place);
  return Math.abs(Math.hypot(...q) - 1) < 1e-3 ? q : fail(place, value, 'a unit quaternion');
};

// numbers that `size` has
const kShapeSizes: Record<ShapeInfo['type'], number[]> = {
  box: [3], sphere: [1], capsule: [2], cylinder: [2], ellipsoid: [3], plane: [0, 2, 3], mesh: [0, 3],
};

const shapeKeys = object<ShapeInfo>({
  type: oneOf('box', 'sphere', 'capsule', 'cylinder', 'ellipsoid', 'plane', 'mesh'),
  size: list(number),
  position: vector3,
  quaternion,
  rgba: list(number, 4),
  collides: boolean,
  vertices: optional(list(vector3), []),
});
const shape: Check<ShapeInfo> = (value, place) => {
  const s = shapeKeys(value, place);
  if (!kShapeSizes[s.type].includes(s.size.length))
    fail(`${place}.size`, s.size, `${kShapeSizes[s.type].join(' or ')} numbers, of a ${s.type}`);
  return s;
};

const welcome = object<Omit<Welcome, 'type'>>({
  protocol: integer,
  version: text,
  session: text,
  you: integer,
  app: text,
  base_period: number,
  clock: object({ server: number }),
  scene: object({
    name: optional(text, ''),
    bodies: list(
      object<BodyInfo>({
        name: text,
        kind: oneOf('robot', 'object', 'fixture', 'belt', 'kinematic', 'ground'),
        robot: optional(text, ''),
        shapes: list(shape),
        speed: optional(vector3, []),
      }),
    ),
    views: list(object<ViewInfo>({ name: text, eye: vector3, target: vector3 })),
    frames: list(object<FrameInfo>({ name: text, position: vector3, quaternion })),
  }),
  channels: list(
    object<ChannelInfo>({
      name: text,
      type: oneOf('number', 'vector', 'pose', 'integer', 'boolean', 'choice'),
      unit: text,
      size: integer,
      labels: texts,
      choices: texts,
      rate: number,
      doc: text,
    }),
  ),
  devices: list(
    object<DeviceInfo>({
      name: text,
      driver: text,
      layout: object<LayoutInfo>({ poses: texts, axes: texts, buttons: texts, outputs: texts }),
      takes_samples: boolean,
    }),
  ),
  references: list(
    object<ReferenceInfo>({
      name: text, kind: oneOf('pose', 'joints', 'wrench'), frame: optional(text, ''),
    }),
  ),
  hands: optional(
    list(
      object<HandInfo>({
        name: text, reference: text, device: text, pose: text, controls: texts,
        space: quaternion, axes: optional(quaternion, [0, 0, 0, 1]), scale: vector3, jog: optional(list(number, 2), [0.15, 0.7]),
      }),
    ),
    [],
  ),
  parameters: list(
    object<ParameterInfo>({ name: text, value: number, unit: text, min: number, max: number }),
  ),
  machines: list(object({ name: text, states: texts })),
});

// ---- text, server to page --------------------------------------------------------------------

export interface ClientInfo {
  id: number;
  name: string;
  role: 'operator' | 'viewer';
}

export interface JudgedInfo {
  verdict: 'open' | 'good' | 'not good';
  words: string; // with the verdict; "" while it is open
}

export interface Status {
  type: 'status';
  tick: number;
  mode: Record<string, string>; // state of each machine
  judged: Record<string, JudgedInfo>; // what each judge said last
  operators: Record<string, number | null>; // of each reference and device
  you_operate: boolean;
  clients: ClientInfo[];
  stopped: boolean;
  reason: string;
  holding: Record<string, string>; // why each reference holds
  recording: { on: boolean; file: string; seconds: number; message: string };
  episode: { on: boolean; task: string };
  put_back: { count: number; why: string }; // times that the app put its scene back, and why at last
  late_ticks: number;
  slipped: number; // simulated time behind the clock [s]
  devices: Record<string, { age: number | null; present: boolean }>;
  limits: string[];
  relaxed: string[];
  inputs_lost: number;
  samples_refused: number; // of who does not operate, or of another time
  scripted: boolean;
  replay: { start: number; end: number; message: string } | null;
}

export interface EpisodeInfo {
  start: number;
  end: number;
  task: string;
  outcome: string;
  operator: string;
}

export interface RecordInfo {
  name: string;
  bytes: number;
  seconds: number;
  episodes: EpisodeInfo[];
  thumbnail: string | null;
  damage: string;
}

export interface PairedInfo {
  id: number;
  name: string;
  address: string;
  silent: number; // since it asked for something [s]
  pages: number; // of it that are here
  you: boolean;
}

export type ServerMessage =
  | Welcome
  | Status
  | { type: 'refused'; reason: string }
  | { type: 'pong'; t: number; server: number }
  | { type: 'event'; tick: number; kind: string; name: string; text: string }
  | { type: 'output'; device: string; output: string; value: number }
  | { type: 'records'; records: RecordInfo[] }
  | { type: 'devices'; devices: PairedInfo[] }
  | { type: 'answer'; to: number; ok: boolean; reason: string }
  | { type: 'asked'; by: { id: number; name: string } };

const kServerMessages: { [T in ServerMessage['type']]: Check<object> } = {
  welcome,
  status: object<Omit<Status, 'type'>>({
    tick: integer,
    mode: map(text),
    judged: optional(map(object<JudgedInfo>({
      verdict: oneOf('open', 'good', 'not good'), words: text,
    })), {}),
    operators: map(orNull(integer)),
    you_operate: boolean,
    clients: list(object<ClientInfo>({ id: integer, name: text, role: oneOf('operator', 'viewer') })),
    stopped: boolean,
    reason: text,
    holding: map(text),
    recording: object({ on: boolean, file: text, seconds: number, message: text }),
    episode: object({ on: boolean, task: text }),
    put_back: optional(object({ count: integer, why: text }), { count: 0, why: '' }),
    late_ticks: integer,
    slipped: number,
    devices: map(object({ age: orNull(number), present: boolean })),
    limits: texts,
    relaxed: texts,
    inputs_lost: integer,
    samples_refused: optional(integer, 0),
    scripted: boolean,
    replay: optional(orNull(object({ start: number, end: number, message: text })), null),
  }),
  refused: object({ reason: text }),
  pong: object({ t: number, server: number }),
  event: object({ tick: integer, kind: text, name: text, text }),
  output: object({ device: text, output: text, value: number }),
  records: object({
    records: list(
      object<RecordInfo>({
        name: text,
        bytes: integer,
        seconds: number,
        episodes: list(
          object<EpisodeInfo>({
            start: number, end: number, task: text, outcome: text, operator: text,
          }),
        ),
        thumbnail: orNull(text),
        damage: optional(text, ''),
      }),
    ),
  }),
  devices: object({
    devices: list(object<PairedInfo>({
      id: integer, name: text, address: text, silent: number, pages: integer, you: boolean,
    })),
  }),
  answer: object({ to: integer, ok: boolean, reason: optional(text, '') }),
  asked: object({ by: object({ id: integer, name: text }) }),
};

/// A text frame of the server. @throws ProtocolError
export function parseServerMessage(data: string): ServerMessage {
  return parse(data, kServerMessages) as ServerMessage;
}

function parse(data: string, known: Record<string, Check<object>>): object {
  let json: unknown;
  try {
    json = JSON.parse(data);
  } catch {
    throw new ProtocolError(`a text frame that is no JSON: ${data.slice(0, 40)}`);
  }
  const { type } = object({ type: text })(json, 'message');
  const check = Object.hasOwn(known, type) ? known[type] : undefined;
  if (!check) throw new ProtocolError(`message.type is "${type}", which this page does not know`);
  return { type, ...check(json, type) };
}

// ---- text, page to server --------------------------------------------------------------------

export type EpisodeMark = 'start' | 'success' | 'failure' | 'discard' | 'stop';

export interface Hello {
  type: 'hello';
  protocol: number;
  name: string;
  role: 'operator' | 'viewer';
}

export type Request =
  | { type: 'subscribe'; channels: string[]; rate: number }
  | { type: 'list' | 'ask' | 'stop' | 'operate' | 'resume' | 'restart' | 'devices' }
  | { type: 'unpair'; device: number }
  | { type: 'yield'; to: number | 'scripted' | null }
  | { type: 'event'; name: string }
  | { type: 'parameter'; name: string; value: number }
  | { type: 'episode'; mark: EpisodeMark; text: string }
  | { type: 'record'; on: boolean; name: string }
  | { type: 'delete'; name: string }
  | { type: 'replay'; name: string }
  | { type: 'replay'; off: true }
  | { type: 'seek'; time: number }
  | { type: 'speed'; factor: number };

export type ClientMessage = Hello | { type: 'ping'; t: number } | (Request & { id?: number });

const id = optional(integer, undefined);
const kClientMessages: { [T in ClientMessage['type']]: Check<object> } = {
  hello: object({ protocol: integer, name: text, role: oneOf('operator', 'viewer') }),
  ping: object({ t: number }),
  subscribe: object({ id, channels: texts, rate: optional(number, 60) }),
  list: object({ id }),
  ask: object({ id }),
  stop: object({ id }),
  operate: object({ id }),
  resume: object({ id }),
  restart: object({ id }),
  devices: object({ id }),
  unpair: object({ id, device: integer }),
  yield: object({ id, to: ((v, p) => (typeof v === 'string' ? oneOf('scripted')(v, p)
    : orNull(integer)(v, p))) as Check<number | 'scripted' | null> }),
  event: object({ id, name: text }),
  parameter: object({ id, name: text, value: number }),
  episode: object({
    id, mark: oneOf('start', 'success', 'failure', 'discard', 'stop'), text: optional(text, ''),
  }),
  record: object({ id, on: boolean, name: optional(text, '') }),
  delete: object({ id, name: text }),
  replay: object({ id, name: optional(text, undefined), off: optional(boolean, undefined) }),
  seek: object({ id, time: number }),
  speed: object({ id, factor: number }),
};

/// A text frame of a page, for a server in TypeScript. @throws ProtocolError
export function parseClientMessage(data: string): ClientMessage {
  return parse(data, kClientMessages) as ClientMessage;
}

// ---- binary ----------------------------------------------------------------------------------

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
  references: Float32Array; // 7 each; zero of what is no pose
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
