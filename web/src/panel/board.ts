// What the board in a headset says and lets do: all that somebody needs who sees no page, first of all
// whether the station is there.
import type { Status, Welcome } from '../protocol.ts';
import type { Station } from '../station.ts';
import type { BoardButton, HeadsetPanel, Line } from '../teleop/headset_panel.ts';
import { told } from './ask.ts';
import { fewRoom, operatorOf, recordingOf } from './bar.ts';

const kSilence = 1; // without a word what was said last is old [s]
const kSure = 3; // a button that asks waits for its second press for so long [s]
const kBad = '#ff6b6b';
const kWarn = '#f5b942';

function lines(status: Status, welcome: Welcome | undefined, clutches: string): Line[] {
  const { recording, limits, relaxed, holding } = status;
  return [
    { label: 'operator', text: operatorOf(status, welcome) },
    { label: 'clutch', text: clutches || '–' },
    // the cause is in brackets: there is room for that
    { label: 'recording', text: recording.message
      ? `failed: ${/\(([^)]+)\)/.exec(recording.message)?.[1] ?? recording.message}` : recordingOf(recording),
      ...((recording.message || recording.on) && { colour: kBad }),
      ...(!recording.message && fewRoom(recording) && { colour: kWarn }) },
    { label: 'limits', text: limits.join(', ') || 'none', ...(limits.length && { colour: kWarn }) },
    { label: 'gave way', text: relaxed.join(', ') || 'none', ...(relaxed.length && { colour: kBad }) },
    { label: 'holding', text: Object.entries(holding).map(([name, why]) => `${name}: ${why}`).join(', ') || '–' },
  ];
}

export class Board {
  private readonly station: Station;
  private readonly panel: HeadsetPanel;
  private readonly stop: () => void;
  private readonly clutches: () => string;
  private sure = ''; // the button whose second press is waited for
  private problem = ''; // with what was asked for last
  private timer: ReturnType<typeof setTimeout> | undefined;

  /// @param stop what stops @param clutches how they are, in words
  constructor(station: Station, panel: HeadsetPanel, stop: () => void, clutches: () => string) {
    this.station = station;
    this.panel = panel;
    this.stop = stop;
    this.clutches = clutches;
    station.on('link', () => this.show());
    station.on('status', () => this.show());
  }

  /// Also when nothing comes: that is said then.
  show(): void {
    const { link, status, silence } = this.station;
    if (link === 'refused')
      return this.panel.show('The station refuses', true, [
        { label: 'why', text: this.station.why },
        { label: 'then', text: 'the page says more:' }, { label: '', text: 'take the headset off' }], [{ id: 'again', label: 'Try again' }]);
    if (link !== 'live' || silence > kSilence || !status) {
      // that is what the station does when it hears nothing
      const why = link === 'live' ? `silent for ${silence.toFixed(0)} s` : link === 'lost' ? this.station.why : 'connecting';
      return this.panel.show(link === 'connecting' ? 'Connecting…' : 'No connection', link !== 'connecting', [
        { label: 'arms', text: 'hold where they are' }, { label: 'link', text: why },
        { label: 'then', text: 'it comes back by itself;' }, { label: '', text: 'take over anew, here' }], []);
    }
    this.panel.show(
      status.stopped ? `stopped: ${status.reason}` : Object.values(status.mode).join(' · ').replaceAll('_', ' ') || 'live',
      status.stopped,
      this.problem ? [{ label: 'not done', text: this.problem, colour: kBad }, ...lines(status, this.station.welcome, this.clutches()).slice(0, 5)]
        : lines(status, this.station.welcome, this.clutches()),
      this.buttons(status));
  }

  private buttons(status: Status): BoardButton[] {
    const someone = Object.values(status.operators).some((who) => who !== null);
    const buttons: BoardButton[] = [status.stopped && (status.you_operate || !someone)
      ? this.asks('resume', 'Resume') : { id: 'stop', label: 'Stop', colour: '#e5383b' }];
    if (!status.you_operate && this.station.role === 'operator')
      buttons.push(someone ? { id: 'ask', label: 'Ask to operate' } : { id: 'operate', label: 'Take over', colour: '#3b82f6' });
    if (status.you_operate) buttons.push(this.asks('restart', 'Begin anew'));
    return buttons;
  }

  private asks(id: string, label: string): BoardButton {
    return this.sure === id ? { id, label: `${label}: sure?`, colour: kWarn } : { id, label };
  }

  press(id: string): void {
    clearTimeout(this.timer);
    this.problem = '';
    if ((id === 'resume' || id === 'restart') && this.sure !== id) {
      this.sure = id;
      this.timer = setTimeout(() => {
        this.sure = '';
        this.show();
      }, 1000 * kSure);
      return this.show();
    }
    this.sure = '';
    if (id === 'stop') this.stop();
    else if (id === 'again') this.station.connect();
    else if (id === 'ask' || id === 'operate' || id === 'resume' || id === 'restart')
      void this.request(id);
    this.show();
  }

  private async request(type: 'ask' | 'operate' | 'resume' | 'restart'): Promise<void> {
    const answer = this.station.ask({ type });
    void told(answer);
    this.problem = await answer;
    this.show();
  }
}
