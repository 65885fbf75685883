/**
 * The Content-Security-Policy of the owner's window. Mantine writes its theme into a style element, so styles need
 * `unsafe-inline`.
 */
export const windowPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
