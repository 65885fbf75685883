import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright';

/** The Chromium named by the environment, or Debian's. Without either, Playwright uses its own. */
const executable =
  process.env['PORCHLIGHT_CHROMIUM'] ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) =>
    existsSync(file),
  );

/**
 * Starts a real Chromium without a window, that calls nobody by itself. `draws`: false where no test looks at pixels.
 * Styles, layout and events are the same, at a tenth less of processor time.
 */
export function launchChromium({ draws = true } = {}): Promise<Browser> {
  return chromium.launch({
    ...(executable !== undefined && { executablePath: executable }),
    // Root, in a container, has no sandbox to give.
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-background-networking',
      '--no-first-run',
      ...(draws ? [] : ['--blink-settings=acceleratedCompositingEnabled=false']),
    ],
  });
}
