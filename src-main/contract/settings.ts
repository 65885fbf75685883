import { Type, type Static } from 'typebox';
import { choice, closed, Maybe, method, Nothing } from './shapes.ts';
import { SiteFolderSettings } from './site-folder.ts';
import { Lifetime } from './sign-ins.ts';
import { windowUploadBytes } from './media.ts';

/**
 * The owner's identity. `me`: the profile URL (IndieAuth 3.2); null until the owner sets it. An empty string means that
 * a field isn't set. `photo`: the photo's URL, which is on this server if the photo was uploaded or copied.
 */
export const Profile = closed({
  me: Maybe(),
  name: Type.String({ maxLength: 500 }),
  url: Type.String({ maxLength: 2048 }),
  photo: Type.String({ maxLength: 2048 }),
  email: Type.String({ maxLength: 320 }),
});
export type Profile = Static<typeof Profile>;

const SignInSettings = closed({
  accessTokenSeconds: Lifetime,
  /** The number of seconds after which an unused app is signed out. */
  refreshTokenSeconds: Lifetime,
  /** Whether old clients without PKCE may sign in. The consent prompt then shows a warning (decision D-8). */
  allowWithoutPkce: Type.Boolean(),
});

const Label = Type.String({ minLength: 1, maxLength: 200 });
const Named = closed({ uid: Type.String({ minLength: 1, maxLength: 2048 }), name: Label });

const MicropubSettings = closed({
  categories: Type.Array(Label, { maxItems: 10_000 }),
  channels: Type.Array(Named, { maxItems: 100 }),
  syndicateTo: Type.Array(Named, { maxItems: 100 }),
  mediaLimitBytes: Type.Integer({ minimum: 1, maximum: 1_099_511_627_776 }),
  removePhotoMetadata: Type.Boolean(),
});

const PostingSettings = closed({
  /** The client_ids of the apps that send Markdown as plain text. */
  appsMarkdown: Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 1000 }),
});

const Host = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:\\[\\]-]+$' });

const WebmentionSettings = closed({
  hosts: Type.Array(Host, { maxItems: 100 }),
  hold: choice('nothing', 'strangers', 'everything'),
  trustedDomains: Type.Array(Host, { maxItems: 10_000 }),
  aggregatorUrl: Type.String({ maxLength: 2048 }),
  catchUp: Type.Boolean(),
});

export const TunnelMode = choice('off', 'quick', 'named');
export type TunnelMode = Static<typeof TunnelMode>;

const TunnelSettings = closed({
  mode: TunnelMode,
  hostname: Type.String({ maxLength: 253, pattern: '^[A-Za-z0-9.-]*$' }),
  /** The public origin of the owner's own reverse proxy; empty if there is none. Used only while `mode` is `off`. */
  publicUrl: Type.String({ maxLength: 2048 }),
});

/** The themes of the built-in site. They differ in typography and spacing. Each has a light and a dark version. */
const SiteTheme = choice('porch', 'paper', 'garden');

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
const SiteSettings = closed({
  title: Type.String({ maxLength: 200 }),
  tagline: Type.String({ maxLength: 500 }),
  /** The text about the owner, in Markdown. */
  about: Type.String({ maxLength: 20_000 }),
  /** The URL of a picture. If it is empty, the site shows the profile's photo. */
  photo: Type.String({ maxLength: 2048 }),
  accent: Type.String({ pattern: '^(#[0-9a-f]{6})?$' }),
  /** The IANA name of a time zone. If it is empty, the site uses the computer's time zone. */
  timeZone: Type.String({ maxLength: 100 }),
  /** The rel=me links on the home page. */
  links: Type.Array(SiteLink, { maxItems: 50 }),
  pages: Type.Array(SitePage, { maxItems: 50 }),
  theme: SiteTheme,
  /** The owner's own CSS. The site applies it after the CSS of the theme. */
  css: Type.String({ maxLength: 100_000 }),
});

/** The settings of the desktop app. `sound`: whether notifications make a sound. */
const DesktopSettings = closed({
  startAtLogin: Type.Boolean(),
  notifications: Type.Boolean(),
  sound: Type.Boolean(),
  /** The global shortcut that opens the editor (an Electron accelerator); empty if there is none. */
  writeShortcut: Type.String({ maxLength: 100 }),
});

/**
 * The weekly backup. `folder`: the folder where backups are saved; empty if the weekly backup is off. `keep`: the
 * number of backups to keep.
 */
const BackupSettings = closed({
  folder: Type.String({ maxLength: 4096 }),
  keep: Type.Integer({ minimum: 1, maximum: 100 }),
});

export const Settings = closed({
  profile: Profile,
  signIn: SignInSettings,
  micropub: MicropubSettings,
  posting: PostingSettings,
  webmention: WebmentionSettings,
  tunnel: TunnelSettings,
  desktop: DesktopSettings,
  backup: BackupSettings,
  site: SiteSettings,
  siteFolder: SiteFolderSettings,
});
export type Settings = Static<typeof Settings>;

const part = <P extends Parameters<typeof Type.Partial>[0]>(schema: P) =>
  Type.Optional(Type.Partial(schema, { additionalProperties: false }));

/** A change to any part of the settings. A list in the change replaces the entire previous list. */
export const SettingsPatch = closed({
  profile: part(Profile),
  signIn: part(SignInSettings),
  micropub: part(MicropubSettings),
  posting: part(PostingSettings),
  webmention: part(WebmentionSettings),
  tunnel: part(TunnelSettings),
  desktop: part(DesktopSettings),
  backup: part(BackupSettings),
  site: part(SiteSettings),
  siteFolder: part(SiteFolderSettings),
});
export type SettingsPatch = Static<typeof SettingsPatch>;

/** The owner's settings, as the parts of the program read and change them. */
export interface SettingsAccess {
  get(): Settings;
  /**
   * Merges a patch into the settings, area by area. Resolves when the settings are on disk.
   * @throws PorchlightError `invalid_request` if a value is not valid. In that case, nothing changes.
   */
  update(patch: SettingsPatch): Promise<Settings>;
}

export const settingsMethods = {
  'settings.get': method(Nothing, Settings),
  'settings.update': method(SettingsPatch, Settings),
  /** Returns the profile in a page's representative h-card. Saves nothing. */
  'profile.read': method(closed({ url: Type.String({ minLength: 1, maxLength: 2048 }) }), Profile),
  /** Returns the owner's photo as a data URL; null if this server doesn't store the photo. */
  'profile.photo': method(Nothing, closed({ dataUrl: Maybe(1_000_000) })),
  /** Sets the owner's photo from a picture file. `data`: the file's bytes in base64. */
  'profile.setPhoto': method(
    closed({ data: Type.String({ minLength: 1, maxLength: Math.ceil(windowUploadBytes / 3) * 4 }) }),
    Settings,
  ),
  'profile.removePhoto': method(Nothing, Settings),
  /**
   * Renders a page of the site with the given settings in place of the saved settings. Returns the page's body and its
   * style sheet.
   * @throws invalid_request if a setting isn't valid
   */
  'site.preview': method(
    closed({
      site: Type.Partial(SiteSettings, { additionalProperties: false }),
      page: choice('home', 'post'),
    }),
    closed({ html: Type.String(), css: Type.String() }),
  ),
};
