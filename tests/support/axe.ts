import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright';

/** Puts axe into every page of the context that is opened from now on; so it costs each page little. */
export async function provideAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: axe.source });
}

/** What axe finds on the page: the rule's name and the element. `rules`: only these; all of them otherwise. */
export async function axeFindings(page: Page, rules?: string[]): Promise<string[]> {
  return page.evaluate(findings, rules);
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
