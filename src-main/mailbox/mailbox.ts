import { isDeepStrictEqual } from 'node:util';
import type { EventHub, Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { MailboxStatus } from '../contract/reach.ts';
import type { Problem } from '../contract/status.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { type MailboxClient, MailboxRefusal } from '../platform/mailbox-client.ts';
import { type MailboxState, mailboxVersion, mostHosts } from '../platform/mailbox-protocol.ts';
import { pauseAfter } from '../platform/retry-schedule.ts';
import { coalesced, oneAtATime } from '../storage/pacing.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { Drained } from './drain.ts';

interface MailboxDeps {
  readonly client: Pick<MailboxClient, 'call' | 'interrupt'>;
  /** Returns whether there is a mailbox at Cloudflare. */
  readonly isOn: () => boolean;
  /** Returns `on` if visitors can reach this server, `off` if the owner turned it off, and otherwise `trouble`. */
  readonly server: () => 'on' | 'off' | 'trouble';
  /** Returns the hosts for which the mailbox accepts webmentions. */
  readonly hosts: () => readonly string[];
  readonly drain: (signal: AbortSignal) => Promise<Drained>;
  readonly hub: EventHub;
  readonly activity: Pick<Activity, 'record'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the list of problems for the owner may have changed. */
  readonly changed: () => void;
}

/** The part that keeps the mailbox's copies of public pages up to date. */
interface Copies {
  /** Returns the progress of copying pages to the mailbox. */
  status(): Known['copies'];
  /** Retries the copies that failed. */
  wake(): void;
}

type Presence = 'awake' | 'asleep' | 'off';

/** The interval between checks of the mailbox while nothing happens, in ms. */
const everyMs = 3_600_000;
/**
 * If this computer is still running this many milliseconds after it announced that it would sleep, it didn't go to
 * sleep.
 */
const asleepMs = 60_000;
/** The time limit of the last call before the computer sleeps or Porchlight quits, in ms. */
const farewellMs = 2000;

/** Returns a message for the owner about how many requests arrived. */
const arrivedWords = (count: number) =>
  `${count === 1 ? 'One thing' : `${count} things`} arrived while you were away.`;

/**
 * Creates the part of this server that talks to the mailbox. It tells the mailbox whether this server is online, and
 * fetches the requests that the mailbox stored.
 */
export function createMailbox(deps: MailboxDeps) {
  const { client, isOn, clock, log, hub } = deps;
  const stopping = new AbortController();
  let isAsleep = false;
  /**
   * The status that the mailbox last confirmed (`reported`), and the latest status to report to the mailbox
   * (`intended`), both as JSON.
   */
  let reported: string | undefined;
  let intended: string | undefined;
  let remote: MailboxState | undefined;
  let trouble: PorchlightError | undefined;
  let last: (Drained & { readonly at: string }) | undefined;
  let failures = 0;
  /** How many fetches in a row have left requests in the mailbox because this server couldn't accept more. */
  let crowded = 0;
  const inTurn = oneAtATime();
  let timer: NodeJS.Timeout | undefined;
  let sleepTimer: NodeJS.Timeout | undefined;
  /**
   * The running call that tells the mailbox that this computer is about to sleep; undefined if no such call is running.
   */
  let farewell: Promise<void> | undefined;
  let shown: MailboxStatus | undefined;
  let copies: Copies = {
    status: () => ({ copies: 0, leftOut: 0, toCopy: 0, toRemove: 0 }),
    wake: () => undefined,
  };

  const presence = (): Presence => {
    const server = deps.server();
    if (server === 'off') return 'off';
    return isAsleep || server === 'trouble' ? 'asleep' : 'awake';
  };
  const status = () =>
    mailboxStatus({ isOn: isOn(), isAsleep, remote, trouble, last, copies: copies.status() });

  /** Notifies the windows if the mailbox's status has changed. */
  function reportStatus(): void {
    const now = status();
    if (isDeepStrictEqual(now, shown)) return;
    const isNews = now.state !== shown?.state;
    shown = now;
    hub.emit('mailbox.changed', now);
    if (isNews) deps.changed();
  }

  function again(ms: number): void {
    clearTimeout(timer);
    if (!stopping.signal.aborted && isOn()) timer = setTimeout(() => void synchronize(), ms).unref();
  }

  const hosts = () => deps.hosts().slice(0, mostHosts);
  const tidings = () => JSON.stringify([presence(), hosts()]);

  async function say(now: Presence): Promise<void> {
    intended = tidings();
    const text = intended;
    if (text === reported) return;
    remote =
      now === 'awake'
        ? await client.call('awake', { hosts: hosts() })
        : await client.call('away', { kind: now });
    reported = text;
  }

  async function fetchKept(): Promise<Drained> {
    const { failure, ...found } = await inTurn(() => deps.drain(stopping.signal));
    const { arrived, waiting, unopened } = found;
    const isWhole = failure === undefined;
    const rest = isWhole ? { waiting, unopened } : { waiting: 0, unopened: 0, ...last };
    const isNews = arrived > 0 || (isWhole && last === undefined);
    if (isNews) last = { ...rest, arrived, at: new Date(clock()).toISOString() };
    else if (last) last = { ...last, ...rest };
    if (arrived > 0) {
      hub.emit('mailbox.arrived', { arrived });
      await deps.activity.record('mailbox.arrived', arrivedWords(arrived));
    }
    if (!isWhole) throw failure;
    if (remote) remote = { ...remote, kept: waiting + unopened };
    crowded = waiting > 0 ? crowded + 1 : 0;
    return found;
  }

  /** Tells the mailbox whether this server is online, and fetches stored requests. Retries instead of rejecting. */
  const synchronize = coalesced(async () => {
    if (stopping.signal.aborted) return;
    if (!isOn()) {
      reported = remote = trouble = last = undefined;
      reportStatus();
      return;
    }
    try {
      const now = presence();
      await say(now);
      if (!isAsleep && now !== 'off') await fetchKept();
      if (remote && remote.version !== mailboxVersion) throw new MailboxRefusal({ error: 'other_version' });
      trouble = undefined;
      failures = 0;
      again(crowded > 0 ? (pauseAfter('mailbox', crowded + 1) ?? everyMs) : everyMs);
    } catch (error) {
      reported = undefined;
      // Before this server goes offline, it cancels all calls to the mailbox except the last one. A call that is
      // cancelled this way isn't a failure.
      if (error instanceof PorchlightError && error.code === 'cancelled') return;
      trouble =
        error instanceof PorchlightError ? error : new PorchlightError('mailbox_failed', String(error));
      log.warn({ err: error }, 'the mailbox could not be looked at');
      failures += 1;
      again(pauseAfter('mailbox', failures) ?? everyMs);
    }
    reportStatus();
  });

  /** Tells the mailbox that this server is going offline, without waiting for other calls. Never rejects. */
  async function sayFarewell(): Promise<void> {
    if (!isOn() || presence() === 'off') return;
    reported = undefined;
    client.interrupt();
    await client
      .call('away', { kind: 'asleep' }, { timeoutMs: farewellMs })
      .catch((error: unknown) =>
        log.info({ err: error }, 'the mailbox could not be told that this server leaves'),
      );
  }

  function wake(): void {
    clearTimeout(sleepTimer);
    isAsleep = false;
    reported = undefined;
    failures = 0;
    void synchronize();
  }

  return {
    status,
    /** Checks the mailbox. Call this at startup, and after the mailbox is created, changed or removed. */
    synchronize,
    /** Notifies the mailbox if the server was turned on or off, or if its hosts changed. */
    follow(): void {
      if (isOn() && !stopping.signal.aborted && tidings() !== intended) void synchronize();
    },
    /** Returns the problem with the mailbox, if there is one. */
    problem: (): Problem | undefined =>
      shown?.state === 'trouble' ? { code: 'mailbox', message: shown.words } : undefined,
    /** Connects the part that copies public pages to the mailbox. Call it once, before `start`. */
    connect: (opened: Copies) => void (copies = opened),
    /** Called when the number of copies changes. */
    copiesChanged: reportStatus,
    /**
     * Tells the mailbox that this computer is about to sleep. Resolves once the mailbox has confirmed this, or after 2
     * seconds.
     */
    async sleep(): Promise<void> {
      isAsleep = true;
      clearTimeout(sleepTimer);
      sleepTimer = setTimeout(wake, asleepMs).unref();
      // Electron announces each sleep twice on Linux. A second call to the mailbox would interrupt the first one.
      farewell ??= sayFarewell().finally(() => (farewell = undefined));
      await farewell;
    },
    /** Called when the computer wakes up or its network changes. */
    wake,
    async stop(): Promise<void> {
      clearTimeout(timer);
      clearTimeout(sleepTimer);
      stopping.abort();
      await sayFarewell();
    },
    /**
     * Fetches the stored requests now, and returns the result.
     * @throws PorchlightError
     */
    fetchNow: fetchKept,
    handlers: {
      'mailbox.status': () => status(),
      'mailbox.retry': async () => {
        reported = undefined;
        copies.wake();
        await synchronize();
        return status();
      },
    } satisfies Partial<Handlers>,
  };
}

/** The facts from which the mailbox's status is computed. */
interface Known {
  readonly isOn: boolean;
  readonly isAsleep: boolean;
  /** The state that the mailbox last reported. */
  readonly remote: MailboxState | undefined;
  readonly trouble: PorchlightError | undefined;
  readonly last: (Drained & { readonly at: string }) | undefined;
  readonly copies: Pick<MailboxStatus, 'copies' | 'leftOut' | 'toCopy' | 'toRemove'> & {
    readonly error?: string | undefined;
  };
}

/** Returns the mailbox's status, with a message for the owner. */
function mailboxStatus({ isOn, isAsleep, remote, trouble, last, copies }: Known): MailboxStatus {
  const { error, ...counts } = copies;
  if (!isOn)
    return {
      state: 'off',
      words: 'There is no mailbox.',
      remedy: null,
      kept: 0,
      lastDrain: null,
      copies: 0,
      leftOut: 0,
      toCopy: 0,
      toRemove: 0,
    };
  const unopened = last?.unopened ?? 0;
  const common = {
    ...counts,
    kept: remote?.kept ?? 0,
    lastDrain: last ? { at: last.at, arrived: last.arrived } : null,
  };
  if (trouble) return { ...common, state: 'trouble', words: trouble.message, remedy: remedyOf(trouble) };
  if (error !== undefined) return { ...common, state: 'trouble', words: error, remedy: 'retry' };
  if (unopened > 0)
    return {
      ...common,
      state: 'trouble',
      words: `${unopened === 1 ? 'One thing' : `${unopened} things`} in the mailbox can’t be opened, because this computer no longer has the key. They stay there until you turn the mailbox off.`,
      remedy: 'retry',
    };
  const refused = remote?.refused ?? 0;
  const extra =
    refused > 0
      ? ` While you were away, it refused ${refused} ${refused === 1 ? 'thing' : 'things'}, because a limit was reached.`
      : '';
  if (remote?.state === 'off')
    return {
      ...common,
      state: 'awake',
      remedy: null,
      toCopy: 0,
      words: 'The server is off. Until you turn it on, the mailbox shows no pages and keeps no mentions.',
    };
  if (isAsleep)
    return {
      ...common,
      state: 'asleep-ready',
      words: `The mailbox answers for this computer.${extra}`,
      remedy: null,
    };
  if (remote === undefined || counts.toCopy + counts.toRemove > 0)
    return {
      ...common,
      state: 'awake',
      words: `Porchlight is copying your public pages.${extra}`,
      remedy: null,
    };
  return {
    ...common,
    state: 'asleep-ready',
    words: `${copiedWords(counts.leftOut)} This computer can sleep.${extra}`,
    remedy: null,
  };
}

function copiedWords(leftOut: number): string {
  if (leftOut === 0) return 'Everything public is copied.';
  return `Everything public is copied, except ${leftOut === 1 ? 'one large file' : `${leftOut} large files`}.`;
}

function remedyOf({ code }: PorchlightError): MailboxStatus['remedy'] {
  if (code === 'mailbox_other_server') return 'takeOver';
  return code === 'mailbox_outdated' ? 'update' : 'retry';
}
