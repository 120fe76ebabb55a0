// A sample in the making, by the names of a device's layout (src/teleop/device.hpp): 8 numbers a
// pose (tracked as, x y z [m], quaternion x y z w), 1 an axis, 1 a button.
import type { Quaternion, Vector3 } from 'three';
import { kPoseNumbers, type LayoutInfo } from '../protocol.ts';

/// What tells where something is; numbered as the server's. Recentred: nothing is in this sample, since
/// the space that poses are in was moved.
export const TrackedAs = { none: 0, controller: 1, hand: 2, head: 3, tracker: 4, recentred: 5 } as const;
export type TrackedAs = (typeof TrackedAs)[keyof typeof TrackedAs];

export class SampleWriter {
  readonly numbers: Float64Array;
  private readonly layout: LayoutInfo;

  constructor(layout: LayoutInfo) {
    this.layout = layout;
    this.numbers = new Float64Array(
      kPoseNumbers * layout.poses.length + layout.axes.length + layout.buttons.length);
    this.rest();
  }

  /// Nothing tracked, every axis and button at rest.
  rest(): void {
    this.numbers.fill(0);
    for (let i = 0; i < this.layout.poses.length; ++i) this.numbers[kPoseNumbers * i + 7] = 1;
  }

  /// As control(), where several ask: what is farthest from rest counts.
  ask(name: string, value: number): void {
    const before = this.value(name);
    if (before !== undefined && !(Math.abs(value) < Math.abs(before))) this.control(name, value);
  }

  /// Of an axis or a button; none: the device has none of that name.
  value(name: string): number | undefined {
    const axis = this.layout.axes.indexOf(name);
    const button = this.layout.buttons.indexOf(name);
    const first = kPoseNumbers * this.layout.poses.length;
    return axis >= 0 ? this.numbers[first + axis]
      : button >= 0 ? this.numbers[first + this.layout.axes.length + button] : undefined;
  }

  /// Nothing tracked and no control known: what is held is not believed any more.
  unknown(): void {
    this.rest();
    this.numbers.fill(NaN, kPoseNumbers * this.layout.poses.length);
  }

  /// In the device's own axes. A pose that the device has not is left out.
  pose(name: string, as: TrackedAs, p: Vector3, q: Quaternion): void {
    const i = this.layout.poses.indexOf(name);
    if (i >= 0) this.numbers.set([as, p.x, p.y, p.z, q.x, q.y, q.z, q.w], kPoseNumbers * i);
  }

  /// An axis of that name, or a button, that is down above 0.5.
  control(name: string, value: number): void {
    const axis = this.layout.axes.indexOf(name);
    const first = kPoseNumbers * this.layout.poses.length;
    if (axis >= 0) this.numbers[first + axis] = value;
    const button = this.layout.buttons.indexOf(name);
    if (button >= 0)
      this.numbers[first + this.layout.axes.length + button] = value > 0.5 ? 1 : value <= 0.5 ? 0 : NaN;
  }
}
