import { spawnSync } from 'node:child_process';
import type { StdioOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, root, runChild, say } from './child.ts';
import { provideEdgeRuntime } from './edge-runtime.ts';

/**
 * A display, a session bus with a keyring, a browser, what Electron links against, two site generators, Git LFS, the
 * shells, and a C compiler for the power-loss recorder.
 */
const debianPackages = [
  'xvfb',
  'xauth',
  'dbus',
  'dbus-x11',
  'gnome-keyring',
  'libsecret-1-0',
  'libsecret-tools',
  'chromium',
  'chromium-headless-shell',
  'libgtk-3-0',
  'libnss3',
  'libasound2',
  'libgbm1',
  'libxss1',
  'libnotify4',
  'libxtst6',
  'libatspi2.0-0',
  'libdrm2',
  'xdotool',
  'libglib2.0-bin',
  'python3-dbusmock',
  'openssl',
  'imagemagick',
  'x11-utils',
  'fonts-noto-color-emoji',
  'hugo',
  'jekyll',
  'ruby-jekyll-redirect-from',
  'git-lfs',
  'zsh',
  'fish',
  'gcc',
  'libc6-dev',
];

/** Installs what the tests need besides the packages of Porchlight. Where that fails, the tests that need it say so themselves. */
export async function provideTestNeeds(): Promise<void> {
  if (process.getuid?.() === 0 && findProgram('apt-get') && findProgram('dpkg-query'))
    await installPackages();
  await provideEdgeRuntime();
  // The headless shell takes less processor time: it has no spare processes and no browser around its pages.
  const chromium = [
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
  ]
    .map(findProgram)
    .find((path) => path !== undefined);
  if (chromium !== undefined) process.env['PORCHLIGHT_CHROMIUM'] ??= chromium;
  else if (!process.env['PORCHLIGHT_CHROMIUM']) await installChromium();
}

async function installPackages(): Promise<void> {
  const missing = debianPackages.filter((name) => ![name, `${name}t64`].some(isInstalled));
  if (missing.length === 0) return;
  say(`Installing from Debian: ${missing.join(', ')}`);
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'] satisfies StdioOptions,
  };
  await runChild('apt-get', ['update', '-qq'], options);
  // Since the move to 64-bit time some libraries have another name. Some systems have no headless shell.
  const names = missing.map((name) => (isKnown(`${name}t64`) ? `${name}t64` : name)).filter(isKnown);
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...names];
  const code = await runChild('apt-get', install, options);
  if (code !== 0) say('Some packages could not be installed. Some tests may fail or be skipped.');
}

function isInstalled(name: string): boolean {
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f=${Status}', name], { encoding: 'utf8' });
  return stdout === 'install ok installed';
}

function isKnown(name: string): boolean {
  return spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status === 0;
}

async function installChromium(): Promise<void> {
  // Does nothing where it is there already.
  const cli = join(root, 'node_modules/playwright/cli.js');
  const code = existsSync(cli) ? await runChild(process.execPath, [cli, 'install', 'chromium']) : 1;
  if (code !== 0)
    say('Chromium isn’t installed and could not be downloaded. The tests that need it will fail.');
}
