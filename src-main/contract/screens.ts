/** The screens of the window, in sidebar order. A screen's URL within the window is `#/` followed by its name. */
export const screens = [
  'porch',
  'sign-ins',
  'apps',
  'write',
  'posts',
  'media',
  'webmentions',
  'activity',
  'data',
  'setup',
  'settings',
] as const;
export type Screen = (typeof screens)[number];
