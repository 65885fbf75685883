import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Phone } from '../contract/phones.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { Phones } from './phones.ts';

interface PhoneHandlerDeps {
  readonly phones: Phones;
  readonly activity: Activity;
  readonly isOn: () => boolean;
  readonly base: () => string;
  /** Whether the public address stays the same. That of a quick tunnel doesn't. */
  readonly isLasting: () => boolean;
  /** Returns the access of apps that was approved with a phone. */
  readonly approvedWith: (phone: string) => { id: string; name: string }[];
  /** Ends what was approved with a phone and no app has used yet. */
  readonly takeBackOf: (phone: string) => void;
  /** Signs out an app. Returns whether that is on disk. */
  readonly revoke: (grant: string) => Promise<boolean>;
  /** Called with the phones after each change. */
  readonly changed: (phones: Phone[]) => void;
  /** Called when a phone was removed. */
  readonly removed: (id: string) => void;
}

const moment = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** Creates the owner's calls about phones, and `arrived`, which passes on that a phone waits to be confirmed. */
export function phoneHandlers(deps: PhoneHandlerDeps) {
  const { phones, activity, base, approvedWith, revoke, changed } = deps;
  const shown = ({ row, code, usable }: ReturnType<Phones['list']>[number]): Phone => ({
    id: row.id,
    name: row.name,
    ...(code !== undefined && { code }),
    pairedAt: code === undefined ? moment(row.paired_at) : null,
    lastUsedAt: moment(row.used_at),
    synced: row.synced === 1,
    usable,
    approved: approvedWith(row.id),
  });
  const list = (): Phone[] => phones.list().map(shown);

  const handlers = {
    'phones.list': list,
    'phones.pair': () => {
      if (!deps.isOn())
        throw new PorchlightError('not_allowed', 'Turn on “Approve sign-ins on your phone” first.');
      const { protocol, hostname } = new URL(base());
      if (!deps.isLasting() || (protocol !== 'https:' && hostname !== 'localhost'))
        throw new PorchlightError(
          'no_public_address',
          'Phones need a public address that stays the same. A quick tunnel’s address changes. Choose another way in Settings, Public address.',
          409,
        );
      const { id, secret, expiresAt } = phones.pair();
      return { id, url: `${base()}/phone#pair=${secret}`, expiresAt: new Date(expiresAt).toISOString() };
    },
    'phones.confirm': async ({ id }) => {
      const row = await phones.confirm(id);
      await activity.record('phone.paired', `You paired the phone “${row.name}”. It can approve sign-ins.`);
      changed(list());
      return shown({ row, usable: true });
    },
    'phones.remove': async ({ id, revoke: isRevoked = false }) => {
      const { name, wasPaired, saved } = await phones.remove(id);
      deps.removed(id);
      const all = [saved];
      if (isRevoked) deps.takeBackOf(id);
      const apps = isRevoked ? approvedWith(id) : [];
      for (const app of apps) all.push(await revoke(app.id));
      const too = apps.length > 0 ? ` You signed out ${apps.map((app) => app.name).join(', ')}.` : '';
      if (wasPaired) await activity.record('phone.removed', `You removed the phone “${name}”.${too}`);
      changed(list());
      return { id, saved: all.every(Boolean) };
    },
  } satisfies Partial<Handlers>;

  return { handlers, arrived: () => changed(list()) };
}
