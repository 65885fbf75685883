import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { html } from './http/html.ts';
import { windowsProgram } from './platform/run-program.ts';

/** How long the page that redirects the browser is kept, in ms: enough time for a browser to start. */
const keptMs = 120_000;

/**
 * Opens a URL in the owner's browser. The URL contains a secret, and every user of the computer can read the arguments
 * of every process. So the browser gets the path of a file that redirects to the URL. Never throws. If no browser
 * opens, the owner can use the URL that Porchlight also prints.
 */
export function openInBrowser(address: string): void {
  const file = fileThatOpens(address);
  if (file !== null) launchBrowser(file);
}

/**
 * Writes a page that redirects to a URL. Only the owner can read the page (mode 0600, in a folder with mode 0700). The
 * page is deleted after two minutes, or when this process ends. Returns the page's path, or null if no temporary file
 * can be written.
 */
export function fileThatOpens(address: string): string | null {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'porchlight-window-'));
    const remove = () => removeQuietly(folder);
    process.once('exit', remove);
    setTimeout(() => {
      process.off('exit', remove);
      remove();
    }, keptMs).unref();
    const file = join(folder, 'open-window.html');
    writeFileSync(file, redirectTo(address), { mode: 0o600, flag: 'wx' });
    return file;
  } catch {
    return null;
  }
}

/** Opens a file in the owner's browser. Never throws. */
export function launchBrowser(file: string): void {
  const commands: Partial<Record<NodeJS.Platform, string>> = {
    darwin: 'open',
    win32: windowsProgram('explorer.exe'),
  };
  const command = commands[process.platform] ?? 'xdg-open';
  spawn(command, [file], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}

function redirectTo(address: string): string {
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="referrer" content="no-referrer" />
      <meta http-equiv="refresh" content="0;url=${address}" />
      <title>Porchlight</title>
      <p><a href="${address}">Open Porchlight</a></p>
    </html> `.markup;
}

function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A leftover file does no harm, because the secret in its URL is useless after this process ends.
  }
}
