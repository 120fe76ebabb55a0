// docs/protocol.md: every message between the station's server and a page, encoded, decoded and
// checked; binary.ts has the binary ones. What is not as it says throws a ProtocolError in words.
// Lengths in SI, W the world (z up), quaternions x y z w.
import {
  boolean, type Check, fail, integer, list, map, number, object, oneOf, optional, orNull,
  ProtocolError, text,
} from './check.ts';

export { ProtocolError };
export * from './binary.ts';

export const kProtocol = 1;
export const kSubprotocol = 'handspan.1';
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
  mass: number; // 0: it cannot move, or none is known [kg]
  frames: FrameInfo[]; // in the body
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
  type: 'number' | 'vector' | 'pose' | 'twist' | 'wrench' | 'integer' | 'boolean' | 'choice';
  unit: string;
  size: number;
  labels: string[];
  choices: string[];
  rate: number;
  doc: string;
}

export interface OutputInfo {
  name: string;
  size: number; // numbers: 3 of a force or a colour
  unit: string; // "": 0 to 1
}

export interface LayoutInfo {
  poses: string[];
  axes: string[];
  buttons: string[];
  outputs: OutputInfo[];
}

/// What gives a rate or a control: an axis, or something pressed for each direction.
export type BindingInfo = { axis: string; sign: number } | { plus: string; minus: string };

/// Which input of a page feeds a control; see device/page_inputs.hpp.
export type FeedInfo = BindingInfo & { control: string };

export interface DeviceInfo {
  name: string;
  driver: string;
  layout: LayoutInfo;
  feeds: FeedInfo[]; // empty: the device does not say
  takes_samples: boolean;
  own: boolean; // has a thread of its own, which gives way to a page that sends samples
}

export interface ReferenceInfo {
  name: string;
  kind: string; // pose, joints, wrench, twist, or one of a program's own
  frame: string;
}

/// How a pose of a headset moves a reference; see teleop/hand.hpp.
export interface HandInfo {
  name: string;
  reference: string;
  device: string;
  pose: string;
  controls: string[]; // that close its clutch
  space: Numbers; // R_WV as a quaternion: the device's axes in W
}

/// How axes and buttons of a device move a reference by rates; see teleop/jog.hpp.
export interface JogInfo {
  name: string;
  reference: string;
  device: string;
  rates: (BindingInfo | null)[]; // along x, y, z of its axes O, then about them (6)
  frame: 'world' | 'base' | 'tool' | 'view'; // what O is
  axes: Numbers; // R_WO as a quaternion; of a tool: none
  dead_man: string | null;
  faster: string | null; // of its speed
  slower: string | null;
  snap: string | null;
  speed: Numbers; // at full deflection [m/s, rad/s]
  response: Numbers; // dead zone, exponent
}

export interface ParameterInfo {
  name: string;
  kind: 'number' | 'switch'; // a switch: on above 0.5
  value: number;
  unit: string;
  min: number; // what a person may set
  max: number;
  doc: string; // what it does; "": nobody said
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
  scene: { name: string; bodies: BodyInfo[]; views: ViewInfo[]; frames: FrameInfo[]; ground: number | null };
  channels: ChannelInfo[];
  devices: DeviceInfo[];
  references: ReferenceInfo[];
  hands: HandInfo[];
  jogs: JogInfo[];
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

const binding: Check<BindingInfo> = (value, place) => {
  const { axis } = object({ axis: optional(text, '') })(value, place);
  return axis ? object({ axis: text, sign: number })(value, place)
    : object({ plus: text, minus: text })(value, place);
};
const feed: Check<FeedInfo> = (value, place) =>
  ({ ...object({ control: text })(value, place), ...binding(value, place) });

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
        mass: optional(number, 0),
        frames: optional(list(object<FrameInfo>({ name: text, position: vector3, quaternion })), []),
      }),
    ),
    views: list(object<ViewInfo>({ name: text, eye: vector3, target: vector3 })),
    frames: list(object<FrameInfo>({ name: text, position: vector3, quaternion })),
    ground: optional(orNull(number), 0), // height of its surface; null: there is none
  }),
  channels: list(
    object<ChannelInfo>({
      name: text,
      type: oneOf('number', 'vector', 'pose', 'twist', 'wrench', 'integer', 'boolean', 'choice'),
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
      layout: object<LayoutInfo>({
        poses: texts, axes: texts, buttons: texts,
        outputs: list(object<OutputInfo>({ name: text, size: integer, unit: text })),
      }),
      feeds: optional(list(feed), []),
      takes_samples: boolean,
      own: optional(boolean, false),
    }),
  ),
  references: list(
    object<ReferenceInfo>({
      name: text, kind: text, frame: optional(text, ''),
    }),
  ),
  hands: optional(
    list(
      object<HandInfo>({
        name: text, reference: text, device: text, pose: text, controls: texts,
        space: quaternion,
      }),
    ),
    [],
  ),
  jogs: optional(
    list(
      object<JogInfo>({
        name: text, reference: text, device: text, rates: list(orNull(binding), 6),
        frame: oneOf('world', 'base', 'tool', 'view'), axes: quaternion, dead_man: orNull(text),
        faster: orNull(text), slower: orNull(text), snap: orNull(text), speed: list(number, 2),
        response: list(number, 2),
      }),
    ),
    [],
  ),
  parameters: list(
    object<ParameterInfo>({
      name: text, kind: optional(oneOf('number', 'switch'), 'number'), value: number, unit: text,
      min: number, max: number, doc: optional(text, ''),
    }),
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

/// What a loop says of itself, live or in a replay.
export interface LoopStatus {
  mode: Record<string, string>; // state of each machine
  judged: Record<string, JudgedInfo>; // what each judge said last
  stopped: boolean;
  reason: string;
  holding: Record<string, string>; // why each reference holds
  limits: string[];
  relaxed: string[];
}

export interface ReplayStatus extends LoopStatus {
  start: number; // of the recorded run [s]
  end: number;
  message: string;
}

export interface RecordingStatus {
  on: boolean;
  file: string;
  seconds: number;
  message: string; // why it ended by itself, and what of it is kept
  free: number | null; // room on its disk [bytes]; null: it does not say
  left: number | null; // how long that lasts [s]; null: nothing was recorded yet
}

export interface Status extends LoopStatus {
  type: 'status';
  tick: number;
  operators: Record<string, number | null>; // of each reference and device
  you_operate: boolean;
  clients: ClientInfo[];
  recording: RecordingStatus;
  episode: { on: boolean; task: string };
  put_back: { count: number; why: string }; // times that the app put its scene back, and why at last
  late_ticks: number;
  slipped: number; // simulated time behind the clock [s]
  devices: Record<string, { age: number | null; present: boolean }>;
  parameters: Record<string, number>; // as the loop has them
  inputs_lost: number;
  samples_refused: number; // of who does not operate, or of another time
  scripted: boolean;
  replay: ReplayStatus | null; // of what this client is shown
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
  imported: string; // the file of others that it is of: it cannot be run again
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
  | { type: 'output'; device: string; output: string; values: number[] }
  | { type: 'records'; records: RecordInfo[] }
  | { type: 'devices'; devices: PairedInfo[] }
  | { type: 'answer'; to: number; ok: boolean; reason: string }
  | { type: 'asked'; by: { id: number; name: string } };

const loopKeys: { [K in keyof LoopStatus]: Check<LoopStatus[K]> } = {
  mode: map(text),
  judged: optional(map(object<JudgedInfo>({
    verdict: oneOf('open', 'good', 'not good'), words: text,
  })), {}),
  stopped: boolean,
  reason: text,
  holding: map(text),
  limits: texts,
  relaxed: texts,
};

const kServerMessages: { [T in ServerMessage['type']]: Check<object> } = {
  welcome,
  status: object<Omit<Status, 'type'>>({
    ...loopKeys,
    tick: integer,
    operators: map(orNull(integer)),
    you_operate: boolean,
    clients: list(object<ClientInfo>({ id: integer, name: text, role: oneOf('operator', 'viewer') })),
    recording: object<RecordingStatus>({
      on: boolean, file: text, seconds: number, message: text,
      free: optional(orNull(number), null), left: optional(orNull(number), null),
    }),
    episode: object({ on: boolean, task: text }),
    put_back: optional(object({ count: integer, why: text }), { count: 0, why: '' }),
    late_ticks: integer,
    slipped: number,
    devices: map(object({ age: orNull(number), present: boolean })),
    parameters: optional(map(number), {}),
    inputs_lost: integer,
    samples_refused: optional(integer, 0),
    scripted: boolean,
    replay: optional(orNull(object<ReplayStatus>({
      ...loopKeys, start: number, end: number, message: text,
    })), null),
  }),
  refused: object({ reason: text }),
  pong: object({ t: number, server: number }),
  event: object({ tick: integer, kind: text, name: text, text }),
  output: object({ device: text, output: text, values: list(number) }),
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
        imported: optional(text, ''),
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
    throw new ProtocolError(`a text frame that is not JSON: ${data.slice(0, 40)}`);
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
