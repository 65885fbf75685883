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
export async function axeFindings(page: Page, rules?: string[]): Promise<string[]> {
  await provideAxe(page);
  return page.evaluate(findings, rules);
}

/** Puts axe into the page and its frames, unless it is there. A page that is opened without it opens sooner. */
async function provideAxe(page: Page): Promise<void> {
  for (const frame of page.frames())
    if (!(await frame.evaluate(() => 'axe' in globalThis))) await frame.evaluate(source);
}

async function findings(rules: string[] | undefined): Promise<string[]> {
  const { axe } = globalThis as unknown as {
    axe: {
      run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
    };
  };
  // axe describes every element of each kind of result that it is asked for: the elements that pass double the time.
  const { violations } = await axe.run({
    resultTypes: ['violations'],
    ...(rules && { runOnly: { type: 'rule', values: rules } }),
  });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
