import { Type, type Static } from 'typebox';
import {
  choice,
  closed,
  initialValues,
  Maybe,
  method,
  Nothing,
  Scope,
  setting,
  settingsSchema,
} from './shapes.ts';
import { siteFolderArea, SiteFolderSettings } from './site-folder.ts';
import { Lifetime } from './sign-ins.ts';
import { windowUploadBytes } from './media.ts';
import { siteArea, SiteSettings } from './site-settings.ts';
import { tunnelOptionPattern } from './tunnel-options.ts';

/**
 * The owner's identity. `me`: the profile URL (IndieAuth 3.2); null until the owner sets it. An empty string means that
 * a field isn't set. `photo`: the photo's URL, which is on this server if the photo was uploaded or copied.
 */
const profileArea = {
  photo: setting(Type.String({ maxLength: 2048 }), '', {
    label: 'Photo',
    help: 'Shown on your home page, and to apps that may see your profile. Porchlight removes place and camera data from it.',
    also: 'picture avatar image upload',
    asks: 'Photo in your profile',
  }),
  me: setting(Maybe(), null, {
    label: 'Your domain',
    help: 'You sign in with this address. If you change it, apps treat you as a new person.',
    also: 'web address url me identity site indieauth',
    field: 'url',
  }),
  name: setting(Type.String({ maxLength: 500 }), '', { label: 'Name', also: 'author', taken: true }),
  url: setting(Type.String({ maxLength: 2048 }), '', {
    label: 'Website',
    also: 'web address url link home page',
    field: 'url',
    asks: 'Website in your profile',
  }),
  email: setting(Type.String({ maxLength: 320 }), '', {
    label: 'Email address',
    also: 'mail contact',
    field: 'email',
    asks: 'Email address in your profile',
  }),
};
export const Profile = settingsSchema(profileArea);
export type Profile = Static<typeof Profile>;

const signInArea = {
  accessTokenSeconds: setting(Lifetime, 3600, {
    label: 'App access expires after',
    help: 'Apps renew their access on their own. A shorter time limits the harm if somebody steals it.',
    also: 'token lifetime expiry pass',
  }),
  /** The number of seconds after which an unused app is signed out. */
  refreshTokenSeconds: setting(Lifetime, 90 * 86_400, {
    label: 'Unused apps are signed out after',
    help: 'The time starts again each time the app is used.',
    also: 'token refresh lifetime expiry inactive log out',
  }),
  /** Whether old clients without PKCE may sign in. The consent prompt then shows a warning (decision D-8). */
  allowWithoutPkce: setting(Type.Boolean(), false, {
    label: 'Allow old apps that can’t protect their sign-in (no PKCE)',
    also: 'security legacy code challenge',
    warning:
      'Without PKCE, somebody who intercepts a sign-in can use it. Turn this on only for an app that you need. Porchlight warns you each time such an app asks.',
    asks: 'Apps may sign in without PKCE',
  }),
};
const SignInSettings = settingsSchema(signInArea);

const Label = Type.String({ minLength: 1, maxLength: 200 });
const Named = closed({ uid: Type.String({ minLength: 1, maxLength: 2048 }), name: Label });

const micropubArea = {
  categories: setting(Type.Array(Label, { maxItems: 10_000 }), [], {
    label: 'Categories',
    help: 'Apps suggest these while you write, with those that your posts already use. Press Enter to add one.',
    also: 'tags topics',
    example: 'garden, walks, …',
    taken: true,
  }),
  channels: setting(Type.Array(Named, { maxItems: 100 }), [], {
    label: 'Channels',
    help: 'Parts of your site that apps can post to.',
    also: 'sections feeds',
    taken: true,
  }),
  syndicateTo: setting(Type.Array(Named, { maxItems: 100 }), [], {
    label: 'Cross-posting targets',
    help: 'Choose from these for each public post. If the ID is a service’s web address, Porchlight sends the post there and links to the copy. Other targets are only offered to apps. Before you use Bridgy, connect your accounts at https://brid.gy.',
    also: 'syndication syndicate mastodon bluesky github bridgy indienews share posse',
  }),
  mediaLimitBytes: setting(Type.Integer({ minimum: 1, maximum: 1_099_511_627_776 }), 100_000_000, {
    label: 'Largest file that apps may upload, in MB',
    help: 'Cloudflare’s free plan allows up to 100 MB.',
    also: 'size limit media photo video megabytes',
    asks: 'Largest file that apps may upload',
  }),
  removePhotoMetadata: setting(Type.Boolean(), true, {
    label: 'Remove location and device details from photos',
    help: 'Photos from a phone often reveal where you took them. The picture itself stays the same.',
    also: 'privacy exif gps metadata camera place',
  }),
};
const MicropubSettings = settingsSchema(micropubArea);

const postingArea = {
  /** The client_ids of the apps that send Markdown as plain text; for a token that the owner issued by hand, its id. */
  appsMarkdown: setting(Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 1000 }), [], {
    label: 'Apps that write Markdown',
    taken: true,
  }),
};
const PostingSettings = settingsSchema(postingArea);

const Host = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:\\[\\]-]+$' });

const webmentionArea = {
  hold: setting(choice('nothing', 'strangers', 'everything'), 'nothing', {
    label: 'Mentions that wait for your approval',
    also: 'moderation moderate hold spam review',
    options: {
      nothing: {
        label: 'None',
        help: 'Porchlight shows every mention at once. You can hide or delete it later.',
      },
      strangers: {
        label: 'Mentions by new people',
        help: 'Porchlight shows mentions from sites that you trust at once, and mentions by people whom you approved before on the same site.',
      },
      everything: { label: 'Every mention', help: 'Porchlight shows a mention only after you approve it.' },
    },
    asks: 'Waits for your approval',
  }),
  trustedDomains: setting(Type.Array(Host, { maxItems: 10_000 }), [], {
    label: 'Trusted sites',
    help: 'Porchlight shows their mentions at once, even if mentions by new people wait. Press Enter to add a site.',
    also: 'friends allow list domains subdomains',
    example: 'friend.example, …',
    field: 'sites',
  }),
  hosts: setting(Type.Array(Host, { maxItems: 100 }), [], {
    label: 'Your other sites',
    help: 'Pages of your own site can always receive mentions. Add other sites that receive mentions here.',
    also: 'hosts domains accept receive',
    example: 'photos.example, …',
    field: 'sites',
    asks: 'Other hosts whose mentions count as yours',
  }),
  aggregatorUrl: setting(Type.String({ maxLength: 2048 }), 'https://webmention.io', {
    label: 'Import mentions from',
    help: 'Enter https://webmention.io, or the address of a compatible server.',
    also: 'webmention.io aggregator older history',
    field: 'url',
    asks: 'Where older mentions are imported from',
  }),
  catchUp: setting(Type.Boolean(), true, {
    label: 'Fetch missed mentions',
    help: 'After your first import, Porchlight fetches mentions that arrived while this computer was off. Once a week, it deletes mentions that were deleted at webmention.io. If there are many, it asks first.',
    also: 'webmention.io aggregator catch up sync weekly deleted',
    asks: 'Fetch missed mentions from the aggregator',
  }),
};
const WebmentionSettings = settingsSchema(webmentionArea);

export const TunnelMode = choice('off', 'quick', 'named');
export type TunnelMode = Static<typeof TunnelMode>;

const tunnelArea = {
  mode: setting(TunnelMode, 'off', {
    label: 'How the web reaches you',
    also: 'tunnel cloudflare cloudflared options certificate api token hostname domain reverse proxy port https reachable online',
  }),
  hostname: setting(Type.String({ maxLength: 253, pattern: '^[A-Za-z0-9.-]*$' }), '', {
    label: 'Host name of the tunnel',
  }),
  /** The public origin of the owner's own reverse proxy; empty if there is none. Used only while `mode` is `off`. */
  publicUrl: setting(Type.String({ maxLength: 2048 }), '', { label: 'Public address' }),
};
const TunnelSettings = settingsSchema(tunnelArea);

const TunnelOption = Type.String({ maxLength: 100, pattern: tunnelOptionPattern });

/** What the owner's network needs of cloudflared, the program that runs the tunnel. */
const cloudflaredArea = {
  /** The owner's own options, such as `--protocol=http2`. */
  options: setting(Type.Array(TunnelOption, { maxItems: 20 }), [], { label: 'Options for cloudflared' }),
  /**
   * The full path of a PEM file with the only certificate that cloudflared trusts on the way to Cloudflare, for a network
   * that intercepts connections. Empty for cloudflared's own.
   */
  certificate: setting(Type.String({ maxLength: 4096 }), '', { label: 'Certificate for cloudflared' }),
};
const CloudflaredSettings = settingsSchema(cloudflaredArea);

/** The settings of the desktop app. `sound`: whether notifications make a sound. */
const desktopArea = {
  startAtLogin: setting(Type.Boolean(), false, {
    label: 'Start at login',
    help: 'Porchlight starts without a window. You find it in the tray.',
    also: 'autostart launch boot startup',
  }),
  notifications: setting(Type.Boolean(), true, {
    label: 'Show notifications',
    help: 'When an app asks to sign in, and when somebody mentions you.',
    also: 'alerts messages',
    asks: 'Notifications',
  }),
  sound: setting(Type.Boolean(), false, {
    label: 'Play a sound with notifications',
    also: 'audio quiet mute',
    taken: true,
  }),
  /** The global shortcut that opens the editor (an Electron accelerator); empty if there is none. */
  writeShortcut: setting(Type.String({ maxLength: 100 }), '', {
    label: 'Shortcut for writing a post',
    help: 'Opens a small editor while you use any app. Select the field, then press the keys.',
    also: 'global hotkey keyboard keys compose quick note editor',
    taken: true,
  }),
};
const DesktopSettings = settingsSchema(desktopArea);

/**
 * The weekly backup. `folder`: the folder where backups are saved; empty if the weekly backup is off. `keep`: the
 * number of backups to keep.
 */
const backupArea = {
  folder: setting(Type.String({ maxLength: 4096 }), '', { label: 'Folder for weekly backups' }),
  keep: setting(Type.Integer({ minimum: 1, maximum: 100 }), 8, { label: 'Weekly backups to keep' }),
};
const BackupSettings = settingsSchema(backupArea);

const assistantsArea = {
  /** Whether assistants may sign in, read public posts and write drafts (MCP). */
  on: setting(Type.Boolean(), false, {
    label: 'Let assistants sign in',
    help: 'An assistant that you approve can read your public posts and write drafts. You read and publish them.',
    also: 'mcp ai claude chatgpt cursor agent model context protocol',
    asks: 'Assistants may sign in',
  }),
};
const AssistantSettings = settingsSchema(assistantsArea);

const phonesArea = {
  /** Whether a phone that was paired at this computer may approve sign-ins. */
  on: setting(Type.Boolean(), false, {
    label: 'Approve sign-ins on your phone',
    help: 'You pair a phone here, at this computer. It then approves sign-ins with its passkey.',
    also: 'mobile passkey webauthn pair remote away iphone android',
    asks: 'Phones may approve sign-ins',
  }),
  /** What a phone may approve. It leaves out all other permissions that an app asks for. */
  scopes: setting(
    Type.Array(Scope, { maxItems: 100 }),
    [
      ...['profile', 'email', 'create', 'post', 'draft', 'update', 'undelete', 'media', 'read_mentions'],
      ...['read', 'follow', 'mute', 'block', 'channels'],
    ],
    {
      label: 'Permissions that a phone can give',
      help: 'If an app asks for more, give it the rest at this computer.',
      also: 'scopes delete approve',
    },
  ),
  push: setting(choice('off', 'web', 'ntfy'), 'off', {
    label: 'Notifications on your phone',
    help: 'A notification says only that someone asks to sign in.',
    also: 'push alerts web ntfy',
    options: {
      off: { label: 'None', help: 'Open your public address with /phone at the end to see what waits.' },
      web: { label: 'From the phone’s browser', help: 'You turn them on at /phone on each phone.' },
      ntfy: { label: 'From the ntfy app', help: 'Porchlight sends them to your topic on an ntfy server.' },
    },
  }),
};
const PhoneSettings = settingsSchema(phonesArea);

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
  assistants: assistantsArea,
  phones: phonesArea,
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
  assistants: AssistantSettings,
  phones: PhoneSettings,
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
  assistants: part(AssistantSettings),
  phones: part(PhoneSettings),
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
};
