// Two pads for fingers: one moves sideways and ahead, the other up, down and around.
import { h } from '../dom.ts';
import { emptyJog, type Jog } from './keyboard.ts';

class Stick {
  readonly element: HTMLElement;
  x = 0; // to the right, -1 to 1
  y = 0; // upwards
  held = false;
  private readonly knob = h('span', { class: 'knob' });

  constructor(label: string) {
    this.element = h('div', { class: 'stick', role: 'application', 'aria-label': label }, this.knob,
      h('small', {}, label));
    const move = (event: PointerEvent) => {
      const box = this.element.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width * 2 - 1;
      const y = 1 - (event.clientY - box.top) / box.height * 2;
      const length = Math.max(1, Math.hypot(x, y));
      this.set(x / length, y / length, true);
    };
    this.element.addEventListener('pointerdown', (event) => {
      this.element.setPointerCapture(event.pointerId);
      move(event);
    });
    this.element.addEventListener('pointermove', (event) => this.held && move(event));
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const)
      this.element.addEventListener(end, () => this.set(0, 0, false));
    addEventListener('blur', () => this.set(0, 0, false));
  }

  release(): void {
    this.set(0, 0, false);
  }

  private set(x: number, y: number, held: boolean): void {
    [this.x, this.y, this.held] = [x, y, held];
    this.knob.style.transform = `translate(${32 * x}px, ${-32 * y}px)`;
  }
}

export class Pads {
  private readonly flat = new Stick('move');
  private readonly lift = new Stick('lift, turn');
  readonly element = h('div', { class: 'pads', hidden: true }, this.flat.element, this.lift.element);

  /// What is held ends: fingers are put down anew first.
  release(): void {
    this.flat.release();
    this.lift.release();
  }

  /// By the names of device/page_inputs.hpp, without "touch."; none: they are not shown.
  value(name: string): number | undefined {
    const { flat, lift } = this;
    if (this.element.hidden) return undefined;
    return { left_x: flat.x, left_y: flat.y, left: flat.held ? 1 : 0,
      right_x: lift.x, right_y: lift.y, right: lift.held ? 1 : 0 }[name];
  }

  read(): Jog {
    const jog = emptyJog();
    if (this.element.hidden) return jog;
    jog.move.set(this.flat.x, this.flat.y, this.lift.y);
    jog.turn.z = -this.lift.x;
    jog.clutch = this.flat.held || this.lift.held;
    return jog;
  }
}
