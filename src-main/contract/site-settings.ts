import { Type, type Static } from 'typebox';
import { choice, closed, method, setting, settingsSchema } from './shapes.ts';

/** The themes of the built-in site. They differ in typography and spacing. Each has a light and a dark version. */
const SiteTheme = choice('porch', 'paper', 'garden');

const Label = Type.String({ minLength: 1, maxLength: 200 });

/** A page of the built-in site, such as About or Now. */
export const SitePage = closed({
  /** The page's URL path: lowercase letters, digits and hyphens. */
  slug: Type.String({ minLength: 1, maxLength: 60, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }),
  title: Label,
  /** The content of the page, in Markdown. */
  text: Type.String({ maxLength: 200_000 }),
});
export type SitePage = Static<typeof SitePage>;

const SiteLink = closed({ label: Label, url: Type.String({ minLength: 1, maxLength: 2048 }) });

/** The settings of the built-in site. In each field, an empty string means that the field isn't set. */
export const siteArea = {
  theme: setting(SiteTheme, 'porch', {
    label: 'Theme',
    help: 'Each theme has a light and a dark version.',
    also: 'look design appearance style dark mode',
    options: {
      porch: { label: 'Porch', help: 'Warm and clear, with room for your words.' },
      paper: { label: 'Paper', help: 'Serif type on a white page, like a book.' },
      garden: { label: 'Garden', help: 'Green and airy, with you beside your posts.' },
    },
    taken: true,
  }),
  accent: setting(Type.String({ pattern: '^(#[0-9a-f]{6})?$' }), '', {
    label: 'Accent color',
    also: 'colour appearance highlight',
    taken: true,
  }),
  title: setting(Type.String({ maxLength: 200 }), '', {
    label: 'Site title',
    help: 'Leave this empty to use your name.',
    also: 'heading name',
    taken: true,
  }),
  tagline: setting(Type.String({ maxLength: 500 }), '', {
    label: 'Tagline',
    help: 'One line about you. Search engines and share previews show it, too.',
    also: 'description subtitle motto bio',
    taken: true,
  }),
  /** The text about the owner, in Markdown. */
  about: setting(Type.String({ maxLength: 20_000 }), '', {
    label: 'About you',
    help: 'A few sentences for your home page. You can use Markdown.',
    also: 'bio introduction biography',
    asks: 'About you, on your site',
  }),
  /** The URL of a picture. If it is empty, the site shows the profile's photo. */
  photo: setting(Type.String({ maxLength: 2048 }), '', {
    label: 'Photo on the site',
    also: 'picture avatar portrait icon favicon',
    asks: 'Photo on your site',
  }),
  /** The email address for replies to posts. It is public, so it isn't the profile's by default. */
  replyEmail: setting(Type.String({ maxLength: 320 }), '', {
    label: 'Email address for replies',
    help: 'Every post links to it, so everyone can see it. Leave this empty for no such link.',
    also: 'mail contact answer comment',
    field: 'email',
    asks: 'Public email address for replies',
  }),
  /** The rel=me links on the home page. */
  links: setting(Type.Array(SiteLink, { maxItems: 50 }), [], {
    label: 'Links',
    help: 'Your other profiles. They are marked as yours with rel="me".',
    also: 'rel me profiles social verify',
    asks: 'Links on your home page',
  }),
  pages: setting(Type.Array(SitePage, { maxItems: 50 }), [], {
    label: 'Pages',
    help: 'Every page of the site links to these, in this order.',
    also: 'about now navigation menu',
    asks: 'Pages of your site',
  }),
  /** The IANA name of a time zone. If it is empty, the site uses the computer's time zone. */
  timeZone: setting(Type.String({ maxLength: 100 }), '', {
    label: 'Time zone',
    help: 'For dates without a time zone. A post keeps its own day; pointing at the day shows the time here.',
    also: 'clock dates times',
    taken: true,
  }),
  /** The owner's own CSS. The site applies it after the CSS of the theme. */
  css: setting(Type.String({ maxLength: 100_000 }), '', {
    label: 'Your own CSS',
    help: 'Comes after the theme’s CSS. It can’t load anything from other servers.',
    also: 'stylesheet style design custom advanced',
    field: 'code',
  }),
};
export const SiteSettings = settingsSchema(siteArea);

export const siteMethods = {
  /**
   * Renders a page of the site with the given settings in place of the saved settings. Returns the page's body and its
   * style sheet.
   * @throws invalid_request if a setting isn't valid
   */
  'site.preview': method(
    closed({
      site: Type.Partial(SiteSettings, { additionalProperties: false }),
      /** The home page, the newest post, or a page that the owner is writing. */
      page: Type.Union([
        choice('home', 'post'),
        closed({
          title: Type.String({ maxLength: 200 }),
          text: Type.String({ maxLength: 200_000 }),
        }),
      ]),
    }),
    closed({ html: Type.String(), css: Type.String() }),
  ),
};
