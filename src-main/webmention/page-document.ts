import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { closed } from '../contract/shapes.ts';
import { openDocument, type Document } from '../storage/document.ts';
import type { DurableFileOptions } from '../storage/durable-file.ts';
import { errorCode, readFailure } from '../storage/storage-error.ts';
import { Mention, pageOfTarget } from './mention.ts';

/** `pages/<key>.json`: a page that was mentioned, with all its mentions in the order of their arrival. */
export const PageDocument = closed({ target: Type.String(), mentions: Type.Array(Mention) });
export type PageDocument = Static<typeof PageDocument>;

export const pageFormat = { schema: PageDocument, format: 1, initial: { target: '', mentions: [] } };

/** Opens the document of a page, there or not; see openDocument. */
export function openPageDocument(
  options: Pick<DurableFileOptions<unknown>, 'file' | 'onRecovered' | 'now' | 'operations'>,
): Promise<Document<PageDocument>> {
  return openDocument({
    ...options,
    ...pageFormat,
    // A mention is replaced, never changed: the hundreds beside it need no copy.
    draftOf: (page) => ({ ...page, mentions: [...page.mentions] }),
  });
}

/** Names the document of the page that a target names: the SHA-256 of the page's address, in hex. */
export const pageKeyOf = (target: string) => createHash('sha256').update(pageOfTarget(target)).digest('hex');

/** Where the documents of pages are, in the folder of all webmentions. */
const pagesIn = (dir: string) => join(dir, 'pages');

export const pageFile = (dir: string, key: string) => join(pagesIn(dir), `${key}.json`);

/** The keys of the pages that have a document; one that lost all but its previous version counts, and recovers. */
export async function pageKeysIn(dir: string): Promise<Set<string>> {
  const keys = (await namesIn(pagesIn(dir))).map(
    (name) => /^([\da-f]{64})\.json(?:\.previous)?$/.exec(name)?.[1],
  );
  return new Set(keys.filter((key) => key !== undefined));
}

/** The names in a folder; none where there is no folder. */
export async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw readFailure(dir, error);
  }
}

/** An identifier that says by itself which page's document has the mention: no index is needed to find it. */
export const mentionId = (key: string, unique: string) =>
  `${Buffer.from(key, 'hex').toString('base64url')}.${unique}`;

/** The key of the page in whose document the mention is, if anywhere; undefined where we gave no such identifier. */
export function pageKeyOfId(id: string): string | undefined {
  const [, prefix] = /^([\w-]{43})\./.exec(id) ?? [];
  return prefix === undefined ? undefined : Buffer.from(prefix, 'base64url').toString('hex');
}
