import { fileURLToPath } from 'node:url';
import { build, defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Reports of studies: figures-draw.mjs draws figures with Node.js, figures-page.js is embedded in the report, so that they
// move. Both ship beside the page, which does not load them.
const figures = {
  name: 'figures-of-reports',
  apply: 'build' as const,
  async closeBundle() {
    const bundle = (entry: string, fileName: string, format: 'es' | 'iife', ssr: boolean) =>
      build({
        configFile: false, root: here('.'), logLevel: 'warn', publicDir: false,
        ssr: { noExternal: true },
        build: {
          target: ssr ? 'node18' : 'es2022', emptyOutDir: false, minify: 'esbuild', ssr, outDir: here('./dist'), chunkSizeWarningLimit: 2000,
          // the 'canvas' of npm would only measure texts, and is not there
          rollupOptions: { input: here(entry), external: ['canvas'], output: { format, entryFileNames: fileName, inlineDynamicImports: true } },
        },
      });
    await bundle('./figures/draw.ts', 'figures-draw.mjs', 'es', true);
    await bundle('./figures/page.ts', 'figures-page.js', 'iife', false);
  },
};

// the page asks no other host and loads as one script: everything is beside index.html
export default defineConfig({
  base: './',
  plugins: [figures],
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 1500 },
  test: { include: ['test/units/*.test.ts'] },
} as Parameters<typeof defineConfig>[0]);
