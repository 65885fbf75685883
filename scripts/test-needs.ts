// Installs what the tests need besides the packages of Porchlight: node scripts/test-needs.ts
import { spawnSync, type StdioOptions } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, installInto, root, runChild, say } from './child.ts';

/**
 * A display, a session bus with a keyring, a browser, what Electron links against, two site generators, Git LFS, the
 * shells, and a C compiler for the power-loss recorder. One line for each.
 */
const debianPackages = `
  xvfb xauth xdotool x11-utils imagemagick fonts-noto-color-emoji
  dbus dbus-x11 gnome-keyring libsecret-1-0 libsecret-tools libglib2.0-bin python3-dbusmock
  chromium chromium-headless-shell openssl
  libgtk-3-0 libnss3 libasound2 libgbm1 libxss1 libnotify4 libxtst6 libatspi2.0-0 libdrm2
  hugo jekyll ruby-jekyll-redirect-from
  git-lfs
  zsh fish
  gcc libc6-dev`;
// The headless shell takes less processor time: it has no spare processes and no browser around its pages.
const browsers = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

if (import.meta.main) await provideTestNeeds(true);

/**
 * Finds what the tests need on this computer. If `installs`, installs what is missing first, from Debian's packages too.
 * Otherwise, changes nothing outside this folder. Tests that still lack something are skipped, or say so themselves.
 */
export async function provideTestNeeds(installs: boolean): Promise<{ readonly hasBrowser: boolean }> {
  if (installs && process.getuid?.() === 0 && findProgram('apt-get') && findProgram('dpkg-query'))
    await installPackages();
  await provideEdgeRuntime();
  const chromium = browsers.map(findProgram).find((path) => path !== undefined);
  if (chromium !== undefined) process.env['PORCHLIGHT_CHROMIUM'] ??= chromium;
  if (process.env['PORCHLIGHT_CHROMIUM']) return { hasBrowser: true };
  if (installs) {
    // Does nothing where it is there already.
    const cli = join(root, 'node_modules/playwright/cli.js');
    if ((await runChild(process.execPath, [cli, 'install', 'chromium'])) !== 0)
      say('Chromium isn’t installed and could not be downloaded.');
  }
  const playwright = await import('playwright');
  return { hasBrowser: existsSync(playwright.chromium.executablePath()) };
}

/** Returns the files of tests that start a browser. */
export function browserTests(): string[] {
  const files = globSync('tests/**/*.test.ts', { cwd: root });
  return files
    .filter((file) => readFileSync(join(root, file), 'utf8').includes("support/chromium.ts'"))
    .sort();
}

async function installPackages(): Promise<void> {
  const required = debianPackages.trim().split(/\s+/);
  // It exits with 1 because it doesn't know all of them.
  const query = ['-W', '-f=${Package} ${Status}\n', ...required.flatMap((name) => [name, `${name}t64`])];
  const { stdout } = spawnSync('dpkg-query', query, { encoding: 'utf8' });
  const isInstalled = (name: string) => stdout.split('\n').includes(`${name} install ok installed`);
  const missing = required.filter((name) => !isInstalled(name) && !isInstalled(`${name}t64`));
  if (missing.length === 0) return;
  say(`Installing from Debian: ${missing.join(', ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit'];
  await runChild('apt-get', ['update', '-qq'], { env, stdio });
  // Since the move to 64-bit time some libraries have another name. Some systems have no headless shell.
  const names = missing.map((name) => (isKnown(`${name}t64`) ? `${name}t64` : name)).filter(isKnown);
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...names];
  if ((await runChild('apt-get', install, { env, stdio })) !== 0)
    say('Some packages could not be installed. Some tests may fail or be skipped.');
}

function isKnown(name: string): boolean {
  return spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status === 0;
}

/**
 * Installs the runtime of Cloudflare's Workers, where it is missing or old. It is large, so only those who test it get
 * it. Returns whether the runtime is there afterwards, and says so if it isn't.
 */
export async function provideEdgeRuntime(): Promise<boolean> {
  const isThere = await installInto('tests/edge-runtime', 'the runtime of Cloudflare’s Workers');
  if (!isThere) say('The tests that need the runtime of Cloudflare’s Workers will fail.');
  return isThere;
}
