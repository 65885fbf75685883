import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { electronBinary, whyNoDesktop } from '../../support/electron-app.ts';

const reason = whyNoDesktop();
const module = join(import.meta.dirname, '../../../src-main/platform/clock.ts');

/** Waits for a timeout in a combined signal while garbage is collected, and prints whether the timeout came. */
const script = `
  const other = new AbortController();
  let came = false;
  AbortSignal.any([other.signal, timeoutSignal(500)]).addEventListener('abort', () => (came = true));
  const collecting = setInterval(() => globalThis.gc(), 20);
  setTimeout(() => {
    clearInterval(collecting);
    console.log(came);
  }, 1500);
`;

describe.skipIf(reason)('in Electron’s Node', () => {
  test('a timeout in a combined signal outlives garbage collections', async () => {
    const text = stripTypeScriptTypes(await readFile(module, 'utf8')).replace(/^export /gm, '');
    const { stdout } = await promisify(execFile)(electronBinary, ['--expose-gc', '--eval', text + script], {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    });
    expect(stdout.trim()).toBe('true');
  });
});
