import { defineConfig } from 'vite';

// the page asks no other host and loads as one script: everything is beside index.html
export default defineConfig({
  base: './',
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 1500 },
  test: { include: ['test/units/*.test.ts'] },
} as Parameters<typeof defineConfig>[0]);
