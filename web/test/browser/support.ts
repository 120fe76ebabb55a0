// What the browser tests share: a mock server, Debian's Chromium without a display, checks.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { MockServer } from '../../mock/server.ts';
import type { Frame } from '../../src/protocol.ts';

export const kChromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  .find((file) => existsSync(file));

export async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: kChromium!,
    // root has no sandbox; without a graphics card the scene is drawn in software
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
}

export class Failure extends Error {}

export function expect(holds: boolean, claim: string): void {
  if (!holds) throw new Failure(claim);
}

/// Waits until it holds. @throws Failure with the claim after a while
export async function until(claim: string, holds: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  for (const end = performance.now() + 1000 * seconds; performance.now() < end;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Failure(claim);
}

export const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

export interface Server {
  port: number;
  token?: string; // where it wants one
  close(): Promise<void>;
}

/// One test: a server of its own, pages that are looked after, and what they complained of.
export class Stage<S extends Server = MockServer> {
  server: S;
  readonly browser: Browser;
  readonly complaints: string[] = [];
  readonly requests: string[] = [];
  private readonly pages: Page[] = [];

  constructor(browser: Browser, server: S) {
    this.browser = browser;
    this.server = server;
  }

  /// @param before runs in the page before its own scripts
  async open(query = '', options: BrowserContextOptions = {}, before?: (page: Page) => Promise<void>): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width: 900, height: 600 }, ...options });
    const { port, token } = this.server;
    if (token) await context.addCookies([{ name: `handspan_${port}`, value: token, url: `http://127.0.0.1:${port}` }]);
    const page = await context.newPage();
    page.setDefaultTimeout(60000);
    this.pages.push(page);
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/ERR_CONNECTION_REFUSED|WebSocket/.test(message.text()))
        this.complaints.push(message.text());
    });
    page.on('request', (request) => this.requests.push(request.url()));
    await before?.(page);
    await page.goto(`http://127.0.0.1:${this.server.port}/${query}`);
    await page.waitForFunction(() => window.handspan?.newest() !== undefined, undefined, { timeout: 60000 });
    return page;
  }

  async clear(): Promise<void> {
    for (const page of this.pages) await page.context().close();
    await this.server.close();
    expect(this.complaints.length === 0, `the page complains: ${this.complaints.join('; ')}`);
  }
}

/// A mock server that is patient: the browser draws in software, and on a machine with other work its
/// samples come late. What silence does is the server's, and tested there.
export async function mock(port = 0): Promise<MockServer> {
  const server = new MockServer(port);
  server.world.timeout = 3;
  server.mostSkew = 10;
  await server.ready;
  return server;
}

export async function takeOver(page: Page): Promise<void> {
  await page.click('[data-is=take]');
  await page.waitForFunction(() => window.handspan.station.youOperate);
}

/// Where a reference of the mock's world is.
export function placeOf(stage: Stage, side: 'left' | 'right'): number[] {
  return stage.server.world.references[side === 'left' ? 0 : 1]!.p.toArray();
}

export type { Frame, Page };
