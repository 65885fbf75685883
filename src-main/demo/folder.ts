import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import type { Options } from '../app/options.ts';

/**
 * The environment variable through which the two bundles of the desktop app (early.cjs and desktop.js) use the same
 * demo folder. The value starts with the process ID, so that the demo neither uses nor deletes the folder of another
 * process from which it inherited the variable.
 */
const variable = 'PORCHLIGHT_DEMO_FOLDER';

/**
 * Returns the options of a demo: a new temporary folder, free ports, no tunnel and no keychain. Without --demo, returns
 * the options unchanged.
 * @throws PorchlightError `invalid_option` if --data names a folder as well.
 */
export function withDemo(options: Options): Options {
  if (!options.demo || options.help || options.version || options.check) return options;
  if (options.dataDir !== undefined)
    throw new PorchlightError('invalid_option', '--demo uses a temporary folder. Leave --data out.');
  return {
    ...options,
    baseUrl: undefined,
    dataDir: demoFolder(),
    port: 0,
    portGiven: true,
    consolePort: 0,
    tunnel: 'off',
    secrets: 'file',
  };
}

function demoFolder(): string {
  const own = `${process.pid} `;
  const known = process.env[variable];
  if (known?.startsWith(own) === true) return known.slice(own.length);
  const made = mkdtempSync(path.join(tmpdir(), 'porchlight-demo-'));
  process.env[variable] = own + made;
  return made;
}
