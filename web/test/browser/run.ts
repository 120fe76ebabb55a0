// The page in a real browser against the mock server: node test/browser/run.ts [FILE [WORDS]], the tests of that
// file whose names have these words.
import { readdirSync } from 'node:fs';
import { kChromium, launch, Stage } from './support.ts';

if (!kChromium) {
  console.log('skipped: there is no Chromium; tools/setup --test installs it');
  process.exit(77);
}
const [wanted = '', words = ''] = process.argv.slice(2);
const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.ts') && name.startsWith(wanted));
const browser = await launch();
let failed = 0;
for (const file of files) {
  const { tests } = (await import(`./${file}`)) as { tests: Record<string, (stage: Stage) => Promise<void>> };
  for (const [name, test] of Object.entries(tests)) {
    if (!name.includes(words)) continue;
    const begun = performance.now();
    const stage = await Stage.set(browser);
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
    failed += problem ? 1 : 0;
    console.log(`${problem ? 'FAILED' : 'ok    '} ${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s  ` +
      `${file.replace('.test.ts', '')}: ${name}${problem && `\n        ${problem}`}`);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
