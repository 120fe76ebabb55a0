// What a chart shows of which channels.
import type { ChannelInfo } from '../protocol.ts';
import { colourOf, hex } from '../scene/colours.ts';

export interface Series {
  channel: number;
  label: string;
  colour: string;
  of: (values: Float32Array) => number;
}

export interface Chart {
  key: string; // what it is kept as: "force", or the channel's name
  title: string;
  unit: string;
  fromZero: boolean; // what is never negative
  series: Series[];
}

const kColours = ['#3e8fe0', '#e8830c', '#30a46c', '#d6336c', '#7c6fd6', '#0f9d8a', '#b58900'];

export const kForce = 'force';

function lengthOf(values: Float32Array): number {
  return Math.hypot(values[0]!, values[1]!, values[2]!);
}

/// The force of each end effector: of every sensor of force and torque its first three.
export function forceChart(channels: ChannelInfo[]): Chart | undefined {
  const sensors = channels.flatMap((info, channel) =>
    info.type === 'wrench'
      ? [{ info, channel }] : []);
  if (sensors.length === 0) return undefined;
  const series = sensors.map(({ info, channel }) => ({
    channel, label: info.name.replace(/\.wrench$/, ''), colour: hex(colourOf(info.name)), of: lengthOf,
  }));
  return { key: kForce, title: 'Force at the hands', unit: 'N', fromZero: true, series };
}

/// All numbers of a channel.
export function channelChart(channels: ChannelInfo[], name: string): Chart | undefined {
  const channel = channels.findIndex((info) => info.name === name);
  const info = channels[channel];
  if (!info) return undefined;
  const size = info.type === 'pose' ? 7 : info.size ?? 1;
  const labels = info.type === 'pose' ? ['x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'] : info.labels;
  return {
    key: name,
    title: name,
    unit: info.unit,
    fromZero: false,
    series: Array.from({ length: size }, (_, i) => ({
      channel,
      label: size === 1 ? name.split('.').at(-1)! : labels[i] ?? String(i + 1),
      colour: kColours[i % kColours.length]!,
      of: (values: Float32Array) => values[i] ?? NaN,
    })),
  };
}

export function chartOf(channels: ChannelInfo[], key: string): Chart | undefined {
  return key === kForce ? forceChart(channels) : channelChart(channels, key);
}
