import type { Handlers } from '../contract/contract.ts';
import { newSecretText } from '../platform/secret-text.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Activity } from './activity.ts';

/** The token of the management endpoints, made at first use. */
export interface ManagementToken {
  readonly value: string;
  rotate(): Promise<string>;
}

/** Where the token of the management endpoints stands among the secrets. */
export const managementTokenName = 'management-token';

/** Reads the management token from where secrets are kept; makes one where there is none. */
export async function openManagementToken(secrets: Secrets): Promise<ManagementToken> {
  async function renew(): Promise<string> {
    const fresh = newSecretText();
    await secrets.set(managementTokenName, fresh);
    return fresh;
  }
  let value = (await secrets.get(managementTokenName)) ?? (await renew());
  return {
    get value() {
      return value;
    },
    async rotate() {
      value = await renew();
      return value;
    },
  };
}

type SecretHandlers = Pick<Handlers, 'secrets.managementToken' | 'secrets.rotateManagementToken'>;

interface SecretDeps {
  readonly token: ManagementToken;
  readonly activity: Activity;
}

export function secretHandlers({ token, activity }: SecretDeps): SecretHandlers {
  return {
    'secrets.managementToken': () => ({ token: token.value }),
    'secrets.rotateManagementToken': async () => {
      const fresh = await token.rotate();
      await activity.tell('token.rotated', 'You made a new management token; the old one no longer works.');
      return { token: fresh };
    },
  };
}
