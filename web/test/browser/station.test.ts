// The page and the station together: two arms in simulation, a person in a browser.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { clutch, emulate, enter } from './emulated.ts';
import { kProgram, Served } from './served.ts';
import { expect, Failure, type Page, Stage, takeOver, until } from './support.ts';

type Play = Stage<Served>;

const kPace = 0.2; // simulated by real time
const kSmall = { viewport: { width: 480, height: 420 } };
const kLong = process.env.HANDSPAN_LONG === '1';

export async function serve(): Promise<Served> {
  const served = new Served('apps/grab.yaml', kPace);
  await served.start();
  return served;
}

// operates, with plates beside the box and nothing that moves
async function takeOverAtRest(stage: Play, page: Page): Promise<void> {
  await takeOver(page);
  await until('the plates do not come to the box', () => stage.server.status!.mode.both === 'teleoperation');
  await stage.server.wait(0.3);
}

const distance = (a: number[], b: number[]) => Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);
const world = (page: Page) => page.click('button:text-is("world")');
const closed = ({ server }: Play) =>
  ['left', 'right'].map((side) => server.channel(`source.${side}_person.clutch`)[0] === 1).join();

const jogged = ({ server }: Play) =>
  ['left', 'right'].some((side) => server.channel(`source.${side}_jog.clutch`)[0] === 1);

type Side = 'left' | 'right';
const kSides: Side[] = ['left', 'right'];

/// Both hands of the operator, which move by simulated time. What a person does when a clutch opened, they do
/// too: the browser draws beside a loop of 1 kHz, and a page that is late is a device that is silent.
class Hands {
  readonly at: Record<Side, number[]> = { left: [-0.25, 1.1, -0.4], right: [0.25, 1.1, -0.4] };
  private readonly stage: Play;
  private readonly page: Page;

  constructor(stage: Play, page: Page) {
    this.stage = stage;
    this.page = page;
  }

  async close(): Promise<void> {
    const { server } = this.stage;
    await until('the clutches do not close', async () => {
      if (closed(this.stage) === 'true,true') return true;
      await clutch(this.page, 0);
      await server.wait(0.15);
      await clutch(this.page, 1);
      await server.wait(0.25);
      return closed(this.stage) === 'true,true';
    }, 120);
  }

  /// At these velocities, in the headset's axes [m/s], until it is so.
  async move(velocity: Record<Side, number[]>, over: () => boolean, claim: string, seconds = 20): Promise<void> {
    const { server } = this.stage;
    const begun = server.time;
    for (let last = begun; !over();) {
      if (server.time > begun + seconds) throw new Failure(claim);
      if (closed(this.stage) !== 'true,true') {
        await this.close();
        last = server.time;
      }
      const dt = Math.min(0.02, server.time - last);
      last = server.time;
      for (const side of kSides) this.at[side] = this.at[side].map((x, i) => x + dt * velocity[side][i]!);
      await this.page.evaluate((to) => {
        for (const side of ['left', 'right'] as const) {
          const [x, y, z] = to[side];
          window.device.controllers[side].position.set(x!, y!, z!);
        }
      }, this.at);
      await server.wait(0.005);
    }
  }

  /// As a person does: in until both references are inside the box, plates parallel, up.
  async grabAndLift(): Promise<number> {
    const { server } = this.stage;
    const inside = () => kSides.every((side) =>
      Math.abs(server.reference(`${side}_hand`)[1]! - server.pose('box')[1]!) < 0.145 - 0.05);
    await this.move({ left: [0.3, 0, 0], right: [-0.3, 0, 0] }, inside, 'the hands do not come to the box');
    const press = (value: number) => this.page.evaluate((v) => {
      window.device.controllers.left.updateButtonValue('x-button', v);
      window.device.controllers.right.updateButtonValue('a-button', v);
    }, value);
    await press(1);
    await server.wait(0.2);
    await press(0);
    await server.wait(0.5);
    const before = server.pose('box')[2]!;
    await this.move({ left: [0, 0.25, 0], right: [0, 0.25, 0] }, () => server.pose('box')[2]! > before + 0.15,
      'the box is not lifted');
    return before;
  }
}

async function openHeadset(stage: Play): Promise<{ page: Page; hands: Hands }> {
  const page = await stage.open('?name=Ann', kSmall, emulate);
  await takeOverAtRest(stage, page);
  await enter(page);
  await until('the controllers are not seen', () => stage.server.status!.devices.headset?.present === true);
  const hands = new Hands(stage, page);
  await hands.close();
  return { page, hands };
}

export const tests: Record<string, (stage: Play) => Promise<void>> = {
  'it loads, and shows what the station has': async (stage) => {
    const page = await stage.open('?name=Ann', kSmall);
    const names = await page.evaluate(() => {
      const found: string[] = [];
      window.handspan.view.bodies!.group.traverse((object) => { if (object.name) found.push(object.name); });
      return found;
    });
    for (const { name, kind } of stage.server.welcome!.scene.bodies)
      expect(kind === 'ground' || names.includes(name), `'${name}' is not drawn`);
    await page.waitForSelector('.bar:has-text("grab")');
    await until('nothing is told of its modes', async () => /setup|teleoperation|initial/.test(await page.locator('.bar').innerText()));
    await until('no force is plotted', async () => /right\.wrist/.test(await page.locator('.u-legend').innerText()));
    const [here, there] = [await page.evaluate(() => window.handspan.newest()!.time), stage.server.time];
    expect(Math.abs(here - there) < 0.5, `the page is at ${here} s, the station at ${there} s`);
  },

  'the scripted person works until somebody takes over': async (stage) => {
    const { server } = stage;
    const page = await stage.open('?name=Ann', kSmall);
    expect(server.status!.scripted, 'no scripted person');
    await until('the scripted person does not begin', () => closed(stage) === 'true,true', 120);
    await takeOver(page);
    await until('the scripted clutches stay closed', () => closed(stage) === 'false,false');
    await server.wait(0.5);
    const rest = server.reference('left_hand');
    await server.wait(1);
    expect(distance(rest, server.reference('left_hand')) < 1e-4, 'the arms go on without an operator\'s hand');
    await page.selectOption('[aria-label="hand over to"]', 'scripted');
    await page.click('button:text-is("Hand over")');
    await until('the scripted person does not come back', () => server.status!.scripted);
  },

  'a key jogs the right arm, the right way': async (stage) => {
    const { server } = stage;
    const page = await stage.open('?name=Ann', kSmall);
    await takeOverAtRest(stage, page);
    await world(page);
    await page.keyboard.press('Digit2');
    const [left, right] = [server.pose('left.plate'), server.pose('right.plate')];
    await page.keyboard.down('KeyD');
    await until('it does not go to its right', () => server.pose('right.plate')[1]! < right[1]! - 0.05);
    await page.keyboard.up('KeyD');
    await until('its clutch stays closed', () => !jogged(stage));
    await server.wait(0.5);
    const [x, , z] = server.pose('right.plate');
    expect(Math.hypot(x! - right[0]!, z! - right[2]!) < 0.01, 'it goes elsewhere too');
    expect(distance(left, server.pose('left.plate')) < 0.003, 'the left arm moves');
  },

  'a gamepad lifts the left arm': async (stage) => {
    const { server } = stage;
    const page = await stage.open('?name=Ann', kSmall, async (p) => void await p.addInitScript(() => {
      const pad = { id: 'stub', connected: true, mapping: 'standard', axes: [0, 0, 0, 0], index: 0,
        buttons: Array.from({ length: 17 }, () => ({ pressed: false, touched: false, value: 0 })) };
      (window as unknown as { pad: typeof pad }).pad = pad;
      navigator.getGamepads = () => [pad as unknown as Gamepad];
    }));
    await takeOverAtRest(stage, page);
    await world(page);
    const before = server.pose('left.plate');
    await page.evaluate(() => {
      const { pad } = window as unknown as { pad: { axes: number[]; buttons: { pressed: boolean }[] } };
      pad.axes = [0, 0, 0, -1];
      pad.buttons[5]!.pressed = true;
    });
    await until('it does not go up', () => server.pose('left.plate')[2]! > before[2]! + 0.04);
    await page.evaluate(() => ((window as unknown as { pad: { buttons: { pressed: boolean }[] } }).pad.buttons[5]!.pressed = false));
    await until('its clutch stays closed', () => !jogged(stage));
  },

  'an emulated headset grabs the box, lifts it and puts it back; the recording replays bit for bit': async (stage) => {
    const { server } = stage;
    const { page, hands } = await openHeadset(stage);
    await page.evaluate(() => window.handspan.station.ask({ type: 'record', on: true, name: 'grab' }));
    await until('it does not record', () => server.status!.recording.on);
    const before = await hands.grabAndLift();
    let lowest = Infinity;
    server.seen = () => (lowest = Math.min(lowest, server.pose('box')[2]! - before));
    await server.wait(2);
    server.seen = () => undefined;
    expect(lowest > 0.1, `within 2 s it is ${lowest} m up only`);
    await hands.move({ left: [0, -0.15, 0], right: [0, -0.15, 0] }, () => server.pose('box')[2]! < before + 0.002,
      'the box is not put down');
    const gap = () => server.reference('left_hand')[1]! - server.reference('right_hand')[1]!;
    await hands.move({ left: [-0.3, 0, 0], right: [0.3, 0, 0] }, () => gap() > 0.45, 'the hands do not let go');
    await server.wait(1);
    expect(Math.abs(server.pose('box')[2]! - before) < 0.01, `the box is at ${server.pose('box')}, not where it was`);
    await clutch(page, 0);
    await page.evaluate(() => window.handspan.station.ask({ type: 'record', on: false, name: '' }));
    await until('it goes on recording', () => !server.status!.recording.on);
    await page.evaluate(() => window.handspan.headset.end());
    const [file] = readdirSync(server.records).filter((name) => name.endsWith('.mcap'));
    expect(file !== undefined, 'there is no recording');
    execFileSync(kProgram!, ['replay', join(server.records, file!), '--verify'], { stdio: 'pipe' });
    // and in the page
    await page.click('[role=tab]:text-is("Records")');
    await page.click('.records li:first-child >> text=Replay');
    await page.waitForSelector('.player:not([hidden])');
    await until('the replay does not run', () => page.evaluate(() => window.handspan.newest()!.replay));
  },

  'a controller that is lost in motion holds': async (stage) => {
    const { server } = stage;
    const { page, hands } = await openHeadset(stage);
    const z = server.reference('right_hand')[2]!;
    await hands.move({ left: [0, 0.3, 0], right: [0, 0.3, 0] }, () => server.reference('right_hand')[2]! > z + 0.05,
      'the right hand does not go up');
    await page.evaluate(() => (window.device.controllers.right.connected = false));
    await until('it does not hold', () => server.holds('right_hand'));
    await server.wait(0.3);
    const rest = server.reference('right_hand');
    await page.evaluate(() => window.device.controllers.right.position.set(0.25, 1.5, -0.4));
    await server.wait(0.3);
    expect(distance(rest, server.reference('right_hand')) < 1e-4, 'it moves');
    await page.evaluate(() => (window.device.controllers.right.connected = true));
    await server.wait(0.5);
    expect(distance(rest, server.reference('right_hand')) < 1e-4, 'it jumps when it is back');
    expect(server.status!.holding.right_hand !== '', 'no reason is told');
  },

  'a page that is killed while the box is held leaves it held': async (stage) => {
    const { server } = stage;
    const { page, hands } = await openHeadset(stage);
    const before = await hands.grabAndLift();
    await page.context().close();
    await server.wait(kLong ? 60 : 3);
    expect(server.holds('left_hand') && server.holds('right_hand'), 'the arms do not hold');
    expect(server.pose('box')[2]! > before + 0.1, `the box is at ${server.pose('box')}`);
  },

  'one operates, the other watches and is handed over to': async (stage) => {
    const { server } = stage;
    const ann = await stage.open('?name=Ann', kSmall);
    const ben = await stage.open('?name=Ben', kSmall);
    await takeOverAtRest(stage, ann);
    await ben.waitForSelector('[data-is=operator]:has-text("Ann operates")');
    const before = server.pose('left.plate');
    await ben.keyboard.down('KeyR');
    await server.wait(0.5);
    await ben.keyboard.up('KeyR');
    expect(distance(before, server.pose('left.plate')) < 0.003, 'who watches moves the arm');
    await ben.click('[data-is=take]:has-text("Ask")');
    await ann.click('.notice button:has-text("Hand over")');
    await ben.waitForSelector('[data-is=operator]:has-text("you operate")');
    await ann.context().close();
    await ben.bringToFront();
    await ben.keyboard.down('KeyR');
    await until('who was handed over to cannot move', () => server.pose('left.plate')[2]! > before[2]! + 0.03);
    await ben.keyboard.up('KeyR');
  },

  'stop holds, and resuming asks': async (stage) => {
    const { server } = stage;
    const page = await stage.open('?name=Ann', kSmall);
    await until('the scripted person does not begin', () => closed(stage) === 'true,true', 120);
    await page.keyboard.press('Escape');
    await until('it is not stopped', () => server.status!.stopped);
    await server.wait(0.5);
    const rest = server.reference('left_hand');
    await server.wait(0.5);
    expect(distance(rest, server.reference('left_hand')) < 1e-4, 'it goes on');
    await page.click('.stop');
    await page.click('dialog button[value=yes]');
    await until('it does not resume', () => !server.status!.stopped);
  },

  'the operator begins anew': async (stage) => {
    const { server } = stage;
    const page = await stage.open('?name=Ann', kSmall);
    await takeOverAtRest(stage, page);
    await page.click('[data-is=restart]');
    await page.click('dialog button[value=yes]');
    await until('it does not begin anew', () => server.status!.mode.both !== 'teleoperation' && server.time < 2);
  },

  'a page comes back after the station was started anew': async (stage) => {
    const { server } = stage;
    const page = await stage.open('?name=Ann', kSmall);
    await server.end();
    await page.waitForSelector('.veil:not([hidden]):has-text("No connection")');
    await server.start();
    // which knows nobody yet
    await page.fill('.veil input', server.code);
    await page.click('.veil button');
    await page.waitForFunction(() => window.handspan.station.link === 'live', undefined, { timeout: 60000 });
    await page.waitForSelector('.veil', { state: 'hidden' });
    await takeOver(page);
    await until('the station does not see its samples', () => server.status!.devices.headset?.present === true);
  },
};
