// Jog by keys: which of them are down, and what they ask for. Keys are by their place on the
// keyboard; what is printed on them there is key_labels.ts's.
import { Vector3 } from 'three';

/// What keys, sticks and pads ask for: -1 to 1 in the operator's axes (right, forward, up).
export interface Jog {
  move: Vector3;
  turn: Vector3; // about right, forward, up
  clutch: boolean; // held closed
  controls: Record<string, number>; // "trigger", "primary", ...: of the hand that is driven
}

export const emptyJog = (): Jog =>
  ({ move: new Vector3(), turn: new Vector3(), clutch: false, controls: {} });

const kMoves: Record<string, [number, number, number]> = {
  KeyW: [0, 1, 0], KeyS: [0, -1, 0], KeyA: [-1, 0, 0], KeyD: [1, 0, 0], KeyR: [0, 0, 1],
  KeyF: [0, 0, -1],
};
const kTurns: Record<string, [number, number, number]> = {
  KeyI: [-1, 0, 0], KeyK: [1, 0, 0], KeyO: [0, 1, 0], KeyU: [0, -1, 0], KeyJ: [0, 0, 1],
  KeyL: [0, 0, -1],
};
const kControls: Record<string, string> = {
  KeyG: 'trigger', KeyV: 'squeeze', KeyB: 'primary', KeyN: 'secondary', KeyM: 'stick',
  Equal: 'faster', Minus: 'slower', NumpadAdd: 'faster', NumpadSubtract: 'slower',
};
const kSlow = 0.25;

/// By their places, as of KeyboardEvent.code.
export const kKeys: [codes: string, what: string][] = [
  ['KeyW KeyS', 'forward, back'], ['KeyA KeyD', 'left, right'], ['KeyR KeyF', 'up, down'],
  ['KeyI KeyK', 'tilt'], ['KeyJ KeyL', 'turn'], ['KeyU KeyO', 'roll'],
  ['Shift', 'a quarter of the speed'], ['+ −', 'faster, slower, where the app has it'],
  ['KeyC', 'clutch, held at rest'],
  ['1 2 3 4', 'left, right, together, mirror'],
  ['KeyG KeyV KeyB KeyN KeyM', 'trigger, squeeze, primary, secondary, stick'], ['Esc Space', 'stop'],
];

/// Where typing is text.
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.tagName === 'TEXTAREA' || target.tagName === 'SELECT' ||
      (target.tagName === 'INPUT' &&
        !['range', 'checkbox', 'radio', 'button'].includes((target as HTMLInputElement).type)));
}

/// Whether a key asks a jog for something.
export function jogs(code: string): boolean {
  return code in kMoves || code in kTurns || code in kControls;
}

export class Keyboard {
  assigned = new Set<string>(); // that devices ask for, besides those that jog
  private readonly down = new Set<string>();

  press(code: string): void {
    this.down.add(code);
  }

  release(code: string): void {
    this.down.delete(code);
  }

  isDown(code: string): boolean {
    return this.down.has(code);
  }

  clear(): void {
    this.down.clear();
  }

  /// @param drives whether keys are meant for the arms now
  listen(drives: () => boolean, chosen: (digit: number) => void): void {
    addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !drives()) return;
      // one that was down before keys drove the arms, or when the page lost the focus, is pressed anew first
      if (event.repeat) {
        if (this.knows(event.code)) event.preventDefault();
        return;
      }
      const digit = /^(?:Digit|Numpad)([1-4])$/.exec(event.code)?.[1];
      if (digit && !this.assigned.has(event.code)) return chosen(Number(digit));
      if (!this.knows(event.code) && !/^(Shift|KeyC)/.test(event.code)) return;
      this.press(event.code);
      if (!event.code.startsWith('Shift')) event.preventDefault();
    });
    addEventListener('keyup', (event) => this.release(event.code));
    // what is let go of elsewhere is not told here
    addEventListener('blur', () => this.clear());
    document.addEventListener('visibilitychange', () => this.clear());
  }

  private knows(code: string): boolean {
    return jogs(code) || this.assigned.has(code);
  }

  read(): Jog {
    const jog = emptyJog();
    for (const code of this.down) {
      const move = kMoves[code];
      const turn = kTurns[code];
      const control = kControls[code];
      if (move) jog.move.add(new Vector3(...move));
      if (turn) jog.turn.add(new Vector3(...turn));
      if (control) jog.controls[control] = 1;
    }
    jog.clutch = this.down.has('KeyC');
    const slow = this.down.has('ShiftLeft') || this.down.has('ShiftRight') ? kSlow : 1;
    jog.move.multiplyScalar(slow);
    jog.turn.multiplyScalar(slow);
    return jog;
  }
}
