/**
 * Removes control characters and replaces unpaired surrogates with U+FFFD, because YAML and TOML do not allow them.
 * Converts all line breaks to `\n`.
 */
export function clean(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/(?![\t\n])[\p{Cc}\uFFFE\uFFFF]/gu, '');
}

/** Escapes everything that a generator would treat as a template or a shortcode. Browsers still show the same text. */
export function literal(markup: string): string {
  return markup.replaceAll('{', '&#123;').replaceAll('}', '&#125;');
}
