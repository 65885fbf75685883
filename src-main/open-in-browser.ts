import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { html } from './http/html.ts';

/** Long enough for a browser that has to start first. */
const keptMs = 120_000;

/**
 * Opens an address with a secret in it in the owner's browser. Every user of the computer can read the arguments of
 * every process, so the browser gets the path of a file instead: only the owner can read it (0600, in a folder with
 * 0700), and it sends the browser on. The file is deleted after two minutes, and when this process ends. Never throws:
 * the address is also printed.
 */
export function openInBrowser(address: string): void {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'porchlight-window-'));
    const remove = () => removeQuietly(folder);
    process.once('exit', remove);
    setTimeout(remove, keptMs).unref();
    const file = join(folder, 'open-window.html');
    writeFileSync(file, redirectTo(address), { mode: 0o600, flag: 'wx' });
    const command = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
    spawn(command, [file], { stdio: 'ignore', detached: true })
      .on('error', () => undefined)
      .unref();
  } catch {
    // A temporary folder that takes no file must not keep the server from running.
  }
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
    // The key in it ends with this process.
  }
}
