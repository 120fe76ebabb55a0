// What shows that a belt runs: chevrons on its upper face, that move as fast as it does.
import * as three from 'three';
import type { BodyInfo } from '../protocol.ts';

const kTile = 0.25; // between chevrons [m]

function chevrons(): three.CanvasTexture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 128;
  const draw = canvas.getContext('2d')!;
  draw.strokeStyle = 'rgba(255, 255, 255, 0.55)';
  draw.lineWidth = 9;
  draw.lineJoin = 'round';
  draw.moveTo(44, 34);
  draw.lineTo(76, 64);
  draw.lineTo(44, 94);
  draw.stroke();
  const texture = new three.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = three.RepeatWrapping;
  texture.colorSpace = three.SRGBColorSpace;
  texture.anisotropy = 8;
  return texture;
}

export class Belt {
  readonly name: string;
  readonly mesh: three.Mesh;
  speed: number; // along its direction [m/s]
  private readonly texture = chevrons();

  constructor(info: BodyInfo) {
    this.name = info.name;
    const [vx = 0, vy = 0] = info.speed;
    this.speed = Math.hypot(vx, vy);
    // a belt that stands may be started: its direction is then x
    const angle = this.speed > 0 ? Math.atan2(vy, vx) : 0;
    const size = info.shapes.find((shape) => shape.type === 'box')?.size ?? [1, 1, 0];
    const along = Math.abs(Math.cos(angle)) > 0.7 ? size[0]! : size[1]!;
    const across = Math.abs(Math.cos(angle)) > 0.7 ? size[1]! : size[0]!;
    this.texture.repeat.set(along / kTile, Math.max(1, Math.round(across / kTile)));
    this.mesh = new three.Mesh(
      new three.PlaneGeometry(along, 0.96 * across),
      new three.MeshBasicMaterial({
        map: this.texture, transparent: true, depthWrite: false, polygonOffset: true,
        polygonOffsetFactor: -2, polygonOffsetUnits: -2,
      }),
    );
    this.mesh.rotation.z = angle;
    this.mesh.position.z = size[2]! / 2 + 0.0005;
  }

  /// @param dt simulated [s]
  advance(dt: number): void {
    const offset = this.texture.offset;
    offset.x = (offset.x - (dt * this.speed) / kTile) % 1;
  }
}
