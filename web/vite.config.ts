import { copyFileSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// reports of studies embed plotly.js as it was published; it ships beside the page, which does not load it
const plotly = {
  name: 'plotly-for-reports',
  apply: 'build',
  closeBundle() {
    const script = here('./node_modules/plotly.js-basic-dist-min/plotly-basic.min.js');
    if (!existsSync(script)) throw new Error('plotly.js-basic-dist-min is not there; run tools/setup');
    copyFileSync(script, here('./dist/plotly-basic.min.js'));
  },
};

// the page asks no other host and loads as one script: everything is beside index.html
export default defineConfig({
  base: './',
  plugins: [plotly],
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 1500 },
  test: { include: ['test/units/*.test.ts'] },
} as Parameters<typeof defineConfig>[0]);
