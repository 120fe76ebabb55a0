// The live scene: renderer, light, floor, camera. `stage` holds the world W; in a headset it is
// moved so that the operator stands where they want, on a desk it is where W is.
import * as three from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { ViewInfo, Welcome } from '../protocol.ts';
import { Bodies } from './bodies.ts';
import { Contacts } from './contacts.ts';
import { Ghosts } from './ghosts.ts';
import type { Shown } from './interpolate.ts';
import { isDark, onTheme } from './theme.ts';

export const kDefaultView: ViewInfo = { name: 'front', eye: [2.4, 1.6, 1.6], target: [0.3, 0, 0.4] };

const kSoftwarePeriod = 48; // between pictures [ms]

function drawnInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = String(info ? gl!.getParameter(info.UNMASKED_RENDERER_WEBGL) : '');
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class View {
  readonly renderer: three.WebGLRenderer;
  readonly scene = new three.Scene();
  readonly stage = new three.Group();
  readonly camera = new three.PerspectiveCamera(42, 1, 0.02, 60);
  readonly orbit: OrbitControls;
  readonly software: boolean; // drawn without a graphics card
  bodies: Bodies | undefined;
  ghosts: Ghosts | undefined;
  views: ViewInfo[] = [];
  fps = 0;
  private readonly host: HTMLElement;
  private readonly full: boolean;
  private readonly contacts = new Contacts();
  private readonly sky = new three.HemisphereLight(0xffffff, 0xb9bec6, 1.5);
  private readonly sun = new three.DirectionalLight(0xfff7ec, 2.1);
  private readonly floor: three.Mesh;
  private grid: three.GridHelper | undefined;
  private backdrop = true;
  private ground: number | null = 0; // height of the floor; null: there is none
  private travel: { from: three.Vector3[]; to: three.Vector3[]; begun: number } | undefined;
  private drawing: WebGLSync | null = null; // the picture that is on its way
  private last = 0;
  private lastTime: number | undefined;
  private slow = 0; // for so long [ms]

  /// @param full never spares anything, however slow: for pictures
  constructor(host: HTMLElement, full: boolean) {
    this.host = host;
    this.full = full;
    this.software = drawnInSoftware();
    this.renderer = new three.WebGLRenderer({ antialias: full || !this.software, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = this.software ? three.PCFShadowMap : three.PCFSoftShadowMap;
    this.renderer.toneMapping = three.NeutralToneMapping;
    this.renderer.xr.enabled = true;
    this.renderer.domElement.tabIndex = -1;
    host.append(this.renderer.domElement);

    this.camera.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.camera, this.renderer.domElement);
    this.orbit.enableDamping = true;
    this.orbit.dampingFactor = 0.14;
    this.orbit.minDistance = 0.15;
    this.orbit.maxDistance = 15;
    this.orbit.maxPolarAngle = 0.52 * Math.PI;
    this.orbit.zoomToCursor = true;
    this.orbit.addEventListener('start', () => (this.travel = undefined));
    this.go(kDefaultView, false);

    this.floor = new three.Mesh(
      new three.CircleGeometry(12, 64), new three.MeshStandardMaterial({ roughness: 1 }));
    this.floor.receiveShadow = true;
    const fill = new three.DirectionalLight(0xdbe7ff, 0.55);
    fill.position.set(-3, -2, 2);
    this.sky.position.set(0, 0, 1);
    this.sun.castShadow = true;
    const size = this.software ? 1024 : 2048;
    this.sun.shadow.mapSize.set(size, size);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.012;
    this.sun.shadow.radius = 5;
    this.stage.add(this.sky, this.sun, this.sun.target, fill, this.floor, this.contacts.group);
    this.scene.add(this.stage);
    this.dress();
    onTheme(() => this.dress());
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  /// What was welcomed: another scene than before, or the same anew.
  load(welcome: Welcome): void {
    const first = !this.bodies;
    for (const old of [this.bodies?.group, this.ghosts?.group]) if (old) this.stage.remove(old);
    this.bodies?.dispose();
    this.bodies = new Bodies(welcome.scene.bodies);
    this.ground = welcome.scene.ground;
    this.dress();
    this.ghosts = new Ghosts(welcome.references);
    this.stage.add(this.bodies.group, this.ghosts.group);
    this.views = welcome.scene.views.length ? welcome.scene.views : [kDefaultView];
    this.lastTime = undefined;
    if (first) this.go(this.views[0]!, false);
  }

  /// To a named view: there at once, or within a moment.
  go(view: ViewInfo, smooth = true): void {
    const to = [new three.Vector3(...view.eye), new three.Vector3(...view.target)];
    // what stands in a narrow window is seen from further away
    const narrow = Math.max(1, 1.25 / this.camera.aspect);
    to[0]!.sub(to[1]!).multiplyScalar(narrow).add(to[1]!);
    if (!smooth || matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.travel = undefined;
      this.camera.position.copy(to[0]!);
      this.orbit.target.copy(to[1]!);
      this.orbit.update();
      return;
    }
    this.travel = {
      from: [this.camera.position.clone(), this.orbit.target.clone()], to, begun: performance.now(),
    };
  }

  update(shown: Shown): void {
    this.bodies?.update(shown.poses);
    this.ghosts?.update(shown.references, shown.newest.holding);
    this.contacts.update(shown.newest.contacts);
    const dt = this.lastTime === undefined ? 0 : shown.time - this.lastTime;
    if (dt > 0 && dt < 0.5) for (const belt of this.bodies?.belts ?? []) belt.advance(dt);
    if (this.lastTime === undefined) this.lightBodies();
    this.lastTime = shown.time;
  }

  draw(time: number): void {
    if (this.travel) {
      const s = Math.min(1, (time - this.travel.begun) / 450);
      const e = s * s * (3 - 2 * s);
      this.camera.position.lerpVectors(this.travel.from[0]!, this.travel.to[0]!, e);
      this.orbit.target.lerpVectors(this.travel.from[1]!, this.travel.to[1]!, e);
      if (s === 1) this.travel = undefined;
    }
    const presents = this.renderer.xr.isPresenting;
    if (!presents) this.orbit.update();
    // what waits for the last picture would hold up samples too: rather one picture less
    if (!presents && this.drawing && !this.finished()) return;
    // without a graphics card pictures cost the cores that the loop may need
    if (!presents && this.software && !this.full && time - this.last < kSoftwarePeriod) return;
    this.renderer.render(this.scene, this.camera);
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    this.drawing = presents ? null : gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const dt = time - this.last;
    this.last = time;
    if (dt > 0) this.fps += Math.min(1, dt / 500) * (1000 / dt - this.fps);
    this.spare(dt);
  }

  private finished(): boolean {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    if (!gl.isContextLost() && gl.getSyncParameter(this.drawing!, gl.SYNC_STATUS) !== gl.SIGNALED)
      return false;
    gl.deleteSync(this.drawing);
    this.drawing = null;
    return true;
  }

  // a slow machine draws fewer pixels, then no shadows, rather than late
  private spare(dt: number): void {
    this.slow = dt > 75 ? this.slow + Math.min(dt, 500) : Math.max(0, this.slow - dt);
    if (this.full || this.slow < 1500 || this.renderer.xr.isPresenting) return;
    this.slow = 0;
    const ratio = this.renderer.getPixelRatio();
    if (ratio > 0.8) this.renderer.setPixelRatio(Math.max(0.75, ratio - 0.5));
    else if (this.sun.castShadow) this.sun.castShadow = false;
  }

  /// With the room behind it seen through: no floor, no backdrop.
  seeThrough(on: boolean): void {
    this.backdrop = !on;
    this.dress();
  }

  // the sun's shadow covers what there is, as sharp as it can
  private lightBodies(): void {
    const box = this.bodies!.box();
    if (box.isEmpty()) return;
    const sphere = box.getBoundingSphere(new three.Sphere());
    const radius = Math.min(5, Math.max(0.5, sphere.radius));
    this.sun.target.position.copy(sphere.center);
    this.sun.position.copy(sphere.center)
      .addScaledVector(new three.Vector3(0.45, 0.35, 1).normalize(), 2 * radius + 2);
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -radius;
    shadow.right = shadow.top = radius;
    shadow.near = 0.5;
    shadow.far = 4 * radius + 4;
    shadow.updateProjectionMatrix();
  }

  private dress(): void {
    const dark = isDark();
    const backdrop = new three.Color(dark ? 0x15191e : 0xe8ecf0);
    this.scene.background = this.backdrop ? backdrop : null;
    this.scene.fog = this.backdrop ? new three.Fog(backdrop, 5, 12) : null;
    this.sky.intensity = dark ? 1.5 : 1.55;
    this.sun.intensity = dark ? 1.7 : 2.1;
    (this.floor.material as three.MeshStandardMaterial).color.set(dark ? 0x39424c : 0xdfe4e9);
    const ground = this.ground !== null;
    this.floor.visible = this.backdrop && ground;
    this.floor.position.z = (this.ground ?? 0) - 0.001;
    if (this.grid) this.stage.remove(this.grid);
    this.grid = new three.GridHelper(
      16, 32, dark ? 0x4a5663 : 0xaab5c1, dark ? 0x323b45 : 0xc6ced7);
    this.grid.rotateX(Math.PI / 2);
    this.grid.visible = this.backdrop && ground;
    this.grid.position.z = this.ground ?? 0;
    this.stage.add(this.grid);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0 || this.renderer.xr.isPresenting) return;
    if (this.slow === 0 && this.fps === 0)
      this.renderer.setPixelRatio(this.software ? 1 : Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }
}
