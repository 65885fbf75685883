import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { styleSheets } from '../../scripts/style-sheets.ts';

type Program =
  | 'data-mover'
  | 'git-writer'
  | 'media-writer'
  | 'post-writer'
  | 'storage-writer'
  | 'webmention-writer';

const sqlite = '@photostructure/sqlite';
/** For the options of a bundle: SQLite finds its binary beside itself, so it is not bundled. */
export const sqliteIsOutside = { external: [sqlite] };
export const sqlitePaths = { [sqlite]: fileURLToPath(import.meta.resolve(sqlite)) };

/** How often a test kills its program. PORCHLIGHT_KILLS=200 searches longer than a usual run does. */
export const killRounds = Number(process.env['PORCHLIGHT_KILLS'] ?? 8);

/**
 * Bundles a program that a test kills into one file in `dir` and returns its path. A bundle starts in a fraction of the
 * time that its sources need.
 */
export async function bundleProgram(name: Program, dir: string): Promise<string> {
  await build({
    configFile: false,
    plugins: [styleSheets],
    logLevel: 'error',
    ssr: { noExternal: true, ...sqliteIsOutside },
    build: {
      ssr: join(import.meta.dirname, `${name}.ts`),
      outDir: dir,
      target: 'node20',
      rolldownOptions: {
        ...sqliteIsOutside,
        output: {
          entryFileNames: `${name}.mjs`,
          paths: sqlitePaths,
        },
      },
    },
  });
  return join(dir, `${name}.mjs`);
}
