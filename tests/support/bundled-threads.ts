import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import type { Plugin } from 'vitest/config';

const starter = /\/src-main\/untrusted\/thread\.ts$/;
const program = 'untrusted-worker';
// As in vite.main.config.ts: they find their binaries beside themselves.
const external = ['wasm-vips', 'libheif-js', '@photostructure/sqlite'];

/**
 * Lets the threads that read what Porchlight didn't write start from a bundle, as in the built program. From the sources, a
 * start takes 300 ms of processor time instead of 50, and all tests together start nearly 200.
 */
export function bundledReadingThreads(): Plugin {
  let bundle: Promise<string> | undefined;
  return {
    name: 'bundled-reading-threads',
    configureVitest({ defineCacheKeyGenerator }) {
      // The bundle has a new path in each run, so the code with this path is not kept for the next one.
      defineCacheKeyGenerator(({ id }) => (starter.test(id) ? false : undefined));
    },
    transform: {
      filter: { id: starter },
      async handler(code) {
        const path = await (bundle ??= bundleProgram());
        const replaced = code.replace(/ programFile\(["'][\w-]+["']\)/g, ` ${JSON.stringify(path)}`);
        if (replaced === code) throw new Error('The path of the program was not found.');
        return { code: replaced, map: null };
      },
    },
  };
}

/** Bundles the program. Returns the path of the bundle. */
async function bundleProgram(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'porchlight-reading-threads-'));
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
          [program]: join(root, 'src-main', `${program}.ts`),
          // The thread that reads a backup lets another one look at its database.
          'records-worker': join(root, 'src-main/storage/records/records-worker.ts'),
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  return join(dir, `${program}.js`);
}
