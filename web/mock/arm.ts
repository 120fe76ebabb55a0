// An FR3 with its plate, as robots/ has them: shapes, forward kinematics, and an inverse that
// follows a frame well enough to look at. For the mock server only.
import { readFileSync } from 'node:fs';
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { BodyInfo, ShapeInfo } from '../src/protocol.ts';

interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
}

function parse(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [] };
  const stack = [root];
  for (const [, closing, name, attributes, empty] of xml.replace(/<!--[\s\S]*?-->/g, '')
    .matchAll(/<(\/?)([\w]+)([^>]*?)(\/?)>/g)) {
    if (closing) {
      stack.pop();
      continue;
    }
    const element: Element = {
      name: name!, children: [],
      attributes: Object.fromEntries([...attributes!.matchAll(/(\w+)="([^"]*)"/g)].map(([, k, v]) => [k!, v!])),
    };
    stack.at(-1)!.children.push(element);
    if (!empty) stack.push(element);
  }
  return root;
}

const numbers = (text: string | undefined, otherwise: number[]) =>
  text === undefined ? otherwise : text.trim().split(/\s+/).map(Number);

/// MuJoCo's quaternions begin with w.
function placeOf({ attributes: { pos, quat } }: Element): Matrix4 {
  const [w, x, y, z] = numbers(quat, [1, 0, 0, 0]) as [number, number, number, number];
  const [px, py, pz] = numbers(pos, [0, 0, 0]) as [number, number, number];
  return new Matrix4().compose(
    new Vector3(px, py, pz), new Quaternion(x, y, z, w).normalize(), new Vector3(1, 1, 1));
}

function shapeOf(geom: Element): ShapeInfo {
  const { type = 'sphere', size, fromto, rgba } = geom.attributes;
  const s = numbers(size, []);
  const X = placeOf(geom);
  let half = s[1] ?? 0;
  if (fromto) {
    const f = numbers(fromto, []);
    const a = new Vector3(f[0], f[1], f[2]);
    const b = new Vector3(f[3], f[4], f[5]);
    half = a.distanceTo(b) / 2;
    X.compose(a.clone().add(b).multiplyScalar(0.5),
      new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), b.clone().sub(a).normalize()),
      new Vector3(1, 1, 1));
  }
  return {
    type: type as ShapeInfo['type'],
    size: type === 'box' ? s.map((x) => 2 * x) : type === 'sphere' ? [s[0]!] : [s[0]!, 2 * half],
    position: new Vector3().setFromMatrixPosition(X).toArray(),
    quaternion: new Quaternion().setFromRotationMatrix(X).toArray(),
    rgba: numbers(rgba, [0.8, 0.8, 0.8, 1]),
    collides: true,
    vertices: [],
  };
}

interface Link {
  name: string;
  X: Matrix4; // in its parent, at 0
  parent: number;
  jointed: boolean; // about its z
  shapes: ShapeInfo[];
}

function linksOf(file: URL): Link[] {
  const links: Link[] = [];
  const walk = (element: Element, parent: number) => {
    const index = links.length;
    links.push({
      name: element.attributes['name']!, X: placeOf(element), parent,
      jointed: element.children.some(({ name }) => name === 'joint'),
      shapes: element.children.filter(({ name }) => name === 'geom').map(shapeOf),
    });
    for (const child of element.children) if (child.name === 'body') walk(child, index);
  };
  const world = parse(readFileSync(file, 'utf8')).children[0]!.children
    .find(({ name }) => name === 'worldbody')!;
  walk(world.children.find(({ name }) => name === 'body')!, -1);
  return links;
}

const kRobots = new URL('../../robots/', import.meta.url);
export const kReady = [0, -0.35, 0, -2.2, 0, 1.85, Math.PI / 4];

export class Arm {
  readonly q = [...kReady];
  readonly name: string;
  readonly X_WL: Matrix4[]; // of each link
  private readonly links: Link[];
  private readonly X_WB: Matrix4;

  constructor(name: string, base: Vector3) {
    this.name = name;
    this.X_WB = new Matrix4().makeTranslation(base);
    this.links = linksOf(new URL('fr3/model.xml', kRobots));
    const flange = this.links.length;
    const tool = linksOf(new URL('plate/model.xml', kRobots));
    tool[0]!.X = new Matrix4().makeRotationZ(-Math.PI / 4).setPosition(0, 0, 0.107);
    for (const link of tool)
      this.links.push({ ...link, parent: link.parent < 0 ? flange - 1 : link.parent + flange });
    this.X_WL = this.links.map(() => new Matrix4());
    this.forward();
  }

  get bodies(): BodyInfo[] {
    return this.links.map(({ name, shapes }) => ({
      name: `${this.name}.${name}`, kind: 'robot', robot: this.name, shapes, speed: [], mass: 1.2, frames: [],
    }));
  }

  private forward(): void {
    let joint = 0;
    this.links.forEach(({ X, parent, jointed }, i) => {
      const to = this.X_WL[i]!.copy(parent < 0 ? this.X_WB : this.X_WL[parent]!).multiply(X);
      if (jointed) to.multiply(new Matrix4().makeRotationZ(this.q[joint++]!));
    });
  }

  /// Of the pad's face.
  get X_WE(): Matrix4 {
    return this.X_WL.at(-1)!.clone().multiply(new Matrix4().makeTranslation(0, 0, 0.01));
  }

  /// Goes towards a pose by damped least squares; some of the way a call.
  follow(p: Vector3, r: Quaternion): void {
    for (let k = 0; k < 4; ++k) {
      const X = this.X_WE;
      const at = new Vector3().setFromMatrixPosition(X);
      const dq = r.clone().multiply(new Quaternion().setFromRotationMatrix(X).invert());
      if (dq.w < 0) dq.set(-dq.x, -dq.y, -dq.z, -dq.w);
      const e = [...p.clone().sub(at).clampLength(0, 0.05).toArray(), 2 * dq.x, 2 * dq.y, 2 * dq.z];
      const columns = this.links.flatMap(({ jointed }, i) => {
        if (!jointed) return [];
        const axis = new Vector3().setFromMatrixColumn(this.X_WL[i]!, 2);
        const arm = at.clone().sub(new Vector3().setFromMatrixPosition(this.X_WL[i]!));
        return [[...axis.clone().cross(arm).toArray(), ...axis.toArray()]];
      });
      // (J J^T + l^2 1) x = e, then q += J^T x, drawn a little towards the ready posture
      const a = e.map((_, i) => e.map((_, j) =>
        columns.reduce((sum, c) => sum + c[i]! * c[j]!, i === j ? 1e-3 : 0)));
      const x = solve(a, e);
      columns.forEach((c, j) => {
        const step = c.reduce((sum, cj, i) => sum + cj * x[i]!, 0);
        this.q[j]! += Math.max(-0.1, Math.min(0.1, step)) + 0.002 * (kReady[j]! - this.q[j]!);
      });
      this.forward();
    }
  }
}

function solve(a: number[][], b: number[]): number[] {
  const n = b.length;
  const m = a.map((row, i) => [...row, b[i]!]);
  for (let k = 0; k < n; ++k)
    for (let i = k + 1; i < n; ++i) {
      const f = m[i]![k]! / m[k]![k]!;
      for (let j = k; j <= n; ++j) m[i]![j]! -= f * m[k]![j]!;
    }
  const x = new Array<number>(n).fill(0);
  for (let k = n - 1; k >= 0; --k) {
    let sum = m[k]![n]!;
    for (let j = k + 1; j < n; ++j) sum -= m[k]![j]! * x[j]!;
    x[k] = sum / m[k]![k]!;
  }
  return x;
}
