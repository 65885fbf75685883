import { Type, type Static } from 'typebox';
import { choice, closed, initialValues, Maybe, method, Nothing, setting, settingsSchema } from './shapes.ts';
import { siteFolderArea, SiteFolderSettings } from './site-folder.ts';
import { Lifetime } from './sign-ins.ts';
import { windowUploadBytes } from './media.ts';
import { tunnelOptionPattern } from './tunnel-options.ts';

/**
 * The owner's identity. `me`: the profile URL (IndieAuth 3.2); null until the owner sets it. An empty string means that
 * a field isn't set. `photo`: the photo's URL, which is on this server if the photo was uploaded or copied.
 */
const profileArea = {
  me: setting(Maybe(), null, { asks: 'Your domain' }),
  name: setting(Type.String({ maxLength: 500 }), '', 'taken'),
  url: setting(Type.String({ maxLength: 2048 }), '', { asks: 'Website in your profile' }),
  photo: setting(Type.String({ maxLength: 2048 }), '', { asks: 'Photo in your profile' }),
  email: setting(Type.String({ maxLength: 320 }), '', { asks: 'Email address in your profile' }),
};
export const Profile = settingsSchema(profileArea);
export type Profile = Static<typeof Profile>;

const signInArea = {
  accessTokenSeconds: setting(Lifetime, 3600, { asks: 'App access expires after' }),
  /** The number of seconds after which an unused app is signed out. */
  refreshTokenSeconds: setting(Lifetime, 90 * 86_400, { asks: 'Unused apps are signed out after' }),
  /** Whether old clients without PKCE may sign in. The consent prompt then shows a warning (decision D-8). */
  allowWithoutPkce: setting(Type.Boolean(), false, { asks: 'Apps may sign in without PKCE' }),
};
const SignInSettings = settingsSchema(signInArea);

const Label = Type.String({ minLength: 1, maxLength: 200 });
const Named = closed({ uid: Type.String({ minLength: 1, maxLength: 2048 }), name: Label });

const micropubArea = {
  categories: setting(Type.Array(Label, { maxItems: 10_000 }), [], 'taken'),
  channels: setting(Type.Array(Named, { maxItems: 100 }), [], 'taken'),
  syndicateTo: setting(Type.Array(Named, { maxItems: 100 }), [], { asks: 'Cross-posting targets' }),
  mediaLimitBytes: setting(Type.Integer({ minimum: 1, maximum: 1_099_511_627_776 }), 100_000_000, {
    asks: 'Largest file that apps may upload',
  }),
  removePhotoMetadata: setting(Type.Boolean(), true, {
    asks: 'Remove location and device details from photos',
  }),
};
const MicropubSettings = settingsSchema(micropubArea);

const postingArea = {
  /** The client_ids of the apps that send Markdown as plain text; for a token that the owner issued by hand, its id. */
  appsMarkdown: setting(
    Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 1000 }),
    [],
    'taken',
  ),
};
const PostingSettings = settingsSchema(postingArea);

const Host = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:\\[\\]-]+$' });

const webmentionArea = {
  hosts: setting(Type.Array(Host, { maxItems: 100 }), [], {
    asks: 'Other hosts whose mentions count as yours',
  }),
  hold: setting(choice('nothing', 'strangers', 'everything'), 'nothing', { asks: 'Waits for your approval' }),
  trustedDomains: setting(Type.Array(Host, { maxItems: 10_000 }), [], { asks: 'Trusted sites' }),
  aggregatorUrl: setting(Type.String({ maxLength: 2048 }), 'https://webmention.io', {
    asks: 'Where older mentions are imported from',
  }),
  catchUp: setting(Type.Boolean(), true, { asks: 'Fetch missed mentions from the aggregator' }),
};
const WebmentionSettings = settingsSchema(webmentionArea);

export const TunnelMode = choice('off', 'quick', 'named');
export type TunnelMode = Static<typeof TunnelMode>;

const tunnelArea = {
  mode: setting(TunnelMode, 'off', { asks: 'How the web reaches you' }),
  hostname: setting(Type.String({ maxLength: 253, pattern: '^[A-Za-z0-9.-]*$' }), '', {
    asks: 'Host name of the tunnel',
  }),
  /** The public origin of the owner's own reverse proxy; empty if there is none. Used only while `mode` is `off`. */
  publicUrl: setting(Type.String({ maxLength: 2048 }), '', { asks: 'Public address' }),
};
const TunnelSettings = settingsSchema(tunnelArea);

const TunnelOption = Type.String({ maxLength: 100, pattern: tunnelOptionPattern });

/** What the owner's network needs of cloudflared, the program that runs the tunnel. */
const cloudflaredArea = {
  /** The owner's own options, such as `--protocol=http2`. */
  options: setting(Type.Array(TunnelOption, { maxItems: 20 }), [], { asks: 'Options for cloudflared' }),
  /**
   * The full path of a PEM file with the only certificate that cloudflared trusts on the way to Cloudflare, for a network
   * that intercepts connections. Empty for cloudflared's own.
   */
  certificate: setting(Type.String({ maxLength: 4096 }), '', { asks: 'Certificate for cloudflared' }),
};
const CloudflaredSettings = settingsSchema(cloudflaredArea);

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
const siteArea = {
  title: setting(Type.String({ maxLength: 200 }), '', 'taken'),
  tagline: setting(Type.String({ maxLength: 500 }), '', 'taken'),
  /** The text about the owner, in Markdown. */
  about: setting(Type.String({ maxLength: 20_000 }), '', { asks: 'About you, on Porchlight’s site' }),
  /** The URL of a picture. If it is empty, the site shows the profile's photo. */
  photo: setting(Type.String({ maxLength: 2048 }), '', { asks: 'Photo on Porchlight’s site' }),
  /** The email address for replies to posts. It is public, so it isn't the profile's by default. */
  replyEmail: setting(Type.String({ maxLength: 320 }), '', { asks: 'Public email address for replies' }),
  accent: setting(Type.String({ pattern: '^(#[0-9a-f]{6})?$' }), '', 'taken'),
  /** The IANA name of a time zone. If it is empty, the site uses the computer's time zone. */
  timeZone: setting(Type.String({ maxLength: 100 }), '', 'taken'),
  /** The rel=me links on the home page. */
  links: setting(Type.Array(SiteLink, { maxItems: 50 }), [], { asks: 'Links on your home page' }),
  pages: setting(Type.Array(SitePage, { maxItems: 50 }), [], { asks: 'Pages of Porchlight’s site' }),
  theme: setting(SiteTheme, 'porch', 'taken'),
  /** The owner's own CSS. The site applies it after the CSS of the theme. */
  css: setting(Type.String({ maxLength: 100_000 }), '', { asks: 'Your own CSS' }),
};
const SiteSettings = settingsSchema(siteArea);

/** The settings of the desktop app. `sound`: whether notifications make a sound. */
const desktopArea = {
  startAtLogin: setting(Type.Boolean(), false, { asks: 'Start at login' }),
  notifications: setting(Type.Boolean(), true, { asks: 'Notifications' }),
  sound: setting(Type.Boolean(), false, 'taken'),
  /** The global shortcut that opens the editor (an Electron accelerator); empty if there is none. */
  writeShortcut: setting(Type.String({ maxLength: 100 }), '', 'taken'),
};
const DesktopSettings = settingsSchema(desktopArea);

/**
 * The weekly backup. `folder`: the folder where backups are saved; empty if the weekly backup is off. `keep`: the
 * number of backups to keep.
 */
const backupArea = {
  folder: setting(Type.String({ maxLength: 4096 }), '', { asks: 'Folder for weekly backups' }),
  keep: setting(Type.Integer({ minimum: 1, maximum: 100 }), 8, { asks: 'Weekly backups to keep' }),
};
const BackupSettings = settingsSchema(backupArea);

/** Every setting, by area. */
export const settingAreas = {
  profile: profileArea,
  signIn: signInArea,
  micropub: micropubArea,
  posting: postingArea,
  webmention: webmentionArea,
  tunnel: tunnelArea,
  cloudflared: cloudflaredArea,
  desktop: desktopArea,
  backup: backupArea,
  site: siteArea,
  siteFolder: siteFolderArea,
};

export const Settings = closed({
  profile: Profile,
  signIn: SignInSettings,
  micropub: MicropubSettings,
  posting: PostingSettings,
  webmention: WebmentionSettings,
  tunnel: TunnelSettings,
  cloudflared: CloudflaredSettings,
  desktop: DesktopSettings,
  backup: BackupSettings,
  site: SiteSettings,
  siteFolder: SiteFolderSettings,
});
export type Settings = Static<typeof Settings>;

/** Returns the settings of a new data folder. */
export const initialSettings = (): Settings =>
  Object.fromEntries(
    Object.entries(settingAreas).map(([area, rows]) => [area, initialValues(rows)]),
  ) as unknown as Settings;

/** The name of a setting, such as `site.title`. */
export type SettingName = {
  [A in keyof Settings]: `${A}.${Extract<keyof Settings[A], string>}`;
}[keyof Settings];

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
  cloudflared: part(CloudflaredSettings),
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
