// Load and look; plots; records; parameters; stop; reconnect; narrow windows.
import { expect, mock, type Stage, takeOver, until, wait } from './support.ts';

export const tests: Record<string, (stage: Stage) => Promise<void>> = {
  'it loads, shows the scene, and asks no other host': async (stage) => {
    const page = await stage.open('?name=Ann');
    // the first picture may be drawn before the bodies have come
    await page.waitForFunction(() => window.handspan.view.renderer.info.render.triangles > 5000, undefined, { timeout: 30000 })
      .catch(() => undefined);
    const seen = await page.evaluate(() => {
      const { view } = window.handspan;
      const names: string[] = [];
      view.bodies!.group.traverse((object) => { if (object.name) names.push(object.name); });
      return { names, calls: view.renderer.info.render.calls, triangles: view.renderer.info.render.triangles };
    });
    expect(['left.link7', 'right.pad_body', 'box', 'conveyor'].every((n) => seen.names.includes(n)),
      `bodies are missing: ${seen.names.join(' ')}`);
    expect(seen.calls > 30 && seen.triangles > 5000, `little is drawn: ${JSON.stringify(seen)}`);
    const others = stage.requests.filter((url) => new URL(url).host !== `127.0.0.1:${stage.server.port}`);
    expect(others.length === 0, `it asks others: ${others.join(' ')}`);
  },

  'what is drawn is not one colour, and moves': async (stage) => {
    const page = await stage.open('?name=Ann');
    const look = () => page.locator('.stage canvas').screenshot({ timeout: 60000 });
    const first = await look();
    expect(first.length > 8000, `a picture of ${first.length} bytes has nothing in it`);
    await wait(1.5);
    expect(!first.equals(await look()), 'nothing moves');
  },

  'a verdict is in sight, in light and dark, also on a phone': async (stage) => {
    const words = 'not good: it tumbled: tilted by 62.0°, at most 30°';
    stage.server.judged = { toss: { verdict: 'not good', words } };
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await stage.open('?view', { viewport: { width: 360, height: 740 }, colorScheme });
      const verdict = page.locator('.judged li.bad');
      await verdict.waitFor();
      expect(await verdict.innerText() === `toss ${words}`, `it says: ${await verdict.innerText()}`);
      const box = (await verdict.boundingBox())!;
      expect(box.x >= 0 && box.x + box.width <= 360, `it is ${JSON.stringify(box)}`);
      const [ink, ground] = await verdict.evaluate((element) => {
        const style = getComputedStyle(element);
        return [style.color, style.backgroundColor].map((colour) => {
          const [r, g, b] = colour.match(/[\d.]+/g)!.map((part) => (Number(part) / 255) ** 2.2);
          return 0.21 * r! + 0.72 * g! + 0.07 * b!;
        });
      }) as [number, number];
      const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
      expect(contrast > 4.5, `its contrast is ${contrast} in ${colorScheme}`);
    }
    stage.server.judged = { toss: { verdict: 'open', words: '' } };
    const page = await stage.open('?view');
    await page.waitForSelector('.judged li:has-text("toss under way")');
  },

  'less than 1.5 MB comes before the scene shows': async (stage) => {
    let bytes = 0;
    await stage.open('?name=Ann', {}, async (page) => {
      page.on('response', (response) => void response.body().then((body) => (bytes += body.length)).catch(() => 0));
    });
    expect(bytes > 100_000 && bytes < 1_500_000, `${bytes} bytes`);
  },

  'belts run as the server says': async (stage) => {
    const page = await stage.open('?name=Ann');
    const offset = () => page.evaluate(() => {
      const belt = window.handspan.view.bodies!.belts[0]!;
      return (belt as unknown as { texture: { offset: { x: number } } }).texture.offset.x;
    });
    const before = await offset();
    await until('the belt does not move', async () => Math.abs(await offset() - before) > 0.02);
  },

  'the force at both hands is plotted, pauses and goes on': async (stage) => {
    const page = await stage.open('?name=Ann');
    await until('no force is told', async () => /right\.wrist/.test(await page.locator('.u-legend').innerText()));
    const legend = () => page.locator('.u-legend').innerText();
    await page.click('.plots button:text-is("Pause")');
    await wait(0.3);
    const paused = await legend();
    await wait(1);
    expect(await legend() === paused, 'it goes on while it is paused');
    await page.click('.plots button:text-is("Go on")');
    await until('it does not go on', async () => await legend() !== paused);
  },

  'another channel is plotted when it is asked for': async (stage) => {
    const page = await stage.open('?name=Ann');
    await page.fill('.pick', 'left.arm.q');
    await page.keyboard.press('Enter');
    await until('it is not subscribed to', () => stage.server.requests.some((r) =>
      r.type === 'subscribe' && r.channels.includes('left.arm.q')));
    await until('it is not drawn', async () => (await page.locator('figure').count()) === 2);
    await until('it has no values', async () =>
      /-?\d/.test(await page.locator('figure:nth-child(2) .u-legend .u-series:nth-child(3) .u-value').innerText()));
  },

  'stop is one press of escape, space or the button; resuming asks': async (stage) => {
    const page = await stage.open('?name=Ann');
    for (const act of [() => page.keyboard.press('Escape'), () => page.keyboard.press('Space'),
      async () => { await page.focus('.tabs button'); await page.keyboard.press('Space'); },
      () => page.click('.stop')]) {
      await act();
      await until('it is not stopped', () => stage.server.world.stopped);
      await page.waitForSelector('body.stopped');
      await page.click('.stop');
      expect(stage.server.world.stopped, 'it resumed without asking');
      await page.click('dialog button[value=yes]');
      await until('it does not resume', () => !stage.server.world.stopped);
      await page.waitForSelector('body:not(.stopped)');
    }
  },

  'beginning anew asks, and is the operator\'s': async (stage) => {
    const page = await stage.open('?name=Ann');
    expect(!(await page.locator('[data-is=restart]').isVisible()), 'who watches may do it');
    await takeOver(page);
    await page.click('[data-is=restart]');
    await page.click('dialog button[value=no]');
    await page.click('[data-is=restart]');
    expect(!stage.server.requests.some((r) => r.type === 'restart'), 'it began without asking');
    await page.click('dialog button[value=yes]');
    await until('it is not asked for', () => stage.server.requests.some((r) => r.type === 'restart'));
  },

  'a space in a name is a letter': async (stage) => {
    const page = await stage.open('?name=Ann');
    await page.click('[role=tab]:text-is("Records")');
    await page.focus('[aria-label="name of the recording"]');
    await page.keyboard.type('my run');
    await wait(0.3);
    expect(!stage.server.world.stopped, 'it stopped');
    expect(await page.inputValue('[aria-label="name of the recording"]') === 'my run', 'it is not typed');
  },

  'a recording is started and ended, marked, replayed, and deleted only when asked': async (stage) => {
    const page = await stage.open('?name=Ann');
    await page.click('[role=tab]:text-is("Records")');
    await page.fill('[aria-label="name of the recording"]', 'test');
    await page.click('.record');
    await page.waitForSelector('.record.on');
    await page.click('button:text-is("Start")');
    await page.click('button:has-text("Success"):not([disabled])');
    await until('the outcome is not told', () =>
      stage.server.requests.some((r) => r.type === 'episode' && r.mark === 'success'));
    await page.click('.record');
    await page.waitForSelector('.records li:first-child:has-text("test-")');
    await page.click('.records li:first-child >> text=Replay');
    await page.waitForSelector('.player:not([hidden])');
    await until('the replay does not run', async () =>
      page.evaluate(() => window.handspan.newest()!.replay && window.handspan.newest()!.time > 0.2));
    await page.locator('[aria-label="time of the replay"]').evaluate((slider: HTMLInputElement) => {
      slider.value = '42';
      slider.dispatchEvent(new Event('input'));
      slider.dispatchEvent(new Event('change'));
    });
    await until('it does not seek', () => page.evaluate(() => window.handspan.newest()!.time >= 42));
    await page.click('text=Back to live');
    await page.waitForSelector('.player', { state: 'hidden' });
    await page.click('.records li:first-child >> text=Delete');
    await page.click('dialog button[value=no]');
    expect(!stage.server.requests.some((r) => r.type === 'delete'), 'it deleted without asking');
    await page.click('.records li:first-child >> text=Delete');
    await page.click('dialog button[value=yes]');
    await until('it is still there', async () =>
      !(await page.locator('.records').innerText()).includes('test-'));
  },

  'a parameter is changed within its range only': async (stage) => {
    const page = await stage.open('?name=Ann');
    await page.click('[role=tab]:text-is("Tune")');
    const field = page.locator('[aria-label^="belt.conveyor.speed ["]');
    await field.fill('7');
    await field.press('Tab');
    await page.waitForSelector('input.bad');
    await field.fill('-0.4');
    await field.press('Tab');
    await until('it is not changed', () => stage.server.parameters[2]!.value === -0.4);
    expect(!stage.server.requests.some((r) => r.type === 'parameter' && r.value === 7), 'it asked for 7');
  },

  'weights have sliders and a loop closure a box, and show what the loop has': async (stage) => {
    const page = await stage.open('?name=Ann');
    await page.click('[role=tab]:text-is("Tune")');
    const of = (name: string) => stage.server.parameters.find((one) => one.name === name)!;
    const small = page.locator('[aria-label^="task.posture.weight ["]');
    expect(Number(await small.inputValue()) === 1e-4, `a small weight is shown as ${await small.inputValue()}`);
    const closed = page.locator('[aria-label="loop_closure.box.closed"]');
    expect(!await closed.isChecked(), 'it is closed at first');
    await closed.check();
    await until('it is not closed', () => of('loop_closure.box.closed').value === 1);
    await page.waitForSelector('.switch:has([aria-label="loop_closure.box.closed"]) small:text-is("on")');
    of('loop_closure.box.closed').value = 0;
    await until('what another page opened is shown closed', async () => !await closed.isChecked());
    of('payload.box.carried').value = 0.4;
    await page.waitForSelector('.switch:has([aria-label="payload.box.carried"]) small:text-is("40 %")');
  },

  'it comes back after the server was started anew': async (stage) => {
    const page = await stage.open('?name=Ann');
    const { port } = stage.server;
    await stage.server.close();
    await page.waitForSelector('.veil:not([hidden]):has-text("No connection")');
    await wait(1);
    stage.server = await mock(port);
    await page.waitForFunction(() => window.handspan.station.link === 'live', undefined, { timeout: 30000 });
    await page.waitForSelector('.veil', { state: 'hidden' });
    await takeOver(page);
    await until('no samples come', () => stage.server.samples.length > 5);
  },

  'on a phone nothing is wider than the window, and stop is in reach': async (stage) => {
    const page = await stage.open('?view&name=Ben', { viewport: { width: 390, height: 844 }, hasTouch: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide <= 390, `${wide} pixels wide`);
    const box = (await page.locator('.stop').boundingBox())!;
    expect(box.y + box.height <= 844 && box.height >= 48, 'stop is out of reach');
    await page.click('.stop');
    await until('a viewer cannot stop', () => stage.server.world.stopped);
  },
};
