import type { Page } from 'playwright';

/** Returns what dark mode changes on the page besides variables with colours. Fails if it changes nothing at all. */
export async function moreThanColours(page: Page): Promise<string[]> {
  const { colours, others } = await page.evaluate(darkRules);
  if (colours === 0) throw new Error('The page has no dark mode.');
  return others;
}

/** Runs in the page. */
function darkRules(): { colours: number; others: string[] } {
  let colours = 0;
  const others = [...document.querySelectorAll('[media*="color-scheme"]:not(meta)')].map(
    ({ outerHTML }) => outerHTML,
  );
  function read(rules: CSSRuleList, isDark: boolean): void {
    for (const rule of rules) {
      const { style, cssRules } = rule as Partial<CSSStyleRule>;
      const asksForMode = rule instanceof CSSMediaRule && rule.media.mediaText.includes('color-scheme');
      if (cssRules) read(cssRules, isDark || asksForMode);
      if (!isDark || (cssRules && !style)) continue;
      const isColours =
        style &&
        [...style].every(
          (name) => name.startsWith('--') && CSS.supports('color', style.getPropertyValue(name)),
        );
      if (isColours) colours += style.length;
      else others.push(rule.cssText);
    }
  }
  for (const { cssRules, disabled } of [...document.styleSheets, ...document.adoptedStyleSheets])
    if (!disabled) read(cssRules, false);
  return { colours, others };
}
