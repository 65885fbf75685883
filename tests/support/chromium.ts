import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { chromium, type Browser } from 'playwright';

/** The Chromium named by the environment, or Debian's. Without either, Playwright uses its own. */
const executable =
  process.env['PORCHLIGHT_CHROMIUM'] ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) =>
    existsSync(file),
  );

// Root, in a container, has no sandbox to give.
const quietArguments = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-background-networking',
  '--no-first-run',
  // Most pages of tests are gone before their optimized code is ready. Scripts do the same without it.
  '--js-flags=--no-opt --no-maglev',
];

/**
 * Starts a real Chromium without a window, that calls nobody by itself. `draws`: false where no test looks at pixels.
 * Styles, layout and events are the same, at a tenth less of processor time. Closed after a test that failed, it prints
 * what its pages showed.
 */
export async function launchChromium({ draws = true } = {}): Promise<Browser> {
  const browser = await chromium.launch({
    ...(executable !== undefined && { executablePath: executable }),
    args: [...quietArguments, ...(draws ? [] : ['--blink-settings=acceleratedCompositingEnabled=false'])],
  });
  const close = browser.close.bind(browser);
  browser.close = async (options) => {
    if (await hasFailed()) await printPages(browser);
    await close(options);
  };
  return browser;
}

/** Returns whether the current test has failed. Outside tests, as for pictures, there is none. */
async function hasFailed(): Promise<boolean> {
  if (process.env['VITEST'] !== 'true') return false;
  const { TestRunner } = await import('vitest');
  return TestRunner.getCurrentTest()?.result?.state === 'fail';
}

async function printPages(browser: Browser): Promise<void> {
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    const shown = await page
      .locator('body')
      .ariaSnapshot({ timeout: 5000 })
      .catch((error: unknown) => String(error));
    process.stderr.write(`${page.url().replace(/#key=.*/, '')} showed:\n${shown.slice(0, 4000)}\n`);
  }
}

/**
 * Starts a real Chromium on a profile that outlives it. It has no page yet: Playwright sometimes misses the end of a
 * navigation that was under way when it connected, and then waits for it in vain. `kill` ends the browser at once, as a
 * power cut does.
 */
export async function launchOnProfile(
  profile: string,
): Promise<{ readonly browser: Browser; readonly kill: () => Promise<void> }> {
  const child = spawn(
    executable ?? chromium.executablePath(),
    [
      ...quietArguments,
      '--headless',
      '--no-startup-window',
      '--password-store=basic',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
    ],
    // Debian's program is a script that starts the browser, so the whole group is killed.
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  // All processes of the browser share the pipe, so it closes when the last of them has left the profile.
  const ended = once(child, 'close');
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    await ended;
  };
  const lines: string[] = [];
  const endpoint = new Promise<string>((resolve, reject) => {
    createInterface(child.stderr)
      .on('line', (line) => {
        lines.push(line);
        const [, found] = /^DevTools listening on (ws:.*)$/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      })
      .on('close', () => reject(new Error(`Chromium did not start:\n${lines.join('\n')}`)));
  });
  try {
    return { browser: await chromium.connectOverCDP(await endpoint), kill };
  } catch (error) {
    // A browser that keeps running would answer for the next one on this profile, which then ends at once.
    await kill();
    throw error;
  }
}
