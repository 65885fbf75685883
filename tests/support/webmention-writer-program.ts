import { join } from 'node:path';
import { build } from 'vite';

/** Bundles webmention-writer.ts into one file in `dir` and answers its path: see bundleStorageWriter. */
export async function bundleWebmentionWriter(dir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: join(import.meta.dirname, 'webmention-writer.ts'),
      outDir: dir,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'webmention-writer.mjs' } },
    },
  });
  return join(dir, 'webmention-writer.mjs');
}
