import { describe, expect, it } from 'vitest';
import { ClockOffset, kKept, kSlew } from '../../src/clock.ts';

describe('clock offset', () => {
  it('is exact when both ways take as long', () => {
    const clock = new ClockOffset();
    clock.add(10, 110.05, 10.1);
    expect(clock.offset).toBeCloseTo(100, 12);
    expect(clock.roundTrip).toBeCloseTo(0.1, 12);
  });

  it('is that of the shortest round trip: delays of one way do not pull it', () => {
    const clock = new ClockOffset();
    clock.add(0, 100.001, 0.002);
    for (let i = 1; i < 6; ++i) clock.add(i, 100 + i + 0.3, i + 0.301);
    expect(clock.offsetAt(6)).toBeCloseTo(100, 9);
  });

  it('forgets what is older than ten: clocks drift', () => {
    const clock = new ClockOffset();
    clock.add(0, 100.0005, 0.001);
    for (let i = 0; i < kKept; ++i) clock.add(i, 101 + i + 0.005, i + 0.01);
    expect(clock.offset).toBeCloseTo(101, 9);
  });

  it('never turns rising times round when a shorter trip says otherwise', () => {
    // as on localhost some seconds after a page was loaded: 30 ms for one way, then 0.2 ms
    const clock = new ClockOffset();
    clock.add(0, 100.015 + 0.015, 0.03);
    let before = -Infinity;
    for (let i = 1; i < 400; ++i) {
      const t = 0.03 + 0.011 * i;
      if (i === 100) clock.add(t - 0.0002, 100 + t - 0.0001, t);
      const server = t + clock.offsetAt(t);
      expect(server - before).toBeGreaterThan(0.011 * (1 - kSlew) - 1e-9);
      before = server;
    }
    expect(clock.offsetAt(4.43)).toBeCloseTo(100, 9);
  });

  it('asked for an earlier time it does not go back', () => {
    const clock = new ClockOffset();
    clock.add(0, 100.1, 0.2);
    clock.add(1, 101, 1.0002);
    const offset = clock.offsetAt(1.5);
    expect(clock.offsetAt(1.4)).toBe(offset);
  });

  it('takes another clock at once', () => {
    const clock = new ClockOffset();
    clock.add(0, 100, 0);
    for (let i = 0; i < kKept; ++i) clock.add(i, 5000 + i + 0.005, i + 0.01);
    expect(clock.offsetAt(kKept)).toBeCloseTo(5000, 9);
  });

  it('is zero, and not known, before the first answer and after another server', () => {
    const clock = new ClockOffset();
    expect([clock.offset, clock.known]).toEqual([0, false]);
    clock.add(0, 5, 0);
    clock.clear();
    expect([clock.offset, clock.known]).toEqual([0, false]);
  });
});
