import { onTestFinished, test } from 'vitest';
import { launchChromium } from '../../support/chromium.ts';
import { startHeadless } from '../../support/headless-process.ts';
import { replyByKeyboard } from '../../support/reply-by-keyboard.ts';

test(
  'a mention arrives and is shown; the owner replies to it in the window; its author is notified and finds the reply',
  { timeout: 360_000 },
  async () => {
    const server = await startHeadless({
      args: ['--me', 'https://owner.example/', '--tunnel', 'off', '--allow-private-fetch'],
    });
    onTestFinished(() => server.remove());
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
    await page.goto(`${server.ready.consoleUrl}/#key=${server.ready.ownerKey}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await replyByKeyboard(page, {
      call: (method, params) => server.call(method, params),
      baseUrl: server.ready.baseUrl,
    });
  },
);
