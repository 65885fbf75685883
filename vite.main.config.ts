import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type EnvironmentOptions, type Plugin } from 'vite';
import { styleSheets } from './scripts/style-sheets.ts';

/** The entry points: name in out/main -> source. ES modules that share chunks. */
const entries: Record<string, string> = {
  desktop: 'src-main/desktop.ts',
  headless: 'src-main/headless.ts',
  cli: 'src-main/command.ts',
};

/**
 * The programs of threads: they read what Porchlight didn't write, derive keys, and check records. They share no chunks
 * with the entry points, because a start would then have to find and read dozens of small files.
 */
const threads: Record<string, string> = {
  'untrusted-worker': 'src-main/untrusted-worker.ts',
  'age-worker': 'src-main/data/backup/age-worker.ts',
  'records-worker': 'src-main/storage/records/records-worker.ts',
};

/** Self-contained CommonJS files: what runs before the app is ready, and the preload (sandboxed, it requires nothing). */
const scripts: Record<string, string> = {
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
const modules = { format: 'es', banner: commonJsNames, charset: 'ascii' } as const;

/**
 * Makes the texts of our sources ASCII, also those in tagged templates, which `charset` leaves alone. One character
 * beyond Latin-1 would make V8 keep a whole file with two bytes for each character.
 */
const asciiTexts: Plugin = {
  name: 'ascii-texts',
  transform: {
    filter: { id: /\/src-main\/.*\.ts$/ },
    handler: (code) => ({ code: code.replace(/[^\0-\x7f]/g, escaped), map: null }),
  },
};

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Leaves out what dependencies load but never call here: no route has a schema (noRouteSchemas), nothing lists folders,
 * and no text may keep its `style`.
 */
const leftOut: Plugin = {
  name: 'left-out',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^(?:glob|postcss|@fastify\/(?:ajv|fast-json-stringify)-compiler)$/ },
    handler: (name) => `\0left-out:${name}`,
  },
  load: { filter: { id: /^\0left-out:/ }, handler: () => 'export {};' },
};

/** The names of what is built, in this order. */
export const environments = ['main', 'threads', ...Object.keys(scripts)];

/** `vite build -c vite.main.config.ts` builds everything that runs in the main process, and the preload. */
export default defineConfig({
  publicDir: false,
  plugins: [leftOut, styleSheets, asciiTexts],
  environments: {
    main: built(entries, { ...modules, chunkFileNames: '[name].js' }, 'licenses.md'),
    threads: built(threads, { ...modules, chunkFileNames: 'thread-[name].js' }, 'licenses-threads.md'),
    ...Object.fromEntries(
      Object.entries(scripts).map(([name, file]) => [
        name,
        built({ [name]: file }, { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false }),
      ]),
    ),
  },
  builder: {
    // In turn: the first empties the folder.
    buildApp: async (builder) => {
      for (const name of environments) {
        const environment = builder.environments[name];
        if (environment) await builder.build(environment);
      }
    },
  },
});

type Output = NonNullable<NonNullable<EnvironmentOptions['build']>['rolldownOptions']>['output'];

function built(files: Record<string, string>, output: Output, licenses?: string): EnvironmentOptions {
  return {
    consumer: 'server',
    resolve: { noExternal: true, external },
    build: {
      outDir: 'out/main',
      emptyOutDir: licenses === 'licenses.md',
      // Electron 33 and Node 20.18 upwards.
      target: 'node20',
      minify: true,
      sourcemap: true,
      // The notices that the licences of what is bundled ask for.
      license: licenses === undefined ? false : { fileName: licenses },
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(files).map(([name, file]) => [name, present(file)])),
        platform: 'node',
        // An `import()` that saves time in the entry points may load what a thread has loaded anyway.
        checks: { ineffectiveDynamicImport: false },
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
