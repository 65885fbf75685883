import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { HeadlessProcess } from '../../support/headless-process.ts';
import type { Random } from '../../fuzz/random.ts';
import { rest } from '../soak/work.ts';
import { statesIn, takeCensus, type Census } from './census.ts';
import { sendingIn, type Sending } from './documents.ts';
import { wrongLists } from './lists.ts';
import type { Outcome } from './outcome.ts';
import { backUp } from './owning.ts';
import { wrongPages } from './pages.ts';
import type { World } from './scene.ts';
import { sentFor } from './sending.ts';

/** After how many rounds everything is asked for, not only what changed. */
const everythingEvery = 20;
/** How much of what did not change is asked for in each round. */
const sample = 0.1;
/** How long received mentions may take to be verified, and others to be sent, in ms. */
const patienceMs = 60_000;

interface Checking extends World {
  readonly bearer: Record<string, string>;
  readonly outcome: Outcome;
  readonly round: number;
  readonly random: Random;
}

/** Checks a server that just started. Returns what it lists, which is taken for acknowledged from now on. */
export async function checked(house: HeadlessProcess, checking: Checking): Promise<Census> {
  const { ledger, backups, bearer, outcome, round, random, tokens } = checking;
  const base = house.ready.baseUrl;
  await verifyAll(house, checking);
  const { unfollowed } = await sendAll(house, checking);
  const census = await takeCensus(house, checking);
  requireSent(census, unfollowed, checking);
  const changed = ledger.changed();
  const isAsked = (key: string) => round % everythingEvery === 0 || changed.has(key) || random.chance(sample);
  const inRound = (words: string) => `before round ${round}: ${words}`;
  const states = statesIn(census);
  const faults = [...ledger.faults(states), ...(await wrongPages({ base, census, tokens, isAsked }))];
  for (const { kind, words } of faults) outcome[kind].push(inRound(words));
  const look = () => wrongLists(house, { census, base, bearer });
  // A change that is followed only now may be in one of the lists, and not yet in another.
  const wrong = (await look()).length === 0 ? [] : await look();
  outcome.wrongLists.push(...wrong.map(inRound));
  ledger.settle(states);
  if (round % everythingEvery === 0) {
    const name = census.backups[0] ?? (await newBackup(house, checking));
    outcome.lost.push(...(await brokenBackup(house, path.join(backups, name))).map(inRound));
  }
  return census;
}

/** Makes a backup, because under load few are finished before the kill. Returns its name. */
async function newBackup(house: HeadlessProcess, { ledger, backups, round }: Checking): Promise<string> {
  const name = `checked${round}-0.zip`;
  await backUp({ house, ledger, backups }, name);
  return name;
}

/** Has the server check a backup. Returns why it cannot be restored. */
async function brokenBackup(house: HeadlessProcess, file: string): Promise<string[]> {
  try {
    const { problems } = await house.call('data.restore', { path: file });
    await house.call('data.cancel', { what: 'waiting' });
    return problems.map((words) => `the backup ${file}: ${words}`);
  } catch (error) {
    return [`the backup ${file} cannot be restored: ${String(error)}`];
  }
}

/** Waits until every received mention is verified. */
async function verifyAll(house: HeadlessProcess, { trouble }: World): Promise<void> {
  const latest = performance.now() + patienceMs;
  while ((await house.call('webmentions.process', {})).waiting > 0) {
    if (performance.now() > latest) {
      trouble('mentions still wait to be verified');
      return;
    }
    await rest(100);
  }
}

/** Waits until no webmention waits to be sent. Returns what is still to be sent then. */
async function sendAll({ dataDir }: HeadlessProcess, { trouble }: World): Promise<Sending> {
  const latest = performance.now() + patienceMs;
  for (;;) {
    const sending = sendingIn(dataDir);
    if (sending.waiting === 0) return sending;
    if (performance.now() > latest) {
      trouble(`${sending.waiting} webmentions still wait to be sent`);
      return sending;
    }
    await rest(100);
  }
}

/** A post that is public and whose change was followed must have been sent, whether or not anybody was promised that. */
function requireSent(census: Census, unfollowed: ReadonlySet<string>, { ledger }: World): void {
  for (const [name, post] of census.posts)
    if (!unfollowed.has(new URL(post.url).pathname))
      for (const [key, state] of sentFor(name, post))
        if (ledger.stateOf(key) !== state) ledger.send(key, state)();
}

/** Runs `--check` on the folder. Returns the problems that it found. */
export async function problemsIn(dataDir: string): Promise<string[]> {
  const program = path.join(import.meta.dirname, '../../../out/main/headless.js');
  const args = [program, '--check', '--json', '--data', dataDir];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: unknown) => ({
    stdout: String((error as { stdout?: string }).stdout),
  }));
  const { problems } = JSON.parse(stdout) as { problems: string[] };
  return problems.map((words) => `--check: ${words}`);
}
