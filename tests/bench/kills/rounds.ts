import type { ChildProcess } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { openSite } from '../../support/client-app.ts';
import { startHeadless, type HeadlessProcess } from '../../support/headless-process.ts';
import { openWebmentionIo } from '../../support/webmention-io.ts';
import { randomOfRequest, type Random } from '../../fuzz/random.ts';
import { freePort } from '../soak/house.ts';
import { rest } from '../soak/work.ts';
import { noted } from './activity.ts';
import { ownApp } from './census.ts';
import { type LogWatch, watchLog } from './checkpoints.ts';
import { checked, problemsIn } from './checking.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { blocking, importing, mentioning, moderating } from './mentioning.ts';
import { backingUp, issuing, setting, signingIn } from './owning.ts';
import { countsOf, type Outcome } from './outcome.ts';
import { keeping, posting, uploading } from './posting.ts';
import { openPowerSupply, type PowerSupply } from './power.ts';
import type { Lane, Scene, World } from './scene.ts';
import { openWorldAround, serviceOf } from './sending.ts';
import type { PowerMode } from './surviving-content.ts';

export interface RoundsOptions {
  /** An empty folder for everything. */
  readonly folder: string;
  readonly rounds: number;
  readonly seed: number;
  /** The kinds of power losses, in turn. Absent: the server is killed, and everything it wrote stays. */
  readonly power?: readonly PowerMode[];
  readonly print: (line: string) => void;
}

/** The longest load before a kill, in ms. */
const longestLoad = 300;
/** How often these end in a checkpoint of the database, or after it, and the longest time since its beginning, in ms. */
const inCheckpoint = 0.5;
const longestCheckpoint = 60;
/** How often the server is ended while it stops properly, and the longest time that it has had by then, in ms. */
const endedAtStop = 0.15;
const longestStop = 150;
/** After how many rounds a run without any checkpoint under load tests too little. */
const mostWithout = 20;
/**
 * How often these begin with the first acknowledged change, and the longest wait for that, in ms. On a busy computer,
 * the first response may take longer than the whole load.
 */
const fromFirst = 0.7;
const longestWait = 5_000;
/** How often the server is also ended while it starts, and the longest time that it has had by then, in ms. */
const endedAtStart = 0.15;
const longestStart = 900;
/** How often the server is stopped properly before a round, so that it starts with a database that was closed. */
const stoppedBefore = 0.3;
const lanes: readonly Lane[] = [
  posting,
  posting,
  keeping,
  uploading,
  mentioning,
  moderating,
  blocking,
  importing,
  issuing,
  signingIn,
  setting,
  backingUp,
];

/** Loads the server, ends it at a random moment, and starts it again on what is left, over and over. */
export async function runRounds(options: RoundsOptions): Promise<Outcome> {
  const { rounds, seed, power: modes, print } = options;
  const folder = realpathSync(options.folder);
  const [dataDir, backups] = [path.join(folder, 'data'), path.join(folder, 'backups')];
  for (const dir of [dataDir, backups]) mkdirSync(dir);
  const power = modes && openPowerSupply(dataDir, folder);
  const sites = await Promise.all(['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((host) => openSite(host)));
  const [aggregator, receivers] = await Promise.all([openWebmentionIo(0), openWorldAround()]);
  const ledger = openLedger();
  const found = { lost: [], resurrected: [], wrongLists: [], trouble: [] };
  const checkpoints = { begun: 0, cutOff: 0 };
  const outcome: Outcome = { rounds, ...found, checkpoints, acknowledged: ledger.counts() };
  const world: World = {
    ledger,
    sites,
    aggregator,
    receivers,
    backups,
    tokens: new Map(),
    sentAt: new Map(),
    statusBefore: new Map(),
    trouble: (words) => outcome.trouble.push(words),
  };
  const port = await freePort();
  const start = (spawned?: (child: ChildProcess) => void) =>
    startServer({ dataDir, port, env: power?.record() ?? {}, spawned });

  /** Ends the server the way this run does. */
  async function end(house: HeadlessProcess | undefined, round: number, random: Random): Promise<void> {
    await house?.stop('SIGKILL');
    const mode = modes?.[round % modes.length];
    if (power && mode) power.lose(mode, random);
  }

  /** Ends the server at a random moment while it starts. */
  async function endAtStart(round: number, random: Random): Promise<void> {
    const ms = random.below(longestStart);
    const kill = (child: ChildProcess) => setTimeout(() => child.kill('SIGKILL'), ms).unref();
    await end(await start(kill).catch(() => undefined), round, random);
  }

  try {
    // The first start, too, may be cut short.
    await endAtStart(0, randomOfRequest(seed, 0));
    const bearer = await setUp(await start(), world);
    for (let round = 1; round <= rounds; round += 1) {
      const random = randomOfRequest(seed, round * 1000);
      if (random.chance(stoppedBefore)) await stopProperly(await start());
      if (random.chance(endedAtStart)) await endAtStart(round, random);
      const house = await start();
      try {
        const census = await checked(house, { ...world, bearer, outcome, round, random });
        const log = watchLog(dataDir);
        await load(house, log, {
          ...world,
          bearer,
          census,
          round,
          random: randomOfRequest(seed, round * 1000 + 1),
          ofApps: new Map(),
        });
        if (log.hasBegun()) checkpoints.begun += 1;
        if (log.isUnderWay()) checkpoints.cutOff += 1;
      } finally {
        await end(house, round, random);
      }
      if (round % 10 === 0 || round === rounds) print(`After ${round}: ${countsOf(outcome)}`);
    }
    const house = await start();
    await checked(house, { ...world, bearer, outcome, round: 0, random: randomOfRequest(seed, 0) });
    await house.stop();
    outcome.trouble.push(...(power ? missedBy(power) : []), ...(await problemsIn(dataDir)));
    if (rounds >= mostWithout && checkpoints.begun === 0) outcome.trouble.push('no checkpoint under load');
    return outcome;
  } finally {
    await Promise.all([...sites, aggregator, receivers].map((one) => one.close()));
  }
}

const missedBy = (power: PowerSupply) =>
  power.missed(randomOfRequest(0, 0)).map((words) => `the recorder missed a change: ${words}`);

interface StartOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly env: Record<string, string>;
  readonly spawned: ((child: ChildProcess) => void) | undefined;
}

function startServer({ dataDir, port, env, spawned }: StartOptions): Promise<HeadlessProcess> {
  const address = ['--port', String(port), '--base-url', `http://127.0.0.1:${port}`];
  const args = ['--me', 'https://owner.example/', ...address, '--allow-private-fetch'];
  return startHeadless({ dataDir, args, env, ...(spawned && { spawned }) });
}

/** Prepares a new folder. Returns the headers of an app that may do everything. */
async function setUp(
  house: HeadlessProcess,
  { aggregator, receivers, ledger }: World,
): Promise<Record<string, string>> {
  await house.call('settings.update', {
    webmention: { aggregatorUrl: aggregator.origin, hold: 'nothing', catchUp: false },
    micropub: {
      categories: ['first'],
      syndicateTo: [{ uid: serviceOf(receivers), name: 'Copies' }],
    },
    profile: { name: 'first' },
  });
  for (const name of ['setting name', 'setting categories']) ledger.send(name, 'first')();
  const scopes = ['create', 'update', 'delete', 'undelete', 'media', 'read'];
  const { token } = await house.call('apps.issueToken', { label: ownApp, scopes });
  noted(ledger, 'app.tokenIssued')();
  await stopProperly(house);
  return { authorization: `Bearer ${token}` };
}

/** Stops a server that answers, so that it closes its database. */
async function stopProperly(house: HeadlessProcess): Promise<void> {
  for (const method of ['posts.list', 'media.list', 'webmentions.list'] as const)
    await house.call(method, {});
  await house.stop();
}

/** Runs all lanes until the server is killed, at a random moment: of the load, of a checkpoint, or of a proper stop. */
async function load(
  house: HeadlessProcess,
  log: LogWatch,
  scene: Omit<Scene, 'house' | 'base' | 'over' | 'claim'>,
): Promise<void> {
  const taken = new Set<string>();
  const claim = (key: string) => !taken.has(key) && taken.add(key).size > 0;
  const killing = new AbortController();
  const over = killing.signal;
  const working = lanes.map(async (lane, number) => {
    const random = randomOfRequest(Math.floor(scene.random.next() * 2 ** 31), number);
    for (let turn = 0; !over.aborted; turn += 1) {
      const at = { ...scene, house, base: house.ready.baseUrl, over, claim, random };
      // Two lanes of one kind must not give the same names.
      await lane(at, lane === lanes[number - 1] ? turn + 1000 : turn).catch((error: unknown) => {
        if (!over.aborted) scene.trouble(error instanceof Error ? error.message : String(error));
      });
      await rest(5, over);
    }
  });
  if (scene.random.chance(fromFirst)) await firstAcknowledged(scene.ledger);
  await rest(scene.random.below(longestLoad));
  if (scene.random.chance(inCheckpoint)) {
    log.grow();
    if (await log.begun(longestWait)) await rest(scene.random.below(longestCheckpoint));
  }
  killing.abort();
  if (scene.random.chance(endedAtStop)) {
    await Promise.all(working);
    house.child.kill('SIGTERM');
    await rest(scene.random.below(longestStop));
  }
  await Promise.all([house.stop('SIGKILL'), ...working]);
}

/** Waits until a change is acknowledged, but not for ever: the load may consist of requests that do nothing. */
async function firstAcknowledged(ledger: Ledger): Promise<void> {
  const count = () => [...ledger.counts().values()].reduce((sum, one) => sum + one, 0);
  const [before, latest] = [count(), performance.now() + longestWait];
  while (count() === before && performance.now() < latest) await rest(2);
}
