/** The screens of the window, as its sidebar has them: `#/` and the name is the address of one, also in links to it. */
export const screens = [
  'porch',
  'sign-ins',
  'apps',
  'posts',
  'media',
  'webmentions',
  'activity',
  'data',
  'setup',
  'settings',
] as const;
export type Screen = (typeof screens)[number];
