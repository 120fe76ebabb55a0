// Recordings: start and stop, episodes and how they went, the list, replay with scrub and speed.
import { clock, h, keep, kept, say, size } from '../dom.ts';
import type { EpisodeMark, Frame, RecordInfo, Status } from '../protocol.ts';
import type { Station } from '../station.ts';
import { ask, notice, told } from './ask.ts';

export class Records {
  readonly element: HTMLElement;
  readonly player: HTMLElement;
  private readonly station: Station;
  private readonly name = h('input', {
    placeholder: 'name', 'aria-label': 'name of the recording', maxlength: 60, value: kept('record'),
  });
  private readonly recordButton = h('button', { class: 'record', onclick: () => this.record() });
  // why the last one ended by itself, and what of it is kept
  private readonly problem = h('p', { class: 'problem', hidden: true });
  private readonly task = h('input', { placeholder: 'task', 'aria-label': 'task of the episode', maxlength: 60 });
  private readonly marks: HTMLButtonElement[];
  private readonly start: HTMLButtonElement;
  private readonly list = h('ul', { class: 'records' });
  private readonly scrub = h('input', { type: 'range', step: 'any', 'aria-label': 'time of the replay' });
  private readonly time = h('span', { class: 'figure' });
  private readonly replayed = h('b', {});
  private readonly play = h('button', { onclick: () => this.toggle() }, 'Pause');
  private readonly speed = h('select', { 'aria-label': 'speed of the replay' },
    ...[0.1, 0.25, 0.5, 1, 2, 4].map((x) => h('option', { value: x, selected: x === 1 }, `${x} ×`)));
  private status: Status | undefined;
  private on = false;
  private factor = 1;
  private before = 1;
  private scrubbing = false;
  private noticed: () => void = () => undefined; // takes the last notice away

  constructor(station: Station) {
    this.station = station;
    const mark = (word: EpisodeMark, label: string, kind: string) => h('button', {
      class: kind, onclick: () => void told(station.ask({
        type: 'episode', mark: word, text: word === 'start' ? this.task.value : '',
      })),
    }, label);
    this.start = mark('start', 'Start', '');
    this.marks = [mark('success', 'Success', 'good'), mark('failure', 'Failure', 'bad'),
      mark('discard', 'Discard', '')];
    this.element = h('div', {},
      h('fieldset', {}, h('legend', {}, 'Record'), h('div', { class: 'row' }, this.name, this.recordButton),
        this.problem),
      h('fieldset', {}, h('legend', {}, 'Episode'), h('div', { class: 'row' }, this.task, this.start),
        h('div', { class: 'row equal' }, ...this.marks)),
      h('fieldset', {}, h('legend', {}, 'Recordings'), this.list));
    this.player = h('div', { class: 'player', hidden: true }, h('span', { class: 'chip' }, 'replay'),
      this.replayed, this.play, this.speed, this.scrub, this.time,
      h('button', { onclick: () => this.close() }, 'Back to live'));
    this.speed.addEventListener('change', () => this.setSpeed(Number(this.speed.value)));
    this.scrub.addEventListener('input', () => {
      this.scrubbing = true;
      this.tell(this.scrub.valueAsNumber);
    });
    this.scrub.addEventListener('change', () => {
      this.scrubbing = false;
      void told(station.ask({ type: 'seek', time: this.scrub.valueAsNumber }));
    });
    this.name.addEventListener('change', () => keep('record', this.name.value));
    station.on('records', ({ records }) => this.show(records));
    station.on('welcome', () => void station.ask({ type: 'list' }));
    station.on('status', (status) => this.take(status));
    this.show([]);
    this.label();
  }

  /// Starts or ends the recording.
  record(): void {
    void told(this.station.ask({
      type: 'record', on: !this.on, name: this.name.value || this.station.welcome?.app || '',
    }));
  }

  private label(): void {
    say(this.recordButton, this.on ? `Stop ${clock(this.status?.recording.seconds ?? 0)}` : 'Record');
    this.recordButton.classList.toggle('on', this.on);
  }

  private take(status: Status): void {
    const ended = this.on && !status.recording.on;
    if (ended) void this.station.ask({ type: 'list' });
    const { message } = status.recording;
    const before = this.status?.recording.message ?? '';
    if (message && message !== before) {
      // what is kept is told a moment after why it ended: in one notice
      if (message.startsWith(before)) this.noticed();
      this.noticed = notice(message, 'bad');
    }
    this.status = status;
    this.on = status.recording.on;
    say(this.problem, status.recording.message);
    this.problem.hidden = !status.recording.message;
    this.label();
    this.start.disabled = status.episode.on;
    for (const button of this.marks) button.disabled = !status.episode.on;
    this.player.hidden = status.replay === null;
    document.body.classList.toggle('replaying', status.replay !== null);
    if (!status.replay) return;
    [this.scrub.min, this.scrub.max] = [String(status.replay.start), String(status.replay.end)];
    if (status.replay.message) say(this.replayed, status.replay.message);
  }

  frame(frame: Frame): void {
    if (!frame.replay || this.scrubbing) return;
    this.scrub.value = String(frame.time);
    this.tell(frame.time);
  }

  // a recording begins at 0:00, also one of the middle of a run
  private tell(time: number): void {
    const { start, end } = this.status?.replay ?? { start: 0, end: 0 };
    const words = `${clock(time - start)} / ${clock(end - start)}`;
    say(this.time, words);
    this.scrub.setAttribute('aria-valuetext', words);
  }

  /// Pauses the replay, or goes on; from its end, from the beginning.
  toggle(): void {
    const { start, end } = this.status?.replay ?? { start: 0, end: 0 };
    if (this.factor > 0 && this.scrub.valueAsNumber > end - 0.05)
      return void told(this.station.ask({ type: 'seek', time: start }));
    this.setSpeed(this.factor === 0 ? this.before : 0);
  }

  private setSpeed(factor: number): void {
    if (factor > 0) this.before = factor;
    this.factor = factor;
    say(this.play, factor === 0 ? 'Play' : 'Pause');
    void told(this.station.ask({ type: 'speed', factor }));
  }

  private async replay(name: string): Promise<void> {
    if (!await told(this.station.ask({ type: 'replay', name }))) return;
    say(this.replayed, name);
    this.factor = this.before = 1;
    this.speed.value = '1';
    say(this.play, 'Pause');
  }

  private close(): void {
    void told(this.station.ask({ type: 'replay', off: true }));
  }

  private async remove(name: string): Promise<void> {
    if (!await ask(`Delete ${name}?`, 'The file goes for good.', 'Delete', 'Keep', true)) return;
    if (await told(this.station.ask({ type: 'delete', name }))) void this.station.ask({ type: 'list' });
  }

  private show(records: RecordInfo[]): void {
    this.list.replaceChildren(...records.map((record) => this.item(record)));
    if (records.length === 0)
      this.list.append(h('li', { class: 'none' }, 'None yet: Record writes one.'));
  }

  private item({ name, bytes, seconds, episodes, thumbnail, damage, imported }: RecordInfo): HTMLElement {
    const outcomes = episodes.map(({ task, outcome, operator, start, end }) => h('span', {
      class: `outcome ${outcome === 'success' ? 'good' : outcome === 'failure' ? 'bad' : ''}`,
      title: `${task || 'episode'}: ${outcome || 'not said'}, ${(end - start).toFixed(1)} s${operator && `, ${operator}`}`,
    }, outcome || 'episode'));
    return h('li', {},
      thumbnail ? h('img', { src: thumbnail.split('/').map(encodeURIComponent).join('/'), alt: '', loading: 'lazy' }) : h('span', { class: 'blank' }),
      h('div', {}, h('b', { title: name }, name.replace(/\.mcap$/, '')),
        h('small', {}, `${clock(seconds)} · ${size(bytes)} `, ...outcomes,
          damage && h('span', { class: 'outcome bad', title: damage }, 'damaged'),
          imported && h('span', {
            class: 'outcome',
            title: `imported from ${imported}: it has no app and cannot be run again; replay_reference repeats it, and import-data --app makes a log of that`,
          }, 'imported')),
        h('div', { class: 'row' },
          h('button', { onclick: () => void this.replay(name), disabled: !!damage || !!imported }, 'Replay'),
          h('a', { href: `records/${encodeURIComponent(name)}`, download: name, class: 'button' }, 'Download'),
          h('button', { class: 'quiet', onclick: () => void this.remove(name) }, 'Delete'))));
  }
}
