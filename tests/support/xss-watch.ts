import type { Browser, BrowserContext, Page } from 'playwright';

/** A browser that notes whatever a page does that it must not do. */
export interface Watched {
  readonly context: BrowserContext;
  /** What ran, and what was asked of other servers. Empty where all is well. */
  readonly misdeeds: string[];
  /** The marks that were seen. */
  readonly seen: Set<string>;
  /** How many documents were shown. */
  readonly shown: { documents: number };
  /** Opens an address, and notes the marks in it. */
  visit(page: Page, address: string): Promise<void>;
  /** Shows documents in one page, each in a frame of its own, and notes the marks in them. */
  frames(page: Page, documents: readonly string[]): Promise<void>;
  /** Notes the marks in a text of a page. */
  note(text: string): void;
  /** Notes the marks that a page shows now. */
  look(page: Page): Promise<void>;
}

const mark = /xm\d+[a-z]{3}z/g;

/**
 * Opens a context that does not enforce any content security policy unless told to: markup has to be harmless by itself,
 * the policy is the second line. Each request that goes elsewhere is noted and broken off.
 */
export async function watchBrowser(
  browser: Browser,
  own: readonly string[],
  { bypassCSP = true } = {},
): Promise<Watched> {
  // Lists show what is near the eye: here, all of it.
  const context = await browser.newContext({ bypassCSP, viewport: { width: 1400, height: 3000 } });
  const misdeeds: string[] = [];
  const seen = new Set<string>();
  const shown = { documents: 0 };
  const isOwn = (address: string) =>
    own.includes(new URL(address).origin) || /^(?:data:image|blob:|about:)/.test(address);

  await context.exposeBinding('canary', ({ frame }, index: unknown) => {
    misdeeds.push(`payload ${String(index)} ran in ${frame.url()}`);
  });
  await context.route('**/*', async (route) => {
    const address = route.request().url();
    if (isOwn(address)) return route.fallback();
    misdeeds.push(`${route.request().frame().url()} asked for ${address}`);
    await route.abort();
  });
  context.on('page', (page) => {
    page.on('dialog', (dialog) => {
      misdeeds.push(`a dialog in ${page.url()}`);
      void dialog.dismiss();
    });
    page.on('popup', (popup) => misdeeds.push(`a popup of ${page.url()}: ${popup.url()}`));
    page.on('framenavigated', (frame) => {
      if (!isOwn(frame.url())) misdeeds.push(`${page.url()} went to ${frame.url()}`);
    });
    page.on('download', (download) => void download.cancel());
  });

  function note(text: string): void {
    for (const [found] of text.matchAll(mark)) seen.add(found);
  }

  const look = async (page: Page) => note(await page.evaluate(() => document.documentElement.outerHTML));

  return {
    context,
    misdeeds,
    seen,
    shown,
    note,
    look,
    async visit(page, address) {
      await page.goto(address);
      shown.documents += 1;
      await look(page);
    },
    async frames(page, documents) {
      for (let at = 0; at < documents.length; at += framesAtOnce) {
        note(await page.evaluate(textOfFrames, documents.slice(at, at + framesAtOnce)));
      }
      shown.documents += documents.length;
    },
  };
}

const framesAtOnce = 40;

/** Shows each document in a frame of the page, as it would stand there by itself. It runs in the page. */
async function textOfFrames(documents: readonly string[]): Promise<string> {
  const frames: HTMLIFrameElement[] = [];
  const texts = await Promise.all(
    documents.map(
      (text) =>
        new Promise<string>((resolve) => {
          const frame = document.createElement('iframe');
          // At once: a page that waits for something loads itself again.
          const read = () => resolve(frame.contentDocument?.documentElement.outerHTML ?? '');
          frame.addEventListener('load', read, { once: true });
          frame.srcdoc = text;
          document.body.append(frame);
          frames.push(frame);
        }),
    ),
  );
  // Animations begin, and what failed to load says so.
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)));
  for (const frame of frames) frame.remove();
  return texts.join('\n');
}
