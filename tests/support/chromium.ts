import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright';

/** The Chromium named by the environment, or Debian's. Without either, Playwright uses its own. */
const executable =
  process.env['PORCHLIGHT_CHROMIUM'] ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) =>
    existsSync(file),
  );

/** Starts a real Chromium without a window, that calls nobody by itself. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    ...(executable !== undefined && { executablePath: executable }),
    // Root, in a container, has no sandbox to give.
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-background-networking',
      '--no-first-run',
    ],
  });
}
