// Samples go out at the display's rate while this page operates, and by a timer when the page is
// drawn too slowly: the server takes a device that says nothing for 100 ms as silent.
import { kOtherClock, now } from '../clock.ts';
import type { DeviceInfo } from '../protocol.ts';
import type { Station } from '../station.ts';
import { SampleWriter } from './sample.ts';

const kLongest = 0.028; // between samples [s]
const kMostSamples = 250; // a second, of all devices
const kTimer = 0.015; // [s]
const kLeastStep = 1e-4; // of stamps, that must rise [s]

export class Sender {
  private readonly station: Station;
  private readonly due: (time: number) => void;
  private devices: { info: DeviceInfo; writer: SampleWriter; sequence: number; stamp: number; server: number }[] = [];
  private last = 0;

  /// @param due called when a sample is due that no frame of the display has sent
  constructor(station: Station, due: (time: number) => void) {
    this.station = station;
    this.due = due;
    setInterval(() => {
      const time = now();
      if (time - this.last > kLongest) this.due(time);
    }, 1000 * kTimer);
  }

  load(devices: DeviceInfo[]): void {
    this.devices = devices.map((info) =>
      ({ info, writer: new SampleWriter(info.layout), sequence: 0, stamp: -Infinity, server: -Infinity }));
  }

  /// The server closes a page that says more than 400 things a second.
  get leastPeriod(): number {
    return this.devices.filter(({ info }) => info.takes_samples).length / kMostSamples;
  }

  writer(device: number): SampleWriter | undefined {
    return this.devices[device]?.info.takes_samples ? this.devices[device]!.writer : undefined;
  }

  /// @param device index @param stamp by the page's clock [s]
  send(device: number, stamp: number): void {
    const to = this.devices[device];
    if (!to?.info.takes_samples) return;
    this.last = now();
    // sent again between two frames of a headset it is later than the frame that comes
    to.stamp = Math.max(stamp, to.stamp + kLeastStep);
    // a frame's stamp is a little older than now, and an offset that falls must not turn two round
    let server = to.stamp + this.station.clock.offset;
    if (server > to.server - kOtherClock) server = Math.max(server, to.server + kLeastStep);
    to.server = server;
    this.station.sample({
      device, sequence: ++to.sequence, stamp: to.stamp, offset: server - to.stamp,
      numbers: to.writer.numbers,
    });
  }
}
