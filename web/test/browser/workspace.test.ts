// Keys and a gamepad at the page move jogs of the server: their workspace, the scale of their speed and
// their dead man hold there.
import type { Frame } from '../../src/protocol.ts';
import { Served } from './served.ts';
import { expect, Stage, takeOver, until } from './support.ts';

type Play = Stage<Served>;

const kPace = 0.3; // simulated by real time
const kSmall = { viewport: { width: 480, height: 420 } };
const kUpper = [0.6, 0.7, 0.7], kLower = [0.2, 0.2, 0.2]; // of workspace.yaml
const kRoom = 1e-4; // [m]

export async function serve(): Promise<Served> {
  const served = new Served('web/test/browser/workspace.yaml', kPace);
  await served.start();
  return served;
}

const hand = ({ server }: Play) => server.reference('left_hand').slice(0, 3);
const clutched = ({ server }: Play) => server.channel('source.left_jog.clutch')[0] === 1;

export const tests: Record<string, (stage: Play) => Promise<void>> = {
  'keys drive a hand to the faces of its workspace and no farther, and it stops when they are let go': async (stage) => {
    const { server } = stage;
    const page = await stage.open('?name=Ann', kSmall);
    await takeOver(page);
    await page.click('button:text-is("world")');
    await page.fill('[aria-label="speed of jog"]', '0.3');
    let out = 0;
    server.seen = (frame: Frame) => {
      const p = [...frame.references.subarray(0, 3)];
      out = Math.max(out, ...p.map((x, i) => Math.max(x - kUpper[i]!, kLower[i]! - x)));
    };
    const from = hand(stage);
    expect(from.every((x, i) => x > kLower[i]! && x < kUpper[i]!), `it begins outside: ${from}`);
    // up and left at once: along each axis for itself, and along a face to an edge
    await page.keyboard.down('KeyR');
    await page.keyboard.down('KeyA');
    await until('it does not come to the top', () => hand(stage)[2]! > kUpper[2]! - 0.002, 120);
    await until('it does not come to the side', () => hand(stage)[1]! > kUpper[1]! - 0.002, 120);
    await server.wait(0.5);
    expect(clutched(stage), 'its dead man is let go of while keys are held');
    expect(out < kRoom, `it leaves its workspace by ${out} m`);
    await page.keyboard.up('KeyA');
    await page.keyboard.up('KeyR');
    await until('the dead man stays held', () => !clutched(stage));
    // back, and let go in the middle of a motion
    await page.keyboard.down('KeyF');
    await until('it does not come down', () => hand(stage)[2]! < kUpper[2]! - 0.05, 120);
    await page.keyboard.up('KeyF');
    await until('the dead man stays held', () => !clutched(stage));
    await until('it does not hold', () => server.holds('left_hand'));
    await server.wait(0.5);
    const rest = hand(stage);
    await server.wait(0.5);
    expect(hand(stage).every((x, i) => x === rest[i]), 'it goes on without a key');
    expect(out < kRoom, `it leaves its workspace by ${out} m`);
  },

  'the server steps the speed of keys, and a gamepad moves nothing without its clutch': async (stage) => {
    const { server } = stage;
    const page = await stage.open('?name=Ann', kSmall, async (p) => void await p.addInitScript(() => {
      const pad = { id: 'stub', connected: true, mapping: 'standard', axes: [0, 0, 0, 0], index: 0,
        buttons: Array.from({ length: 17 }, () => ({ pressed: false, touched: false, value: 0 })) };
      (window as unknown as { pad: typeof pad }).pad = pad;
      navigator.getGamepads = () => [pad as unknown as Gamepad];
    }));
    const set = (right: number, clutch: boolean) => page.evaluate(([x, c]) => {
      const { pad } = window as unknown as { pad: { axes: number[]; buttons: { pressed: boolean }[] } };
      pad.axes = [0, 0, 0, x as number];
      pad.buttons[5]!.pressed = c as boolean;
    }, [right, clutch] as const);
    await takeOver(page);
    await page.click('button:text-is("world")');
    await page.fill('[aria-label="speed of jog"]', '0.3');
    const before = hand(stage);
    await set(1, false);
    await server.wait(0.5);
    expect(hand(stage).every((x, i) => x === before[i]), 'it moves without its clutch');
    // two presses: a quarter of the speed
    for (let i = 0; i < 2; ++i) {
      await page.keyboard.down('Minus');
      await server.wait(0.15);
      await page.keyboard.up('Minus');
      await server.wait(0.15);
    }
    await set(1, true);
    await until('the dead man is not held', () => clutched(stage));
    await server.wait(0.4);
    const [time, z] = [server.time, hand(stage)[2]!];
    await server.wait(0.5);
    const speed = (z - hand(stage)[2]!) / (server.time - time);
    await set(1, false);
    await until('the dead man stays held', () => !clutched(stage));
    expect(Math.abs(speed - 0.3 / 4) < 0.01, `it goes at ${speed} m/s, not a quarter of 0.3`);
    await until('it does not hold', () => server.holds('left_hand'));
  },
};
