// The bodies of the scene, where the frames say they are.
import * as three from 'three';
import type { BodyInfo } from '../protocol.ts';
import { Belt } from './belts.ts';
import { meshOf } from './shapes.ts';

export class Bodies {
  readonly group = new three.Group();
  readonly belts: Belt[] = [];
  private readonly bodies: three.Group[] = [];

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

  /// Of the bodies of that kind, in W.
  box(): three.Box3 {
    return new three.Box3().setFromObject(this.group, true);
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (!(object instanceof three.Mesh)) return;
      object.geometry.dispose();
      (object.material as three.Material).dispose();
    });
  }
}
