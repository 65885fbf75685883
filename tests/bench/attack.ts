import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as rest } from 'node:timers/promises';
import { startProbed, type ProbedProcess } from '../support/probed-process.ts';
import { openGoodSite, visit, type Served } from './attack/visitors.ts';
import type { Answers, Message, Order } from './attackers.ts';
import { fillWithPosts } from './post-folder.ts';
import { heading, ratio, row } from './report.ts';
import { processesOf } from './soak/processes.ts';

export interface AttackOptions {
  /** Where the data goes. */
  readonly dataDir: string;
  /** What the sitemap lists. */
  readonly posts: number;
  /** How long the attack takes; the baseline takes a third of it. */
  readonly seconds: number;
}

/** What the server was like while visitors came. */
interface Watched {
  readonly served: Served;
  /** Ms: the longest time that the main thread was not free, without and with the time that others had the processor. */
  readonly blocked: number;
  readonly latest: number;
  /** Ms by which the visitors' own clock was late. */
  readonly ownLatest: number;
  /** Bytes of all its processes. */
  readonly peak: number;
}

const flags = ['--me', 'https://owner.example/', '--allow-private-fetch', '--tunnel', 'off'];
const probeEveryMs = 500;
/** After the attack, before memory is measured: threads have ended by then, and mentions that waited are read. */
const restMs = 40_000;
const megabyte = 1e6;

/**
 * 20 bad logos, 30 bad client pages, 6 slow sources, 1,000 bad mentions and 10 readers of the sitemap at once, from ten
 * addresses: what a request page and a mention of others cost meanwhile, over the same without an attack.
 */
export async function benchAttack({ dataDir, posts, seconds }: AttackOptions): Promise<void> {
  console.log(`Filing ${posts} posts…`);
  await fillWithPosts(dataDir, posts);
  const house = await startProbed({ dataDir, args: flags });
  const site = await openGoodSite();
  const attackers = fork(path.join(import.meta.dirname, 'attackers.ts'));
  await once(attackers, 'message'); // what they serve is made by then
  console.log(
    `${Math.round(seconds / 3)} s without the attack, ${seconds} s of attack and ${restMs / 1000} s of rest …`,
  );
  const calm = await watched(house, (over) => visit(house.ready.baseUrl, site, 'calm', over), seconds / 3);
  const before = await residentOf(house.pid);
  const answers = once(attackers, 'message') as Promise<[Message]>;
  attackers.send({ attack: house.ready.baseUrl } satisfies Order);
  const attacked = await watched(house, (over) => visit(house.ready.baseUrl, site, 'attack', over), seconds);
  attackers.send('stop' satisfies Order);
  const [message] = await answers;
  await rest(restMs);
  const after = await residentOf(house.pid);
  const { heap } = await house.inside('look');
  const log = house.log();
  await Promise.all([house.stop(), site.close()]);
  report(posts, calm, attacked, { before, after, heap });
  reportAnswers('answers' in message ? message.answers : {});
  row('log lines during the run', String(log.split('\n').length - 1));
}

/** Returns the resident memory of a process and its children, in bytes. */
async function residentOf(pid: number): Promise<number> {
  return (await processesOf(pid)).reduce((sum, { resident }) => sum + resident, 0);
}

/** Lets visitors come for so many seconds, and looks at the server meanwhile. */
async function watched(
  house: ProbedProcess,
  visitors: (over: AbortSignal) => Promise<Served>,
  seconds: number,
): Promise<Watched> {
  const own = monitorEventLoopDelay({ resolution: 10 });
  own.enable();
  await house.inside('glance'); // what was before does not count
  const seen = { blocked: 0, latest: 0, peak: 0, isDone: false };
  const served = visitors(AbortSignal.timeout(Math.round(seconds * 1000))).finally(
    () => (seen.isDone = true),
  );
  while (!seen.isDone) {
    await Promise.race([rest(probeEveryMs), served]);
    const inside = await house.inside('glance');
    seen.blocked = Math.max(seen.blocked, inside.blocked);
    seen.latest = Math.max(seen.latest, inside.latest);
    seen.peak = Math.max(seen.peak, await residentOf(house.pid));
  }
  own.disable();
  return { served: await served, ...seen, ownLatest: own.max / 1e6 };
}

/** The smallest value that so many per cent of all are not above. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

function report(
  posts: number,
  calm: Watched,
  attacked: Watched,
  memory: { before: number; after: number; heap: number },
): void {
  heading(`A combined attack from ten addresses (${posts} posts in the sitemap)`);
  const compared = (name: string, pick: (one: Watched) => number, aim = '') => {
    const [now, base] = [pick(attacked), pick(calm)];
    const calmly = `${base > 0 ? `${ratio(now, base)} of ` : ''}${base.toFixed(0)} without the attack`;
    row(name, now.toFixed(0), aim === '' ? calmly : `${calmly} (aim: ${aim})`);
  };
  const pages = (percent: number) => (one: Watched) => percentile(one.served.pages, percent);
  const mentions = (percent: number) => (one: Watched) => percentile(one.served.mentions, percent);
  compared('request pages of visitors', ({ served }) => served.pages.length);
  compared('request page, median, ms', pages(50));
  compared('request page, 99th percentile, ms', pages(99), 'under 1,000');
  compared('request page, slowest, ms', pages(100));
  compared('mentions of others', ({ served }) => served.mentions.length);
  compared('mention, sent to verified, median, ms', mentions(50));
  compared('mention, sent to verified, slowest, ms', mentions(100), 'under 5,000');
  compared('visitors refused (429 or 503)', ({ served }) => served.refused, '0');
  compared('visitors failed', ({ served }) => served.failed, '0');
  compared('main thread not free at most, ms', ({ blocked }) => blocked, 'under 200');
  compared('event loop late at most, with other programs, ms', ({ latest }) => latest);
  compared("the visitors' own clock late at most, ms", ({ ownLatest }) => ownLatest);
  row('memory before the attack, MB', (memory.before / megabyte).toFixed(0));
  row('memory at its peak, MB', (attacked.peak / megabyte).toFixed(0));
  row(`memory ${restMs / 1000} s after it, MB`, (memory.after / megabyte).toFixed(0), '(aim: under 250)');
  row('heap after collection, MB', (memory.heap / megabyte).toFixed(0));
}

function reportAnswers(answers: Answers): void {
  heading('What the attackers were answered');
  for (const [kind, counts] of Object.entries(answers)) {
    const list = Object.entries(counts).map(([status, count]) => `${status}: ${count}`);
    row(kind, String(Object.values(counts).reduce((sum, count) => sum + count, 0)), list.join(', '));
  }
}
