import { post } from '../../support/sign-in.ts';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import type { House } from './house.ts';
import { digestOf, type KeptMention, type Ledger } from './ledger.ts';
import { rest } from './work.ts';

const atOnce = 8;
/** How long the queue may take to be worked off, in ms. */
const patienceMs = 120_000;

/** Looks for everything that was acknowledged; answers, in words, what is lost or not as it was acknowledged. */
export async function audit(house: House, ledger: Ledger): Promise<string[]> {
  const { token } = await house.call('apps.issueToken', { label: 'Audit', scopes: ['read', 'media'] });
  const bearer = { authorization: `Bearer ${token}` };
  return [
    ...(await eachOf(ledger.posts, async (url, { text, isDeleted, links }) => {
      if (isDeleted) return (await statusOf(url)) === 410 ? undefined : `${url} is deleted, and shown`;
      const question = `${house.base}/micropub?q=source&url=${encodeURIComponent(url)}`;
      const source = await (await fetch(question, { headers: bearer })).text();
      if (!source.includes(text)) return `the post ${url} does not say “${text}”: ${source.slice(0, 200)}`;
      if ((await statusOf(url)) !== 200) return `the post ${url} is not shown`;
      if (links === undefined) return undefined;
      const deliveries = await house.call('webmentions.deliveries', { source: url });
      const isNotified = deliveries.some(
        ({ target, state }) => target === links && /sent|waiting/.test(state),
      );
      return isNotified ? undefined : `${links} was not told of ${url}`;
    })),
    ...(await eachOf(ledger.files, async (url, digest) => {
      const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
      return digestOf(bytes) === digest ? undefined : `the file ${url} has other bytes`;
    })),
    ...(await auditMentions(house, ledger)),
    ...(await auditApps(house, ledger)),
  ];
}

async function auditMentions(house: House, ledger: Ledger): Promise<string[]> {
  const latest = performance.now() + patienceMs;
  while ((await house.call('webmentions.process', {})).waiting > 0) {
    if (performance.now() > latest) return ['mentions still wait to be verified'];
    await rest(500);
  }
  const found = new Map<string, MentionRecord>();
  let cursor: string | undefined;
  do {
    const asked = { limit: 500, ...(cursor !== undefined && { cursor }) };
    const { items, nextCursor } = await house.call('webmentions.list', asked);
    for (const item of items) found.set(item.source, item);
    cursor = nextCursor;
  } while (cursor !== undefined);
  // The list may leave out what is gone: then it is not there, which is as it was acknowledged.
  const { items: removed } = await house.call('webmentions.list', { status: 'removed', limit: 500 });
  for (const item of removed) found.set(item.source, item);
  const faultOf = (source: string, { target, says }: KeptMention): string | undefined => {
    const record = found.get(source);
    if (says === null)
      return record && record.status !== 'removed' ? `the mention of ${source} is gone, and here` : undefined;
    if (record === undefined) return `the mention of ${source} is lost`;
    if (record.target !== target || record.status !== 'approved')
      return `the mention of ${source} is ${record.status}, of ${record.target}`;
    const words = record.content?.value;
    return words === undefined || words.includes(says)
      ? undefined
      : `the mention of ${source} says “${words}”, not “${says}”`;
  };
  return [...ledger.mentions, ...ledger.imported].flatMap(([source, kept]) => faultOf(source, kept) ?? []);
}

/** Signed-in apps stay so, over a restart too; those that were signed out stay out. */
async function auditApps(house: House, { apps }: Ledger): Promise<string[]> {
  const lost: string[] = [];
  for (const { clientId, access, refresh, isRevoked } of apps) {
    const headers = { authorization: `Bearer ${access}` };
    const { status } = await fetch(`${house.base}/micropub?q=config`, { headers });
    if (isRevoked && status !== 401) lost.push(`a pass that was revoked is answered ${status}`);
    if (isRevoked) continue;
    const fields = { grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId };
    const refreshed = await post(house, '/token', fields);
    if (!refreshed.ok) lost.push(`an app that is signed in is refused: ${await refreshed.text()}`);
  }
  return lost;
}

const statusOf = async (url: string) => {
  const response = await fetch(url, { redirect: 'manual' });
  await response.arrayBuffer();
  return response.status;
};

/** Looks at each, some at a time. */
async function eachOf<T>(
  things: ReadonlyMap<string, T>,
  check: (name: string, thing: T) => Promise<string | undefined>,
): Promise<string[]> {
  const [rest, lost] = [[...things], [] as string[]];
  const lane = async (): Promise<void> => {
    for (let next = rest.pop(); next; next = rest.pop()) {
      const words = await check(...next);
      if (words !== undefined) lost.push(words);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return lost;
}
