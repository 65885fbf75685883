import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import type { Options } from '../options.ts';

/** Electron reads the command line twice before it is ready; both times have to name the same folder. */
const variable = 'PORCHLIGHT_DEMO_FOLDER';

/**
 * Returns the options of a demo: a new temporary folder, free ports, no tunnel and no keychain. Other options are
 * returned as they are. @throws PorchlightError `invalid_option` if a folder is named as well.
 */
export function withDemo(options: Options): Options {
  if (!options.demo || options.help || options.version || options.check) return options;
  if (options.dataDir !== undefined)
    throw new PorchlightError('invalid_option', '--demo uses a temporary folder. Leave --data out.');
  const dataDir = (process.env[variable] ??= mkdtempSync(path.join(tmpdir(), 'porchlight-demo-')));
  return {
    ...options,
    baseUrl: undefined,
    dataDir,
    port: 0,
    portGiven: true,
    consolePort: 0,
    tunnel: 'off',
    secrets: 'file',
  };
}
