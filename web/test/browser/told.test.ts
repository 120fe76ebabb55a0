// What the page says and lets do when something is in the way: full disks, questions, other keyboards,
// another person's changes, a recording that is shown.
import { emulate, enter } from './emulated.ts';
import { expect, type Page, placeOf, type Stage, takeOver, until, wait } from './support.ts';

const closed = (stage: Stage) => stage.server.world.closed(0);

export const tests: Record<string, (stage: Stage) => Promise<void>> = {
  'room on the disk is in the bar, and why a recording failed': async (stage) => {
    const page = await stage.open('?name=Ann');
    const chip = page.locator('[data-is=recording]');
    await page.waitForSelector('[data-is=recording]:has-text("not recording · 3.1 GB, 52 min left")');
    expect(!await chip.evaluate((e) => e.classList.contains('low')), 'it warns of an hour');
    stage.server.disk = { message: '', free: 90_000_000, left: 100 };
    await page.waitForSelector('[data-is=recording].low:has-text("90.0 MB, 1 min left")');
    stage.server.disk = { message: 'the recording ended by itself: the disk is full; its first 19.0 s are kept', free: 0, left: 0 };
    await page.waitForSelector('[data-is=recording].bad:not(.low):has-text("recording failed")');
    expect((await page.locator('.notice.bad').innerText()).includes('its first 19.0 s are kept'), 'no notice');
    await page.click('[role=tab]:text-is("Records")');
    expect(await page.locator('.problem').isVisible(), 'not said where recordings are begun');
  },

  'what another page changed is shown, and what is edited stays': async (stage) => {
    const page = await stage.open('?name=Ann');
    await page.click('[role=tab]:text-is("Tune")');
    const field = page.locator('[aria-label^="belt.conveyor.speed ["]');
    stage.server.parameters[2]!.value = -0.5;
    await until('it shows another value than the loop has', async () => Number(await field.inputValue()) === -0.5);
    expect(await page.evaluate(() => window.handspan.view.bodies!.belts[0]!.speed) === -0.5, 'the belt is drawn at another speed');
    await field.fill('0.3');
    await wait(0.4);
    expect(await field.inputValue() === '0.3', 'what is typed is overwritten');
    await field.press('Tab');
    await until('it is not changed', () => stage.server.parameters[2]!.value === 0.3);
  },

  'stop is in reach under a question, by mouse, key and finger': async (stage) => {
    const page = await stage.open('?name=Ann');
    await takeOver(page);
    for (const act of [() => page.click('.stop', { timeout: 5000 }), () => page.keyboard.press('Space'),
      () => page.keyboard.press('Escape')]) {
      await page.click('[data-is=restart]');
      await page.waitForSelector('dialog[open]');
      expect(await page.locator('.tabs').evaluate((e) => (e as HTMLElement).closest('[inert]') !== null),
        'what is behind the question can be pressed');
      await act();
      await until('it is not stopped', () => stage.server.world.stopped);
      await page.waitForSelector('body.stopped');
      if (await page.locator('dialog[open]').count() > 0) await page.click('dialog button[value=no]');
      expect(!stage.server.requests.some((r) => r.type === 'restart'), 'it began anew');
      stage.server.world.stopped = false;
      await page.waitForSelector('body:not(.stopped)');
    }
    await page.context().close();
    const phone = await stage.open('?name=Ben', { viewport: { width: 390, height: 844 }, hasTouch: true });
    await phone.click('[role=tab]:text-is("Records")');
    await phone.click('.records li:first-child >> text=Delete');
    await phone.waitForSelector('dialog[open]');
    await phone.tap('.stop', { timeout: 5000 });
    await until('a finger does not stop it', () => stage.server.world.stopped);
  },

  'keys that are held end when a question opens or the focus goes, and are pressed anew': async (stage) => {
    const page = await stage.open('?name=Ann');
    await takeOver(page);
    // a second press of a key that is down is a repeat
    const hold = () => page.keyboard.down('KeyW');
    const rests = async (what: string) => {
      await until(`${what}: the clutch stays closed`, () => !closed(stage));
      const rest = placeOf(stage, 'left');
      await hold();
      await wait(0.4);
      await hold();
      await wait(0.2);
      expect(!closed(stage) && placeOf(stage, 'left').every((x, i) => x === rest[i]), `${what}: it goes on by itself`);
    };
    await hold();
    await until('the clutch does not close', () => closed(stage));
    await page.locator('[data-is=restart]').evaluate((button: HTMLElement) => button.click());
    await rests('under a question');
    await page.click('dialog button[value=no]');
    await rests('after a question');
    await page.keyboard.up('KeyW');
    await hold();
    await until('a fresh press does not move it', () => closed(stage));
    await page.evaluate(() => window.dispatchEvent(new Event('blur')));
    await rests('after the focus was lost');
    await page.keyboard.up('KeyW');
    await hold();
    await until('a fresh press does not move it', () => closed(stage));
    stage.server.world.stop();
    await page.waitForSelector('body.stopped');
    stage.server.world.stopped = false;
    await rests('after somebody else stopped');
  },

  'keys are shown as they are printed': async (stage) => {
    const page = await stage.open('?name=Ann', {}, async (p) => void await p.addInitScript(() => {
      Object.defineProperty(navigator, 'keyboard', { value: {
        getLayoutMap: async () => new Map([['KeyW', 'z'], ['KeyA', 'q'], ['KeyS', 's'], ['KeyM', ',']]),
      } });
    }));
    await takeOver(page);
    const shown = (await page.locator('.keys').first().locator('kbd').allInnerTexts()).join(' ');
    expect(shown.startsWith('Z S Q D R F'), `it shows ${shown}`);
    await page.keyboard.press('KeyJ');
    // where the browser does not say, what is typed does
    await page.evaluate(() => window.dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyD', key: 'e' })));
    await page.waitForSelector('.keys kbd:text-is("E")');
  },

  'a replay shows what was then, from 0:00; space pauses it and stops no arms': async (stage) => {
    const page = await stage.open('?name=Ann');
    await takeOver(page);
    await page.click('[role=tab]:text-is("Records")');
    await page.click('.records li:first-child >> text=Replay');
    await page.waitForSelector('.player:not([hidden]) .figure:has-text("/ 1:01")');
    const time = () => page.evaluate(() => window.handspan.newest()!.time);
    const told = await page.locator('.player .figure').innerText();
    expect(/^0:0\d /.test(told), `it begins at ${told}`);
    await page.waitForSelector('.mode:text-is("then")');
    await page.waitForSelector('.watch li:has-text("it held then")');
    await page.waitForSelector('.watch li:has-text("left.joint2 speed")');
    await page.selectOption('[aria-label="speed of the replay"]', '2');
    await page.keyboard.press('Space');
    await page.waitForSelector('.player button:text-is("Play")');
    await wait(0.3);
    const paused = await time();
    await wait(0.4);
    expect(await time() === paused, 'it goes on');
    await page.keyboard.press('Space');
    await until('it does not go on', async () => await time() > paused);
    expect(!stage.server.world.stopped && !stage.server.requests.some((r) => r.type === 'stop'), 'the live arms were stopped');
    await page.evaluate(() => window.handspan.station.ask({ type: 'seek', time: 73 }));
    await page.waitForSelector('.player .figure:text-is("1:01 / 1:01")');
    await page.keyboard.press('Space');
    await until('it does not begin again from its end', async () => await time() < 70);
    await page.keyboard.press('Escape');
    await until('Esc does not stop the live arms', () => stage.server.world.stopped);
    await page.click('text=Back to live');
    await page.waitForSelector('.mode:not(:text-is("then"))');
  },

  'in a headset the board says that the link is gone, and its buttons are pressed by a ray': async (stage) => {
    const page = await stage.open('?name=Ann', { viewport: { width: 640, height: 480 } }, emulate);
    await enter(page);
    await press(page, 'operate');
    await page.waitForFunction(() => window.handspan.station.youOperate);
    await press(page, 'stop');
    await until('it is not stopped', () => stage.server.world.stopped);
    await press(page, 'resume');
    await wait(0.3);
    expect(stage.server.world.stopped, 'it resumes without asking');
    await press(page, 'resume');
    await until('it does not resume', () => !stage.server.world.stopped);
    await press(page, 'restart');
    await wait(0.3);
    expect(!stage.server.requests.some((r) => r.type === 'restart'), 'it begins anew without asking');
    await press(page, 'restart');
    await until('it does not begin anew', () => stage.server.requests.some((r) => r.type === 'restart'));
    // the trigger that presses is not the arms'
    expect(stage.server.samples.every((s) => s.numbers[24] === 0), 'a press of the board is a trigger of the arms');
    const { port } = stage.server;
    await stage.server.close();
    await page.waitForFunction(() => window.handspan.headset.panel.title === 'No connection');
    expect(await page.evaluate(() => window.handspan.headset.panel.middle('stop') === undefined), 'old buttons are there');
    const { mock } = await import('./support.ts');
    stage.server = await mock(port);
    await press(page, 'operate');
    await page.waitForFunction(() => window.handspan.station.youOperate);
  },
};

/// With the left controller: points at a button of the board once it is there, pulls and lets go.
async function press(page: Page, id: string): Promise<void> {
  await page.waitForFunction((button) => window.handspan.headset.panel.middle(button) !== undefined, id, { timeout: 30000 });
  await page.evaluate((button) => {
    const { panel } = window.handspan.headset;
    panel.mesh.updateWorldMatrix(true, false);
    const to = panel.mesh.localToWorld(panel.middle(button)!);
    const from = to.clone().set(-0.25, 1.1, -0.4);
    const turn = panel.mesh.quaternion.clone().setFromUnitVectors(from.clone().set(0, 0, -1), to.sub(from).normalize());
    window.device.controllers.left.quaternion.set(turn.x, turn.y, turn.z, turn.w);
  }, id);
  await page.waitForFunction((button) => window.handspan.headset.panel.lit === button, id);
  for (const value of [1, 0]) {
    await page.evaluate((v) => window.device.controllers.left.updateButtonValue('trigger', v), value);
    await wait(0.25);
  }
}
