import { join } from 'node:path';
import { build } from 'vite';

/** Bundles data-mover.ts into one file in `dir` and answers its path: see bundleStorageWriter. */
export async function bundleDataMover(dir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: join(import.meta.dirname, 'data-mover.ts'),
      outDir: dir,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'data-mover.mjs' } },
    },
  });
  return join(dir, 'data-mover.mjs');
}
