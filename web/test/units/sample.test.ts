import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { SampleWriter, TrackedAs } from '../../src/teleop/sample.ts';

const layout = { poses: ['left', 'head'], axes: ['left.trigger'], buttons: ['left.primary'], outputs: [] };

describe('sample', () => {
  it('is in the order of the layout: poses, axes, buttons', () => {
    const sample = new SampleWriter(layout);
    sample.pose('head', TrackedAs.head, new Vector3(1, 2, 3), new Quaternion(0.5, 0.5, 0.5, 0.5));
    sample.control('left.trigger', 0.25);
    sample.control('left.primary', 1);
    expect([...sample.numbers]).toEqual(
      [0, 0, 0, 0, 0, 0, 0, 1, 3, 1, 2, 3, 0.5, 0.5, 0.5, 0.5, 0.25, 1]);
  });

  it('at rest tracks nothing and holds nothing; unknown, no control can be believed', () => {
    const sample = new SampleWriter(layout);
    expect([...sample.numbers].filter((x) => x !== 0)).toEqual([1, 1]);
    sample.unknown();
    expect([...sample.numbers.subarray(16)]).toEqual([NaN, NaN]);
    expect([sample.numbers[0], sample.numbers[8]]).toEqual([0, 0]);
  });

  it('leaves out what the device has not', () => {
    const sample = new SampleWriter(layout);
    const before = [...sample.numbers];
    sample.pose('right', TrackedAs.controller, new Vector3(1, 1, 1), new Quaternion());
    sample.control('right.trigger', 1);
    expect([...sample.numbers]).toEqual(before);
  });
});
