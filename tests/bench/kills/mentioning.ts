import { page } from '../../support/client-app.ts';
import { rowOf } from '../../support/webmention-io.ts';
import { noted } from './activity.ts';
import { stateOfMention, type KnownMention } from './census.ts';
import { absent, removed } from './ledger.ts';
import { claimed, isAnswered, nameIn, type Lane, type Scene } from './scene.ts';

/** How long after it was read a mention is not sent again, in ms: the server rests it for 30 s (queue.ts). */
const restMs = 35_000;
const mostImported = 150;

/** Other people mention the owner's pages. Some change their text later, some take their page down. */
export const mentioning: Lane = async (scene, turn) => {
  const { random, census, sentAt, sites } = scene;
  const old = [...census.mentions].filter(
    ([source, { status }]) => status === 'approved' && Date.now() - (sentAt.get(source) ?? Infinity) > restMs,
  );
  const again = random.chance(0.4) ? claimed(scene, old, ([source]) => `mention ${source}`) : undefined;
  const site = random.pick(sites);
  const source = again?.[0] ?? `${site.origin}/${nameIn(scene, 'm', turn)}`;
  const target = `https://owner.example/page-${source.length % 7}${source.charCodeAt(source.length - 1) % 5}`;
  const url = new URL(source);
  const pages = sites.find(({ origin }) => origin === url.origin)?.pages;
  const text = `${url.pathname} says ${scene.round}`;
  const isGone = again !== undefined && random.chance(0.4);
  const html = `<article class="h-entry"><a class="u-in-reply-to" href="${target}">it</a><p class="e-content">${text}</p></article>`;
  pages?.set(url.pathname, isGone ? page('', {}, 410) : page(html));
  const acknowledge = scene.ledger.send(`mention ${source}`, isGone ? removed : `approved ${text}`);
  sentAt.set(source, Date.now());
  const body = new URLSearchParams({ source, target });
  const response = await fetch(`${scene.base}/webmention`, { method: 'POST', body });
  if (response.status === 201) acknowledge();
  await isAnswered(scene, response, 201);
};

type Decision = 'approved' | 'held' | 'hidden' | 'deleted' | 'restored';

/** The owner decides about mentions that were there before the round, and takes some decisions back. */
export const moderating: Lane = async (scene) => {
  const { random, census, sites, house } = scene;
  const ours = [...census.mentions].filter(([source]) =>
    sites.some(({ origin }) => source.startsWith(origin)),
  );
  const some = Array.from({ length: 1 + random.below(3) }, () =>
    claimed(scene, ours, ([one]) => `mention ${one}`),
  )
    .filter((one) => one !== undefined)
    .filter(([, { status }]) => status !== 'removed');
  if (some.length === 0) return;
  const [first] = some;
  const isDeleted = first?.[1].status === 'deleted';
  const alike = some.filter(([, { status }]) => (status === 'deleted') === isDeleted);
  const decision: Decision = isDeleted ? 'restored' : random.pick(['approved', 'held', 'hidden', 'deleted']);
  const before = alike.map(([source, one]) => [source, { ...one }] as const);
  const acknowledge = alike.map(([source, one]) => decide(scene, source, one, decision));
  const one = first?.[1];
  if (alike.length === 1 && one !== undefined && random.chance(0.5)) {
    if (decision === 'restored') await house.call('webmentions.restore', { id: one.id });
    else if (decision === 'deleted') await house.call('webmentions.delete', { id: one.id });
    else await house.call('webmentions.setStatus', { id: one.id, status: decision });
    for (const each of acknowledge) each();
    return;
  }
  const { undo } = await house.call('webmentions.decide', { ids: alike.map(([, { id }]) => id), decision });
  for (const each of acknowledge) each();
  if (undo === null || random.chance(0.6)) return;
  const back = before.map(([source, was]) => scene.ledger.send(`mention ${source}`, stateOfMention(was)));
  await house.call('webmentions.undo', { id: undo });
  for (const each of back) each();
};

/** Records a decision as sent. Returns the function that records it as acknowledged. */
function decide(scene: Scene, source: string, mention: KnownMention, decision: Decision): () => void {
  const { statusBefore } = scene;
  const status = decision === 'restored' ? (statusBefore.get(source) ?? 'approved') : decision;
  if (decision === 'deleted') statusBefore.set(source, mention.status);
  return scene.ledger.send(`mention ${source}`, stateOfMention({ ...mention, status }));
}

/** The owner blocks and unblocks sites. */
export const blocking: Lane = async (scene, turn) => {
  const { random, census, ledger, house } = scene;
  const isOld = census.blocked.length > 5 && random.chance(0.6);
  const domain = isOld ? random.pick(census.blocked) : `${nameIn(scene, 's', turn)}.example`;
  if (!scene.claim(`block ${domain}`)) return;
  const acknowledge = [
    ledger.send(`block ${domain}`, isOld ? absent : 'blocked'),
    noted(ledger, isOld ? 'webmention.unblocked' : 'webmention.blocked', domain),
  ];
  await house.call(isOld ? 'webmentions.unblockDomain' : 'webmentions.blockDomain', { domain });
  for (const each of acknowledge) each();
};

/** The aggregator gets more to tell, some of it changes or goes, and the owner imports. */
export const importing: Lane = async (scene, turn) => {
  const { random, aggregator, ledger, house } = scene;
  if (turn > 0 || !random.chance(0.4)) return;
  const { rows } = aggregator;
  if (rows.length < mostImported)
    for (let more = 1 + random.below(8); more > 0; more -= 1)
      rows.push({
        ...rowOf(rows.length),
        kind: 'reply',
        private: false,
        text: `Imported in ${scene.round}.`,
      });
  const [changed, gone] = [random.pick(rows), random.pick(rows)];
  aggregator.update(changed, `Changed in ${scene.round}.`, Date.now());
  if (rows.length > 30 && random.chance(0.3)) gone.deleted = true;
  const acknowledge = rows.flatMap(({ source, deleted, text }) => {
    const key = `mention ${source}`;
    if (deleted && ledger.stateOf(key) === absent) return [];
    return ledger.send(key, deleted ? removed : `approved ${text}`);
  });
  const entered = noted(ledger, 'webmention.imported');
  const { wouldRemove, id } = await house.call('webmentions.import', { aggregatorToken: aggregator.token });
  entered();
  // Imports that were cut short leave many mentions to remove at once, which the owner confirms.
  if (wouldRemove !== undefined) {
    if (id === undefined) throw new Error('The import names no run whose removals can be confirmed.');
    await house.call('webmentions.applyRemovals', { id });
  }
  for (const each of acknowledge) each();
};
