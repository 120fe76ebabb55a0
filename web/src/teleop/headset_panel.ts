// What is always in view, in a headset: a small board ahead and to the left of where she stands.
import * as three from 'three';

const kWidth = 640;
const kHeight = 400;
const kMetre = 0.42; // wide [m]

export interface Line {
  label: string;
  text: string;
  colour?: string;
}

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

  show(title: string, alarm: boolean, lines: Line[]): void {
    const now = JSON.stringify([title, alarm, lines]);
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
    this.texture.needsUpdate = true;
  }
}
