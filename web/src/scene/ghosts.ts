// Where each frame is wanted: a translucent triad at the reference, in its hand's colour, faint
// while it holds.
import * as three from 'three';
import type { ReferenceInfo } from '../protocol.ts';
import { colourOf } from './colours.ts';

const kLength = 0.11; // [m]

function arrow(axis: three.Vector3, colour: number): three.Mesh {
  const shaft = new three.CylinderGeometry(0.0035, 0.0035, kLength, 10)
    .translate(0, kLength / 2, 0);
  const mesh = new three.Mesh(
    shaft, new three.MeshBasicMaterial({ color: colour, transparent: true }));
  const head = new three.Mesh(new three.ConeGeometry(0.009, 0.024, 14), mesh.material);
  head.position.y = kLength;
  mesh.add(head);
  mesh.quaternion.setFromUnitVectors(new three.Vector3(0, 1, 0), axis);
  return mesh;
}

interface Ghost {
  info: ReferenceInfo;
  group: three.Group;
  materials: three.Material[];
}

export class Ghosts {
  readonly group = new three.Group();
  selected: string[] = []; // drawn stronger
  private readonly ghosts: Ghost[];

  constructor(infos: ReferenceInfo[]) {
    this.ghosts = infos.map((info) => {
      const group = new three.Group();
      group.visible = false;
      if (info.kind === 'pose') {
        group.add(
          arrow(new three.Vector3(1, 0, 0), 0xe5484d),
          arrow(new three.Vector3(0, 1, 0), 0x30a46c),
          arrow(new three.Vector3(0, 0, 1), 0x3e8fe0),
        );
        const colour = new three.MeshBasicMaterial({ color: colourOf(info.name), transparent: true });
        group.add(new three.Mesh(new three.SphereGeometry(0.014, 20, 14), colour));
        // across the frame's z, as the face of a tool
        group.add(new three.Mesh(new three.TorusGeometry(0.075, 0.0028, 8, 48), colour));
      }
      const materials: three.Material[] = [];
      group.traverse((object) => {
        if (!(object instanceof three.Mesh)) return;
        object.renderOrder = 2;
        // also seen through what is in front: the tool is where it is wanted, mostly
        const material = object.material as three.Material;
        material.depthTest = false;
        materials.push(material);
      });
      this.group.add(group);
      return { info, group, materials };
    });
  }

  update(poses: Float32Array, holding: boolean[]): void {
    this.ghosts.forEach(({ info, group, materials }, i) => {
      const q = poses.subarray(7 * i + 3, 7 * i + 7);
      group.visible = info.kind === 'pose' && Math.hypot(...q) > 0.5;
      if (!group.visible) return;
      group.position.fromArray(poses, 7 * i);
      group.quaternion.fromArray(poses, 7 * i + 3);
      const opacity = holding[i] ? 0.35 : 0.9;
      for (const material of materials)
        material.opacity = this.selected.includes(info.name) ? Math.max(opacity, 0.7) : opacity;
    });
  }
}
