import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { startBare } from './bare.ts';
import { inTurn, rateOf, requests, throughputs, type Load } from './load.ts';
import { heading, ratio, row } from './report.ts';

const me = ['--me', 'https://owner.example/'];
const text = 'The light on the porch is on and the kettle is on too, come in and stay for a while. '.repeat(
  2,
);

/** A post is created, and acknowledged once it is on disk: against a bare loop of fsynced files of the same size. */
export async function benchCreate(): Promise<void> {
  const porchlight = await startHeadless({ args: me });
  const scratch = await mkdtemp(path.join(tmpdir(), 'porchlight-bench-files-'));
  const create: Load = {
    url: `${porchlight.ready.baseUrl}/micropub`,
    method: 'POST',
    headers: { ...(await tokenOf(porchlight)), 'content-type': 'application/json' },
    body: JSON.stringify({ type: ['h-entry'], properties: { content: [text] } }),
  };
  const { bytes } = await onePost(porchlight, create);
  const filling = 'x'.repeat(bytes);
  const loop = (lanes: number) => () =>
    rateOf(lanes, (turn) => writeFile(path.join(scratch, `${lanes}-${turn}`), filling, { flush: true }));
  const rates = await inTurn({
    bare1: loop(1),
    create1: () => requests('create', { ...create, connections: 1 }),
    bare16: loop(16),
    create16: () => requests('create', { ...create, connections: 16 }),
  });
  heading(`Posts created a second, each on disk before its answer (${bytes} bytes)`);
  row('bare loop of fsynced files, one at a time', rates.bare1.toFixed(0));
  row('create, one at a time', rates.create1.toFixed(0), `${ratio(rates.create1, rates.bare1)} of bare`);
  row('bare loop of fsynced files, 16 at a time', rates.bare16.toFixed(0));
  row('create, 16 at a time', rates.create16.toFixed(0), `${ratio(rates.create16, rates.bare16)} of bare`);
  await porchlight.remove();
  await rm(scratch, { recursive: true, force: true });
}

/** Reading, with few posts and with many. */
export async function benchReading(few: string, many: string, posts: number): Promise<void> {
  const [small, large] = [
    await startHeadless({ dataDir: few, args: me }),
    await startHeadless({ dataDir: many, args: me }),
  ];
  const headers = await tokenOf(large);
  const list = async (house: HeadlessProcess): Promise<Load> => ({
    url: `${house.ready.baseUrl}/micropub?q=source&limit=20`,
    headers: await tokenOf(house),
  });
  const { items } = await large.call('posts.list', { limit: 1 });
  const url = items[0]?.url ?? '';
  const page = path.join(tmpdir(), `porchlight-bench-page-${process.pid}.html`);
  await writeFile(page, await (await fetch(url)).text());
  const bare = await startBare(page);
  const source = `${large.ready.baseUrl}/micropub?q=source&url=${encodeURIComponent(url)}`;
  const rates = await throughputs({
    bare: { url: bare.url },
    source: { url: source, headers },
    listFew: await list(small),
    listMany: await list(large),
    homeFew: { url: `${small.ready.baseUrl}/` },
    homeMany: { url: `${large.ready.baseUrl}/` },
    barePage: { url: `${bare.url}/page` },
    page: { url },
  });
  heading('Reading, requests a second (median of rounds taken in turn)');
  row('bare Fastify JSON route', rates.bare.toFixed(0));
  row('q=source of one post', rates.source.toFixed(0), `${ratio(rates.source, rates.bare)} of bare`);
  row('q=source list, 100 posts', rates.listFew.toFixed(0));
  row(
    `q=source list, ${posts} posts`,
    rates.listMany.toFixed(0),
    `${ratio(rates.listFew, rates.listMany)} times the cost (aim: within 1.3)`,
  );
  row('home page, 100 posts', rates.homeFew.toFixed(0));
  row(
    `home page, ${posts} posts`,
    rates.homeMany.toFixed(0),
    `${ratio(rates.homeFew, rates.homeMany)} times the cost (aim: within 1.3)`,
  );
  row('bare Fastify, the same page as a fixed text', rates.barePage.toFixed(0));
  row('page of a post', rates.page.toFixed(0), `${ratio(rates.page, rates.barePage)} of bare`);
  bare.stop();
  await Promise.all([small.stop(), large.stop(), rm(page)]);
}

async function tokenOf(house: HeadlessProcess): Promise<Record<string, string>> {
  const { token } = await house.call('apps.issueToken', {
    label: 'Benchmark',
    scopes: ['create', 'media', 'read'],
  });
  return { authorization: `Bearer ${token}` };
}

/** Creates one post; the size of its document is that of the bare loop's files. */
async function onePost(house: HeadlessProcess, { url, headers = {}, body = '' }: Load) {
  const response = await fetch(url, { method: 'POST', headers, body });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`the post was refused: ${response.status}`);
  const { size } = await stat(path.join(house.dataDir, `${new URL(location).pathname}.json`));
  return { bytes: size };
}
