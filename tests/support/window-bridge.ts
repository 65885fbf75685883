import type { Page } from 'playwright';
import type { WindowSignal } from '../../src-main/contract/window.ts';

/**
 * Makes a page take itself for the desktop app's window, before it is opened: what the preload script would provide
 * calls the server of the page.
 */
export async function actAsDesktop(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const bridge = {
      async call(method: string, params: unknown): Promise<unknown> {
        const response = await fetch(`/api/${method}`, {
          method: 'POST',
          headers: { authorization: 'Bearer the-owner-key' },
          body: JSON.stringify(params),
        });
        return response.json();
      },
      subscribe: () => () => undefined,
      watchWindow(listener: (signal: unknown) => void) {
        const hear = (event: Event) => listener((event as CustomEvent).detail);
        window.addEventListener('test-signal', hear);
        return () => window.removeEventListener('test-signal', hear);
      },
      closeWindow: () => undefined,
      restWindow: () => undefined,
    };
    Object.defineProperty(window, 'porchlight', { value: bridge });
  });
}

/** Tells the page what the desktop app tells its window. */
export async function signal(page: Page, sent: WindowSignal): Promise<void> {
  await page.evaluate(
    (detail) => void window.dispatchEvent(new CustomEvent('test-signal', { detail })),
    sent,
  );
}
