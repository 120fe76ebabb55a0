// A server that speaks docs/protocol.md with a made-up world, so that the page can be worked on,
// shown and tested without the station: node mock/server.ts [port] [--dist]
import { createReadStream, existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type WebSocket, WebSocketServer } from 'ws';
import {
  type ChannelInfo, type ClientMessage, decodeSample, encodeFrame, type Frame, kProtocol,
  kSubprotocol, type ParameterInfo, parseClientMessage, ProtocolError, type RecordInfo, type Status, type Welcome,
} from '../src/protocol.ts';
import { kHands, kJogs, kLayout, kPageLayout, kSides, World } from './world.ts';

const kDist = fileURLToPath(new URL('../dist/', import.meta.url));
const kTypes: Record<string, string> = {
  '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml',
};
const kTick = 0.001;

const channel = (name: string, type: ChannelInfo['type'], more: Partial<ChannelInfo> = {}): ChannelInfo =>
  ({ name, type, unit: '', size: 1, labels: [], choices: [], rate: 1000, doc: '', ...more });

const number = (name: string, value: number, unit: string, min: number, max: number, doc: string): ParameterInfo =>
  ({ name, kind: 'number', value, unit, min, max, doc });
const toggle = (name: string, doc: string): ParameterInfo =>
  ({ name, kind: 'switch', value: 0, unit: '', min: 0, max: 1, doc });

interface Client {
  id: number;
  socket: WebSocket;
  name: string;
  role: 'operator' | 'viewer';
  welcomed: boolean;
  sequence: number;
  period: number;
  next: number;
  channels: number[];
  lastSamples: number[]; // by device
  replay: { time: number; factor: number } | undefined;
}

const kReplay = [12, 73] as const; // of its recordings: begun in the middle of a run [s]

export class MockServer {
  readonly world = new World();
  readonly samples: { numbers: Float64Array; stamp: number; at: number }[] = [];
  readonly requests: ClientMessage[] = [];
  operator = 0;
  mostSkew = 0.5; // of stamps [s]
  judged: Status['judged'] = {};
  /// Of the recording, as the disk has it.
  disk: { message: string; free: number | null; left: number | null } = { message: '', free: 3_100_000_000, left: 3120 };
  parameters = [
    number('task.left_hand.stiffness', 400, '1/s^2', 100, 800, 'how hard it pulls towards its reference'),
    number('task.right_hand.stiffness', 400, '1/s^2', 100, 800, 'how hard it pulls towards its reference'),
    number('belt.conveyor.speed', 0.1, 'm/s', -1, 1, 'how fast its surface moves'),
    number('task.left_hand.weight', 1, '', 0, 2, 'how much it counts against the other tasks'),
    number('task.right_hand.weight', 1, '', 0, 2, 'how much it counts against the other tasks'),
    number('task.posture.weight', 1e-4, '', 0, 2e-4, 'how much it counts against the other tasks'),
    toggle('payload.box.carried', 'whether the controller counts its mass as carried'),
    toggle('loop_closure.box.closed', 'whether the controller takes its two frames for held together'),
  ];
  private readonly http: Server;
  private readonly sockets: WebSocketServer;
  private readonly clients: Client[] = [];
  private readonly timer: ReturnType<typeof setInterval>;
  private readonly began = performance.now();
  private nextClient = 1;
  private recording = { on: false, file: '', since: 0 };
  private episode: { task: string; since: number } | undefined;
  private records: RecordInfo[] = [
    { name: 'grab-20260714-101502.mcap', bytes: 6_540_000, seconds: 61.2, damage: '', imported: '', thumbnail: null,
      episodes: [{ start: 2, end: 31, task: 'grab', outcome: 'success', operator: 'Ann' },
        { start: 33, end: 58, task: 'grab', outcome: 'failure', operator: 'Ann' }] },
    { name: 'grab-20260714-094010.mcap', bytes: 1_200_000, seconds: 12, damage: '', imported: '', thumbnail: null, episodes: [] },
    { name: 'so100-push.mcap', bytes: 80_000, seconds: 6, damage: '', imported: 'so100_push', thumbnail: null, episodes: [] },
  ];
  private readonly channels: ChannelInfo[] = [
    ...kSides.map((side) => channel(`${side}.wrist.wrench`, 'wrench', {
      size: 6, unit: 'N, N m', labels: ['fx', 'fy', 'fz', 'tx', 'ty', 'tz'], doc: 'force and torque on the tool' })),
    ...kSides.map((side) => channel(`source.${side}_person.clutch`, 'boolean', { doc: 'closed' })),
    channel('object.box.pose', 'pose', { size: 7, unit: 'm' }),
    ...kSides.map((side) => channel(`${side}.arm.q`, 'vector', {
      size: 7, unit: 'rad', labels: [1, 2, 3, 4, 5, 6, 7].map((i) => `joint${i}`) })),
    channel('mode.both', 'choice', { choices: ['rest'] }),
  ];

  constructor(port: number) {
    this.http = createServer((request, response) => {
      const path = normalize(new URL(request.url ?? '/', 'http://x').pathname);
      const file = join(kDist, path === '/' ? 'index.html' : path);
      if (!file.startsWith(kDist) || !existsSync(file)) {
        response.writeHead(404).end();
        return;
      }
      response.setHeader('Content-Type', kTypes[extname(file)] ?? 'application/octet-stream');
      createReadStream(file).pipe(response);
    });
    this.sockets = new WebSocketServer({
      server: this.http, path: '/ws',
      handleProtocols: (offered) => (offered.has(kSubprotocol) ? kSubprotocol : false),
    });
    this.sockets.on('connection', (socket) => this.accept(socket));
    this.http.listen(port, '127.0.0.1');
    let last = performance.now();
    let sinceStatus = 0;
    this.timer = setInterval(() => {
      const now = performance.now();
      const dt = Math.min(0.1, (now - last) / 1000);
      last = now;
      this.world.advance(dt);
      for (const client of this.clients) this.frame(client, now / 1000, dt);
      if ((sinceStatus += dt) > 0.1) {
        sinceStatus = 0;
        this.tellStatus();
      }
    }, 8);
  }

  get port(): number {
    const address = this.http.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  get ready(): Promise<void> {
    return new Promise((resolve) =>
      this.http.listening ? resolve() : this.http.once('listening', resolve));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const { socket } of this.clients) socket.terminate();
    this.sockets.close();
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  private get clock(): number {
    // as another machine's: far from the page's
    return 5000 + (performance.now() - this.began) / 1000;
  }

  private accept(socket: WebSocket): void {
    const client: Client = {
      id: this.nextClient++, socket, name: '', role: 'viewer', welcomed: false, sequence: 0,
      period: 1 / 60, next: 0, channels: [], lastSamples: [0, 0], replay: undefined,
    };
    this.clients.push(client);
    socket.on('message', (data: Buffer, binary) => {
      try {
        const bytes = new Uint8Array(data).buffer;
        if (binary) this.sample(client, bytes);
        else this.take(client, parseClientMessage(data.toString()));
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        socket.close(4002, error.message.slice(0, 120));
      }
    });
    socket.on('close', () => {
      this.clients.splice(this.clients.indexOf(client), 1);
      if (client.id === this.operator) this.setOperator(0, false);
    });
  }

  private sample(client: Client, data: ArrayBuffer): void {
    const { device, numbers, sequence, stamp, offset } = decodeSample(data);
    const layout = [kLayout, kPageLayout][device];
    const n = layout ? 8 * layout.poses.length + layout.axes.length + layout.buttons.length : -1;
    if (numbers.length !== n)
      throw new ProtocolError(`a sample with ${numbers.length} numbers; it has ${n}`);
    if (sequence <= client.lastSamples[device]!) throw new ProtocolError('samples must rise');
    client.lastSamples[device] = sequence;
    if (client.id !== this.operator || Math.abs(stamp + offset - this.clock) > this.mostSkew) return;
    if (device === 1) {
      this.world.page = numbers;
      this.world.pageAt = this.world.time;
      return;
    }
    this.world.sample = numbers;
    this.world.sampleAt = this.world.time;
    this.samples.push({ numbers, stamp, at: this.clock });
    if (this.samples.length > 5000) this.samples.shift();
  }

  private setOperator(id: number, scripted: boolean): void {
    this.operator = id;
    this.world.handOver(scripted);
    this.tell({ type: 'event', tick: this.tick, kind: 'operator', name: '', text: this.clients.find((c) => c.id === id)?.name ?? 'nobody' });
    this.tellStatus();
  }

  private get tick(): number {
    return Math.round(this.world.time / kTick);
  }

  private tell(message: object): void {
    for (const client of this.clients) if (client.welcomed) client.socket.send(JSON.stringify(message));
  }

  private take(client: Client, message: ClientMessage): void {
    const send = (reply: object) => client.socket.send(JSON.stringify(reply));
    if (message.type === 'hello') {
      if (message.protocol !== kProtocol) {
        send({ type: 'refused', reason: `this server speaks ${kProtocol}` });
        return client.socket.close(4001);
      }
      Object.assign(client, { name: message.name, role: message.role, welcomed: true });
      // what has no speed says none
      const welcome = this.welcome(client.id);
      const bodies = welcome.scene.bodies.map(({ speed, ...body }) => (speed.length ? { ...body, speed } : body));
      send({ ...welcome, scene: { ...welcome.scene, bodies } });
      return this.tellStatus();
    }
    if (message.type === 'ping') return send({ type: 'pong', t: message.t, server: this.clock });
    this.requests.push(message);
    const reason = this.ask(client, message);
    if (message.id !== undefined)
      send({ type: 'answer', to: message.id, ok: reason === '', ...(reason && { reason }) });
    this.tellStatus();
  }

  private ask(client: Client, message: Exclude<ClientMessage, { type: 'hello' | 'ping' }>): string {
    const other = this.clients.find(({ id }) => id === this.operator && id !== client.id);
    const open = ['subscribe', 'list', 'ask', 'stop', 'operate', 'yield'].includes(message.type);
    if (!open && client.role === 'viewer') return `'${message.type}' is the operator's`;
    if (!open && other) return `'${message.type}' is the operator's, and ${other.name} operates`;
    switch (message.type) {
      case 'subscribe':
        for (const name of message.channels)
          if (!this.channels.some((c) => c.name === name)) return `there is no channel '${name}'`;
        client.channels = message.channels.map((name) => this.channels.findIndex((c) => c.name === name));
        client.period = 1 / message.rate;
        return '';
      case 'list':
        client.socket.send(JSON.stringify({ type: 'records', records: this.records }));
        return '';
      case 'stop':
        this.world.stop();
        this.tell({ type: 'event', tick: this.tick, kind: 'stop', name: '', text: `stopped by ${client.name}` });
        return '';
      case 'resume':
        this.world.stopped = false;
        return '';
      case 'operate':
        if (client.role === 'viewer') return 'you came as a viewer; connect as operator';
        if (other) return `${other.name} operates; ask for the hand-over`;
        this.setOperator(client.id, false);
        return '';
      case 'ask':
        if (!other) return 'nobody operates';
        other.socket.send(JSON.stringify({ type: 'asked', by: { id: client.id, name: client.name } }));
        return '';
      case 'yield':
        if (client.id !== this.operator) return 'you do not operate';
        this.setOperator(typeof message.to === 'number' ? message.to : 0, message.to === 'scripted');
        return '';
      case 'parameter': {
        const parameter = this.parameters.find(({ name }) => name === message.name);
        if (!parameter || message.value < parameter.min || message.value > parameter.max)
          return `${message.name} must be within its range`;
        parameter.value = message.value;
        return '';
      }
      case 'record':
        if (this.recording.on && !message.on)
          this.records.unshift({
            name: this.recording.file, bytes: 900_000, seconds: this.world.time - this.recording.since,
            episodes: [], thumbnail: null, damage: '', imported: '',
          });
        this.recording = { on: message.on, since: this.world.time, file: `${message.name || 'recording'}-${this.tick}.mcap` };
        return '';
      case 'episode':
        this.episode = message.mark === 'start' ? { task: message.text, since: this.world.time } : undefined;
        this.tell({ type: 'event', tick: this.tick, kind: 'episode', name: message.mark, text: message.text });
        return '';
      case 'delete':
        this.records = this.records.filter(({ name }) => name !== message.name);
        return '';
      case 'replay':
        client.replay = 'off' in message && message.off ? undefined : { time: kReplay[0], factor: 1 };
        return '';
      case 'seek':
        if (!client.replay) return 'nothing is being replayed';
        client.replay.time = message.time;
        return '';
      case 'speed':
        if (!client.replay) return 'nothing is being replayed';
        client.replay.factor = message.factor;
        return '';
      default:
        return '';
    }
  }

  private welcome(you: number): Welcome {
    const pose = { kind: 'pose' as const };
    return {
      type: 'welcome', protocol: kProtocol, version: 'mock', session: 'mock', you, app: 'grab',
      base_period: kTick, clock: { server: this.clock },
      scene: {
        name: 'grab',
        bodies: this.world.bodies,
        views: [{ name: 'overview', eye: [1.9, 1.9, 1.35], target: [0.32, 0.35, 0.35] },
          { name: 'operator', eye: [-1.5, 0.4, 1.35], target: [0.5, 0.4, 0.35] },
          { name: 'box', eye: [1.25, 0.95, 0.8], target: [0.5, 0.4, 0.4] }],
        frames: [{ name: 'box_left', position: [0.52, 0.545, 0.37], quaternion: [0, 0, 0, 1] }], ground: 0,
      },
      channels: this.channels,
      devices: [{ name: 'headset', driver: 'person', layout: kLayout, takes_samples: true, feeds: [], own: false },
        { name: 'page', driver: 'page', layout: kPageLayout, takes_samples: true, feeds: [], own: false }],
      references: kSides.map((side) => ({ name: `${side}_hand`, ...pose, frame: `${side}.tcp` })),
      hands: kHands, jogs: kJogs, parameters: this.parameters,
      machines: [{ name: 'both', states: ['rest'] }],
    };
  }

  private status(client: Client): Status {
    const who = this.operator || null;
    return {
      type: 'status', tick: this.tick, mode: { both: this.world.state }, judged: this.judged,
      operators: { left_hand: who, right_hand: who, headset: who },
      you_operate: client.id === this.operator,
      clients: this.clients.filter((c) => c.welcomed).map(({ id, name, role }) => ({ id, name, role })),
      stopped: this.world.stopped, reason: this.world.stopped ? 'stopped by an operator' : '',
      holding: Object.fromEntries(kSides.flatMap((side, i) => {
        const { holding, reason } = this.world.references[i]!;
        return holding ? [[`${side}_hand`, reason]] : [];
      })),
      recording: { on: this.recording.on, file: this.recording.file, seconds: this.recording.on ? this.world.time - this.recording.since : 0, ...this.disk },
      episode: { on: !!this.episode, task: this.episode?.task ?? '' },
      put_back: { count: 0, why: '' }, late_ticks: 0, slipped: 0,
      devices: { headset: { age: this.world.sampleAge, present: (this.world.sampleAge ?? 1) < 0.1 } },
      limits: this.world.forces.some((f) => f > 6) ? ['left.joint4 torque', 'right.joint4 torque'] : [],
      relaxed: [], inputs_lost: 0, samples_refused: 0, scripted: this.world.scripted,
      parameters: Object.fromEntries(this.parameters.map(({ name, value }) => [name, value])),
      replay: client.replay ? {
        start: kReplay[0], end: kReplay[1], message: '', mode: { both: 'then' }, judged: {}, stopped: false, reason: '',
        holding: { left_hand: 'it held then' }, limits: ['left.joint2 speed'], relaxed: [],
      } : null,
    };
  }

  private tellStatus(): void {
    for (const client of this.clients)
      if (client.welcomed) client.socket.send(JSON.stringify(this.status(client)));
  }

  private values(index: number): number[] {
    const [what = '', ...rest] = this.channels[index]!.name.split('.');
    const i = /right/.test(this.channels[index]!.name) ? 1 : 0;
    if (rest.at(-1) === 'wrench') {
      const noise = () => 0.15 * Math.sin(37 * this.world.time + 11 * i) + 0.1 * Math.sin(91 * this.world.time);
      return [noise(), noise(), this.world.forces[i]! + noise(), 0, 0, 0];
    }
    if (rest.at(-1) === 'clutch') return [this.world.closed(i) ? 1 : 0];
    if (rest.at(-1) === 'q') return this.world.arms[i]!.q;
    if (what === 'object') return [...this.world.box.toArray(), 0, 0, 0, 1];
    return [0];
  }

  private frame(client: Client, now: number, dt: number): void {
    const { replay } = client;
    if (replay) replay.time = Math.min(kReplay[1], replay.time + replay.factor * dt);
    if (!client.welcomed || now < client.next || client.socket.bufferedAmount > 0) return;
    client.next = Math.max(client.next + client.period, now);
    const { references } = this.world;
    const frame: Frame = {
      stopped: this.world.stopped, recording: this.recording.on, episode: !!this.episode,
      replay: !!replay, sequence: ++client.sequence, tick: this.tick,
      time: replay ? replay.time : this.world.time, taken: this.clock, poses: this.world.poses,
      holding: references.map(({ holding }) => holding),
      references: Float32Array.from(references.flatMap(({ p, q }) => [...p.toArray(), ...q.toArray()])),
      contacts: this.world.contacts,
      channels: new Map(client.channels.map((index) => [index, Float32Array.from(this.values(index))])),
    };
    client.socket.send(encodeFrame(frame));
  }

  /// To whose samples are taken.
  output(name: string, value: number): void {
    const client = this.clients.find(({ id }) => id === this.operator);
    client?.socket.send(JSON.stringify({ type: 'output', device: 'headset', output: name, values: [value] }));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = new MockServer(Number(process.argv[2] ?? 8781));
  await server.ready;
  console.log(`http://localhost:${server.port}`);
}
