// What is always in view, in a headset: a small board ahead and to the left of where the operator
// stands, with buttons that a controller's ray presses.
import * as three from 'three';

const kWidth = 640;
const kHeight = 484;
const kMetre = 0.42; // wide [m]

export interface Line {
  label: string;
  text: string;
  colour?: string;
}

export interface BoardButton {
  id: string;
  label: string;
  colour?: string;
}

const kButtons = { x: 20, y: 398, height: 68, gap: 14 };

function cut(draw: CanvasRenderingContext2D, text: string, width: number): string {
  if (draw.measureText(text).width <= width) return text;
  let n = text.length;
  while (n > 1 && draw.measureText(`${text.slice(0, n)}…`).width > width) --n;
  return `${text.slice(0, n)}…`;
}

export class HeadsetPanel {
  readonly mesh: three.Mesh;
  private readonly canvas = document.createElement('canvas');
  private readonly texture: three.CanvasTexture;
  private shown = '';
  private what: [title: string, alarm: boolean, lines: Line[]] = ['', false, []];
  private buttons: BoardButton[] = [];
  private over = ''; // the button that a ray is on

  constructor() {
    this.canvas.width = kWidth;
    this.canvas.height = kHeight;
    this.texture = new three.CanvasTexture(this.canvas);
    this.texture.colorSpace = three.SRGBColorSpace;
    this.mesh = new three.Mesh(
      new three.PlaneGeometry(kMetre, (kMetre * kHeight) / kWidth),
      new three.MeshBasicMaterial({ map: this.texture, transparent: true, toneMapped: false }));
    this.mesh.position.set(-0.55, 1.2, -0.85);
    this.mesh.rotation.set(-0.25, 0.5, 0.1);
  }

  show(title: string, alarm: boolean, lines: Line[], buttons: BoardButton[] = []): void {
    this.what = [title, alarm, lines];
    this.buttons = buttons;
    this.draw();
  }

  get title(): string {
    return this.what[0];
  }

  /// The button that a ray is on.
  get lit(): string {
    return this.over;
  }

  /// @param id of the button that a ray is on; "": none
  light(id: string): void {
    this.over = id;
    this.draw();
  }

  /// The button at a place of the board, as the mesh's texture is mapped; "": none. @param u to the
  /// right @param v upwards, 0 to 1
  at(u: number, v: number): string {
    const [x, y] = [kWidth * u, kHeight * (1 - v)];
    if (y < kButtons.y || y > kButtons.y + kButtons.height) return '';
    const i = this.buttons.findIndex((_, k) => x >= this.left(k) && x <= this.left(k) + this.wide);
    return this.buttons[i]?.id ?? '';
  }

  /// The middle of a button in the mesh's own axes [m].
  middle(id: string): three.Vector3 | undefined {
    const i = this.buttons.findIndex((button) => button.id === id);
    if (i < 0) return undefined;
    const scale = kMetre / kWidth;
    return new three.Vector3((this.left(i) + this.wide / 2 - kWidth / 2) * scale,
      (kHeight / 2 - kButtons.y - kButtons.height / 2) * scale, 0);
  }

  private get wide(): number {
    return (kWidth - 2 * kButtons.x - (this.buttons.length - 1) * kButtons.gap) / this.buttons.length;
  }

  private left(i: number): number {
    return kButtons.x + i * (this.wide + kButtons.gap);
  }

  private draw(): void {
    const [title, alarm, lines] = this.what;
    const now = JSON.stringify([this.what, this.buttons, this.over]);
    if (now === this.shown) return;
    this.shown = now;
    const draw = this.canvas.getContext('2d')!;
    draw.clearRect(0, 0, kWidth, kHeight);
    draw.fillStyle = 'rgba(17, 21, 26, 0.9)';
    draw.beginPath();
    draw.roundRect(0, 0, kWidth, kHeight, 26);
    draw.fill();
    draw.fillStyle = alarm ? '#e5383b' : 'rgba(255, 255, 255, 0.08)';
    draw.beginPath();
    draw.roundRect(0, 0, kWidth, 76, [26, 26, 0, 0]);
    draw.fill();
    draw.textBaseline = 'middle';
    draw.font = '600 36px system-ui, sans-serif';
    draw.fillStyle = '#fff';
    draw.fillText(title, 28, 40, kWidth - 56);
    lines.forEach(({ label, text, colour }, i) => {
      const y = 116 + 47 * i;
      draw.font = '400 27px system-ui, sans-serif';
      draw.fillStyle = '#8f9ba8';
      draw.fillText(label, 28, y);
      draw.font = '500 29px system-ui, sans-serif';
      draw.fillStyle = colour ?? '#eef2f6';
      draw.fillText(cut(draw, text, kWidth - 216), 190, y);
    });
    this.buttons.forEach(({ id, label, colour }, i) => {
      draw.fillStyle = colour ?? 'rgba(255, 255, 255, 0.16)';
      draw.beginPath();
      draw.roundRect(this.left(i), kButtons.y, this.wide, kButtons.height, 14);
      draw.fill();
      if (id === this.over) {
        draw.strokeStyle = '#fff';
        draw.lineWidth = 4;
        draw.stroke();
      }
      draw.font = '600 28px system-ui, sans-serif';
      draw.fillStyle = '#fff';
      draw.textAlign = 'center';
      draw.fillText(cut(draw, label, this.wide - 16), this.left(i) + this.wide / 2, kButtons.y + kButtons.height / 2 + 2);
      draw.textAlign = 'left';
    });
    this.texture.needsUpdate = true;
  }
}
