import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import type { Plugin } from 'vitest/config';

/** The files that start threads, and how they name the program of the thread. */
const starters: readonly { readonly file: RegExp; readonly names: RegExp; readonly program: string }[] = [
  {
    file: /\/src-main\/untrusted\/thread\.ts$/,
    names: /(?<= )programFile\(["'][\w-]+["']\)/g,
    program: 'untrusted-worker',
  },
  {
    file: /\/src-main\/storage\/records\/records-thread\.ts$/,
    names: /new URL\(worker, import\.meta\.url\)/g,
    program: 'records-worker',
  },
];
// As in vite.main.config.ts: they find their binaries beside themselves.
const external = ['wasm-vips', 'libheif-js', '@photostructure/sqlite'];

/**
 * Lets the threads that read what Porchlight didn't write, and the thread of each database, start from a bundle, as in the
 * built program. From the sources, a start takes five times the processor time, and all tests together start thousands.
 */
export function bundledThreads(): Plugin {
  let bundle: Promise<string> | undefined;
  return {
    name: 'bundled-threads',
    configureVitest({ defineCacheKeyGenerator }) {
      // The bundle has a new path in each run, so the code with this path is not kept for the next one.
      defineCacheKeyGenerator(({ id }) => (starters.some(({ file }) => file.test(id)) ? false : undefined));
    },
    transform: {
      filter: { id: starters.map(({ file }) => file) },
      async handler(code, id) {
        const starter = starters.find(({ file }) => file.test(id));
        if (starter === undefined) return;
        const path = join(await (bundle ??= bundlePrograms()), `${starter.program}.js`);
        const replaced = code.replace(starter.names, JSON.stringify(path));
        if (replaced === code) throw new Error(`The path of the program was not found in ${id}.`);
        return { code: replaced, map: null };
      },
    },
  };
}

/** Bundles the programs. Returns the folder of the bundle. */
async function bundlePrograms(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'porchlight-threads-'));
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
  const root = join(import.meta.dirname, '../..');
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external },
    build: {
      ssr: true,
      outDir: dir,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: {
        external,
        input: {
          'untrusted-worker': join(root, 'src-main/untrusted-worker.ts'),
          'records-worker': join(root, 'src-main/storage/records/records-worker.ts'),
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  return dir;
}
