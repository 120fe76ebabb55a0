// A stylus over the picture: where it is from the middle, how hard it presses, how it is tilted.

const kRight = 90; // [deg]

export class Stylus {
  private readonly values: Record<string, number> =
    { x: 0, y: 0, pressure: 0, tilt_x: 0, tilt_y: 0, down: 0 };
  private there = false; // one was seen

  constructor(element: HTMLElement) {
    const take = (event: PointerEvent) => {
      if (event.pointerType !== 'pen') return;
      const box = element.getBoundingClientRect();
      this.there = true;
      const down = event.buttons % 2 === 1;
      Object.assign(this.values, {
        x: down ? clamped((event.clientX - box.left) / box.width * 2 - 1) : 0,
        y: down ? clamped(1 - (event.clientY - box.top) / box.height * 2) : 0,
        pressure: down ? event.pressure : 0, down: down ? 1 : 0,
        tilt_x: down ? event.tiltX / kRight : 0, tilt_y: down ? -event.tiltY / kRight : 0,
      });
    };
    for (const kind of ['pointerdown', 'pointermove', 'pointerup'] as const)
      element.addEventListener(kind, take);
    for (const kind of ['pointercancel', 'pointerleave'] as const)
      element.addEventListener(kind, ({ pointerType }) => pointerType === 'pen' && this.release());
    addEventListener('blur', () => this.release());
  }

  release(): void {
    for (const name of Object.keys(this.values)) this.values[name] = 0;
  }

  /// None: there is no stylus.
  value(name: string): number | undefined {
    return this.there ? this.values[name] : undefined;
  }
}

const clamped = (x: number) => Math.min(1, Math.max(-1, x));
