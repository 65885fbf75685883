import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { openWebmentionIo } from '../support/webmention-io.ts';
import { startBare } from './bare.ts';
import { inTurn, rateOf, throughputs } from './load.ts';
import { targetOf } from './mention-folder.ts';
import { heading, ratio, row } from './report.ts';
import { residentMegabytes } from './start-up.ts';

const flags = ['--me', 'https://owner.example/', '--allow-private-fetch'];
const lanes = 16;

/** Accepting a mention, on disk before the answer: against a bare POST route and a bare loop of fsynced files. */
export async function benchAccepting(): Promise<void> {
  const house = await startHeadless({ args: flags });
  const bare = await startBare();
  const scratch = await mkdtemp(path.join(tmpdir(), 'porchlight-bench-files-'));
  const send = async (url: string, turn: number) => {
    const source = `http://127.0.0.1:9/${turn}`; // nobody is there: what is measured is the accepting
    const body = new URLSearchParams({ source, target: targetOf(turn) });
    // Each from a network of its own: what is measured is not the limit of one visitor.
    const headers = { 'cf-connecting-ip': `198.18.${(turn >> 8) & 255}.${turn & 255}` };
    const response = await fetch(url, { method: 'POST', body, headers });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`refused: ${response.status}`);
  };
  let turn = 0;
  const rates = await inTurn({
    route: () => rateOf(lanes, (count) => send(`${bare.url}/`, count)),
    loop: () =>
      rateOf(lanes, () => writeFile(path.join(scratch, String(turn++)), 'x'.repeat(300), { flush: true })),
    accept: () => rateOf(lanes, () => send(`${house.ready.baseUrl}/webmention`, turn++)),
  });
  heading(`Mentions accepted a second, ${lanes} at a time, each on disk before its answer`);
  row('bare Fastify POST route', rates.route.toFixed(0));
  row('bare loop of fsynced files', rates.loop.toFixed(0));
  row(
    'accepted',
    rates.accept.toFixed(0),
    `${ratio(rates.accept, rates.route)} of the route, ${ratio(rates.accept, rates.loop)} of the loop`,
  );
  bare.stop();
  await house.remove();
  await rm(scratch, { recursive: true, force: true });
}

/** Reading the mentions of a page: 10 and 1,000 on the page, few and many in all. */
export async function benchReadingMentions(few: string, many: string, count: number): Promise<void> {
  const [small, large] = [
    await startHeadless({ dataDir: few, args: flags }),
    await startHeadless({ dataDir: many, args: flags }),
  ];
  const bare = await startBare();
  const listing = ({ ready }: HeadlessProcess, target: number) => ({
    url: `${ready.baseUrl}/webmentions?url=${encodeURIComponent(targetOf(target))}`,
  });
  const idle = await residentMegabytes(large.child.pid ?? 0);
  const idleSmall = await residentMegabytes(small.child.pid ?? 0);
  const rates = await throughputs({
    bare: { url: bare.url },
    tenOfFew: listing(small, 1),
    tenOfMany: listing(large, 1),
    thousandOfMany: listing(large, 0),
  });
  heading('GET /webmentions?url, requests a second');
  row('bare Fastify JSON route', rates.bare.toFixed(0));
  row(
    '10 on the page, 100 in all',
    rates.tenOfFew.toFixed(0),
    `${ratio(rates.tenOfFew, rates.bare)} of bare`,
  );
  row(
    `10 on the page, ${count} in all`,
    rates.tenOfMany.toFixed(0),
    `${ratio(rates.tenOfFew, rates.tenOfMany)} times the cost`,
  );
  row(`1,000 on the page, ${count} in all`, rates.thousandOfMany.toFixed(0));
  row('idle memory with 100, MB', idleSmall.toFixed(0));
  row(`idle memory with ${count}, MB`, idle.toFixed(0), `${ratio(idle, idleSmall)} of few (aim: within 1.3)`);
  bare.stop();
  await Promise.all([small.stop(), large.stop()]);
}

/** Importing from a local server that speaks as webmention.io does. */
export async function benchImport(count: number): Promise<void> {
  const house = await startHeadless({ args: flags });
  const aggregator = await openWebmentionIo(count);
  await house.call('settings.update', { webmention: { aggregatorUrl: aggregator.origin } });
  const before = await residentMegabytes(house.child.pid ?? 0);
  let most = before;
  const sample = () =>
    void residentMegabytes(house.child.pid ?? 0).then((now) => (most = Math.max(most, now)));
  const timer = setInterval(sample, 100);
  const began = performance.now();
  const imported = await importAll(house, aggregator.token);
  const seconds = (performance.now() - began) / 1000;
  clearInterval(timer);
  heading(`Import of ${count} mentions`);
  row('imported a second', (imported / seconds).toFixed(0), `${imported} in ${seconds.toFixed(0)} s`);
  row('memory at most, MB', most.toFixed(0), `grew by ${(most - before).toFixed(0)} MB`);
  await aggregator.close();
  await house.remove();
}

/** Imports, and looks at how it goes until it is over: a call that is answered after minutes may be given up by the client. */
async function importAll(house: HeadlessProcess, aggregatorToken: string): Promise<number> {
  const state = async () => (await house.call('webmentions.importState', {})).progress;
  const refusals: Error[] = [];
  house
    .call('webmentions.import', { aggregatorToken })
    .catch((error: unknown) => refusals.push(error as Error));
  for (;;) {
    await setTimeout(500);
    const progress = await state();
    if (progress?.state === 'done') return progress.done;
    if (progress?.state === 'failed') throw new Error(progress.words);
    const [refusal] = refusals;
    if (progress === null && refusal) throw refusal;
  }
}
