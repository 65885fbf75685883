import type { Browser, BrowserContext, Page } from 'playwright';

/** A browser that notes whatever a page does that it must not do. */
export interface Watched {
  readonly context: BrowserContext;
  /** What ran, and what was asked of other servers. Empty where all is well. */
  readonly misdeeds: string[];
  /** The marks that were seen. */
  readonly seen: Set<string>;
  /** Forgets the marks seen so far: what is shown next has to show them again. */
  forget(): void;
  /** How many marks were seen, also of those that were forgotten. */
  times(): number;
  /** How many documents were shown. */
  readonly shown: { documents: number };
  /** Opens an address, and notes the marks in it. */
  visit(page: Page, address: string): Promise<void>;
  /** Shows documents of the site, many in one frame, and notes the marks in them and each that does not end where it should. */
  frames(page: Page, documents: readonly string[]): Promise<void>;
  /** Notes the marks in a text of a page. */
  note(text: string): void;
  /** Notes the marks that a page shows now. */
  noteShown(page: Page): Promise<void>;
}

/** Lists draw what is in sight. A tall window shows much of them at once, so there is little to scroll. */
export const tallWindow = { width: 1400, height: 9000 };

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
  const context = await browser.newContext({ bypassCSP, viewport: tallWindow });
  const misdeeds: string[] = [];
  const seen = new Set<string>();
  const shown = { documents: 0 };
  let forgotten = 0;
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

  const noteShown = async (page: Page) => note(await page.evaluate(() => document.documentElement.outerHTML));

  return {
    context,
    misdeeds,
    seen,
    shown,
    note,
    noteShown,
    forget() {
      forgotten += seen.size;
      seen.clear();
    },
    times: () => forgotten + seen.size,
    async visit(page, address) {
      await page.goto(address);
      shown.documents += 1;
      await noteShown(page);
    },
    async frames(page, documents) {
      for (let at = 0; at < documents.length; at += documentsAtOnce) {
        const some = documents.slice(at, at + documentsAtOnce);
        const { text, apart } = await page.evaluate(showTogether, some);
        note(text);
        if (apart !== some.length)
          misdeeds.push(`of ${some.length} documents, ${apart} ended where they should`);
      }
      shown.documents += documents.length;
    },
  };
}

const documentsAtOnce = 60;

/**
 * Shows documents one behind the other in a frame of the page. A parser skips the tags that begin and end a document where
 * they stand inside another; markup that swallows what comes next, or closes what is around it, moves the parts of the
 * frame. It runs in the page.
 */
async function showTogether(documents: readonly string[]): Promise<{ text: string; apart: number }> {
  const frame = document.createElement('iframe');
  frame.srcdoc = documents.map((text) => `<section class=apart>${text}</section>`).join('');
  const partsOf = (nodes: Iterable<Node>) => {
    const parts = [...nodes].map((node) => (node as Partial<Element>).className === 'apart');
    return parts.every(Boolean) ? parts.length : 0;
  };
  // At once: a page that waits for something loads itself again.
  const shown = new Promise<{ text: string; apart: number }>((resolve) => {
    const read = () =>
      resolve({
        text: frame.contentDocument?.documentElement.outerHTML ?? '',
        apart: partsOf(frame.contentDocument?.body.childNodes ?? []),
      });
    frame.addEventListener('load', read, { once: true });
  });
  document.body.append(frame);
  const found = await shown;
  // Animations begin, and what failed to load says so.
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)));
  frame.remove();
  return found;
}
