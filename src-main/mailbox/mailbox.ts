import type { Common } from '../http/common.ts';
import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../contract/error.ts';
import type { MailboxStatus } from '../contract/reach.ts';
import type { Problem } from '../contract/status.ts';
import { type MailboxClient, MailboxRefusal } from './mailbox-client.ts';
import { type MailboxState, mailboxVersion, mostHosts } from '../platform/mailbox-protocol.ts';
import { pauseAfter } from '../platform/retry-schedule.ts';
import { coalesced, oneAtATime } from '../storage/pacing.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { Copies } from './copies/copies.ts';
import type { Drained } from './drain.ts';

interface MailboxDeps extends Pick<Common, 'hub' | 'clock' | 'log'> {
  readonly client: Pick<MailboxClient, 'call' | 'interrupt'>;
  /** Returns whether there is a mailbox at Cloudflare. */
  readonly isOn: () => boolean;
  /** Returns `on` if visitors can reach this server, `off` if the owner turned it off, and otherwise `trouble`. */
  readonly server: () => 'on' | 'off' | 'trouble';
  /** Returns the hosts for which the mailbox accepts webmentions. */
  readonly hosts: () => readonly string[];
  readonly drain: (signal: AbortSignal) => Promise<Drained>;
  readonly activity: Pick<Activity, 'record'>;
  /** Called when the list of problems for the owner may have changed. */
  readonly changed: () => void;
}

type Presence = 'awake' | 'asleep' | 'off';

const noCopies = { copies: 0, leftOut: 0, toCopy: 0, toRemove: 0 };

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
 * The part of this server that talks to the mailbox. It tells the mailbox whether this server is online, and
 * fetches the requests that the mailbox stored.
 */
export class Mailbox {
  readonly #options: MailboxDeps;
  readonly #stopping = new AbortController();
  #isAsleep = false;
  /**
   * The status that the mailbox last confirmed (`reported`), and the latest status to report to the mailbox
   * (`intended`), both as JSON.
   */
  #reported: string | undefined;
  #intended: string | undefined;
  #remote: MailboxState | undefined;
  #trouble: PorchlightError | undefined;
  #last: (Drained & { readonly at: string }) | undefined;
  #failures = 0;
  /** How many fetches in a row have left requests in the mailbox because this server couldn't accept more. */
  #crowded = 0;
  readonly #inTurn = oneAtATime();
  #timer: NodeJS.Timeout | undefined;
  #sleepTimer: NodeJS.Timeout | undefined;
  /**
   * The running call that tells the mailbox that this computer is about to sleep; undefined if no such call is running.
   */
  #farewell: Promise<void> | undefined;
  #shown: MailboxStatus | undefined;
  /** The part that keeps the mailbox's copies of public pages up to date. It may report removals before it is connected. */
  #copies: Pick<Copies, 'status' | 'wake'> = { status: () => noCopies, wake: () => undefined };
  /** Tells the mailbox whether this server is online, and fetches stored requests. Retries instead of rejecting. */
  readonly synchronize = coalesced(() => this.#synchronize());

  constructor(options: MailboxDeps) {
    this.#options = options;
  }

  /** Checks the mailbox and the copies again, at the owner's request. */
  async retry(): Promise<void> {
    this.#reported = undefined;
    this.#copies.wake();
    await this.synchronize();
  }

  /** Returns the mailbox's status, with a message for the owner. */
  status(): MailboxStatus {
    const { error, ...counts } = this.#copies.status();
    const [remote, trouble, last] = [this.#remote, this.#trouble, this.#last];
    if (!this.#options.isOn())
      return {
        ...noCopies,
        state: 'off',
        words: 'There is no mailbox.',
        remedy: null,
        kept: 0,
        lastDrain: null,
      };
    const said = (
      state: MailboxStatus['state'],
      words: string,
      remedy: MailboxStatus['remedy'] = null,
    ): MailboxStatus => ({
      ...counts,
      kept: remote?.kept ?? 0,
      lastDrain: last ? { at: last.at, arrived: last.arrived } : null,
      state,
      words,
      remedy,
    });
    if (trouble) return said('trouble', trouble.message, remedyOf(trouble));
    if (error !== undefined) return said('trouble', error, 'retry');
    const unopened = last?.unopened ?? 0;
    if (unopened > 0)
      return said(
        'trouble',
        `${unopened === 1 ? 'One thing' : `${unopened} things`} in the mailbox can’t be opened, because this computer no longer has the key. They stay there until you turn the mailbox off.`,
        'retry',
      );
    const refused = remote?.refused ?? 0;
    const extra =
      refused > 0
        ? ` While you were away, it refused ${refused} ${refused === 1 ? 'thing' : 'things'}, because a limit was reached.`
        : '';
    if (remote?.state === 'off')
      return {
        ...said(
          'awake',
          'The server is off. Until you turn it on, the mailbox shows no pages and keeps no mentions.',
        ),
        toCopy: 0,
      };
    if (this.#isAsleep) return said('asleep-ready', `The mailbox answers for this computer.${extra}`);
    if (remote === undefined || counts.toCopy + counts.toRemove > 0)
      return said('awake', `Porchlight is copying your public pages.${extra}`);
    return said('asleep-ready', `${copiedWords(counts.leftOut)} This computer can sleep.${extra}`);
  }

  /** Notifies the mailbox if the server was turned on or off, or if its hosts changed. */
  follow(): void {
    if (this.#options.isOn() && !this.#stopping.signal.aborted && this.#tidings() !== this.#intended)
      void this.synchronize();
  }

  /** Returns the problem with the mailbox, if there is one. */
  problem(): Problem | undefined {
    return this.#shown?.state === 'trouble' ? { code: 'mailbox', message: this.#shown.words } : undefined;
  }

  /** Connects the part that copies public pages to the mailbox. Call it once, before `start`. */
  connect(opened: Pick<Copies, 'status' | 'wake'>) {
    this.#copies = opened;
  }

  /** Called when the number of copies changes. */
  copiesChanged(): void {
    const now = this.status();
    if (isDeepStrictEqual(now, this.#shown)) return;
    const isNews = now.state !== this.#shown?.state;
    this.#shown = now;
    this.#options.hub.emit('mailbox.changed', now);
    if (isNews) this.#options.changed();
  }

  /**
   * Tells the mailbox that this computer is about to sleep. Resolves once the mailbox has confirmed this, or after 2
   * seconds.
   */
  async sleep(): Promise<void> {
    this.#isAsleep = true;
    clearTimeout(this.#sleepTimer);
    this.#sleepTimer = setTimeout(() => this.wake(), asleepMs).unref();
    // Electron announces each sleep twice on Linux. A second call to the mailbox would interrupt the first one.
    this.#farewell ??= this.#sayFarewell().finally(() => (this.#farewell = undefined));
    await this.#farewell;
  }

  /** Called when the computer wakes up or its network changes. */
  wake(): void {
    clearTimeout(this.#sleepTimer);
    this.#isAsleep = false;
    this.#reported = undefined;
    this.#failures = 0;
    void this.synchronize();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    clearTimeout(this.#sleepTimer);
    this.#stopping.abort();
    await this.#sayFarewell();
  }

  /**
   * Fetches the stored requests now, and returns the result.
   * @throws PorchlightError
   */
  async fetchNow(): Promise<Drained> {
    const { failure, ...found } = await this.#inTurn(() => this.#options.drain(this.#stopping.signal));
    const { arrived, waiting, unopened } = found;
    const isWhole = failure === undefined;
    const rest = isWhole ? { waiting, unopened } : { waiting: 0, unopened: 0, ...this.#last };
    const isNews = arrived > 0 || (isWhole && this.#last === undefined);
    if (isNews) this.#last = { ...rest, arrived, at: new Date(this.#options.clock()).toISOString() };
    else if (this.#last) this.#last = { ...this.#last, ...rest };
    if (arrived > 0) {
      this.#options.hub.emit('mailbox.arrived', { arrived });
      await this.#options.activity.record('mailbox.arrived', arrivedWords(arrived));
    }
    if (!isWhole) throw failure;
    if (this.#remote) this.#remote = { ...this.#remote, kept: waiting + unopened };
    this.#crowded = waiting > 0 ? this.#crowded + 1 : 0;
    return found;
  }

  #presence(): Presence {
    const server = this.#options.server();
    if (server === 'off') return 'off';
    return this.#isAsleep || server === 'trouble' ? 'asleep' : 'awake';
  }

  #again(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#stopping.signal.aborted && this.#options.isOn())
      this.#timer = setTimeout(() => void this.synchronize(), ms).unref();
  }

  #hosts() {
    return this.#options.hosts().slice(0, mostHosts);
  }

  #tidings() {
    return JSON.stringify([this.#presence(), this.#hosts()]);
  }

  async #say(now: Presence): Promise<void> {
    this.#intended = this.#tidings();
    const text = this.#intended;
    if (text === this.#reported) return;
    this.#remote =
      now === 'awake'
        ? await this.#options.client.call('awake', { hosts: this.#hosts() })
        : await this.#options.client.call('away', { kind: now });
    this.#reported = text;
  }

  /** Tells the mailbox that this server is going offline, without waiting for other calls. Never rejects. */
  async #sayFarewell(): Promise<void> {
    if (!this.#options.isOn() || this.#presence() === 'off') return;
    this.#reported = undefined;
    this.#options.client.interrupt();
    await this.#options.client
      .call('away', { kind: 'asleep' }, { timeoutMs: farewellMs })
      .catch((error: unknown) =>
        this.#options.log.info({ err: error }, 'the mailbox could not be told that this server leaves'),
      );
  }

  async #synchronize(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    if (!this.#options.isOn()) {
      this.#reported = this.#remote = this.#trouble = this.#last = undefined;
      this.copiesChanged();
      return;
    }
    try {
      const now = this.#presence();
      await this.#say(now);
      if (!this.#isAsleep && now !== 'off') await this.fetchNow();
      if (this.#remote && this.#remote.version !== mailboxVersion)
        throw new MailboxRefusal({ error: 'other_version' });
      this.#trouble = undefined;
      this.#failures = 0;
      this.#again(this.#crowded > 0 ? (pauseAfter('mailbox', this.#crowded + 1) ?? everyMs) : everyMs);
    } catch (error) {
      this.#reported = undefined;
      // Before this server goes offline, it cancels all calls to the mailbox except the last one. A call that is
      // cancelled this way isn't a failure.
      if (error instanceof PorchlightError && error.code === 'cancelled') return;
      this.#trouble =
        error instanceof PorchlightError ? error : new PorchlightError('mailbox_failed', String(error));
      this.#options.log.warn({ err: error }, 'the mailbox could not be looked at');
      this.#failures += 1;
      this.#again(pauseAfter('mailbox', this.#failures) ?? everyMs);
    }
    this.copiesChanged();
  }
}

function copiedWords(leftOut: number): string {
  if (leftOut === 0) return 'Everything public is copied.';
  return `Everything public is copied, except ${leftOut === 1 ? 'one large file' : `${leftOut} large files`}.`;
}

function remedyOf({ code }: PorchlightError): MailboxStatus['remedy'] {
  if (code === 'mailbox_other_server') return 'takeOver';
  return code === 'mailbox_outdated' ? 'update' : 'retry';
}
