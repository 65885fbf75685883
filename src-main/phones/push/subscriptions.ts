import { Type, type Static } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { closed, Id } from '../../contract/shapes.ts';
import { isLoopbackHost } from '../../platform/web-address.ts';
import { phonePushName, type Secrets } from '../../platform/secrets.ts';
import { jsonIn } from '../../storage/json-value.ts';
import { oneAtATime } from '../../storage/pacing.ts';
import { isValid } from '../../storage/schema-check.ts';
import { encryptPush, newSenderKey, SenderKey } from './encryption.ts';

/** A browser's subscription, as `JSON.stringify(PushSubscription)` makes it. */
const BrowserSubscription = Type.Object({
  endpoint: Type.String({ maxLength: 1024 }),
  keys: Type.Object({
    p256dh: Type.String({ pattern: '^[\\w-]{87}=?$' }),
    auth: Type.String({ pattern: '^[\\w-]{22}(==)?$' }),
  }),
});

/** Where a phone gets its pushes. Who has the endpoint can send to it, so all of this is secret. */
const PushSubscription = closed({
  phone: Id,
  endpoint: Type.String(),
  p256dh: Type.String(),
  auth: Type.String(),
});
export type PushSubscription = Static<typeof PushSubscription>;

const PushSecrets = closed({ sender: SenderKey, subscriptions: Type.Array(PushSubscription) });
type PushSecrets = Static<typeof PushSecrets>;

/** The push services of browsers: hosts, and domains of hosts. Porchlight sends pushes to no other. */
const pushServices = [
  'fcm.googleapis.com', // Chrome, and most browsers that are based on it
  'jmt17.google.com', // Chromium
  'updates.push.services.mozilla.com',
  '.push.apple.com',
  '.notify.windows.com',
];

/** Windows stores at most 2,560 bytes under one name of its keychain. */
const mostBytes = 2500;

/** Returns whether a URL belongs to a push service. `allowPrivate`: whether this computer may be one. */
function isPushService(url: string, allowPrivate: boolean): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host, hostname, username, password } = new URL(url);
  if (allowPrivate && isLoopbackHost(hostname)) return true;
  return (
    protocol === 'https:' &&
    username + password === '' &&
    pushServices.some((one) => (one.startsWith('.') ? host.endsWith(one) : host === one))
  );
}

/**
 * Checks a subscription that a phone sent.
 * @throws PorchlightError `invalid_request`
 */
export function parseSubscription(phone: string, sent: unknown, allowPrivate: boolean): PushSubscription {
  if (!isValid(BrowserSubscription, sent))
    throw new PorchlightError('invalid_request', 'This isn’t a push subscription.');
  const { endpoint, keys } = sent;
  if (!isPushService(endpoint, allowPrivate))
    throw new PorchlightError('invalid_request', 'Porchlight doesn’t know this push service.');
  const { p256dh, auth } = keys;
  try {
    encryptPush({ p256dh, auth }, '');
  } catch {
    throw new PorchlightError('invalid_request', 'The key of this push subscription isn’t valid.');
  }
  return { phone, endpoint, p256dh, auth };
}

/**
 * Opens the key for pushes and the phones' subscriptions in the secret store. Ignores subscriptions at other servers,
 * because a backup may have brought them.
 */
export function openSubscriptions(secrets: Secrets, allowPrivate: boolean) {
  let text: string | undefined;
  const inTurn = oneAtATime();

  /** Stores what `edit` makes of the subscriptions. A key that is missing or damaged is created. */
  const change = (edit: (all: PushSubscription[]) => PushSubscription[]): Promise<PushSecrets> =>
    inTurn(async () => {
      text ??= (await secrets.get(phonePushName)) ?? '';
      const stored = jsonIn(text);
      const before = isValid(PushSecrets, stored) ? stored : { sender: newSenderKey(), subscriptions: [] };
      const known = before.subscriptions.filter(({ endpoint }) => isPushService(endpoint, allowPrivate));
      const next = { ...before, subscriptions: edit(known) };
      const written = JSON.stringify(next);
      if (written === text) return next;
      if (written.length > mostBytes)
        throw new PorchlightError(
          'forbidden',
          'Too many phones get notifications. Turn them off on another phone first.',
          403,
        );
      await secrets.set(phonePushName, written);
      text = written;
      return next;
    });

  return {
    /** Returns the key for pushes and all subscriptions. */
    read: () => change((all) => all),
    /** Stores a phone's subscription in place of an earlier one. Resolves once it is stored durably. */
    put: (one: PushSubscription) =>
      change((all) =>
        [...all.filter(({ phone, endpoint }) => phone !== one.phone && endpoint !== one.endpoint), one].sort(
          (a, b) => (a.phone < b.phone ? -1 : 1),
        ),
      ),
    /** Removes the subscriptions that `which` selects. */
    remove: (which: (one: PushSubscription) => boolean) => change((all) => all.filter((one) => !which(one))),
  };
}
