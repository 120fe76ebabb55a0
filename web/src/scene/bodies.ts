// The bodies of the scene, where the frames say they are.
import * as three from 'three';
import type { BodyInfo } from '../protocol.ts';
import { Belt } from './belts.ts';
import { meshOf } from './shapes.ts';

const kAxes = 0.08; // how long those of a frame are drawn [m]
const kPointed = new three.Color(0x2f6fed);

export class Bodies {
  readonly group = new three.Group();
  readonly belts: Belt[] = [];
  private readonly bodies: three.Group[] = [];
  private readonly axes: three.AxesHelper[] = [];
  private shown = false;
  private pointed = -1;

  constructor(infos: BodyInfo[]) {
    for (const info of infos) {
      const body = new three.Group();
      body.name = info.name;
      // what is not to be seen at all is no part of the picture's extent either
      for (const shape of info.shapes.filter(({ rgba }) => rgba[3] !== 0))
        body.add(meshOf(shape, info.kind === 'robot' ? 1 : 0));
      if (info.kind === 'belt') {
        const belt = new Belt(info);
        this.belts.push(belt);
        body.add(belt.mesh);
      }
      for (const frame of info.frames) {
        const axes = new three.AxesHelper(kAxes);
        axes.position.fromArray(frame.position);
        axes.quaternion.fromArray(frame.quaternion as [number, number, number, number]);
        axes.renderOrder = 4;
        (axes.material as three.LineBasicMaterial).depthTest = false;
        this.axes.push(axes);
      }
      const first = this.axes.length - info.frames.length;
      body.userData.axes = this.axes.slice(first);
      this.bodies.push(body);
      this.group.add(body);
    }
  }

  /// @param poses 7 a body
  update(poses: Float32Array): void {
    this.bodies.forEach((body, i) => {
      if (7 * i + 7 > poses.length) return;
      body.position.fromArray(poses, 7 * i);
      body.quaternion.fromArray(poses, 7 * i + 3);
    });
  }

  /// The axes of all frames of bodies, red x, green y, blue z; or none.
  showAxes(on: boolean): void {
    if (on === this.shown) return;
    this.shown = on;
    for (const body of this.bodies)
      for (const axes of body.userData.axes as three.AxesHelper[]) on ? body.add(axes) : body.remove(axes);
  }

  /// Lights one body up, in place of the one before; -1: none.
  point(at: number): void {
    const light = (index: number, colour: three.Color) =>
      this.bodies[index]?.traverse((object) => {
        const material = (object as three.Mesh).material;
        if (material instanceof three.MeshStandardMaterial) material.emissive.copy(colour);
      });
    light(this.pointed, new three.Color(0));
    light(at, kPointed);
    this.pointed = at;
  }

  /// Of the bodies of that kind, in W.
  box(): three.Box3 {
    return new three.Box3().setFromObject(this.group, true);
  }

  dispose(): void {
    for (const axes of this.axes) axes.dispose();
    this.group.traverse((object) => {
      if (!(object instanceof three.Mesh)) return;
      object.geometry.dispose();
      (object.material as three.Material).dispose();
    });
  }
}
