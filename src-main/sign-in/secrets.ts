import type { Handlers } from '../contract/contract.ts';
import { newSigningKey } from './access-token.ts';
import { managementTokenName, newSecretText, type Secrets, signingKeyName } from '../platform/secrets.ts';
import type { Activity } from '../storage/records/activity.ts';
import { isDiskFailure } from '../storage/storage-error.ts';
import type { Unsaved } from './unsaved.ts';

export type ManagementToken = Awaited<ReturnType<typeof openManagementToken>>;

/** Reads the token of the management endpoints from the secret store; creates one if there is none. */
export async function openManagementToken(secrets: Secrets, unsaved: Pick<Unsaved, 'add' | 'refused'>) {
  let value = (await secrets.get(managementTokenName)) ?? '';
  if (value === '') {
    value = newSecretText();
    await secrets.set(managementTokenName, value);
  }
  let isSaved = true;

  /** Saves the token if it still counts. Returns whether it is saved. */
  async function save(token: string): Promise<boolean> {
    if (token !== value) return true;
    try {
      await secrets.set(managementTokenName, token, { ends: true });
      if (token === value) isSaved = true;
      return true;
    } catch (error) {
      if (!isDiskFailure(error)) throw error;
      if (token === value) isSaved = false;
      unsaved.refused(error);
      return false;
    }
  }

  unsaved.add({
    words: () => (isSaved ? [] : ['the management token is replaced']),
    retry: async () => void (isSaved || (await save(value))),
  });

  return {
    get value(): string {
      return value;
    },
    /** Replaces the token. The old token no longer counts, even if the new one can't be saved now. */
    async rotate(): Promise<{ token: string; saved: boolean }> {
      const before = value;
      const token = newSecretText();
      value = token;
      try {
        return { token, saved: await save(token) };
      } catch (error) {
        if (value === token) value = before;
        throw error;
      }
    },
  };
}

/**
 * Reads the key that signs access tokens; creates one if there is none. Returns a private JWK on one line. `missing`:
 * called before a new key is stored.
 */
export async function openSigningKey(secrets: Secrets, missing: () => Promise<void>): Promise<string> {
  const known = await secrets.get(signingKeyName);
  if (known !== null) return known;
  await missing();
  const fresh = await newSigningKey();
  await secrets.set(signingKeyName, fresh);
  return fresh;
}

export function secretHandlers(token: ManagementToken, activity: Activity) {
  return {
    'secrets.managementToken': () => ({ token: token.value }),
    'secrets.rotateManagementToken': async () => {
      const rotated = await token.rotate();
      await activity.record(
        'token.rotated',
        'You created a new management token. The old one no longer works.',
      );
      return rotated;
    },
  } satisfies Partial<Handlers>;
}
