import type { Result } from '../../contract/contract.ts';
import { PorchlightError } from '../../contract/error.ts';
import type { CloudflareApi } from './api.ts';
import { type ApiZone, CloudflareError } from './answers.ts';
import { cloudflareTokenName, type Secrets } from '../../platform/secrets.ts';
import { type CloudflareDocument, noteSetup } from './record.ts';

export type ApiTokens = ReturnType<typeof createApiTokens>;

/**
 * Creates the storage for Cloudflare's API token. A pasted token stays in memory until a task needs it. The task then
 * stores the token in the keychain. When the task is finished, the token is removed unless the owner keeps it. No
 * backup contains the token.
 */
export function createApiTokens(secrets: Secrets, document: CloudflareDocument) {
  let pasted: string | null = null;

  async function unstore(): Promise<void> {
    if (document.data.setup?.tokenStored !== true) return;
    await secrets.delete(cloudflareTokenName);
    await noteSetup(document, { tokenStored: false });
  }

  return {
    /** Remembers a token until Porchlight quits, or until a task discards it. */
    remember: (token: string) => void (pasted = token),

    /** Returns the token to use. @throws PorchlightError cloudflare_token_needed */
    async current(): Promise<string> {
      const stored =
        document.data.setup?.tokenStored === true ? await secrets.get(cloudflareTokenName) : null;
      const token = pasted ?? stored;
      if (token !== null) return token;
      throw new PorchlightError(
        'cloudflare_token_needed',
        'Porchlight needs a Cloudflare API token for this. Create one at Cloudflare, and paste it.',
      );
    },

    /**
     * Stores a token in the keychain for a task. Before that, records in cloudflare.json that a token is stored, so
     * that Porchlight can find and delete the token later.
     */
    async keep(token: string): Promise<void> {
      await noteSetup(document, { tokenStored: true });
      await secrets.set(cloudflareTokenName, token);
    },

    /** Deletes the stored token. A pasted token stays in memory. */
    unstore,

    /** Deletes the stored token and the pasted token. */
    discard: async (): Promise<void> => {
      pasted = null;
      await unstore();
    },
  };
}

/**
 * Checks a token, and returns the accounts and domains that the token can access.
 * @throws CloudflareError `cloudflare_token` if the token isn't valid, or lacks permissions (the message names all of
 * them)
 */
export async function whatTokenOffers(api: CloudflareApi): Promise<Result<'cloudflare.connect'>> {
  await api.verifyToken();
  const zones = await api.zones();
  const accounts = new Map(zones.map(({ account }) => [account.id, account.name ?? account.id]));
  for (const { id, name } of await orNone(api.accounts())) accounts.set(id, name);
  const [zone] = zones;
  if (zone !== undefined) await checkPermissions(api, zone);
  return {
    accounts: [...accounts].map(([id, name]) => ({ id, name })),
    zones: zones.map(({ id, name, account, status }) => ({
      id,
      name,
      accountId: account.id,
      active: status === 'active',
    })),
  };
}

/**
 * Returns the result of `list`, or an empty list if the token lacks the permission that `list` needs. Listing accounts
 * may need an extra permission. Without it, the accounts are taken from the domains.
 */
async function orNone<T>(list: Promise<T[]>): Promise<T[]> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof CloudflareError && error.code === 'cloudflare_token') return [];
    throw error;
  }
}

/**
 * Checks, as far as possible, that the token has all permissions that the setup needs. A token can't query its own
 * permissions at Cloudflare, so this function tries to read each kind of resource that the setup creates. If the token
 * can read resources but not create them, the setup fails later with a message about the missing permission.
 */
async function checkPermissions(api: CloudflareApi, { id, name, account }: ApiZone): Promise<void> {
  const lacks = new Set<string>();
  for (const read of [
    () => api.findTunnel(account.id, 'porchlight'),
    () => api.scripts(account.id),
    () => api.records(id, name),
    () => api.routes(id),
  ]) {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof CloudflareError) || error.permission === null) throw error;
      lacks.add(`“${error.permission}”`);
    }
  }
  if (lacks.size === 0) return;
  const words =
    lacks.size === 1
      ? `lacks the permission ${[...lacks].join('')}`
      : `lacks these permissions: ${[...lacks].join(', ')}`;
  throw new CloudflareError(
    'cloudflare_token',
    `The API token ${words}. Add what it lacks at Cloudflare, or create a new token, and paste it.`,
  );
}
