import type { Census } from './census.ts';
import type { Fault } from './ledger.ts';
import { bytesOf } from './posting.ts';

export interface Asked {
  readonly base: string;
  readonly census: Census;
  readonly tokens: ReadonlyMap<string, string>;
  /** Returns whether to ask about the thing with this key of the ledger. */
  readonly isAsked: (key: string) => boolean;
}

/** Asks for the pages of posts, for files, and with tokens, as everybody outside does. Returns what is wrong. */
export async function wrongPages({ base, census, tokens, isAsked }: Asked): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [name, { url, isDeleted, status }] of census.posts) {
    if (!isAsked(`post ${name}`)) continue;
    const response = await fetch(url, { redirect: 'manual' });
    await response.arrayBuffer();
    // A draft was never public, so nobody learns that it was deleted.
    const expected = status === 'draft' ? 404 : isDeleted ? 410 : 200;
    const isShown = response.status === 200;
    if (response.status !== expected)
      faults.push({
        kind: isShown ? 'resurrected' : 'lost',
        words: `${url} of ${name} answered ${response.status} instead of ${expected}`,
      });
  }
  for (const [page, source] of census.sources) {
    const post = census.posts.get(page.split('/')[0] ?? '');
    if (!isAsked(`send ${page}`) || post === undefined || post.isDeleted || post.status === 'draft') continue;
    const response = await fetch(source);
    await response.arrayBuffer();
    if (response.url !== post.url)
      faults.push({ kind: 'lost', words: `${page} was told of ${source}, which leads to ${response.url}` });
  }
  for (const [name, { url }] of census.files) {
    if (!isAsked(`file ${name}`)) continue;
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
    if (!bytes.equals(bytesOf(name)))
      faults.push({ kind: 'lost', words: `the file ${name} has other bytes` });
  }
  for (const [name, token] of tokens) {
    if (!isAsked(`app ${name}`)) continue;
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${base}/micropub?q=config`, { headers });
    await response.arrayBuffer();
    const isListed = census.apps.has(name);
    if (response.ok && !isListed)
      faults.push({ kind: 'resurrected', words: `the revoked token of ${name} is accepted` });
    if (!response.ok && isListed)
      faults.push({ kind: 'lost', words: `the token of ${name} is refused with ${response.status}` });
  }
  return faults;
}
