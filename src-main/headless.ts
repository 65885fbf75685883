import { defaultDataDir, parseOptions } from './app/options.ts';
import { keepCompiledCode } from './storage/code-cache.ts';

/**
 * The entry point of the headless server: loads the headless program with the compiled code that an earlier run cached.
 */

const dataDir = dataDirOfOptions();
if (dataDir !== undefined) keepCompiledCode(dataDir);
await import('./headless-program.ts');

/**
 * Returns the data folder. Returns undefined for a demo, because its folder is temporary. Also returns undefined for
 * invalid options, because the program itself reports them.
 */
function dataDirOfOptions(): string | undefined {
  try {
    const options = parseOptions(process.argv.slice(2), process.env);
    return options.demo ? undefined : (options.dataDir ?? defaultDataDir(process.env, process.platform));
  } catch {
    return undefined;
  }
}
