// A robot of several groups, apps/tiago.yaml: its base, torso, arm and gripper by one emulated headset, and by
// the keys of the page.
import { emulate, enter } from './emulated.ts';
import { Served } from './served.ts';
import { expect, Failure, type Page, Stage, takeOver, until } from './support.ts';

type Play = Stage<Served>;

const kPace = 0.25; // simulated by real time
const kSmall = { viewport: { width: 480, height: 420 } };

export async function serve(): Promise<Served> {
  const served = new Served('apps/tiago.yaml', kPace);
  await served.start();
  return served;
}

type Side = 'left' | 'right';
const press = (page: Page, side: Side, button: string, value: number) =>
  page.evaluate(([s, b, v]) => window.device.controllers[s].updateButtonValue(b, v), [side, button, value] as const);
const stick = (page: Page, side: Side, x: number, y: number) =>
  page.evaluate(([s, a, b]) => window.device.controllers[s].updateAxes('thumbstick', a, b), [side, x, y] as const);

const base = ({ server }: Play) => server.pose('tiago.base_link');
const height = ({ server }: Play) => server.pose('tiago.torso_lift_link')[2]!;
const opening = ({ server }: Play) => {
  const [a, b] = ['tiago.gripper_right_finger_link', 'tiago.gripper_left_finger_link'].map((body) => server.pose(body));
  return Math.hypot(a![0]! - b![0]!, a![1]! - b![1]!, a![2]! - b![2]!);
};
const distance = (a: number[], b: number[]) => Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);
const holds = ({ server }: Play, reference: string) => reference in server.status!.holding;

/// What moves a reference is held until it is so. A page that draws beside a loop of 1 kHz may be late, which is a
/// device that is silent: what was held then is let go of and held anew, as a person does.
async function hold(stage: Play, reference: string, on: () => Promise<void>, off: () => Promise<void>,
  over: () => boolean, claim: string): Promise<void> {
  const { server } = stage;
  await on();
  for (const end = server.time + 15; !over();) {
    if (server.time > end) throw new Failure(claim);
    await server.wait(0.2);
    if (!over() && holds(stage, reference)) {
      await off();
      await server.wait(0.2);
      await on();
    }
  }
  await off();
  await until(`${claim}: it does not end`, () => holds(stage, reference));
}

/// The right controller's height [m], in steps that no tracking takes for a jump.
async function raise(page: Page, from: number, to: number): Promise<void> {
  const steps = 10;
  for (let i = 1; i <= steps; ++i) {
    await page.evaluate((y) => window.device.controllers.right.position.set(0.25, y, -0.4), from + (to - from) * i / steps);
    await page.waitForTimeout(20 / kPace);
  }
}

async function openHeadset(stage: Play): Promise<Page> {
  const page = await stage.open('?name=Ann', kSmall, emulate);
  await takeOver(page);
  await enter(page);
  await until('the controllers are not seen', () => stage.server.status!.devices.headset?.present === true);
  await stage.server.wait(0.2);
  return page;
}

/// A stick of the headset while the left squeeze is held; pushed away is negative in WebXR.
function pushed(page: Page, side: Side, x: number, y: number): [() => Promise<void>, () => Promise<void>] {
  return [async () => {
    await press(page, 'left', 'squeeze', 1);
    await stick(page, side, x, y);
  }, async () => {
    await stick(page, side, 0, 0);
    await press(page, 'left', 'squeeze', 0);
  }];
}

export const tests: Record<string, (stage: Play) => Promise<void>> = {
  'one headset drives the base, lifts the torso, moves the hand and closes the gripper': async (stage) => {
    const { server } = stage;
    const page = await openHeadset(stage);
    const start = base(stage);
    await stick(page, 'left', 0, -1);
    await server.wait(0.4);
    expect(distance(base(stage), start) < 1e-3, 'it drives without the left squeeze');
    await stick(page, 'left', 0, 0);
    await server.wait(0.2);
    const hand = server.reference('hand');
    await hold(stage, 'base', ...pushed(page, 'left', 0, -1), () => base(stage)[0]! > start[0]! + 0.1,
      'the base does not go forward');
    expect(Math.abs(server.reference('hand')[0]! - hand[0]! - base(stage)[0]! + start[0]!) < 0.02,
      'the hand does not ride along');
    const low = height(stage);
    await hold(stage, 'torso', ...pushed(page, 'right', 0, -1), () => height(stage) > low + 0.02,
      'the torso does not go up');

    const up = server.reference('hand')[2]!;
    await hold(stage, 'hand', async () => {
      await press(page, 'right', 'squeeze', 1);
      await server.wait(0.2);
      await raise(page, 1.1, 1.05);
    }, async () => {
      await press(page, 'right', 'squeeze', 0);
      await raise(page, 1.05, 1.1);
    }, () => server.reference('hand')[2]! < up - 0.03, 'the hand does not go down');
    const open = opening(stage);
    await press(page, 'right', 'trigger', 1);
    await until('the gripper does not close', () => opening(stage) < open - 0.02);
  },

  'a page that is late stops the base, and drives again when all is let go of and held anew': async (stage) => {
    const { server } = stage;
    const page = await openHeadset(stage);
    const start = base(stage);
    const [on, off] = pushed(page, 'left', 0, -1);
    await on();
    await until('the base does not go forward', () => base(stage)[0]! > start[0]! + 0.05);
    // longer than the device may be silent, by simulated time
    await page.evaluate((ms) => {
      for (const end = performance.now() + ms; performance.now() < end;);
    }, 1000 * 0.3 / kPace);
    await until('the base goes on without a sample', () => holds(stage, 'base'));
    await server.wait(0.8);
    const rest = base(stage);
    await server.wait(0.4);
    expect(distance(base(stage), rest) < 1e-3, 'the base goes on by itself with what was held before');
    await off();
    await server.wait(0.2);
    await hold(stage, 'base', on, off, () => base(stage)[0]! > rest[0]! + 0.05, 'the base does not go on when held anew');
  },

  'the keys of the page drive the base, lift the torso, move the hand and close the gripper': async (stage) => {
    const { server } = stage;
    const page = await stage.open('?name=Ann', kSmall);
    const start = base(stage);
    await page.keyboard.down('ArrowUp');
    await server.wait(0.3);
    await page.keyboard.up('ArrowUp');
    expect(distance(base(stage), start) < 1e-3, 'it drives for somebody who does not operate');
    await takeOver(page);
    await server.wait(0.2);
    const key = (code: string): [() => Promise<void>, () => Promise<void>] =>
      [() => page.keyboard.down(code), () => page.keyboard.up(code)];
    await hold(stage, 'base', ...key('ArrowUp'), () => base(stage)[0]! > start[0]! + 0.1, 'the base does not go forward');
    // to the left: about z, of whose quaternion z is the sine of half the angle
    const yaw = base(stage)[5]!;
    await hold(stage, 'base', ...key('ArrowLeft'), () => base(stage)[5]! > yaw + 0.1, 'the base does not turn left');
    const low = height(stage);
    await hold(stage, 'torso', ...key('PageUp'), () => height(stage) > low + 0.02, 'the torso does not go up');
    const up = server.reference('hand')[2]!;
    await hold(stage, 'hand', ...key('KeyF'), () => server.reference('hand')[2]! < up - 0.03, 'the hand does not go down');
    const open = opening(stage);
    await page.keyboard.press('KeyG', { delay: 1000 * 0.1 / kPace });
    await until('the gripper does not close', () => opening(stage) < open - 0.02);
  },
};
