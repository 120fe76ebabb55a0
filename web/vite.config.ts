import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Reports of studies: figures-draw.mjs draws figures with Node.js (Debian 12's, too), figures-page.js is embedded in the
// report, so that they move. Both ship beside the page, which does not load them.
const figures = {
  name: 'figures-of-reports',
  apply: 'build' as const,
  async closeBundle() {
    const common = { bundle: true, minify: true, legalComments: 'none', logLevel: 'warning' } as const;
    // npm's 'canvas' would only measure texts, and is not there
    await build({ ...common, entryPoints: [here('./figures/draw.ts')], outfile: here('./dist/figures-draw.mjs'), platform: 'node', target: 'node18', format: 'esm', external: ['canvas'] });
    await build({ ...common, entryPoints: [here('./figures/page.ts')], outfile: here('./dist/figures-page.js'), platform: 'browser', target: 'es2022', format: 'iife' });
  },
};

// the page asks no other host and loads as one script: everything is beside index.html
export default defineConfig({
  base: './',
  plugins: [figures],
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 1500 },
  test: { include: ['test/units/*.test.ts'] },
} as Parameters<typeof defineConfig>[0]);
