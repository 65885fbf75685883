import { PorchlightError } from '../../contract/error.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { cloudflareTokenName } from '../../platform/secret-names.ts';
import { noteSetup, type CloudflareDocument } from './record.ts';

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
