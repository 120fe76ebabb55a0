// An emulated headset (IWER) for pages: both controllers stand before the operator, and a test moves them.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Page } from './support.ts';

const kIwer = join(dirname(createRequire(import.meta.url).resolve('iwer/package.json')), 'build/iwer.js');

/// What the tests use of IWER's device.
interface Controller {
  connected: boolean;
  position: { set(x: number, y: number, z: number): void };
  quaternion: { set(x: number, y: number, z: number, w: number): void };
  updateButtonValue(id: string, value: number): void;
  updateAxes(id: string, x: number, y: number): void;
}
interface Emulated {
  controllers: { left: Controller; right: Controller };
  position: { set(x: number, y: number, z: number): void };
  primaryInputMode: string;
}
declare global {
  interface Window {
    IWER: { XRDevice: new (config: object) => Emulated & { installRuntime(o: object): void }; metaQuest3: object };
    XRPose: { prototype: object };
    device: Emulated;
    thoughtUp: boolean;
    pulses: number[];
  }
}

/// For a page that opens: it has a headset, both of whose controllers are tracked.
export async function emulate(page: Page): Promise<void> {
  await page.addInitScript({ path: kIwer });
  await page.addInitScript(() => {
    const device = new window.IWER.XRDevice(window.IWER.metaQuest3);
    device.installRuntime({ forceInstall: true });
    window.device = device;
    // IWER says of all it tracks that its position is thought up: here the tests say it
    window.thoughtUp = false;
    Object.defineProperty(window.XRPose.prototype, 'emulatedPosition', { get: () => window.thoughtUp });
    device.position.set(0, 1.6, 0);
    device.controllers.left.position.set(-0.25, 1.1, -0.4);
    device.controllers.right.position.set(0.25, 1.1, -0.4);
  });
}

export async function enter(page: Page): Promise<void> {
  await page.click('button:text-is("Enter VR")');
  await page.waitForFunction(() => window.handspan.headset.session !== undefined);
}

export const clutch = (page: Page, value: number) => page.evaluate((v) => {
  for (const side of ['left', 'right'] as const)
    for (const id of ['trigger', 'squeeze']) window.device.controllers[side].updateButtonValue(id, v);
}, value);
