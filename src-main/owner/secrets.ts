import type { Handlers } from '../contract/contract.ts';
import { newSigningKey } from '../indieauth/access-token.ts';
import { newSecretText } from '../platform/secret-text.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Activity } from './activity.ts';
import { managementTokenName, signingKeyName } from './secret-names.ts';

export type ManagementToken = Awaited<ReturnType<typeof openManagementToken>>;

/** Reads the token of the management endpoints from the secret store; creates one if there is none. */
export async function openManagementToken(secrets: Secrets) {
  async function renew(): Promise<string> {
    const fresh = newSecretText();
    await secrets.set(managementTokenName, fresh);
    return fresh;
  }
  let value = (await secrets.get(managementTokenName)) ?? (await renew());
  return {
    get value(): string {
      return value;
    },
    async rotate(): Promise<string> {
      value = await renew();
      return value;
    },
  };
}

/** Reads the key that signs access tokens; creates one if there is none. Returns a private JWK on one line. */
export async function openSigningKey(secrets: Secrets): Promise<string> {
  const known = await secrets.get(signingKeyName);
  if (known !== null) return known;
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
      const fresh = await token.rotate();
      await activity.tell(
        'token.rotated',
        'You created a new management token. The old one no longer works.',
      );
      return { token: fresh };
    },
  } satisfies Partial<Handlers>;
}
