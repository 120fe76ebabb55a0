// Always in view: the mode, the clutches, who operates, the recording, how old the last sample is,
// late ticks.
import { clock, h, say, size } from '../dom.ts';
import type { Frame, RecordingStatus, Status, Welcome } from '../protocol.ts';
import type { Link, Station } from '../station.ts';

/// Who acts in an app with nobody at a page, as the log names it (session/who_acts.hpp); '' for nobody.
export function actsAlone(welcome: Pick<Welcome, 'devices'> | undefined): string {
  const devices = welcome?.devices ?? [];
  if (devices.some(({ driver }) => driver === 'person')) return 'scripted person';
  return devices.some((device) => !device.takes_samples) ? "the app's devices" : '';
}

export function operatorOf(status: Status, welcome: Pick<Welcome, 'devices'> | undefined): string {
  if (status.you_operate) return 'you operate';
  const id = Object.values(status.operators).find((who) => who !== null);
  const name = status.clients.find((client) => client.id === id)?.name;
  return name ? `${name} operates` : (status.scripted && actsAlone(welcome)) || 'nobody operates';
}

/// "67 ticks late": of the loop, since the run began.
export function lateOf({ late_ticks }: Pick<Status, 'late_ticks'>): string {
  return `${late_ticks} ${late_ticks === 1 ? 'tick' : 'ticks'} late`;
}

/// The age of the newest sample of the devices that have had one [s].
export function ageOf(status: Status): number | undefined {
  const ages = Object.values(status.devices).flatMap(({ age }) => (age === null ? [] : [age]));
  return ages.length ? Math.min(...ages) : undefined;
}

const kFewMinutes = 5;
const kLittleRoom = 200e6; // [bytes]
const kForLong = 99 * 3600; // [s]

/// "12 min left"
function lasts(seconds: number): string {
  const minutes = seconds / 60;
  return minutes < 1 ? '< 1 min left' : minutes < 120 ? `${Math.floor(minutes)} min left`
    : `${Math.floor(minutes / 60)} h left`;
}

/// What is being recorded, and how long the disk has room for it.
export function recordingOf({ on, seconds, message, free, left }: RecordingStatus): string {
  const room = free === null ? '' : left === null || left > kForLong ? `${size(free)} free` : `${size(free)}, ${lasts(left)}`;
  const what = message ? 'recording failed' : on ? `rec ${clock(seconds)}` : 'not recording';
  return room ? `${what} · ${room}` : what;
}

export function fewRoom({ free, left }: RecordingStatus): boolean {
  return (left !== null && left < 60 * kFewMinutes) || (free !== null && free < kLittleRoom);
}

export class Bar {
  readonly element: HTMLElement;
  readonly actions = h('span', { class: 'actions' });
  private readonly app = h('b', { class: 'app' });
  private readonly link = h('span', { class: 'chip', 'data-is': 'link' });
  private readonly mode = h('span', { class: 'mode', title: 'mode of each machine' });
  private readonly clutches = h('span', { class: 'clutches' });
  private readonly who = h('span', { class: 'chip', 'data-is': 'operator' });
  private readonly recording = h('span', { class: 'chip', 'data-is': 'recording' });
  private readonly age = h('span', { class: 'figure', title: 'age of the last sample' });
  private readonly late = h('span', { class: 'figure', title: 'ticks that were late' });
  private clutchChannels: { index: number; name: string }[] = [];

  constructor() {
    this.element = h('header', { class: 'bar' },
      h('span', { class: 'brand' }, h('img', { src: './icon.svg', alt: '' }), 'handspan'), this.app,
      this.link, this.mode, this.clutches, this.who, this.recording, h('span', { class: 'space' }),
      this.age, this.late, this.actions);
  }

  load(welcome: Welcome): void {
    say(this.app, welcome.app);
    document.title = `${welcome.app} – handspan`;
    this.clutchChannels = welcome.channels.flatMap((channel, index) => {
      const name = /^source\.(.+)\.clutch$/.exec(channel.name)?.[1];
      return name && channel.type === 'boolean' ? [{ index, name }] : [];
    });
    this.clutches.replaceChildren(...this.clutchChannels.map(({ name }) =>
      h('span', { class: 'clutch', title: `clutch of ${name}` }, name.replace(/_person$/, ''))));
  }

  connected(link: Link, why: string): void {
    const words = { connecting: 'connecting…', live: 'live', lost: 'no connection', refused: 'refused' };
    say(this.link, words[link]);
    this.link.className = `chip ${link === 'live' ? 'good' : link === 'connecting' ? '' : 'bad'}`;
    this.link.title = why;
    document.body.dataset.link = link;
  }

  /// @param silence since the last message of a server that is there [s]
  silent(silence: number): void {
    say(this.link, `no answer for ${silence.toFixed(0)} s`);
    this.link.className = 'chip bad';
  }

  /// Names of the channels that say whether clutches are closed.
  channels(welcome: Welcome): string[] {
    return this.clutchChannels.map(({ index }) => welcome.channels[index]!.name);
  }

  /// @return whether any clutch is closed
  frame(frame: Frame): boolean {
    let any = false;
    this.clutchChannels.forEach(({ index }, i) => {
      const closed = (frame.channels.get(index)?.[0] ?? 0) > 0.5;
      any ||= closed;
      this.clutches.children[i]!.classList.toggle('closed', closed);
    });
    return any;
  }

  status(status: Status, station: Station): void {
    // with one machine its name says nothing
    const modes = Object.entries((status.replay ?? status).mode);
    say(this.mode, modes.map(([machine, state]) =>
      modes.length > 1 ? `${machine}: ${state}` : state).join(' · ').replaceAll('_', ' '));
    say(this.who, operatorOf(status, station.welcome));
    this.who.className = `chip ${status.you_operate ? 'you' : ''}`;
    const { on, message } = status.recording;
    say(this.recording, `${recordingOf(status.recording)}${on && status.episode.on ? ' · episode' : ''}`);
    this.recording.className = `chip ${message ? 'bad' : `${on ? 'rec' : 'dim'} ${fewRoom(status.recording) ? 'low' : ''}`}`;
    this.recording.title = message || status.recording.file;
    const age = ageOf(status);
    say(this.age, age === undefined ? 'no samples' : age < 1 ? `${Math.round(1000 * age)} ms`
      : `${age < 100 ? age.toFixed(0) : '> 99'} s`);
    this.age.title = 'age of the last sample; round trip to the server ' +
      `${(1000 * station.clock.roundTrip).toFixed(1)} ms; samples lost ${status.inputs_lost}, held back ${station.samplesHeld}`;
    this.age.classList.toggle('bad', status.you_operate && (age === undefined || age > 0.1));
    say(this.late, lateOf(status));
    this.late.title = 'ticks of the control loop that began late since the run began: this machine was busy; ' +
      `simulated time is behind the clock by ${(1000 * status.slipped).toFixed(1)} ms`;
    this.late.classList.toggle('bad', status.slipped > 0.05);
  }
}
