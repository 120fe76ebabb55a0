// Who comes in at the station: pages with the key of the address, with the code, and those without.
import { Served } from './served.ts';
import { expect, type Page, Stage, takeOver, until } from './support.ts';

type Play = Stage<Served>;

export async function serve(): Promise<Served> {
  const served = new Served('apps/lift.yaml', 0.2);
  await served.start();
  return served;
}

// a browser of somebody who was never here
async function visit({ browser, server }: Play, address = ''): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 480, height: 420 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  await page.goto(`http://localhost:${server.port}/${address}`);
  return page;
}

const comesIn = (page: Page) =>
  page.waitForFunction(() => window.handspan?.newest() !== undefined, undefined, { timeout: 60000 });

export const tests = {
  'a browser without 3D is told so, and gets no stop that does nothing': async (stage: Play) => {
    const context = await stage.browser.newContext({ viewport: { width: 480, height: 420 } });
    await context.addInitScript(() => {
      HTMLCanvasElement.prototype.getContext = () => null;
    });
    const page = await context.newPage();
    await page.goto(`http://localhost:${stage.server.port}/`);
    await page.waitForSelector('.veil:has-text("draws no 3D")', { timeout: 60000 });
    expect(await page.evaluate(() => document.querySelector('.stop') === null), 'it shows a stop');
    await context.close();
  },

  'the key of the address opens one page, and leaves the address bar': async (stage: Play) => {
    const { server } = stage;
    const page = await visit(stage, `?name=Ann#key=${server.key}`);
    await comesIn(page);
    expect(new URL(page.url()).hash === '' && page.url().endsWith('?name=Ann'), `the address is ${page.url()}`);
    const [cookie] = await page.context().cookies();
    expect(cookie?.httpOnly === true && cookie.sameSite === 'Strict', 'scripts or other sites have its cookie');
    await page.reload();
    await comesIn(page);
    const second = await visit(stage, `#key=${server.key}`);
    await second.waitForSelector('.veil output:has-text("opened before")');
    expect(await second.evaluate(() => window.handspan.newest() === undefined), 'it shows the arms');
    await page.context().close();
    await second.context().close();
  },

  'the plain address shows the code page; the code lets in, and a device can be ended': async (stage: Play) => {
    const { server } = stage;
    const page = await visit(stage, '?name=Ann');
    await page.waitForSelector('.veil input');
    await page.fill('.veil input', server.code === '000000' ? '000001' : '000000');
    await page.click('.veil button');
    await page.waitForSelector('.veil output:has-text("4 tries left")');
    await page.fill('.veil input', server.code);
    await page.click('.veil button');
    await comesIn(page);
    await page.waitForSelector('.veil', { state: 'hidden' });
    await takeOver(page);
    // the other page of the same person is ended from the list
    const other = await visit(stage, '?name=Bob');
    await other.waitForSelector('.veil input');
    await other.fill('.veil input', server.code);
    await other.click('.veil button');
    await comesIn(other);
    await page.click('summary:text-is("Paired devices")');
    await page.click('.devices li:has-text("Bob") button');
    await other.waitForSelector('.veil:not([hidden]):has-text("pairing of this device was ended")');
    await until('it is listed', async () => await page.locator('.devices li:has-text("Bob")').count() === 0);
    await page.context().close();
    await other.context().close();
  },
};
