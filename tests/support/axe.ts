import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright';

/** Half as long as the other build of the same version, so a page reads it in half the time. */
const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Only colours differ in dark mode, so only the rules on colours can differ there. */
export const colourRules = ['color-contrast', 'link-in-text-block'];

/** Puts axe into every page of the context that is opened from now on: a process compiles it once, not once per page. */
export const haveAxe = (context: BrowserContext) =>
  context.addInitScript(`if (location.href !== 'about:blank') {${source}}`);

/** What axe finds on the page: the rule's name and the element. `rules`: only these; all of them otherwise. */
export const axeFindings = (page: Page, rules?: readonly string[]): Promise<string[]> =>
  runAxe(page, rules && { runOnly: { type: 'rule', values: rules } });

/** Checks that remember what passed. */
export interface AxeMemory {
  /** What axe finds by all rules; by those on colours only if the page has a look of text that is new. */
  all(page: Page): Promise<string[]>;
  /** What axe finds by the rules on looks, if the page has a look that is new. */
  looks(page: Page, rules?: readonly string[]): Promise<string[]>;
}

/**
 * Returns checks for many pages of one design. Axe computes the contrast of each text again, which takes most of its
 * time. The same text color and size before the same backgrounds have the same contrast, whatever the page or theme, so
 * a page runs these rules only if it has a look that none of the pages before it had.
 */
export function createAxeMemory(): AxeMemory {
  const passed = new Set<string>();
  async function judged(page: Page, run: (hasNew: boolean) => Promise<string[]>): Promise<string[]> {
    const looks = await page.evaluate(looksOnPage);
    const found = await run(looks.some((look) => !passed.has(look)));
    if (found.length === 0) for (const look of looks) passed.add(look);
    return found;
  }
  const off = Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }]));
  // Axe leaves out the rules that only WCAG 2.2 has, unless they are asked for.
  const rules = { 'target-size': { enabled: true } };
  return {
    all: (page) => judged(page, (hasNew) => runAxe(page, { rules: hasNew ? rules : { ...rules, ...off } })),
    looks: (page, rules = colourRules) =>
      judged(page, async (hasNew) => (hasNew ? axeFindings(page, rules) : [])),
  };
}

/** Runs in the page. Describes each text, and each region that scrolls, by all that its contrast depends on. */
function looksOnPage(): string[] {
  const looks = new Set<string>();
  const backgrounds = new Map<Element, string>();

  /** What is painted behind the content of an element, up to the first background that covers the rest. */
  function behind(element: Element | null): string {
    if (element === null) return '';
    const known = backgrounds.get(element);
    if (known !== undefined) return known;
    const style = getComputedStyle(element);
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode, position } = style;
    const covers = /^rgb\(/.test(backgroundColor) && backgroundImage === 'none';
    const own = [backgroundColor, backgroundImage, opacity, filter, mixBlendMode].join(' ');
    // What has a place of its own may be before something other than its parents, as its class says.
    const place = ['static', 'relative'].includes(position) ? '' : `${position} ${element.className}`;
    const isPlain = own === 'rgba(0, 0, 0, 0) none 1 none normal' && place === '';
    const below = covers && opacity === '1' ? '' : behind(element.parentElement);
    const all = isPlain ? below : `${own} ${place}|${below}`;
    backgrounds.set(element, all);
    return all;
  }

  /** Large text may have less contrast: from 24 px on, or from 18.66 px on where it is bold. */
  function textOf(element: Element): string {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const size = Number.parseFloat(fontSize);
    return [color, size < 18.6 ? 's' : size < 24 ? 'm' : 'l', Number(fontWeight) >= 700, textShadow].join(
      ' ',
    );
  }

  /** A link in a text is told from the text around it by its color or by a line. */
  function linkOf(element: Element): string {
    const link = element.closest('a');
    if (!link?.parentElement) return '';
    const { textDecorationLine, borderBottomStyle } = getComputedStyle(link);
    return `${textDecorationLine} ${borderBottomStyle} ${textOf(link.parentElement)}`;
  }

  for (const element of document.body.querySelectorAll('*')) {
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = element;
    if (scrollHeight > clientHeight || scrollWidth > clientWidth) {
      const { overflowX, overflowY } = getComputedStyle(element);
      if (`${overflowX}${overflowY}`.match(/auto|scroll/))
        looks.add(`scrolls: ${element.tagName} ${element.className} ${element.getAttribute('tabindex')}`);
    }
    const hasText =
      element.matches('input, select, textarea') ||
      [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim() !== '');
    if (!hasText || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const isOff = element.closest(':disabled, [aria-disabled="true"]') !== null;
    looks.add(`${textOf(element)} ${isOff}|${behind(element)}|${linkOf(element)}`);
  }
  return [...looks];
}

/** Puts axe into the page and its frames, unless it is there. A page that is opened without it opens sooner. */
async function provideAxe(page: Page): Promise<void> {
  for (const frame of page.frames())
    if (!(await frame.evaluate(() => 'axe' in globalThis))) await frame.evaluate(source);
}

async function runAxe(page: Page, options: object | undefined): Promise<string[]> {
  await provideAxe(page);
  return page.evaluate(findings, options);
}

async function findings(options: object | undefined): Promise<string[]> {
  const { axe } = globalThis as unknown as {
    axe: {
      run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
    };
  };
  // axe describes every element of each kind of result that it is asked for: the elements that pass double the time.
  const { violations } = await axe.run(Object.assign({ resultTypes: ['violations'] }, options));
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
