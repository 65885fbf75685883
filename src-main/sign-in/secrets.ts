import type { Handlers } from '../contract/contract.ts';
import { newSigningKey } from './access-token.ts';
import { managementTokenName, newSecretText, type Secrets, signingKeyName } from '../platform/secrets.ts';
import type { EndingRegister } from '../storage/endings.ts';
import type { Activity } from '../storage/records/activity.ts';

export type ManagementToken = Awaited<ReturnType<typeof openManagementToken>>;

/** Reads the token of the management endpoints from the secret store; creates one if there is none. */
export async function openManagementToken(secrets: Secrets, endings: EndingRegister) {
  let value = (await secrets.get(managementTokenName)) ?? '';
  async function write(token: string): Promise<void> {
    await secrets.set(managementTokenName, token);
    value = token;
  }
  if (value === '') await write(newSecretText());
  /** The end of the old token, with the token that replaces it. */
  const replaced = endings.kind<string>({
    write: (_name, token) => write(token),
    words: () => 'the management token is replaced',
  });
  return {
    get value(): string {
      return replaced.get(managementTokenName) ?? value;
    },
    /** Replaces the token. The old token no longer counts, even if the new one can't be saved now. */
    async rotate(): Promise<{ token: string; saved: boolean }> {
      const token = newSecretText();
      await replaced.end(new Map([[managementTokenName, token]]), () => write(token));
      return { token, saved: replaced.isSaved(managementTokenName) };
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

interface SecretDeps {
  readonly token: ManagementToken;
  readonly activity: Activity;
}

export function secretHandlers({ token, activity }: SecretDeps) {
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
