// A gamepad of the standard mapping: its right bumper is the clutch, without which nothing moves.
import { emptyJog, type Jog } from './keyboard.ts';

const kDeadZone = 0.12;
const kRest = 0.25; // an axis nearer to its middle than this is there
const kTrigger = 6, kLeftBumper = 4, kRightBumper = 5, kA = 0, kB = 1, kX = 2, kY = 3, kStart = 9;
const kStickDown = 10;

export const kGamepadKeys: [control: string, what: string][] = [
  ['R bumper', 'clutch: hold it to move'], ['L stick', 'forward, back, left, right'],
  ['R stick', 'up, down, turn'], ['L bumper + L stick', 'tilt, roll'], ['L trigger', 'trigger'],
  ['A B', 'primary, secondary'], ['X', 'squeeze'], ['L stick down', 'stick'], ['Y', 'next hand'], ['Start', 'stop'],
];

/// Zero within the dead zone, and from there on without a step.
export function withoutDrift(x: number): number {
  const past = Math.abs(x) - kDeadZone;
  return past > 0 ? (Math.sign(x) * past) / (1 - kDeadZone) : 0;
}

export class Pad {
  name = ''; // of the one that is read; empty: there is none
  private before = new Set<number>();
  private whose = '';
  private waits = false; // for its clutch to be let go of
  private readonly middles = new Set<number>(); // axes that were seen at their middle
  private readonly ends = new Set<number>(); // axes that rest at an end, as a throttle

  /// What is held ends: its clutch is pressed anew first.
  release(): void {
    this.waits = true;
  }

  /// @param next, stop: called when their buttons are pressed
  read(next: () => void, stop: () => void): Jog {
    const jog = emptyJog();
    const pad = navigator.getGamepads?.().find((p) => p?.connected && p.mapping === 'standard');
    const name = pad ? `${pad.index} ${pad.id}` : '';
    if (name !== this.whose) {
      this.whose = name;
      this.middles.clear();
      this.ends.clear();
      this.before.clear();
    }
    this.name = pad?.id ?? '';
    if (!pad) return jog;
    const down = (i: number) => pad.buttons[i]?.pressed === true;
    // an axis that lies at an end before the clutch is held rests there, until it was at its middle
    pad.axes.forEach((x, i) => {
      if (Math.abs(x) <= kRest) this.ends.delete(i);
      else if (!down(kRightBumper) && !this.middles.has(i)) this.ends.add(i);
      if (Math.abs(x) <= kRest) this.middles.add(i);
    });
    const pressed = (i: number) => down(i) && !this.before.has(i);
    if (pressed(kY)) next();
    if (pressed(kStart)) stop();
    this.before = new Set(pad.buttons.flatMap((button, i) => (button.pressed ? [i] : [])));

    // sticks are positive to the right and downwards
    const [lx = 0, ly = 0, rx = 0, ry = 0] = pad.axes.map((x, i) =>
      this.ends.has(i) ? 0 : withoutDrift(x));
    this.waits = this.waits && down(kRightBumper);
    jog.clutch = down(kRightBumper) && !this.waits;
    if (jog.clutch) {
      if (down(kLeftBumper)) jog.turn.set(ly, lx, 0);
      else jog.move.set(lx, -ly, 0);
      jog.move.z = -ry;
      jog.turn.z = -rx;
    }
    jog.controls = {
      trigger: Math.max(0, pad.buttons[kTrigger]?.value ?? 0), squeeze: down(kX) ? 1 : 0,
      primary: down(kA) ? 1 : 0, secondary: down(kB) ? 1 : 0, stick: down(kStickDown) ? 1 : 0,
    };
    return jog;
  }

  rumble(strength: number, seconds: number): void {
    const pad = navigator.getGamepads?.().find((p) => p?.connected && p.mapping === 'standard');
    void pad?.vibrationActuator?.playEffect('dual-rumble', {
      duration: 1000 * seconds, strongMagnitude: strength, weakMagnitude: strength,
    }).catch(() => undefined);
  }
}
