// The connection to the server: greets, measures the clocks, asks and is answered, comes back by
// itself after the server went away. Who is interested in a kind of message listens to it.
import { ClockOffset, now } from './clock.ts';
import {
  decodeFrame, encodeSample, type Frame, kProtocol, kSubprotocol, parseServerMessage,
  ProtocolError, type Request, type Sample, type ServerMessage, type Status, type Welcome,
} from './protocol.ts';

export type Link = 'connecting' | 'live' | 'lost' | 'refused';

type Of<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

export interface Topics {
  link: { link: Link; why: string };
  welcome: Welcome;
  frame: Frame;
  status: Status;
  event: Of<'event'>;
  output: Of<'output'>;
  records: Of<'records'>;
  asked: Of<'asked'>;
  devices: Of<'devices'>;
}

// 4001 version, 4005 not paired: trying again would change nothing
const kFinal = [4001, 4005];
const kFirstWait = 0.25;
const kLongestWait = 2; // [s]
const kAnswerTime = 5; // [s]
const kSilence = 3; // without a message it is dead [s]
// what waits in the socket for longer is not a motion to follow any more
const kMostWaiting = 4096; // [bytes]

export interface Greeting {
  name: string;
  role: 'operator' | 'viewer';
}

export class Station {
  readonly clock = new ClockOffset();
  welcome: Welcome | undefined;
  status: Status | undefined;
  link: Link = 'connecting';
  why = ''; // the link is as it is
  samplesHeld = 0; // not sent since the network did not take them
  private readonly url: string;
  private readonly greeting: Greeting;
  private readonly listeners = new Map<keyof Topics, Set<(value: never) => void>>();
  private readonly asked = new Map<number, (problem: string) => void>();
  private socket: WebSocket | undefined;
  private nextId = 1;
  private wait = kFirstWait;
  private heard = 0; // the last message [s]
  private timers: ReturnType<typeof setTimeout>[] = [];

  constructor(url: string, greeting: Greeting) {
    this.url = url;
    this.greeting = greeting;
  }

  on<T extends keyof Topics>(topic: T, listener: (value: Topics[T]) => void): () => void {
    let set = this.listeners.get(topic);
    if (!set) this.listeners.set(topic, (set = new Set()));
    set.add(listener as (value: never) => void);
    return () => set.delete(listener as (value: never) => void);
  }

  private tell<T extends keyof Topics>(topic: T, value: Topics[T]): void {
    for (const listener of this.listeners.get(topic) ?? []) listener(value as never);
  }

  /// Since the server's last message [s].
  get silence(): number {
    return now() - this.heard;
  }

  get youOperate(): boolean {
    return this.link === 'live' && this.status?.you_operate === true;
  }

  connect(): void {
    this.drop();
    this.setLink('connecting', '');
    const socket = new WebSocket(this.url, kSubprotocol);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    this.heard = now();
    socket.onopen = () => {
      this.heard = now();
      socket.send(
        JSON.stringify({
          type: 'hello', protocol: kProtocol, name: this.greeting.name, role: this.greeting.role,
        }),
      );
    };
    socket.onmessage = ({ data }) => {
      this.heard = now();
      try {
        if (typeof data === 'string') this.take(parseServerMessage(data));
        else this.tell('frame', decodeFrame(data as ArrayBuffer));
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        // another server than this page was made for
        this.setLink('refused', `the server sent what this page does not understand: ${error.message}; reload it`);
        this.drop();
      }
    };
    socket.onclose = ({ code, reason }) => {
      if (this.socket !== socket) return;
      this.drop();
      if (this.link === 'refused') return;
      if (kFinal.includes(code)) return this.setLink('refused', reason || `closed with ${code}`);
      this.setLink('lost', reason || 'the server does not answer');
      this.timers.push(setTimeout(() => this.connect(), 1000 * this.wait));
      this.wait = Math.min(2 * this.wait, kLongestWait);
    };
    this.timers.push(
      setInterval(() => {
        if (now() - this.heard > kSilence) socket.close();
      }, 500),
    );
  }

  /// Another name: greets anew.
  rename(name: string): void {
    this.greeting.name = name;
    this.wait = kFirstWait;
    this.connect();
  }

  get name(): string {
    return this.greeting.name;
  }

  get role(): 'operator' | 'viewer' {
    return this.greeting.role;
  }

  private drop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
    const socket = this.socket;
    this.socket = undefined;
    if (socket) {
      socket.onmessage = socket.onclose = null;
      socket.close();
    }
    for (const answer of this.asked.values()) answer('the server went away');
    this.asked.clear();
  }

  private setLink(link: Link, why: string): void {
    this.link = link;
    this.why = why;
    this.tell('link', { link, why });
  }

  private take(message: ServerMessage): void {
    switch (message.type) {
      case 'welcome':
        this.welcome = message;
        this.status = undefined;
        this.wait = kFirstWait;
        this.setLink('live', '');
        this.tell('welcome', message);
        this.startClock();
        break;
      case 'status':
        this.status = message;
        this.tell('status', message);
        break;
      case 'refused':
        this.setLink('refused', message.reason);
        break;
      case 'pong':
        this.clock.add(message.t, message.server, now());
        break;
      case 'answer':
        this.asked.get(message.to)?.(message.ok ? '' : message.reason || 'refused');
        this.asked.delete(message.to);
        break;
      default:
        this.tell(message.type, message as never);
    }
  }

  private startClock(): void {
    // a server that was started anew has another clock
    this.clock.clear();
    const ping = () => this.send({ type: 'ping', t: now() });
    for (let i = 0; i < 5; ++i) this.timers.push(setTimeout(ping, 50 * i));
    this.timers.push(setInterval(ping, 5000));
  }

  private send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /// @return what is in the way, in words; empty when it was done
  ask(request: Request): Promise<string> {
    const id = this.nextId++;
    return new Promise((resolve) => {
      if (!this.send({ ...request, id })) return resolve('there is no connection to the server');
      const timer = setTimeout(() => {
        this.asked.delete(id);
        resolve('the server did not answer');
      }, 1000 * kAnswerTime);
      this.asked.set(id, (problem) => {
        clearTimeout(timer);
        resolve(problem);
      });
    });
  }

  /// @return whether it went out: what the network does not take now would come too late
  sample(sample: Sample): boolean {
    const socket = this.socket;
    if (socket?.readyState !== WebSocket.OPEN) return false;
    if (socket.bufferedAmount > kMostWaiting) {
      ++this.samplesHeld;
      return false;
    }
    socket.send(encodeSample(sample));
    return true;
  }
}
