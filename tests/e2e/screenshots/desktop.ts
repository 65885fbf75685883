import { launchDesktop, type RunningDesktop } from '../../support/electron-app.ts';
import { colorSchemes, takeNow } from './camera.ts';

const screens = ['', 'sign-ins', 'webmentions', 'settings', 'settings/computer'];

/** Takes some screens of the demo in the desktop app's own window. */
export async function takeDesktop(): Promise<void> {
  const desktop = await launchDesktop({ demo: true });
  try {
    for (const screen of screens) {
      await desktop.page.evaluate((to) => {
        window.location.hash = `#/${to}`;
      }, screen);
      await desktop.page.waitForFunction(() => document.querySelector('.mantine-Skeleton-root') === null);
      for (const scheme of colorSchemes) await takeScheme(desktop, screen, scheme);
    }
  } finally {
    await desktop.stop();
  }
}

async function takeScheme(
  { app, page }: RunningDesktop,
  screen: string,
  scheme: (typeof colorSchemes)[number],
): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
  for (const width of [800, 1200]) {
    await app.evaluate(({ BrowserWindow }, to) => {
      BrowserWindow.getAllWindows()[0]?.setContentSize(to, 900);
    }, width);
    await page.waitForFunction((to) => window.innerWidth === to, width);
    const name = screen === '' ? 'porch' : screen.replace('/', '-');
    await takeNow(page, `desktop-${name}-${scheme}-${width}`);
  }
}
