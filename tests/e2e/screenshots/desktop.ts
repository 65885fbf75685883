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
    await takeSmallWindow(desktop);
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
    const name = screen === '' ? 'overview' : screen.replace('/', '-');
    await takeNow(page, `desktop-${name}-${scheme}-${width}`);
  }
}

/** Takes the small window of the editor, which the menu opens. */
async function takeSmallWindow({ app }: RunningDesktop): Promise<void> {
  const opened = app.waitForEvent('window');
  await app.evaluate(({ Menu }) => {
    const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []) ?? [];
    items.find(({ label }) => label === 'Write a post')?.click();
  });
  const page = await opened;
  await page.getByRole('textbox', { name: 'Text' }).fill('The swifts left today. The sky is quiet now.');
  await page.getByText(/^Draft saved at/).waitFor();
  for (const scheme of colorSchemes) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
    await takeNow(page, `desktop-small-window-${scheme}`);
  }
}
