import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type EnvironmentOptions } from 'vite';

/** The entry points, and the threads that read what Porchlight didn't write, derive keys, and check records: name in out/main -> source. ES modules that share chunks. */
export const entries: Record<string, string> = {
  desktop: 'src-main/desktop.ts',
  headless: 'src-main/headless.ts',
  cli: 'src-main/command.ts',
  'untrusted-worker': 'src-main/untrusted-worker.ts',
  'age-worker': 'src-main/data/backup/age-worker.ts',
  'compare-worker': 'src-main/posts/compare-worker.ts',
  'records-worker': 'src-main/storage/records/records-worker.ts',
};

/** Self-contained CommonJS files: what runs before the app is ready, and the preload (sandboxed, it requires nothing). */
export const scripts: Record<string, string> = {
  early: 'src-main/desktop/early.ts',
  preload: 'src-main/desktop/preload.ts',
};

// keytar, wasm-vips and SQLite find their binaries beside themselves, and Electron is the runtime. libheif-js is read as
// files. All else is bundled.
const external = ['electron', 'keytar', 'wasm-vips', '@photostructure/sqlite'];

// CommonJS that is bundled (pino's thread-stream, cloudflared) asks where it lies; an ES module has no such names.
const commonJsNames = [
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('\n');

/** `vite build -c vite.main.config.ts` builds everything that runs in the main process, and the preload. */
export default defineConfig({
  publicDir: false,
  environments: {
    main: built(entries, { format: 'es', banner: commonJsNames, chunkFileNames: '[name].js' }, true),
    ...Object.fromEntries(
      Object.entries(scripts).map(([name, file]) => [
        name,
        built({ [name]: file }, { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false }, false),
      ]),
    ),
  },
  builder: {
    // In turn: the first empties the folder.
    buildApp: async (builder) => {
      for (const name of ['main', ...Object.keys(scripts)]) {
        const environment = builder.environments[name];
        if (environment) await builder.build(environment);
      }
    },
  },
});

type Output = NonNullable<NonNullable<EnvironmentOptions['build']>['rolldownOptions']>['output'];

function built(files: Record<string, string>, output: Output, emptyOutDir: boolean): EnvironmentOptions {
  return {
    consumer: 'server',
    resolve: { noExternal: true, external },
    build: {
      outDir: 'out/main',
      emptyOutDir,
      // Electron 33 and Node 20.18 upwards.
      target: 'node20',
      minify: true,
      sourcemap: true,
      // The notices that the licences of what is bundled ask for.
      license: emptyOutDir ? { fileName: 'licenses.md' } : false,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(files).map(([name, file]) => [name, present(file)])),
        platform: 'node',
        external,
        output,
      },
    },
  };
}

function present(file: string): string {
  const path = join(import.meta.dirname, file);
  if (!existsSync(path)) throw new Error(`vite.main.config.ts: the entry ${file} is missing`);
  return path;
}
