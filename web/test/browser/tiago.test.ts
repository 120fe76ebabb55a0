// A robot of several groups by one emulated headset: base, torso, arm and gripper of apps/tiago.yaml.
import { emulate, enter } from './emulated.ts';
import { Served } from './served.ts';
import { expect, type Page, Stage, takeOver, until } from './support.ts';

type Play = Stage<Served>;

const kPace = 0.2; // simulated by real time
const kSmall = { viewport: { width: 480, height: 420 } };

export async function serve(): Promise<Served> {
  const served = new Served('apps/tiago.yaml', kPace);
  await served.start();
  return served;
}

const press = (page: Page, side: 'left' | 'right', button: string, value: number) =>
  page.evaluate(([s, b, v]) => window.device.controllers[s].updateButtonValue(b, v), [side, button, value] as const);
const stick = (page: Page, side: 'left' | 'right', x: number, y: number) =>
  page.evaluate(([s, a, b]) => window.device.controllers[s].updateAxes('thumbstick', a, b), [side, x, y] as const);
const opening = ({ server }: Play) => {
  const [a, b] = ['tiago.gripper_right_finger_link', 'tiago.gripper_left_finger_link'].map((body) => server.pose(body));
  return Math.hypot(a![0]! - b![0]!, a![1]! - b![1]!, a![2]! - b![2]!);
};

export const tests: Record<string, (stage: Play) => Promise<void>> = {
  'one headset drives the base, lifts the torso, moves the hand and closes the gripper': async (stage) => {
    const { server } = stage;
    const page = await stage.open('?name=Ann', kSmall, emulate);
    await takeOver(page);
    await enter(page);
    await server.wait(0.3);

    const base = server.pose('tiago.base_link'), torso = server.pose('tiago.torso_lift_link');
    await stick(page, 'left', 0, -1);
    await server.wait(0.4);
    expect(Math.abs(server.pose('tiago.base_link')[0]! - base[0]!) < 1e-3, 'it drives without the left squeeze');
    await stick(page, 'left', 0, 0);
    await press(page, 'left', 'squeeze', 1);
    await server.wait(0.3);
    // pushed away is negative in WebXR
    await stick(page, 'left', 0, -1);
    await until('the base does not go forward', () => server.pose('tiago.base_link')[0]! > base[0]! + 0.1, 120);
    await stick(page, 'left', 0, 0);
    await stick(page, 'right', 0, -1);
    await until('the torso does not go up', () => server.pose('tiago.torso_lift_link')[2]! > torso[2]! + 0.02, 120);
    await stick(page, 'right', 0, 0);
    await press(page, 'left', 'squeeze', 0);
    await server.wait(0.5);

    await press(page, 'right', 'squeeze', 1);
    await until('the clutch does not close', () => server.channel('source.person.clutch')[0] === 1);
    const hand = server.reference('hand');
    await page.evaluate(() => window.device.controllers.right.position.set(0.25, 1.06, -0.4));
    await until('the hand does not go down', () => server.reference('hand')[2]! < hand[2]! - 0.02, 120);
    const open = opening(stage);
    await press(page, 'right', 'trigger', 1);
    await until('the gripper does not close', () => opening(stage) < open - 0.02, 120);
  },
};
