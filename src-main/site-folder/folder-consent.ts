import { join } from 'node:path';
import { Type } from 'typebox';
import { closed } from '../contract/shapes.ts';
import type { DataDocuments } from '../storage/data-documents.ts';
import { readDocument } from '../storage/unopened.ts';

/**
 * The content of site-folder.json: what the owner allowed git to run for the folder of their own site, newest first.
 * Each entry is the digest of a folder and of everything that git runs for it (platform/git-setup.ts).
 */
const FolderConsent = closed({ allowed: Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' })) });

export const folderConsentName = 'site-folder.json';
export const folderConsentFormat = { schema: FolderConsent, format: 1, initial: { allowed: [] } };
/** The maximum number of entries. An owner who uses several folders by turns isn't asked again each time. */
const mostKept = 20;

/** Opens site-folder.json, which records what the owner allowed git to run. */
export async function openFolderConsents(documents: DataDocuments) {
  const document = await documents.open(folderConsentName, folderConsentFormat);
  return {
    has: (digest: string) => document.data.allowed.includes(digest),
    /** Records the owner's agreement. Resolves when it is on disk. */
    async add(digest: string): Promise<void> {
      await document.update((data) => {
        data.allowed = [digest, ...data.allowed.filter((one) => one !== digest)].slice(0, mostKept);
      });
    },
  };
}

/** Returns what the owner allowed in a data folder, even while a server uses the folder. */
export async function allowedIn(dir: string): Promise<readonly string[]> {
  return (await readDocument(join(dir, folderConsentName), folderConsentFormat))?.allowed ?? [];
}
