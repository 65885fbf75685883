import { join } from 'node:path';
import { build } from 'vite';
import { styleSheets } from '../../scripts/style-sheets.ts';
import { sqliteIsOutside, sqlitePaths } from './writer-program.ts';

/** Bundles webmention-receiver.ts, with the program of its reading threads, into `dir` and answers its path: see bundleProgram. */
export async function bundleWebmentionReceiver(dir: string): Promise<string> {
  await build({
    configFile: false,
    plugins: [styleSheets],
    logLevel: 'error',
    ssr: { noExternal: true, ...sqliteIsOutside },
    build: {
      ssr: true,
      outDir: dir,
      target: 'node20',
      rolldownOptions: {
        ...sqliteIsOutside,
        input: {
          'webmention-receiver': join(import.meta.dirname, 'webmention-receiver.ts'),
          'untrusted-worker': join(import.meta.dirname, '../../src-main/untrusted-worker.ts'),
        },
        output: {
          paths: sqlitePaths,
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          // CommonJS that is bundled asks where it lies.
          banner: 'const __filename = import.meta.filename; const __dirname = import.meta.dirname;',
        },
      },
    },
  });
  return join(dir, 'webmention-receiver.js');
}
