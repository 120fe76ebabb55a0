// Rays from controllers or hands to the board in a headset: what they point at lights up, and a trigger
// that is pulled and let go of there presses it.
import * as three from 'three';
import type { HeadsetPanel } from './headset_panel.ts';

const kReach = 3; // [m]

interface Ray {
  line: three.Line;
  on: string; // the button that it is on
  began: string; // the button where its trigger was pulled
  down: boolean;
}

export class BoardRays {
  pressed: (id: string) => void = () => undefined;
  private readonly panel: HeadsetPanel;
  private readonly rig: three.Group;
  private readonly rays = new Map<string, Ray>();
  private readonly caster = new three.Raycaster();

  /// @param rig in which the panel is, and the session's poses are
  constructor(panel: HeadsetPanel, rig: three.Group) {
    this.panel = panel;
    this.rig = rig;
    this.caster.far = kReach;
  }

  private ray(side: string): Ray {
    let ray = this.rays.get(side);
    if (!ray) {
      const line = new three.Line(
        new three.BufferGeometry().setFromPoints([new three.Vector3(), new three.Vector3(0, 0, -1)]),
        new three.LineBasicMaterial({ color: 0xffffff, transparent: true, opacity: 0.7 }));
      line.visible = false;
      this.rig.add(line);
      this.rays.set(side, (ray = { line, on: '', began: '', down: false }));
    }
    return ray;
  }

  /// @param pose of what points; none: it does not, as with a closed clutch
  /// @param down whether its trigger is pulled
  /// @return whether the board has this trigger, and the arms must not
  point(side: string, pose: XRPose | undefined, down: boolean): boolean {
    const ray = this.ray(side);
    const pulled = down && !ray.down;
    const released = !down && ray.down;
    ray.down = down;
    const hit = pose && this.hit(pose);
    ray.on = hit?.uv ? this.panel.at(hit.uv.x, hit.uv.y) : '';
    ray.line.visible = hit !== undefined;
    if (hit && pose) {
      ray.line.position.copy(this.caster.ray.origin);
      ray.line.quaternion.copy(pose.transform.orientation as unknown as three.Quaternion);
      ray.line.scale.setScalar(hit.distance);
    }
    this.panel.light([...this.rays.values()].find(({ on }) => on)?.on ?? '');
    if (pulled) ray.began = ray.on;
    const had = ray.began !== '';
    if (released) {
      if (had && ray.began === ray.on) this.pressed(ray.on);
      ray.began = '';
    }
    return had;
  }

  private hit(pose: XRPose): three.Intersection | undefined {
    const { position, orientation } = pose.transform;
    this.caster.ray.origin.set(position.x, position.y, position.z);
    this.caster.ray.direction.set(0, 0, -1)
      .applyQuaternion(new three.Quaternion(orientation.x, orientation.y, orientation.z, orientation.w));
    this.rig.updateMatrixWorld();
    return this.caster.intersectObject(this.panel.mesh, false)[0];
  }
}
