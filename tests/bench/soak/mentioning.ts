import { page, type Site } from '../../support/client-app.ts';
import { rowOf } from '../../support/webmention-io.ts';
import { answered, type Lane, type Scene } from './work.ts';

/** How long after it was looked at a mention may not be sent again (queue.ts: 30 s), and the time to be looked at. */
const restMs = 40_000;

/** People whose pages mention the owner's: most once; some write something else later, some take theirs down. */
export function mentioning({ house, ledger, sites }: Scene): Lane {
  const sent: { source: string; path: string; site: Site; target: string; at: number }[] = [];

  function show(site: Site, path: string, target: string, text: string): void {
    const link = `<a class="u-in-reply-to" href="${target}">about</a>`;
    const html = `<article class="h-entry">${link}<p class="e-content">${text}</p></article>`;
    site.pages.set(path, page(html));
  }

  async function send(source: string, target: string): Promise<void> {
    const body = new URLSearchParams({ source, target });
    const response = await fetch(`${house.base}/webmention`, { method: 'POST', body });
    await answered(response, 201);
    await answered(await fetch(response.headers.get('location') ?? ''), 200);
  }

  async function again(number: number): Promise<void> {
    const one = sent[0];
    if (one === undefined || Date.now() - one.at < restMs) return;
    sent.shift();
    const { site, path, source, target } = one;
    const says = number % 4 === 3 ? null : `Changed in turn ${number}.`;
    if (says === null) site.pages.set(path, page('', {}, 410));
    else show(site, path, target, says);
    await send(source, target);
    ledger.mentions.set(source, { target, says });
    ledger.count(says === null ? 'mentions taken down' : 'mentions changed');
  }

  return {
    name: 'mentioning',
    pauseMs: 600,
    async turn(number) {
      if (number % 2 === 1) await again(number);
      const site = sites[number % sites.length];
      if (!site) return;
      const path = `/notes/${number}`;
      const posts = [...ledger.posts].filter(([, { isDeleted }]) => !isDeleted);
      const ours = posts[number % 7]?.[0];
      // Posts of this server, and pages of the owner's own site.
      const target = number % 2 === 0 && ours ? ours : `https://owner.example/page-${number % 40}`;
      const says = `Said in turn ${number}.`;
      const source = `${site.origin}${path}`;
      show(site, path, target, says);
      await send(source, target);
      ledger.mentions.set(source, { target, says });
      ledger.count('mentions');
      if (number % 4 === 1) sent.push({ site, path, source, target, at: Date.now() });
    },
  };
}

/** The aggregator gets more to tell, some of it changes or goes, and the owner imports. */
export function importing({ house, ledger, aggregator }: Scene): Lane {
  const atOnce = 10;
  return {
    name: 'importing',
    pauseMs: 15_000,
    async turn(number) {
      const { rows } = aggregator;
      for (let more = 0; more < atOnce; more += 1) rows.push(rowOf(rows.length));
      const changed = rows[number * 3];
      if (changed) aggregator.update(changed, `Changed in import ${number}.`, Date.now());
      const gone = rows[number * 3 + 1];
      if (gone && number % 3 === 2) gone.deleted = true;
      const { imported } = await house.call('webmentions.import', { aggregatorToken: aggregator.token });
      for (const [index, { source, target, kind, deleted, text }] of rows.entries())
        ledger.imported.set(source, { target, says: deleted ? null : saidBy(index, kind, text) });
      ledger.count('imports');
      if (imported < atOnce) throw new Error(`an import brought ${imported} of ${atOnce}`);
    },
  };
}

/** Of those that say nothing else the aggregator tells a summary, where there is one (webmention-io.ts). */
function saidBy(index: number, kind: string, text: string): string {
  const isSilent = kind === 'like' || kind === 'repost';
  return isSilent && index % 37 === 0 ? 'In short' : text;
}
