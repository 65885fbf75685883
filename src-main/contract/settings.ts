import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Maybe, Nothing, closed } from './shapes.ts';
import { Lifetime } from './sign-ins.ts';
import { windowUploadBytes } from './media.ts';

/**
 * Who the owner is. `me` is the profile URL (IndieAuth 3.2); null until set up. Empty text: not given. `photo` is an
 * address: this server's own for a photo that was uploaded or copied.
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
  /** How long an app that is not used stays signed in. */
  refreshTokenSeconds: Lifetime,
  /** Admits old clients that do not know PKCE; the consent warns (D-8). */
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

const Host = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.:\\[\\]-]+$' });

const WebmentionSettings = closed({
  hosts: Type.Array(Host, { maxItems: 100 }),
  hold: Type.Union([Type.Literal('nothing'), Type.Literal('strangers'), Type.Literal('everything')]),
  trustedDomains: Type.Array(Host, { maxItems: 10_000 }),
  aggregatorUrl: Type.String({ maxLength: 2048 }),
  catchUp: Type.Boolean(),
});

export const TunnelMode = Type.Union([Type.Literal('off'), Type.Literal('quick'), Type.Literal('named')]);
export type TunnelMode = Static<typeof TunnelMode>;

const TunnelSettings = closed({
  mode: TunnelMode,
  hostname: Type.String({ maxLength: 253, pattern: '^[A-Za-z0-9.-]*$' }),
  /** The public origin, where the owner's own reverse proxy brings it; counts while `mode` is `off`. Empty: none. */
  publicUrl: Type.String({ maxLength: 2048 }),
});

/** `sound`: whether notifications may make one. */
const DesktopSettings = closed({
  startAtLogin: Type.Boolean(),
  notifications: Type.Boolean(),
  sound: Type.Boolean(),
});

/** The weekly copy: where it goes (empty: none is made), and how many are kept. */
const BackupSettings = closed({
  folder: Type.String({ maxLength: 4096 }),
  keep: Type.Integer({ minimum: 1, maximum: 100 }),
});

export const Settings = closed({
  profile: Profile,
  signIn: SignInSettings,
  micropub: MicropubSettings,
  webmention: WebmentionSettings,
  tunnel: TunnelSettings,
  desktop: DesktopSettings,
  backup: BackupSettings,
});
export type Settings = Static<typeof Settings>;

const part = <P extends Parameters<typeof Type.Partial>[0]>(schema: P) =>
  Type.Optional(Type.Partial(schema, { additionalProperties: false }));

/** Any part of the settings; lists are replaced whole. */
export const SettingsPatch = closed({
  profile: part(Profile),
  signIn: part(SignInSettings),
  micropub: part(MicropubSettings),
  webmention: part(WebmentionSettings),
  tunnel: part(TunnelSettings),
  desktop: part(DesktopSettings),
  backup: part(BackupSettings),
});
export type SettingsPatch = Static<typeof SettingsPatch>;

export const settingsMethods = {
  'settings.get': method(Nothing, Settings),
  'settings.update': method(SettingsPatch, Settings),
  /** Reads the profile that a page's representative h-card tells; changes nothing. */
  'profile.read': method(closed({ url: Type.String({ minLength: 1, maxLength: 2048 }) }), Profile),
  /** Returns the owner's photo as a data URL; null where this server holds none. */
  'profile.photo': method(Nothing, closed({ dataUrl: Maybe(1_000_000) })),
  /** Makes a picture file the owner's photo. `data`: its bytes in base64. */
  'profile.setPhoto': method(
    closed({ data: Type.String({ minLength: 1, maxLength: Math.ceil(windowUploadBytes / 3) * 4 }) }),
    Settings,
  ),
  'profile.removePhoto': method(Nothing, Settings),
};
