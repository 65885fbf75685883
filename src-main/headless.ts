import { defaultDataDir, parseOptions } from './options.ts';
import { keepCompiledCode } from './storage/code-cache.ts';

/** Entry point 2: loads the program, with the compiled code that an earlier run kept. */

const dataDir = dataDirOfOptions();
if (dataDir !== undefined) keepCompiledCode(dataDir);
await import('./headless-program.ts');

/** Returns undefined without a lasting data folder, and if the options are not valid, which the program reports. */
function dataDirOfOptions(): string | undefined {
  try {
    const options = parseOptions(process.argv.slice(2), process.env);
    return options.demo ? undefined : (options.dataDir ?? defaultDataDir(process.env, process.platform));
  } catch {
    return undefined;
  }
}
