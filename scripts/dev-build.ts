// Builds the main process for `npm run dev`: node scripts/dev-build.ts FOLDER
// It is built as for a release, except that the window comes from the dev server. The files of the previous build remain
// after a failure.
import { join } from 'node:path';
import { build, createBuilder, type Plugin } from 'vite';
import { environments } from '../vite.main.config.ts';
import { root, say } from './child.ts';

const [outDir = ''] = process.argv.slice(2);
const productFile = join(root, 'src-main/desktop/app-protocol.ts');

/** Replaces the file that serves the built window at app://. */
const windowFromDevServer: Plugin = {
  name: 'window-from-dev-server',
  enforce: 'pre',
  async resolveId(source, importer) {
    const found = await this.resolve(source, importer, { skipSelf: true });
    return found?.id === productFile ? join(root, 'scripts/dev-app-protocol.ts') : found;
  },
};

try {
  const builder = await createBuilder({
    configFile: join(root, 'vite.main.config.ts'),
    logLevel: 'error',
    plugins: [windowFromDevServer],
    environments: Object.fromEntries(
      environments.map((name) => [name, { build: { outDir, license: false } }]),
    ),
  });
  await builder.buildApp();
  await build({
    configFile: join(root, 'vite.edge.config.ts'),
    logLevel: 'error',
    build: { outDir: join(outDir, '../edge') },
  });
} catch (error) {
  say(`The main process could not be built.\n${error instanceof Error ? error.message : String(error)}`);
  say('Porchlight builds it again after the next change. Until then, nothing is restarted.');
  process.exitCode = 1;
}
