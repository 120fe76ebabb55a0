// The stop: large, always in view and in reach, also Esc and space. Resuming asks. While a recording is
// shown space is the player's, and Esc and the button stop the live arms.
import { h, say } from '../dom.ts';
import type { Status } from '../protocol.ts';
import type { Station } from '../station.ts';
import { isTyping } from '../teleop/keyboard.ts';
import { ask, told } from './ask.ts';

export class Stop {
  readonly element = h('button', { class: 'stop', 'data-over': true, onclick: () => this.click() }, 'Stop');
  /// What space does instead, while a recording is shown.
  pause: () => void = () => undefined;
  private readonly station: Station;
  private readonly stopped: () => void;
  private readonly label = h('span', {}, 'Stop');
  private readonly hint = h('small', {}, 'Esc or space');
  private on = false;
  private replays = false;
  private asking = false;

  /// @param stopped what in the page stops at once too
  constructor(station: Station, stopped: () => void) {
    this.station = station;
    this.stopped = stopped;
    this.element.replaceChildren(this.label, this.hint);
    // before anything else hears of it: a focused button must not swallow the space
    addEventListener('keydown', (event) => {
      if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.code !== 'Escape' && (event.code !== 'Space' || isTyping(event.target))) return;
      if (event.code === 'Space') event.preventDefault();
      event.stopPropagation();
      if (event.code === 'Space' && this.replays) return this.pause();
      this.stop();
    }, true);
    addEventListener('keyup', (event) => {
      if (event.code === 'Space' && !isTyping(event.target)) event.preventDefault();
    }, true);
    station.on('status', (status) => this.show(status));
  }

  stop(): void {
    this.stopped();
    void told(this.station.ask({ type: 'stop' }));
  }

  private async click(): Promise<void> {
    if (!this.on) return this.stop();
    if (this.asking) return;
    this.asking = true;
    const goes = await ask('Resume?', 'The arms hold until a clutch closes anew or the task goes on.',
      'Resume', 'Stay stopped');
    this.asking = false;
    if (goes) void told(this.station.ask({ type: 'resume' }));
  }

  private show({ stopped, reason, replay }: Status): void {
    this.on = stopped;
    this.replays = replay !== null;
    document.body.classList.toggle('stopped', stopped);
    say(this.label, stopped ? 'Resume…' : this.replays ? 'Stop the live arms' : 'Stop');
    say(this.hint, stopped ? reason || 'stopped' : this.replays ? 'Esc; space pauses the replay' : 'Esc or space');
  }
}
