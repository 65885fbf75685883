import type { IOptions } from 'sanitize-html';

/**
 * Elements whose content a browser does not read as text and markup for readers: scripts, styles, raw text, forms, and
 * what follows other rules (SVG, MathML). Where they are not allowed, what they hold goes with them.
 */
const notForReaders =
  'script style textarea option noscript title template iframe object svg math xmp noembed noframes plaintext select';

/**
 * What every use of sanitize-html says about how it works, instead of relying on the library's defaults, which may change
 * and are made for other uses. Put the options of a use (its tags, attributes and schemes) after these.
 */
export const strictSanitizing = {
  // What is not allowed goes: nothing is kept in an escaped form.
  disallowedTagsMode: 'discard',
  nonTextTags: notForReaders.split(' '),
  allowVulnerableTags: false,
  // An html element in the middle does not begin a new document.
  enforceHtmlBoundary: false,
  // No style attribute is ever allowed, so none is taken apart.
  parseStyleAttributes: false,
  allowedSchemesByTag: {},
  allowedSchemesAppliedToAttributes: ['href', 'src', 'cite'],
  allowProtocolRelative: false,
  allowIframeRelativeUrls: false,
  nestingLimit: 50,
  // Character references are read before anything is judged, and written anew.
  parser: { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true, recognizeCDATA: false },
} satisfies IOptions;
