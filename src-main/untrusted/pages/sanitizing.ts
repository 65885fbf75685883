import type { IOptions } from 'sanitize-html';

/**
 * Elements whose content isn't text or markup for readers: scripts, styles, raw text, forms, and content with its own
 * parsing rules (SVG, MathML). If such an element isn't allowed, its content is removed too.
 */
const notForReaders =
  'script style textarea option noscript title template iframe object svg math xmp noembed noframes plaintext select';

/**
 * The settings for every use of sanitize-html. They replace the library's defaults, which may change. In an options
 * object, spread these settings first, and then add the tags, attributes and schemes for the particular use.
 */
export const strictSanitizing = {
  // Disallowed markup is removed, not escaped.
  disallowedTagsMode: 'discard',
  nonTextTags: notForReaders.split(' '),
  allowVulnerableTags: false,
  // An html element in the middle of the text does not start a new document.
  enforceHtmlBoundary: false,
  // No style attribute is ever allowed, so there is no need to parse one.
  parseStyleAttributes: false,
  allowedSchemesByTag: {},
  allowedSchemesAppliedToAttributes: ['href', 'src', 'cite'],
  allowProtocolRelative: false,
  allowIframeRelativeUrls: false,
  nestingLimit: 50,
  // Character references are decoded before anything is checked, and encoded again in the output.
  parser: { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true, recognizeCDATA: false },
} satisfies IOptions;

/**
 * The maximum number of tags to sanitize. Even a long article has only an eighth of this number. If all of these tags
 * are nested, sanitizing takes up to a second, because the time grows with the square of the depth.
 */
const mostTags = 40_000;

/** Returns whether HTML has so many tags that it must be treated as text without tags, and not be sanitized. */
export function hasTooManyTags(markup: string): boolean {
  let count = 0;
  for (let at = markup.indexOf('<'); at !== -1 && count <= mostTags; at = markup.indexOf('<', at + 1))
    count += 1;
  return count > mostTags;
}
