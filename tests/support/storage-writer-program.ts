import { join } from 'node:path';
import { build } from 'vite';

/**
 * Bundles storage-writer.ts into one file in `dir` and answers its path: loading its libraries one by one takes a
 * second, and tests start it hundreds of times.
 */
export async function bundleStorageWriter(dir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: join(import.meta.dirname, 'storage-writer.ts'),
      outDir: dir,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'storage-writer.mjs' } },
    },
  });
  return join(dir, 'storage-writer.mjs');
}
