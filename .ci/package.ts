// What `npm run package` runs: builds, then electron-builder. Without targets it makes the unpacked app for this
// computer; with them (npm run package -- --linux deb AppImage) what is asked for. Everything lands in dist/.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runChild, say } from './child.ts';
import { packagingArguments } from './packaging.ts';

process.exitCode = await makePackages(process.argv.slice(2));

async function makePackages(args: readonly string[]): Promise<number> {
  const asked = packagingArguments(args, { feed: process.env['PORCHLIGHT_UPDATE_FEED'], runtime: runtime() });
  if ('problem' in asked) {
    say(asked.problem);
    return 1;
  }
  const built = await runChild(process.execPath, [join(root, '.ci/build.ts')]);
  if (built !== 0) return built;
  const builder = join(root, 'node_modules/electron-builder/cli.js');
  return runChild(process.execPath, [builder, ...asked.args], {
    // How electron-builder's hook hears of it.
    env: { ...process.env, ...(asked.withoutCloudflared && { PORCHLIGHT_WITHOUT_CLOUDFLARED: '1' }) },
  });
}

/** The Electron runtime of ELECTRON_OVERRIDE_DIST_PATH; without one, electron-builder downloads the pinned one. */
function runtime(): { folder: string; version: string } | undefined {
  const folder = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  if (!folder) return undefined;
  const file = join(folder, 'version');
  if (existsSync(file)) return { folder, version: readFileSync(file, 'utf8').trim().replace(/^v/, '') };
  say(`${file} doesn’t exist, so the package doesn’t use ELECTRON_OVERRIDE_DIST_PATH.`);
  return undefined;
}
