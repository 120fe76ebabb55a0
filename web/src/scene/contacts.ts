// Where bodies touch, and with what force: a dot at the point, an arrow along the force on the
// second body, 1 cm a newton.
import * as three from 'three';
import type { Contact } from '../protocol.ts';

const kMost = 96;
const kPerNewton = 0.01;
const kLongest = 0.45; // [m]
const kLeast = 0.05; // below it no arrow [N]

export class Contacts {
  readonly group = new three.Group();
  private readonly dots: three.InstancedMesh;
  private readonly shafts: three.InstancedMesh;
  private readonly heads: three.InstancedMesh;
  private readonly matrix = new three.Matrix4();
  private readonly turn = new three.Quaternion();
  private readonly at = new three.Vector3();
  private readonly along = new three.Vector3();
  private readonly size = new three.Vector3();

  constructor() {
    const material = new three.MeshBasicMaterial({
      color: 0xd6336c, depthTest: false, transparent: true, opacity: 0.85,
    });
    const make = (geometry: three.BufferGeometry) => {
      const mesh = new three.InstancedMesh(geometry, material, kMost);
      mesh.count = 0;
      mesh.frustumCulled = false;
      // forces go into what is pushed: seen through it
      mesh.renderOrder = 3;
      this.group.add(mesh);
      return mesh;
    };
    this.dots = make(new three.SphereGeometry(0.006, 12, 8));
    // both begin at the origin and go along z
    this.shafts = make(new three.CylinderGeometry(0.004, 0.004, 1, 10).rotateX(Math.PI / 2)
      .translate(0, 0, 0.5));
    this.heads = make(new three.ConeGeometry(0.011, 0.03, 14).rotateX(Math.PI / 2)
      .translate(0, 0, 0.015));
  }

  update(contacts: Contact[]): void {
    const up = new three.Vector3(0, 0, 1);
    let dots = 0;
    let arrows = 0;
    for (const { position, force } of contacts) {
      if (dots === kMost) break;
      this.at.fromArray(position);
      this.along.fromArray(force);
      const strength = this.along.length();
      this.matrix.makeTranslation(this.at);
      this.dots.setMatrixAt(dots++, this.matrix);
      if (!(strength > kLeast)) continue;
      this.along.divideScalar(strength);
      const length = Math.min(kLongest, kPerNewton * strength);
      this.turn.setFromUnitVectors(up, this.along);
      this.shafts.setMatrixAt(
        arrows, this.matrix.compose(this.at, this.turn, this.size.set(1, 1, length)));
      this.at.addScaledVector(this.along, length);
      this.heads.setMatrixAt(
        arrows++, this.matrix.compose(this.at, this.turn, this.size.set(1, 1, 1)));
    }
    this.dots.count = dots;
    this.shafts.count = this.heads.count = arrows;
    for (const mesh of [this.dots, this.shafts, this.heads]) mesh.instanceMatrix.needsUpdate = true;
  }
}
