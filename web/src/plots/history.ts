// The last minute of the channels that are plotted, as the frames brought them.
import type { Frame } from '../protocol.ts';

export const kKept = 5400; // frames: a minute at the highest rate

export class History {
  private times = new Float64Array(kKept);
  private values = new Map<number, Float32Array>(); // of each channel, its size a frame
  private sizes = new Map<number, number>();
  private next = 0;
  private count = 0;
  private last = -Infinity;

  /// @param sizes numbers of each channel, by index: those that are kept from now on
  keep(sizes: Map<number, number>): void {
    for (const [index, size] of sizes)
      if (!this.values.has(index)) {
        this.values.set(index, new Float32Array(kKept * size).fill(NaN));
        this.sizes.set(index, size);
      }
    for (const index of this.values.keys())
      if (!sizes.has(index)) {
        this.values.delete(index);
        this.sizes.delete(index);
      }
  }

  add(frame: Frame): void {
    // another run, or a jump of a replay
    if (frame.time < this.last) this.clear();
    this.last = frame.time;
    this.times[this.next] = frame.time;
    for (const [index, kept] of this.values) {
      const size = this.sizes.get(index)!;
      const values = frame.channels.get(index);
      if (values?.length === size) kept.set(values, this.next * size);
      else kept.fill(NaN, this.next * size, (this.next + 1) * size);
    }
    this.next = (this.next + 1) % kKept;
    this.count = Math.min(kKept, this.count + 1);
  }

  clear(): void {
    this.next = this.count = 0;
    this.last = -Infinity;
  }

  get newest(): number {
    return this.last;
  }

  /// Times [s] of what was kept since then, in order, and what `of` makes of each frame's numbers.
  since(begin: number, series: { channel: number; of: (values: Float32Array) => number }[]):
      [number[], ...(number | null)[][]] {
    const times: number[] = [];
    const columns: (number | null)[][] = series.map(() => []);
    for (let k = this.count; k > 0; --k) {
      const i = (this.next - k + kKept) % kKept;
      if (this.times[i]! < begin) continue;
      times.push(this.times[i]!);
      series.forEach(({ channel, of }, s) => {
        const size = this.sizes.get(channel) ?? 0;
        const value = of((this.values.get(channel) ?? new Float32Array())
          .subarray(i * size, (i + 1) * size));
        columns[s]!.push(Number.isFinite(value) ? value : null);
      });
    }
    return [times, ...columns];
  }
}
