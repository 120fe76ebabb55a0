// Driving without a headset, and two pages at once.
import { expect, type Page, placeOf, type Stage, takeOver, until, wait } from './support.ts';

const world = (page: Page) => page.click('button:text-is("world")');

export const tests: Record<string, (stage: Stage) => Promise<void>> = {
  'jog by keys moves the right arm, the right way, and stops with the key': async (stage) => {
    const page = await stage.open('?name=Ann');
    await page.keyboard.down('KeyD');
    await wait(0.5);
    expect(stage.server.samples.length === 0, 'it sends samples before it operates');
    await page.keyboard.up('KeyD');
    await takeOver(page);
    await world(page);
    await page.keyboard.press('Digit2');
    const before = { left: placeOf(stage, 'left'), right: placeOf(stage, 'right') };
    await page.keyboard.down('KeyD');
    await until('it does not go to its right', () => placeOf(stage, 'right')[1]! < before.right[1]! - 0.05);
    await page.keyboard.up('KeyD');
    const [x, , z] = placeOf(stage, 'right');
    expect(Math.hypot(x! - before.right[0]!, z! - before.right[2]!) < 1e-3, 'it goes elsewhere too');
    expect(placeOf(stage, 'left').every((v, i) => v === before.left[i]), 'the left arm moves');
    await until('the clutch stays closed', () => !stage.server.world.closed(1));
    const rest = placeOf(stage, 'right');
    await wait(0.7);
    expect(placeOf(stage, 'right').every((v, i) => v === rest[i]), 'it goes on without a key');
  },

  'mirrored, both arms come together': async (stage) => {
    const page = await stage.open('?name=Ann');
    await takeOver(page);
    await world(page);
    await page.click('button:has-text("mirror")');
    const gap = () => placeOf(stage, 'left')[1]! - placeOf(stage, 'right')[1]!;
    const before = gap();
    await page.keyboard.down('KeyD');
    await until('they do not come together', () => gap() < before - 0.06);
    await page.keyboard.up('KeyD');
  },

  'leaving the window lets go of the keys': async (stage) => {
    const page = await stage.open('?name=Ann');
    await takeOver(page);
    await page.keyboard.down('KeyR');
    await until('the clutch does not close', () => stage.server.world.closed(0));
    await page.evaluate(() => window.dispatchEvent(new Event('blur')));
    await until('the clutch stays closed', () => !stage.server.world.closed(0));
  },

  'the gizmo drags the reference': async (stage) => {
    const page = await stage.open('?name=Ann');
    await takeOver(page);
    await until('there is no gizmo', () => page.evaluate(() => {
      let shown = false;
      window.handspan.view.scene.traverse((o) => { if ((o as { isTransformControlsRoot?: boolean }).isTransformControlsRoot) shown = o.visible; });
      return shown;
    }));
    const before = placeOf(stage, 'left');
    // the arrow of z, as it is on the screen
    const [from, to] = await page.evaluate(() => {
      const { view, newest } = window.handspan;
      const at = newest()!.references;
      const on = (up: number) => {
        const p = view.camera.position.clone().set(at[0]!, at[1]!, at[2]! + up).project(view.camera);
        const box = view.renderer.domElement.getBoundingClientRect();
        return [box.left + (p.x + 1) / 2 * box.width, box.top + (1 - p.y) / 2 * box.height] as const;
      };
      const far = view.camera.position.distanceTo(view.camera.position.clone().set(at[0]!, at[1]!, at[2]!));
      // arrows are as long as they look, whatever the distance
      const length = 0.75 * far * Math.min(1.9 * Math.tan(Math.PI * view.camera.fov / 360), 7) / 7 * 0.6 * 2;
      return [on(length / 2), on(length / 2 + 0.1)];
    });
    const speed = (metres: number) => page.fill('[aria-label="speed of jog"]', String(metres));
    await speed(0.02);
    await page.mouse.move(from[0], from[1]);
    await wait(0.4);
    const begun = stage.server.world.time;
    await page.mouse.down();
    for (let i = 1; i <= 10; ++i) {
      await page.mouse.move(from[0] + (to[0] - from[0]) * i / 10, from[1] + (to[1] - from[1]) * i / 10);
      await wait(0.05);
    }
    // where it is dragged to is shown, and it goes there as fast as by keys
    await until('its target is not shown', () => page.evaluate(() =>
      window.handspan.view.ghosts!.group.getObjectByName('target.left_hand')!.visible));
    const most = 0.02 * (stage.server.world.time - begun) + 0.005;
    expect(placeOf(stage, 'left')[2]! < before[2]! + most, 'it is faster than the slider says');
    await page.evaluate(() => (window.handspan.drive().speed = 0.15));
    await until('it is not dragged up', () => placeOf(stage, 'left')[2]! > before[2]! + 0.06);
    await page.mouse.up();
    const [x, y] = placeOf(stage, 'left');
    expect(Math.hypot(x! - before[0]!, y! - before[1]!) < 0.005, 'it goes sideways');
    await until('the clutch stays closed', () => !stage.server.world.closed(0));
  },

  'a gamepad moves nothing without its clutch, and the right way with it': async (stage) => {
    const page = await stage.open('?name=Ann', {}, async (p) => void await p.addInitScript(() => {
      const pad = { id: 'stub', connected: true, mapping: 'standard', axes: [0, 0, 0, 0], index: 0,
        buttons: Array.from({ length: 17 }, () => ({ pressed: false, touched: false, value: 0 })) };
      (window as unknown as { pad: typeof pad }).pad = pad;
      navigator.getGamepads = () => [pad as unknown as Gamepad];
    }));
    const set = (axes: number[], clutch: boolean) => page.evaluate(([a, c]) => {
      const { pad } = window as unknown as { pad: { axes: number[]; buttons: { pressed: boolean }[] } };
      pad.axes = a as number[];
      pad.buttons[5]!.pressed = c as boolean;
    }, [axes, clutch] as const);
    await takeOver(page);
    await world(page);
    const before = placeOf(stage, 'left');
    await set([0, 0, 0, -1], false);
    await wait(0.6);
    expect(placeOf(stage, 'left').every((v, i) => v === before[i]), 'it moves without its clutch');
    await set([0, 0, 0, -1], true);
    await until('it does not go up', () => placeOf(stage, 'left')[2]! > before[2]! + 0.04);
    await set([0, 0, 0, 0], false);
    await until('the clutch stays closed', () => !stage.server.world.closed(0));
  },

  'a finger on a pad moves the arm': async (stage) => {
    const page = await stage.open('?name=Ann', { hasTouch: true, isMobile: true, viewport: { width: 800, height: 600 } });
    await takeOver(page);
    await page.waitForSelector('.pads:not([hidden])');
    const before = placeOf(stage, 'left');
    await page.locator('.stick >> nth=1').scrollIntoViewIfNeeded();
    const box = (await page.locator('.stick >> nth=1').boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 4);
    await until('it does not go up', () => placeOf(stage, 'left')[2]! > before[2]! + 0.03);
    await page.mouse.up();
    await until('the clutch stays closed', () => !stage.server.world.closed(0));
  },

  'samples go on when nothing is drawn': async (stage) => {
    const page = await stage.open('?name=Ann');
    await takeOver(page);
    await page.evaluate(() => window.handspan.view.renderer.setAnimationLoop(null));
    await wait(0.5);
    stage.server.samples.length = 0;
    await until('they end', () => stage.server.samples.length > 60);
  },

  'one operates, the other watches, asks, and is handed over to': async (stage) => {
    const small = { viewport: { width: 480, height: 420 } };
    const ann = await stage.open('?name=Ann', small);
    const ben = await stage.open('?name=Ben', small);
    const eve = await stage.open('?view&name=Eve', small);
    await takeOver(ann);
    await ben.waitForSelector('[data-is=operator]:has-text("Ann operates")');
    await eve.waitForSelector('[data-is=operator]:has-text("Ann operates")');
    expect(!(await eve.locator('[data-is=take]').isVisible()), 'a viewer may take over');
    const before = placeOf(stage, 'left');
    await ben.keyboard.down('KeyR');
    await wait(0.6);
    await ben.keyboard.up('KeyR');
    expect(placeOf(stage, 'left').every((v, i) => v === before[i]), 'who watches moves the arm');
    await ben.click('[data-is=take]:has-text("Ask")');
    await ann.click('.notice button:has-text("Hand over")');
    await ben.waitForSelector('[data-is=operator]:has-text("you operate")');
    await ann.waitForSelector('[data-is=operator]:has-text("Ben operates")');
    await ben.keyboard.down('KeyR');
    await until('who was handed over to cannot move', () => placeOf(stage, 'left')[2]! > before[2]! + 0.03);
    await ben.keyboard.up('KeyR');
  },
};
