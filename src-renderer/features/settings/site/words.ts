/** The words of the page “Porchlight’s site”. The search of the settings reads the same words. */
export const siteWords = {
  title: 'Porchlight’s site',
  about: 'What visitors see at your public address.',
  settings: {
    theme: {
      label: 'Theme',
      about: 'Each theme has a light and a dark version.',
      also: 'look design appearance style dark mode',
    },
    accent: { label: 'Accent color', also: 'colour appearance highlight' },
    title: {
      label: 'Site title',
      about: 'Leave this empty to use your name.',
      also: 'heading name',
    },
    tagline: {
      label: 'Tagline',
      about: 'One line about you. Search engines and share previews show it, too.',
      also: 'description subtitle motto bio',
    },
    about: {
      label: 'About you',
      about: 'A few sentences for your home page. You can use Markdown.',
      also: 'bio introduction biography',
    },
    replyEmail: {
      label: 'Email address for replies',
      about: 'Every post links to it, so everyone can see it. Leave this empty for no such link.',
      also: 'mail contact answer comment',
    },
    photo: { label: 'Photo on the site', also: 'picture avatar portrait icon favicon' },
    links: {
      label: 'Links',
      about: 'Your other profiles. They are marked as yours with rel="me".',
      also: 'rel me profiles social verify',
    },
    timeZone: {
      label: 'Time zone',
      about:
        'For dates without a time zone. A post keeps its own day; pointing at the day shows the time here.',
      also: 'clock dates times',
    },
    pages: {
      label: 'Pages',
      about: 'Pages such as About or Now. Every page of the site links to them, in this order.',
      also: 'about now navigation menu',
    },
    css: {
      label: 'Your own CSS',
      about: 'Comes after the theme’s CSS. It can’t load anything from other servers.',
      also: 'stylesheet style design custom advanced',
    },
  },
  themes: {
    porch: { label: 'Porch', about: 'Warm and clear, with room for your words.' },
    paper: { label: 'Paper', about: 'Serif type on a white page, like a book.' },
    garden: { label: 'Garden', about: 'Green and airy, with you beside your posts.' },
  },
  ownAccent: 'Choose an accent color',
  ownZone: 'This server’s own time zone',
};

export const previewWords = {
  label: 'Preview',
  page: 'Page in the preview',
  home: 'Home page',
  post: 'Newest post',
  about: 'Your changes are shown here at once. Visitors see them after you save.',
  failed: 'Porchlight can’t show these settings.',
};

export const sitePhotoWords = {
  ofProfile: 'The site shows the photo in your profile.',
  own: 'The site shows this photo instead of the one in your profile.',
  elsewhere: 'The site shows a copy of a photo on another server.',
  choose: 'Choose another photo',
  chooser: 'Choose a photo for the site',
  reset: 'Use the profile photo',
  failed: 'Porchlight couldn’t save the photo.',
};

export const listWords = {
  add: (one: string) => `Add a ${one}`,
  up: (name: string) => `Move ${name} up`,
  down: (name: string) => `Move ${name} down`,
  remove: (name: string) => `Delete ${name}`,
  moved: (name: string, place: number, count: number) => `${name} is now ${place} of ${count}.`,
  removed: (name: string) => `${name} is deleted.`,
};

export const linkWords = {
  one: 'link',
  label: (number: number) => `Link ${number}: label`,
  url: (number: number) => `Link ${number}: address`,
  labelHint: 'Mastodon',
  urlHint: 'https://social.example/@you',
  labelMissing: 'Enter a label.',
  urlMissing: 'Enter an address that starts with https://.',
};

export const pageWords = {
  one: 'page',
  title: 'Title',
  slug: 'Address',
  text: 'Text (Markdown)',
  titleHint: 'About',
  titleMissing: 'Enter a title.',
  slugMissing: 'Use lowercase letters, digits and hyphens, such as about-me.',
  slugTaken: 'Another page has this address.',
};
