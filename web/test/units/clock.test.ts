import { describe, expect, it } from 'vitest';
import { ClockOffset, kKept } from '../../src/clock.ts';

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
    expect(clock.offset).toBeCloseTo(100, 9);
  });

  it('forgets what is older than ten: clocks drift', () => {
    const clock = new ClockOffset();
    clock.add(0, 100.0005, 0.001);
    for (let i = 0; i < kKept; ++i) clock.add(i, 101 + i + 0.005, i + 0.01);
    expect(clock.offset).toBeCloseTo(101, 9);
  });

  it('is zero, and not known, before the first answer and after another server', () => {
    const clock = new ClockOffset();
    expect([clock.offset, clock.known]).toEqual([0, false]);
    clock.add(0, 5, 0);
    clock.clear();
    expect([clock.offset, clock.known]).toEqual([0, false]);
  });
});
