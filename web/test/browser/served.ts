// The station itself with the page: `handspan serve` on apps/grab.yaml, and a viewer of our own that
// tells what its robots and its box do. Time here is simulated time: the browser draws in software
// beside a loop of 1 kHz, so the station runs in slow motion and hands move by its clock.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import {
  decodeFrame, type Frame, kProtocol, kSubprotocol, parseServerMessage, type Status, type Welcome,
} from '../../src/protocol.ts';
import { Failure, until } from './support.ts';

const kRoot = new URL('../../../', import.meta.url).pathname;
export const kProgram = [process.env.HANDSPAN_BINARY ?? '', `${kRoot}build/dev/handspan`, `${kRoot}build/release/handspan`]
  .find((file) => file && existsSync(file));

export class Served {
  readonly records = mkdtempSync(join(tmpdir(), 'handspan-page-'));
  welcome: Welcome | undefined;
  status: Status | undefined;
  frame: Frame | undefined;
  readonly events: { kind: string; name: string; text: string }[] = [];
  port = 0;
  token = '';
  code = ''; // that pages pair with
  key = ''; // of the address that is printed
  said = '';
  /// of each frame that comes
  seen: (frame: Frame) => void = () => undefined;
  private readonly app: string;
  private readonly pace: number;
  private program: ChildProcess | undefined;
  private socket: WebSocket | undefined;

  constructor(app: string, pace: number) {
    this.app = app;
    this.pace = pace;
  }

  /// Starts it, on the port that it had before if any.
  async start(): Promise<void> {
    this.said = '';
    this.program = spawn(kProgram!, ['serve', join(kRoot, this.app), '--no-page-open', '--port', String(this.port),
      '--pace', String(this.pace), '--records', this.records, '--token-file', join(this.records, 'token')], { stdio: ['ignore', 'pipe', 'pipe'] });
    const hear = (text: Buffer) => (this.said += text.toString());
    this.program.stdout!.on('data', hear);
    this.program.stderr!.on('data', hear);
    await until('the station does not start', () => /pairing code/.test(this.said) || this.program!.exitCode !== null);
    this.port = Number(/localhost:(\d+)/.exec(this.said)?.[1]);
    if (!this.port) throw new Failure(`the station does not start: ${this.said}`);
    this.code = /pairing code of other pages: (\d+)/.exec(this.said)?.[1] ?? '';
    this.key = /#key=(\w+)/.exec(this.said)?.[1] ?? '';
    this.token = readFileSync(join(this.records, 'token'), 'utf8').trim().split(' ').at(-1)!;
    this.look();
    await until('the station shows nothing', () => this.frame !== undefined && this.status !== undefined);
  }

  private look(): void {
    this.frame = undefined;
    const socket = new WebSocket(`ws://127.0.0.1:${this.port}/ws`, kSubprotocol,
      { headers: { Authorization: `Bearer ${this.token}` } });
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.on('open', () => socket.send(JSON.stringify(
      { type: 'hello', protocol: kProtocol, name: 'test', role: 'viewer' })));
    socket.on('error', () => undefined);
    socket.on('message', (data: ArrayBuffer | Buffer, binary: boolean) => {
      if (binary) {
        this.frame = decodeFrame(data as ArrayBuffer);
        return this.seen(this.frame);
      }
      const message = parseServerMessage(Buffer.from(data as ArrayBuffer).toString());
      if (message.type === 'welcome') {
        this.welcome = message;
        const channels = message.channels.map(({ name }) => name).filter((name) => /clutch$|wrench$/.test(name));
        socket.send(JSON.stringify({ type: 'subscribe', channels, rate: 60 }));
      } else if (message.type === 'status') this.status = message;
      else if (message.type === 'event') this.events.push(message);
    });
  }

  /// Ends it, as Ctrl-C does.
  async end(): Promise<void> {
    this.socket?.terminate();
    const { program } = this;
    if (!program || program.exitCode !== null) return;
    program.kill('SIGINT');
    await until('the station does not end', () => program.exitCode !== null || program.signalCode !== null);
  }

  async close(): Promise<void> {
    await this.end();
    rmSync(this.records, { recursive: true });
  }

  /// Simulated time [s].
  get time(): number {
    return this.frame?.time ?? 0;
  }

  /// Of a body in W: x y z, quaternion x y z w.
  pose(body: string): number[] {
    const i = this.welcome!.scene.bodies.findIndex(({ name }) => name === body);
    return [...this.frame!.poses.subarray(7 * i, 7 * i + 7)];
  }

  reference(name: string): number[] {
    const i = this.welcome!.references.findIndex((reference) => reference.name === name);
    return [...this.frame!.references.subarray(7 * i, 7 * i + 7)];
  }

  holds(name: string): boolean {
    return this.frame!.holding[this.welcome!.references.findIndex((reference) => reference.name === name)]!;
  }

  channel(name: string): number[] {
    const i = this.welcome!.channels.findIndex((one) => one.name === name);
    return [...this.frame!.channels.get(i) ?? []];
  }

  /// Until so much simulated time has passed [s].
  async wait(seconds: number): Promise<void> {
    const end = this.time + seconds;
    await until('simulated time does not go on', () => this.time >= end, 30 + 3 * seconds / this.pace);
  }
}
