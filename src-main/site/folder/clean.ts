/**
 * Removes control characters and unpaired surrogates, which YAML and TOML do not allow, and replaces other line breaks
 * with `\n`.
 */
export function clean(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/(?![\t\n])[\p{Cc}\uFFFE\uFFFF]/gu, '');
}

/** Escapes everything that a generator would read as a template or a shortcode. Browsers show the same. */
export function literal(markup: string): string {
  return markup.replaceAll('{', '&#123;').replaceAll('}', '&#125;');
}
