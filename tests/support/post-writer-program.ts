import { join } from 'node:path';
import { build } from 'vite';

/** Bundles post-writer.ts into one file in `dir` and answers its path: see bundleStorageWriter. */
export async function bundlePostWriter(dir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: join(import.meta.dirname, 'post-writer.ts'),
      outDir: dir,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'post-writer.mjs' } },
    },
  });
  return join(dir, 'post-writer.mjs');
}
