// Samples' times by the server's clock rise as stamps do, whatever the offset of the clocks becomes.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DeviceInfo, Sample } from '../../src/protocol.ts';
import type { Station } from '../../src/station.ts';
import { Sender } from '../../src/teleop/sender.ts';

const device: DeviceInfo = {
  name: 'headset', driver: 'headset', takes_samples: true, feeds: [], own: false,
  layout: { poses: ['left'], axes: [], buttons: [], outputs: [] },
};

describe('sender', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const times = (offsets: number[], stamps = offsets.map((_, i) => 0.011 * i)) => {
    const sent: Sample[] = [];
    const clock = { offset: 0 };
    const sender = new Sender({ clock, sample: (s: Sample) => sent.push(s) } as unknown as Station,
      () => undefined);
    sender.load([device]);
    offsets.forEach((offset, i) => {
      clock.offset = offset;
      sender.send(0, stamps[i]!);
    });
    return sent.map(({ stamp, offset }) => stamp + offset);
  };
  const rises = (all: number[]) => all.every((t, i) => i === 0 || t > all[i - 1]!);

  it('leaves times alone while the offset stays', () => {
    expect(times([5, 5, 5])).toEqual([5, expect.closeTo(5.011, 12), expect.closeTo(5.022, 12)]);
  });

  it('turns no two round when the offset falls by more than a frame', () => {
    expect(rises(times([5, 5, 4.985, 4.985, 4.985, 4.985]))).toBe(true);
  });

  it('sends what comes twice as later', () => {
    expect(rises(times([5, 5, 5], [1, 1, 0.999]))).toBe(true);
  });

  it('takes another server\'s clock as it is', () => {
    expect(times([5000, 5])[1]).toBeCloseTo(5.011, 9);
  });
});
