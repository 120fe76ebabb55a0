// The page in a real browser, against the mock server and, in station.test.ts, against the station:
// node test/browser/run.ts [FILE [WORDS]], the tests of that file whose names have these words.
import { readdirSync } from 'node:fs';
import { kProgram } from './served.ts';
import { kChromium, launch, mock, type Server, Stage } from './support.ts';

if (!kChromium) {
  console.log('skipped: there is no Chromium; tools/setup --test installs it');
  process.exit(77);
}
const [wanted = '', words = ''] = process.argv.slice(2);
const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.ts') && name.startsWith(wanted));
interface Suite {
  tests: Record<string, (stage: Stage<Server>) => Promise<void>>;
  serve?: () => Promise<Server>; // left out: the mock server
}
const browser = await launch();
const failures: string[] = [];
for (const file of files) {
  const { tests, serve = mock } = (await import(`./${file}`)) as Suite;
  if (serve !== mock && !kProgram) {
    console.log(`skipped: ${file}: there is no handspan; tools/build dev makes it`);
    continue;
  }
  for (const [name, test] of Object.entries(tests)) {
    if (!name.includes(words)) continue;
    const begun = performance.now();
    const stage = new Stage(browser, await serve());
    let problem = '';
    try {
      await test(stage);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    try {
      await stage.clear();
    } catch (error) {
      problem ||= error instanceof Error ? error.message : String(error);
    }
    const line = `${problem ? 'FAILED' : 'ok    '} ${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s  ` +
      `${file.replace('.test.ts', '')}: ${name}${problem && `\n        ${problem}`}`;
    console.log(line);
    if (problem) failures.push(line);
  }
}
await browser.close();
// once more at the end: what shows a part of a long output shows that
if (failures.length > 0) console.log(`\n${failures.length} failed:\n${failures.join('\n')}`);
process.exit(failures.length > 0 ? 1 : 0);
