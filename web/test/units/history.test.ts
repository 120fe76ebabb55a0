import { describe, expect, it } from 'vitest';
import { History, kKept } from '../../src/plots/history.ts';
import type { Frame } from '../../src/protocol.ts';

const frame = (time: number, ...values: number[]) =>
  ({ time, channels: new Map([[4, Float32Array.from(values)]]) }) as unknown as Frame;
const length = (v: Float32Array) => Math.hypot(v[0]!, v[1]!, v[2]!);

describe('history', () => {
  it('gives what came since then, in order, as the series makes of it', () => {
    const history = new History();
    history.keep(new Map([[4, 3]]));
    for (let t = 0; t < 10; ++t) history.add(frame(t, 3 * t, 4 * t, 0));
    expect(history.since(7, [{ channel: 4, of: length }])).toEqual([[7, 8, 9], [35, 40, 45]]);
  });

  it('forgets the oldest when it is full', () => {
    const history = new History();
    history.keep(new Map([[4, 1]]));
    for (let t = 0; t < kKept + 3; ++t) history.add(frame(t, t));
    const [times, values] = history.since(-Infinity, [{ channel: 4, of: (v) => v[0]! }]);
    expect([times.length, times[0], values![0]]).toEqual([kKept, 3, 3]);
  });

  it('has gaps where a frame did not have the channel, or had it otherwise', () => {
    const history = new History();
    history.keep(new Map([[4, 3], [9, 1]]));
    history.add(frame(0, 1, 2, 2));
    history.add(frame(1, 1));
    expect(history.since(0, [{ channel: 4, of: length }, { channel: 9, of: (v) => v[0]! }]))
      .toEqual([[0, 1], [3, null], [null, null]]);
  });

  it('begins anew when time goes back', () => {
    const history = new History();
    history.keep(new Map([[4, 1]]));
    history.add(frame(5, 1));
    history.add(frame(1, 2));
    expect(history.since(-Infinity, [{ channel: 4, of: (v) => v[0]! }])).toEqual([[1], [2]]);
  });
});
