// Against the fixtures that both sides of the protocol share.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  decodeFrame, decodeSample, encodeFrame, encodeSample, type Frame, parseClientMessage,
  parseServerMessage, ProtocolError,
} from '../../src/protocol.ts';
import { MockWelcome } from './mock_welcome.ts';

const kFixtures = new URL('../../../tests/station/fixtures/', import.meta.url);
const json = (name: string) => JSON.parse(readFileSync(new URL(name, kFixtures), 'utf8'));
const bytes = (name: string) => new Uint8Array(readFileSync(new URL(name, kFixtures))).buffer;

function frameOf(f: any): Frame {
  const has = (flag: number) => (f.flags & flag) !== 0;
  return {
    stopped: has(1), recording: has(2), episode: has(4), replay: has(8),
    sequence: f.sequence, tick: f.tick, time: f.time, taken: f.server, contacts: f.contacts,
    poses: Float32Array.from(f.bodies.flat()),
    holding: f.references.map((r: any) => r.holding),
    references: Float32Array.from(f.references.flatMap((r: any) => r.pose)),
    channels: new Map(f.channels.map((c: any) => [c.index, Float32Array.from(c.values)])),
  };
}

// 0.1 in a file is not the float that a frame has
const asFloats = (contacts: Frame['contacts']) => contacts.map((contact) => ({
  ...contact, position: contact.position.map(Math.fround), force: contact.force.map(Math.fround) }));

describe('binary', () => {
  const names = readdirSync(kFixtures).filter((name) => name.endsWith('.bin'));
  it('has fixtures', () => expect(names.length).toBeGreaterThanOrEqual(3));
  for (const name of names) {
    const said = json(name.replace('.bin', '.json'));
    const isFrame = said.kind === 1;
    it(`${name}: decoded as it says, and encoded to the same bytes`, () => {
      if (isFrame) {
        const frame = frameOf(said);
        frame.contacts = asFloats(frame.contacts);
        const decoded = decodeFrame(bytes(name));
        for (const key of Object.keys(decoded) as (keyof Frame)[])
          expect(decoded[key], key).toEqual(frame[key]);
        expect(new Uint8Array(encodeFrame(frame))).toEqual(new Uint8Array(bytes(name)));
      } else {
        const numbers = Float64Array.from(said.numbers, (x: number | null) => x ?? NaN);
        expect(decodeSample(bytes(name))).toMatchObject({ ...said, numbers });
        expect(new Uint8Array(encodeSample({ ...said, numbers }))).toEqual(new Uint8Array(bytes(name)));
      }
    });
    it(`${name}: cut anywhere, or longer, it is refused in words`, () => {
      const whole = bytes(name);
      const decode = isFrame ? decodeFrame : decodeSample;
      for (let n = 1; n < whole.byteLength; ++n)
        expect(() => decode(whole.slice(0, n)), `${n} bytes`).toThrow(/ends too early/);
      const longer = new Uint8Array(whole.byteLength + 2);
      longer.set(new Uint8Array(whole));
      expect(() => decode(longer.buffer)).toThrow(/2 bytes too many/);
    });
  }

  it('is refused when it is of another kind or has no time', () => {
    const frame = bytes('page_frame.bin');
    expect(() => decodeSample(frame)).toThrow("a binary frame of kind 1; a page's are 16");
    expect(() => decodeFrame(bytes('page_sample.bin')))
      .toThrow("a binary frame of kind 16; the server's are 1");
    new DataView(frame).setFloat64(16, NaN, true);
    expect(() => decodeFrame(frame)).toThrow('a frame whose time is not finite');
    const sample = bytes('page_sample.bin');
    new DataView(sample).setFloat64(8, Infinity, true);
    expect(() => decodeSample(sample)).toThrow('a sample whose stamp or offset is not finite');
  });
});

describe('text', () => {
  for (const name of ['welcome.json', 'status.json'].filter((n) => existsSync(new URL(n, kFixtures))))
    it(`${name}: the server's own`, () =>
      expect(parseServerMessage(JSON.stringify(json(name)))).toMatchObject(json(name)));

  for (const [i, { from, text, error }] of json('page_messages.json').entries())
    it(`${i}: ${from}: ${error ?? text.slice(0, 60)}`, () => {
      const parse = from === 'server' ? parseServerMessage : parseClientMessage;
      if (error) return expect(() => parse(text)).toThrow(new ProtocolError(error));
      // what is left out comes as its default, the rest as it was
      expect(parse(text)).toMatchObject(JSON.parse(text));
    });

  it('takes a welcome, and names the place of what is wrong in one', () => {
    expect(parseServerMessage(JSON.stringify(MockWelcome))).toMatchObject({
      app: 'grab', jogs: [{ frame: 'world', dead_man: 'left.clutch' }, {}],
      devices: [{ feeds: [], own: false }, { layout: { outputs: [{ name: 'force', size: 3, unit: 'N' }] } }] });
    // a parameter without a kind and words is a number that nobody describes
    expect(parseServerMessage(JSON.stringify(MockWelcome))).toMatchObject({
      parameters: [{ name: 'belt.belt.speed', kind: 'number', doc: '' }, { kind: 'switch', max: 1 }] });
    const wrong = (change: (w: any) => void) => {
      const w = structuredClone(MockWelcome);
      change(w);
      return () => parseServerMessage(JSON.stringify(w));
    };
    expect(wrong((w) => (w.scene.bodies[0].shapes[0].size = [1, 2]))).toThrow(
      'welcome.scene.bodies[0].shapes[0].size is [1,2]; it must be 3 numbers, of a box');
    expect(wrong((w) => (w.scene.bodies[0].shapes[0].type = 'cone'))).toThrow(/must be one of box/);
    expect(wrong((w) => (w.scene.frames[0].quaternion = [0, 0, 0, 2]))).toThrow(
      'welcome.scene.frames[0].quaternion is [0,0,0,2]; it must be a unit quaternion');
    expect(wrong((w) => (w.parameters[1].kind = 'knob'))).toThrow(
      /^welcome\.parameters\[1\]\.kind is "knob"; it must be one of number, switch/);
    expect(wrong((w) => w.jogs[0].rates.pop())).toThrow(/^welcome\.jogs\[0\]\.rates is .*; it must be a list of 6/);
    expect(wrong((w) => (w.jogs[0].rates[0] = { sign: 1 }))).toThrow(
      'welcome.jogs[0].rates[0].plus is undefined; it must be a text');
    expect(wrong((w) => (w.devices[0].feeds = [{ axis: 'pad.south', sign: 1 }]))).toThrow(
      'welcome.devices[0].feeds[0].control is undefined; it must be a text');
    expect(wrong((w) => delete w.channels[0].rate)).toThrow(
      'welcome.channels[0].rate is undefined; it must be a number');
  });
});
