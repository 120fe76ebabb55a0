// Where each frame is wanted: a translucent triad at the reference, in its hand's colour, faint
// while it holds. Where a person asks it to go, a second one, with a line to it.
import * as three from 'three';
import type { ReferenceInfo } from '../protocol.ts';
import { colourOf } from './colours.ts';

const kLength = 0.11; // [m]
const kThere = 0.01; // a target that is nearer than this, or turned by less, is where the reference is [m, rad]
const kFaint = 0.3;

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
  target: three.Group;
  way: three.Line;
}

// also seen through what is in front: the tool is where it is wanted, mostly
function seenThrough(group: three.Group): three.Material[] {
  const materials: three.Material[] = [];
  group.traverse((object) => {
    if (!(object instanceof three.Mesh)) return;
    object.renderOrder = 2;
    const material = object.material as three.Material;
    material.depthTest = false;
    materials.push(material);
  });
  return materials;
}

function triad(name: string): three.Group {
  const group = new three.Group();
  const colour = new three.MeshBasicMaterial({ color: colourOf(name), transparent: true });
  group.add(
    arrow(new three.Vector3(1, 0, 0), 0xe5484d),
    arrow(new three.Vector3(0, 1, 0), 0x30a46c),
    arrow(new three.Vector3(0, 0, 1), 0x3e8fe0),
    new three.Mesh(new three.SphereGeometry(0.014, 20, 14), colour),
    // across the frame's z, as the face of a tool
    new three.Mesh(new three.TorusGeometry(0.075, 0.0028, 8, 48), colour));
  return group;
}

export class Ghosts {
  readonly group = new three.Group();
  selected: string[] = []; // drawn stronger
  private readonly ghosts: Ghost[];

  constructor(infos: ReferenceInfo[]) {
    this.ghosts = infos.map((info) => {
      const [group, target] = info.kind === 'pose'
        ? [triad(info.name), triad(info.name)] : [new three.Group(), new three.Group()];
      for (const material of seenThrough(target)) material.opacity = kFaint;
      target.name = `target.${info.name}`;
      const way = new three.Line(new three.BufferGeometry().setAttribute(
        'position', new three.BufferAttribute(new Float32Array(6), 3)), new three.LineBasicMaterial({
        color: colourOf(info.name), transparent: true, opacity: 2 * kFaint, depthTest: false }));
      way.frustumCulled = false;
      group.visible = target.visible = way.visible = false;
      this.group.add(group, target, way);
      return { info, group, materials: seenThrough(group), target, way };
    });
  }

  /// @param places where they are asked to go, by the references' names
  aim(places: Map<string, { p: three.Vector3; q: three.Quaternion }>): void {
    for (const { info, group, target, way } of this.ghosts) {
      const place = group.visible ? places.get(info.name) : undefined;
      target.visible = way.visible = place !== undefined &&
        (place.p.distanceTo(group.position) > kThere || place.q.angleTo(group.quaternion) > kThere);
      if (!place || !target.visible) continue;
      target.position.copy(place.p);
      target.quaternion.copy(place.q);
      const ends = way.geometry.getAttribute('position') as three.BufferAttribute;
      ends.setXYZ(0, ...group.position.toArray());
      ends.setXYZ(1, ...place.p.toArray());
      ends.needsUpdate = true;
    }
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
