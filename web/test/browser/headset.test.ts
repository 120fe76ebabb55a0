// An emulated headset: both controllers move both arms; what is lost holds.
import { clutch, emulate, enter } from './emulated.ts';
import { expect, type Page, placeOf, type Stage, takeOver, until, wait } from './support.ts';

async function openWithHeadset(stage: Stage): Promise<Page> {
  const page = await stage.open('?name=Ann', { viewport: { width: 640, height: 480 } }, emulate);
  await takeOver(page);
  await enter(page);
  await until('no controller is tracked', () => {
    const n = stage.server.world.sample;
    return n?.[0] === 1 && n[8] === 1;
  });
  return page;
}

// as a hand moves: a little at a time
async function moveTo(page: Page, side: 'left' | 'right', from: number[], to: number[], seconds: number): Promise<void> {
  const steps = Math.ceil(seconds / 0.05);
  for (let i = 1; i <= steps; ++i) {
    await page.evaluate(([s, p]) => window.device.controllers[s].position.set(p[0]!, p[1]!, p[2]!),
      [side, from.map((x, k) => x + (to[k]! - x) * i / steps)] as const);
    await wait(0.05);
  }
}

const closed = (stage: Stage) => stage.server.world.clutches.map((one) => one.closed).join();

export const tests: Record<string, (stage: Stage) => Promise<void>> = {
  'both controllers clutch and move both arms as they are seen to move': async (stage) => {
    const page = await openWithHeadset(stage);
    const before = { left: placeOf(stage, 'left'), right: placeOf(stage, 'right') };
    await moveTo(page, 'left', [-0.25, 1.1, -0.4], [-0.25, 1.2, -0.4], 0.4);
    expect(placeOf(stage, 'left').every((v, i) => v === before.left[i]), 'it moves without a clutch');
    await clutch(page, 1);
    await until('the clutches do not close', () => closed(stage) === 'true,true');
    await moveTo(page, 'left', [-0.25, 1.2, -0.4], [-0.25, 1.3, -0.4], 0.6);
    await moveTo(page, 'right', [0.25, 1.1, -0.4], [0.25, 1.1, -0.5], 0.6);
    await until('the left arm does not go up by as much', () => Math.abs(placeOf(stage, 'left')[2]! - before.left[2]! - 0.1) < 1e-3);
    await until('the right arm does not go ahead by as much', () => Math.abs(placeOf(stage, 'right')[0]! - before.right[0]! - 0.1) < 1e-3);
    await clutch(page, 0);
    await until('the clutches stay closed', () => closed(stage) === 'false,false');
  },

  'a stick pushed away is positive, as a gamepad\'s': async (stage) => {
    const page = await openWithHeadset(stage);
    await page.evaluate(() => window.device.controllers.right.updateAxes('thumbstick', 0.25, -0.75));
    await until('it is not', () => [...stage.server.world.sample!.subarray(30, 32)].join() === '0.25,0.75');
  },

  'stamps are the frames\' and rise': async (stage) => {
    const page = await openWithHeadset(stage);
    stage.server.samples.length = 0;
    await until('no samples come', () => stage.server.samples.length > 20);
    const stamps = stage.server.samples.map((s) => s.stamp);
    expect(stamps.every((s, i) => i === 0 || s > stamps[i - 1]!), 'they do not rise');
    const here = await page.evaluate(() => performance.now() / 1000);
    expect(Math.abs(stamps.at(-1)! - here) < 1, `${stamps.at(-1)} is not of the page's clock, ${here}`);
  },

  'a controller that is lost in motion holds, and takes a fresh clutch-in': async (stage) => {
    const page = await openWithHeadset(stage);
    await clutch(page, 1);
    await until('the clutches do not close', () => closed(stage) === 'true,true');
    await page.evaluate(() => (window.device.controllers.right.connected = false));
    await until('its clutch stays closed', () => closed(stage) === 'true,false');
    const rest = placeOf(stage, 'right');
    await page.evaluate(() => {
      window.device.controllers.right.position.set(0.25, 1.5, -0.4);
      window.device.controllers.right.connected = true;
    });
    await wait(0.6);
    expect(closed(stage) === 'true,false', 'it closes again by itself');
    expect(placeOf(stage, 'right').every((v, i) => v === rest[i]), 'it jumps');
    await page.waitForSelector('.watch li:has-text("right hand holds")');
    await clutch(page, 0);
    await wait(0.4);
    await clutch(page, 1);
    await until('it does not close anew', () => closed(stage) === 'true,true');
  },

  'a space that is reset opens the clutches and is said': async (stage) => {
    const page = await openWithHeadset(stage);
    await clutch(page, 1);
    await until('the clutches do not close', () => closed(stage) === 'true,true');
    stage.server.samples.length = 0;
    await page.evaluate(() => void window.handspan.view.renderer.xr.getReferenceSpace()!.dispatchEvent(new Event('reset')));
    const recentred = () => stage.server.samples.filter((s) => s.numbers[0] === 5 && s.numbers[8] === 5);
    await until('no sample says so', () => recentred().length > 0);
    await until('the clutches stay closed', () => closed(stage) === 'false,false');
    await until('it goes on saying so', () => stage.server.samples.at(-1)!.numbers[0] === 1);
  },

  'a position that the headset only thinks up is not followed': async (stage) => {
    const page = await openWithHeadset(stage);
    await clutch(page, 1);
    await until('the clutches do not close', () => closed(stage) === 'true,true');
    await page.evaluate(() => (window.thoughtUp = true));
    await until('they stay closed', () => closed(stage) === 'false,false');
  },

  'hands instead of controllers say so': async (stage) => {
    const page = await openWithHeadset(stage);
    await page.evaluate(() => (window.device.primaryInputMode = 'hand'));
    await until('they are not told as hands', () => stage.server.world.sample?.[0] === 2);
    const axes = [...stage.server.world.sample!.subarray(24, 32)];
    expect(axes.every((x) => Number.isNaN(x)), `controls are known: ${axes}`);
  },

  'the end of the session opens the clutches': async (stage) => {
    const page = await openWithHeadset(stage);
    await clutch(page, 1);
    await until('the clutches do not close', () => closed(stage) === 'true,true');
    await page.evaluate(() => window.handspan.headset.end());
    await until('they stay closed', () => closed(stage) === 'false,false');
    await page.keyboard.down('KeyR');
    await until('keys do not work any more', () => stage.server.world.deadMen[0]!.closed);
    await page.keyboard.up('KeyR');
  },

  'outputs become pulses': async (stage) => {
    const page = await openWithHeadset(stage);
    await page.evaluate(() => {
      window.pulses = [];
      for (const source of window.handspan.headset.session!.inputSources) {
        if (source.handedness !== 'left') continue;
        const actuator = source.gamepad!.hapticActuators[0]!;
        actuator.pulse = (value: number) => {
          window.pulses.push(value);
          return Promise.resolve(true);
        };
      }
    });
    stage.server.output('left.rumble', 0.5);
    await until('no pulse comes', () => page.evaluate(() => window.pulses.length > 0 && window.pulses.every((x) => x === 0.5)));
    stage.server.output('left.rumble', 0);
    await wait(0.4);
    const count = await page.evaluate(() => window.pulses.length);
    await wait(0.5);
    expect(await page.evaluate(() => window.pulses.length) === count, 'it goes on after it ended');
  },

  'the scene is at true scale, and where the operator stands': async (stage) => {
    const page = await openWithHeadset(stage);
    const box = await page.evaluate(() => {
      const { view, newest } = window.handspan;
      view.stage.updateMatrixWorld(true);
      const at = newest()!.poses;
      const last = view.bodies!.group.children.findIndex((body) => body.name === 'pillar');
      const p = view.camera.position.clone().set(at[7 * last]!, at[7 * last + 1]!, at[7 * last + 2]!);
      return p.applyMatrix4(view.stage.matrixWorld).toArray();
    });
    // the operator stands 0.6 m behind the bases, in the middle: the pillar is 1.12 m ahead
    const wanted = [0, 0.125, -1.12];
    expect(box.every((x, i) => Math.abs(x - wanted[i]!) < 1e-3), `the pillar is at ${box}`);
  },
};
