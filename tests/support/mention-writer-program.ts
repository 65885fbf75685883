import { join } from 'node:path';
import { build } from 'vite';

/** Bundles mention-writer.ts into one file in `dir` and answers its path: see bundleStorageWriter. */
export async function bundleMentionWriter(dir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: join(import.meta.dirname, 'mention-writer.ts'),
      outDir: dir,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'mention-writer.mjs' } },
    },
  });
  return join(dir, 'mention-writer.mjs');
}
