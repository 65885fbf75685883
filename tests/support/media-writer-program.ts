import { join } from 'node:path';
import { build } from 'vite';

/** Bundles media-writer.ts into one file in `dir` and answers its path: see bundleStorageWriter. */
export async function bundleMediaWriter(dir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: join(import.meta.dirname, 'media-writer.ts'),
      outDir: dir,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'media-writer.mjs' } },
    },
  });
  return join(dir, 'media-writer.mjs');
}
