import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Type } from 'typebox';
import { closed } from '../contract/shapes.ts';
import type { FolderRun, SiteFolderSettings } from '../contract/site-folder.ts';
import { agreementWords, type IsAgreed, mayRun, readGitSetup } from '../platform/git-setup.ts';
import { GitTrouble } from '../platform/git-trouble.ts';
import { type DataDocuments, readDocument } from '../storage/document.ts';

/**
 * The content of site-folder.json: what the owner allowed git to run for the folder of their own site, newest first.
 * Each entry is the digest of a folder and of everything that git runs for it (platform/git-setup.ts).
 */
const FolderConsent = closed({ allowed: Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' })) });

export const folderConsentName = 'site-folder.json';
export const folderConsentFormat = {
  schema: FolderConsent,
  kind: 'note' as const,
  format: 1,
  initial: { allowed: [] },
};
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

/** What git would run for the owner's folder. */
interface FolderRuns {
  readonly runs: FolderRun[];
  readonly isAllowed: boolean;
  /** Why publishing waits, as a message for the owner; undefined if it doesn't wait. */
  readonly words: string | undefined;
}

interface FolderRunsDeps {
  readonly settings: () => SiteFolderSettings;
  readonly isAgreed: IsAgreed;
}

const nothing: FolderRuns = { runs: [], isAllowed: true, words: undefined };
/** How long the status waits for the folder, in ms. The folder may be on a disk that doesn't respond. */
const patienceMs = 1000;

/** Creates the functions that read what git would run for the owner's folder. They run no program. */
export function createFolderRuns({ settings, isAgreed }: FolderRunsDeps) {
  /** The folder that is being read or was read last, and what was found there. */
  let latest:
    | { readonly path: string; found: FolderRuns; reading: Promise<FolderRuns> | undefined }
    | undefined;

  /** Returns what git would run for a folder now, and its digest; null if the folder is in no repository. */
  async function at(path: string): Promise<(FolderRuns & { readonly digest: string }) | null> {
    const setup = await readGitSetup(path);
    if (setup === null) return null;
    const isAllowed = mayRun(setup, isAgreed);
    const words = isAllowed ? undefined : agreementWords(setup.runs);
    return { runs: [...setup.runs], isAllowed, words, digest: setup.digest };
  }

  async function read(path: string): Promise<FolderRuns> {
    const found = await at(path).catch((error: unknown) => {
      if (!(error instanceof GitTrouble)) throw error;
      // Other problems are reported when Porchlight publishes.
      return error.kind === 'unread' ? { ...nothing, words: error.words } : nothing;
    });
    const { runs, isAllowed, words } = found ?? nothing;
    return { runs, isAllowed, words };
  }

  return {
    at,

    /** Returns what git would run for the folder in the settings. If the folder doesn't respond, returns the last known. */
    async now(): Promise<FolderRuns> {
      const { path, commit } = settings();
      if (path === '' || !commit) return nothing;
      if (latest?.path !== path) latest = { path, found: nothing, reading: undefined };
      const entry = latest;
      // The folder is read only once at a time, because each read occupies a thread while a disk doesn't respond.
      entry.reading ??= read(path).finally(() => (entry.reading = undefined));
      entry.found = await Promise.race([entry.reading, pause(patienceMs, entry.found, { ref: false })]);
      return entry.found;
    },
  };
}
