import { type Static, Type } from 'typebox';
import { choice, closed, Id, method, Moment, Nothing, orNull, Scope, setting, withSaved } from './shapes.ts';
import { knownScopes } from './sign-ins.ts';

/** What the owner sets about approving sign-ins on a phone. */
export const phonesArea = {
  on: setting(Type.Boolean(), false, {
    label: 'Approve sign-ins on your phone',
    help: 'A phone that you pair here can approve with its passkey. Your computer must be awake.',
    also: 'mobile passkey webauthn away remote iphone android',
    asks: 'PhoneList may approve sign-ins',
  }),
  scopes: setting(
    Type.Array(Scope, { maxItems: 100 }),
    [...knownScopes, 'post', 'read', 'follow', 'mute', 'block', 'channels'].filter(
      (scope) => scope !== 'delete',
    ),
    {
      label: 'What a phone may allow',
      help: 'Approve everything else at this computer.',
      also: 'permissions scopes',
      asks: 'What a phone may allow',
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

/** A paired phone, or one that waits until the owner compares its code. */
export const Phone = closed({
  id: Id,
  name: Type.String(),
  /** The code that the phone shows too. Only while the phone waits to be confirmed. */
  code: Type.Optional(Type.String()),
  /** When it was paired, and when it last approved or showed what waits; null if never. */
  pairedAt: orNull(Moment),
  lastUsedAt: orNull(Moment),
  /** Whether the account of the phone may copy the passkey to other devices. */
  synced: Type.Boolean(),
  /** False if it was paired at another public host, so that it must be paired again. */
  usable: Type.Boolean(),
  /** The access of apps that were approved with this phone. */
  approved: Type.Array(closed({ id: Id, name: Type.String() })),
});
export type Phone = Static<typeof Phone>;
export const PhoneList = Type.Array(Phone);

export const phoneMethods = {
  'phones.list': method(Nothing, PhoneList),
  /**
   * Begins to pair a phone. `url`: what the QR code contains. It works once, for five minutes, and ends the one before.
   * @throws not_allowed while phones are off, no_public_address (409) where passkeys can't be used
   */
  'phones.pair': method(Nothing, closed({ id: Id, url: Type.String(), expiresAt: Moment })),
  /**
   * Pairs the phone that waits. The owner has compared the codes. In the desktop app, only its native prompt calls this.
   * @throws not_found (404) if no phone waits under this id
   */
  'phones.confirm': method(closed({ id: Id }), Phone),
  /**
   * Removes a phone, or one that waits. `revoke`: whether the apps that were approved with it are signed out too.
   * @throws not_found (404)
   */
  'phones.remove': method(closed({ id: Id, revoke: Type.Optional(Type.Boolean()) }), withSaved({ id: Id })),
};
