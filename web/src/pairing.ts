// Coming in. The server answers those who carry its cookie, which no script can read: it comes with
// the key in the address that the terminal or `./run` opens, or with the code that the terminal shows.
import { h, say } from './dom.ts';
import type { Station } from './station.ts';

export class Pairing {
  readonly form: HTMLElement;
  private readonly station: Station;
  private readonly code = h('input', {
    inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 12, 'aria-label': 'pairing code',
  });
  private readonly told = h('output', {});

  constructor(station: Station) {
    this.station = station;
    this.form = h('form', {
      onsubmit: (event: SubmitEvent) => {
        event.preventDefault();
        void this.give();
      },
    }, this.code, h('button', { class: 'primary' }, 'Pair'), this.told);
  }

  /// With the key of the address, if it has one; it is taken out of the address bar.
  async enter(): Promise<void> {
    const key = new URLSearchParams(location.hash.slice(1)).get('key');
    if (!key) return;
    history.replaceState(null, '', location.pathname + location.search);
    say(this.told, await this.pair({ key }));
  }

  private async give(): Promise<void> {
    const problem = await this.pair({ code: this.code.value });
    say(this.told, problem);
    this.code.value = '';
    if (!problem) this.station.connect();
  }

  /// @return what is in the way, in words; empty: it is paired
  private async pair(by: { key: string } | { code: string }): Promise<string> {
    try {
      const answer = await fetch('pair', {
        method: 'POST', body: JSON.stringify({ ...by, name: this.station.name }),
      });
      if (answer.ok) return '';
      const said = await answer.text();
      try {
        return String(JSON.parse(said).reason);
      } catch {
        return said;
      }
    } catch {
      return 'the server does not answer';
    }
  }
}
