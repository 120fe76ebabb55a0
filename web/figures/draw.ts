// node figures-draw.mjs FROM TO: draws figures of a report as SVG. FROM is JSON, {"figures": [{"name", "spec"}]} with
// Vega-Lite specifications; TO becomes {"drawn": {NAME: SVG}, "failed": {NAME: why}}. Nothing is fetched: each
// specification has its data with it.
import { readFileSync, writeFileSync } from 'node:fs';
import * as vega from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

type Asked = { figures: { name: string; spec: TopLevelSpec }[] };

const loader = vega.loader();
loader.load = () => Promise.reject(new Error('it asks for data from elsewhere'));

const [from, to] = process.argv.slice(2);
if (from === undefined || to === undefined) throw new Error('give two files: specifications, and where the pictures go');
const asked = JSON.parse(readFileSync(from, 'utf8')) as Asked;
const drawn: Record<string, string> = {};
const failed: Record<string, string> = {};
const quiet = { level: () => quiet, error: (...words: unknown[]) => { throw new Error(words.join(' ')); }, warn: () => quiet, info: () => quiet, debug: () => quiet };
for (const { name, spec } of asked.figures) {
  try {
    const view = new vega.View(vega.parse(compile(spec, { logger: quiet as never }).spec), { renderer: 'none', loader, logger: quiet as never });
    // names of clips and gradients are the picture's own: a report has all pictures in one page
    drawn[name] = (await view.toSVG()).replace(/(id="|url\(#)(\w+)/g, `$1${name}-$2`);
    view.finalize();
  } catch (error) {
    failed[name] = error instanceof Error ? error.message : String(error);
  }
}
writeFileSync(to, JSON.stringify({ drawn, failed }));
