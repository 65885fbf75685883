import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runChild, say } from './child.ts';

const folder = join(root, 'node_modules/electron');
const executable =
  new Map<string, string>([
    ['darwin', 'Electron.app/Contents/MacOS/Electron'],
    ['win32', 'electron.exe'],
  ]).get(process.platform) ?? 'electron';

/** How to start Electron here, or why that isn't possible. */
export type Runtime = { readonly path: string } | { readonly missing: string };

/**
 * Looks for Electron: ELECTRON_OVERRIDE_DIST_PATH, then what npm downloaded; downloads it otherwise. The
 * download takes ten minutes at most, or 30 s where its host doesn't answer (the cache may still have the file).
 */
export async function findElectron(): Promise<Runtime> {
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) {
    return { missing: 'this computer has no display (DISPLAY and WAYLAND_DISPLAY are not set)' };
  }
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  if (override) {
    const path = join(override, executable);
    return existsSync(path) ? { path } : { missing: `${path} doesn’t exist (ELECTRON_OVERRIDE_DIST_PATH)` };
  }
  const path = join(folder, 'dist', executable);
  return isDownloaded(path) || (await download(path)) ? { path } : { missing: why };
}

const why = 'the Electron runtime isn’t installed and couldn’t be downloaded';

function isDownloaded(path: string): boolean {
  // path.txt is written last: without it, the unpacking was interrupted.
  return existsSync(path) && existsSync(join(folder, 'path.txt'));
}

async function download(path: string): Promise<boolean> {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  say(`Downloading the Electron ${version} runtime (about 120 MB, once) ...`);
  const limit = AbortSignal.timeout((await answers(version)) ? 600_000 : 30_000);
  const code = await runChild(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore', limit });
  return code === 0 && isDownloaded(path);
}

/** Reports whether the download host answers. Behind a proxy or a mirror this is unknown, so the answer is yes. */
async function answers(version: string): Promise<boolean> {
  const names = Object.keys(process.env).map((name) => name.toLowerCase());
  if (names.some((name) => name === 'https_proxy' || name.includes('electron_mirror'))) return true;
  const url = `https://github.com/electron/electron/releases/download/v${version}/SHASUMS256.txt`;
  return fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(5_000) }).then(
    () => true,
    () => false,
  );
}
