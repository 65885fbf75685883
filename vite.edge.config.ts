import { join } from 'node:path';
import { defineConfig } from 'vite';

/** `vite build -c vite.edge.config.ts` builds the program that runs at Cloudflare: one file, readable there. */
export default defineConfig({
  publicDir: false,
  build: {
    outDir: join(import.meta.dirname, 'out/edge'),
    emptyOutDir: true,
    target: 'es2023',
    minify: false,
    lib: {
      entry: join(import.meta.dirname, 'src-main/mailbox/worker/worker.ts'),
      formats: ['es'],
      fileName: () => 'worker.js',
    },
    rolldownOptions: { external: ['cloudflare:workers'], output: { codeSplitting: false } },
  },
});
