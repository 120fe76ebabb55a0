// Meshes of the shapes that bodies have. Axes of capsules and cylinders are z, as the server's.
import * as three from 'three';
import { ConvexGeometry } from 'three/addons/geometries/ConvexGeometry.js';
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js';
import type { ShapeInfo } from '../protocol.ts';

// an edge that is broken a little shows where faces meet
const kEdge = 0.003; // [m]

function cylinder(radius: number, length: number): three.BufferGeometry {
  const e = Math.min(kEdge, radius / 4, length / 4);
  const h = length / 2;
  // each corner twice: smooth round the axis, sharp along it
  const profile = [
    [0, -h], [radius - e, -h], [radius - e, -h], [radius, e - h], [radius, e - h],
    [radius, h - e], [radius, h - e], [radius - e, h], [radius - e, h], [0, h],
  ].map(([x, y]) => new three.Vector2(x, y));
  return new three.LatheGeometry(profile, 40).rotateX(Math.PI / 2);
}

export function geometryOf({ type, size, vertices }: ShapeInfo): three.BufferGeometry {
  const [a = 0, b = 0, c = 0] = size;
  switch (type) {
    case 'box':
      return new RoundedBoxGeometry(a, b, c, 2, Math.min(kEdge, a / 4, b / 4, c / 4));
    case 'sphere':
      return new three.SphereGeometry(a, 32, 20);
    case 'ellipsoid':
      return new three.SphereGeometry(1, 32, 20).scale(a, b, c);
    case 'capsule':
      return new three.CapsuleGeometry(a, b, 10, 32).rotateX(Math.PI / 2);
    case 'cylinder':
      return cylinder(a, b);
    case 'plane':
      return new three.PlaneGeometry(a || 10, b || 10);
    case 'mesh':
      return vertices.length >= 4
        ? new ConvexGeometry(vertices.map(([x, y, z]) => new three.Vector3(x, y, z)))
        : new three.BufferGeometry();
  }
}

export function place(object: three.Object3D, { position, quaternion }: {
  position: number[]; quaternion: number[];
}): void {
  object.position.fromArray(position);
  object.quaternion.fromArray(quaternion);
}

export function meshOf(shape: ShapeInfo, metal: number): three.Mesh {
  const [r = 1, g = 1, b = 1, alpha = 1] = shape.rgba;
  const material = new three.MeshStandardMaterial({
    color: new three.Color().setRGB(r, g, b, three.SRGBColorSpace),
    roughness: 0.62 - 0.2 * metal,
    metalness: 0.1 * metal,
    transparent: alpha < 1,
    opacity: alpha,
  });
  const mesh = new three.Mesh(geometryOf(shape), material);
  place(mesh, shape);
  mesh.castShadow = alpha === 1;
  mesh.receiveShadow = true;
  return mesh;
}
