// A headset's session: both controllers become samples with the time stamps of the browser's frames,
// outputs become pulses. Controllers that are not tracked, hands instead of them, a session that is
// not in front or has ended: the samples say so, and the arms hold.
import * as three from 'three';
import type { View } from '../scene/view.ts';
import { colourOf } from '../scene/colours.ts';
import { BoardRays } from './board_rays.ts';
import { HeadsetPanel } from './headset_panel.ts';
import { type SampleWriter, TrackedAs } from './sample.ts';
import { type Stand, standMatrix, step, toSample } from './stand.ts';

export type SessionMode = 'immersive-vr' | 'immersive-ar';

const kStandSpeed = 0.6; // [m/s]
const kStandTurn = Math.PI / 12;
const kHoldForRecord = 1.0; // [s]
const kPulse = 0.06; // [s]
const kSides = ['left', 'right'] as const;

interface Commands {
  stop(): void;
  record(): void;
  press(id: string): void; // a button of the board
  ended(): void;
}

export class Headset {
  session: XRSession | undefined;
  stand: Stand = { x: 0, y: 0, height: 0, yaw: 0 };
  R_WV = new three.Quaternion();
  readonly panel = new HeadsetPanel();
  stamp = 0; // of the last frame [s]
  clutched = false; // by what the server says: the stand stays
  private readonly view: View;
  private readonly commands: Commands;
  private readonly rig = new three.Group();
  private readonly models: Record<string, three.Object3D> = {};
  private readonly rumble: Record<string, number> = {};
  private readonly rays: BoardRays;
  private recentred = false; // since the last frame
  private turned = false;
  private bothDown = false;
  private stickSince = 0;

  constructor(view: View, commands: Commands) {
    this.view = view;
    this.commands = commands;
    for (const side of kSides) {
      const model = new three.Group();
      const material = new three.MeshStandardMaterial({ color: colourOf(side), roughness: 0.5 });
      const grip = new three.Mesh(new three.CapsuleGeometry(0.017, 0.07, 6, 18), material);
      grip.rotation.x = -0.9;
      const ring = new three.Mesh(new three.TorusGeometry(0.035, 0.006, 8, 32), material);
      ring.position.set(0, 0.02, -0.045);
      model.add(grip, ring);
      model.visible = false;
      this.models[side] = model;
      this.rig.add(model);
    }
    this.rig.add(this.panel.mesh);
    this.rays = new BoardRays(this.panel, this.rig);
    this.rays.pressed = (id) => commands.press(id);
    this.rig.visible = false;
    view.scene.add(this.rig);
  }

  static async supported(mode: SessionMode): Promise<boolean> {
    try {
      return (await navigator.xr?.isSessionSupported(mode)) ?? false;
    } catch {
      return false;
    }
  }

  /// @throws what the browser says when it gives no session
  async start(mode: SessionMode): Promise<void> {
    const session = await navigator.xr!.requestSession(mode, {
      optionalFeatures: ['local-floor', 'hand-tracking'],
    });
    session.addEventListener('end', () => this.ended());
    const { xr } = this.view.renderer;
    xr.setReferenceSpaceType('local-floor');
    // two eyes drawn without a graphics card
    if (this.view.software) xr.setFramebufferScaleFactor(0.4);
    await xr.setSession(session);
    xr.getReferenceSpace()?.addEventListener('reset', () => {
      this.recentred = true;
    });
    this.session = session;
    this.view.seeThrough(mode === 'immersive-ar');
    this.rig.visible = true;
    this.place();
  }

  async end(): Promise<void> {
    await this.session?.end();
  }

  private ended(): void {
    this.session = undefined;
    this.rig.visible = false;
    for (const side of kSides) this.rumble[side] = 0;
    this.view.stage.position.set(0, 0, 0);
    this.view.stage.quaternion.identity();
    this.view.seeThrough(false);
    this.commands.ended();
  }

  /// Puts the scene where the stand says.
  place(): void {
    if (!this.session) return;
    const X_SW = standMatrix(this.stand, this.R_WV).invert();
    X_SW.decompose(this.view.stage.position, this.view.stage.quaternion, this.view.stage.scale);
  }

  /// Within a frame of the session. @param time of it [ms] @return whether the sample is of a
  /// session that is in front
  read(frame: XRFrame, time: number, dt: number, sample: SampleWriter): boolean {
    sample.unknown();
    const space = this.view.renderer.xr.getReferenceSpace();
    this.stamp = time / 1000;
    if (!space || !this.session || this.session.visibilityState !== 'visible') return false;
    this.adjust(dt);
    const X_WS = standMatrix(this.stand, this.R_WV);
    const put = (name: string, as: TrackedAs, { position, orientation }: XRRigidTransform) => {
      const p = new three.Vector3(position.x, position.y, position.z);
      const q = new three.Quaternion(orientation.x, orientation.y, orientation.z, orientation.w);
      toSample(X_WS, this.R_WV, p, q);
      // what comes in a space that was moved is not a motion of the operator
      sample.pose(name, this.recentred ? TrackedAs.recentred : as, p, q);
    };
    for (const side of kSides) this.models[side]!.visible = false;
    for (const source of this.session.inputSources) {
      const side = source.handedness;
      if (side === 'none' || !source.gripSpace) continue;
      const pose = frame.getPose(source.gripSpace, space);
      // a position that is thought up is not tracked
      if (pose && !pose.emulatedPosition) {
        put(side, source.hand ? TrackedAs.hand : TrackedAs.controller, pose.transform);
        const model = this.models[side]!;
        model.visible = true;
        model.position.copy(pose.transform.position as unknown as three.Vector3);
        model.quaternion.copy(pose.transform.orientation as unknown as three.Quaternion);
      }
      // with a closed clutch hands pass the board and press nothing
      const points = this.clutched ? undefined : frame.getPose(source.targetRaySpace, space);
      const pulled = (source.gamepad?.buttons[0]?.value ?? 0) > 0.5;
      const taken = this.rays.point(side, points, pulled);
      if (source.gamepad && !source.hand) this.controls(side, source.gamepad, sample);
      if (taken && !source.hand) sample.control(`${side}.trigger`, 0);
    }
    const head = frame.getViewerPose(space);
    if (head && !head.emulatedPosition) put('head', TrackedAs.head, head.transform);
    this.recentred = false;
    return true;
  }

  // the xr-standard mapping, in which a stick pushed away is negative
  private controls(side: string, { buttons, axes }: Gamepad, sample: SampleWriter): void {
    const value = (i: number) => buttons[i]?.value ?? 0;
    sample.control(`${side}.trigger`, value(0));
    sample.control(`${side}.squeeze`, value(1));
    sample.control(`${side}.stick`, value(3));
    sample.control(`${side}.primary`, value(4));
    sample.control(`${side}.secondary`, value(5));
    sample.control(`${side}.stick_x`, axes[2] ?? 0);
    sample.control(`${side}.stick_y`, -(axes[3] ?? 0));
    if ((this.rumble[side] ?? 0) > 0) this.pulse(side);
  }

  // sticks, with both clutches open: left walks, right turns and lifts
  private adjust(dt: number): void {
    const pads = Object.fromEntries(
      [...this.session!.inputSources].map((source) => [source.handedness, source.gamepad]));
    const axis = (side: string, i: number) => pads[side]?.axes[i] ?? 0;
    const past = (x: number) => (Math.abs(x) > 0.25 ? x : 0);
    const down = kSides.map((side) => pads[side]?.buttons[3]?.pressed === true);
    if (down[0] && down[1] && !this.bothDown) this.commands.stop();
    this.bothDown = down[0]! && down[1]!;
    this.stickSince = down[0] && !down[1] ? this.stickSince + dt : 0;
    if (this.stickSince >= kHoldForRecord && this.stickSince - dt < kHoldForRecord)
      this.commands.record();
    if (this.clutched) return;
    const [x, y] = [past(axis('left', 2)), past(axis('left', 3))];
    const [turn, lift] = [axis('right', 2), past(axis('right', 3))];
    step(this.stand, this.R_WV, kStandSpeed * dt * x, -kStandSpeed * dt * y);
    this.stand.height -= 0.5 * kStandSpeed * dt * lift;
    if (Math.abs(turn) > 0.7 && !this.turned) this.stand.yaw -= Math.sign(turn) * kStandTurn;
    this.turned = Math.abs(turn) > (this.turned ? 0.3 : 0.7);
    this.place();
  }

  /// An output of the device: 0 to 1.
  output(name: string, value: number): void {
    const [side = '', what] = name.split('.');
    if (what !== 'rumble') return;
    this.rumble[side] = Math.min(1, Math.max(0, value));
    if (value > 0) this.pulse(side);
  }

  private pulse(side: string): void {
    for (const source of this.session?.inputSources ?? [])
      if (source.handedness === side)
        void source.gamepad?.hapticActuators?.[0]?.pulse(this.rumble[side]!, 1000 * kPulse);
  }
}
