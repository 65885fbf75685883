/** Matches a quoted string, which can follow a variable as its fallback value: `process.env.SITE ?? 'https://…'`. */
const quoted = /^(?:[\w$.!?[\]'"]+\s*(?:\|\||\?\?)\s*)?(["'`])((?:(?!\1)[^\\\n])*)\1/;

/**
 * Returns a property from a JavaScript or TypeScript configuration. The code isn't run, so the value must be a string
 * literal, or a constant that is defined as a string literal in the same file. For any other value, returns an empty
 * string.
 */
export function textInScript(script: string, name: string): string {
  const source = withoutComments(script);
  const [, value = ''] = new RegExp(`(?:^|[\\s{,])["']?${name}["']?\\s*:\\s*([^\\n]+)`).exec(source) ?? [];
  const [, constant] = /^([A-Za-z_$][\w$]*)\s*(?:,|\}|$)/.exec(value) ?? [];
  // If the value is the name of a constant (`site: address`), look up that constant. In the shorthand `{ site }`, the
  // property has no value, and the constant has the property's name.
  const wanted = constant ?? (value === '' ? name : undefined);
  if (wanted === undefined) return plainText(value);
  const declared = new RegExp(
    `\\b(?:const|let|var)\\s+${wanted.replaceAll('$', '\\$')}\\s*(?::\\s*string\\s*)?=\\s*([^\\n]+)`,
  );
  return plainText(declared.exec(source)?.[1] ?? '');
}

/** Returns the string in an expression; empty if the expression would have to be evaluated. */
function plainText(expression: string): string {
  const [, , text = ''] = quoted.exec(expression) ?? [];
  return text.includes('${') ? '' : text.trim();
}

/** Removes comments, but not the `//` in URLs: a line comment must follow a space or begin its line. */
const withoutComments = (script: string) =>
  script.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/(^|\s)\/\/[^\n]*/g, '$1');
