import { setTimeout as pause } from 'node:timers/promises';
import type { Problem } from '../contract/status.ts';
import type { FolderLock } from '../storage/folder-lock.ts';
import type { Foundation } from './foundation.ts';
import type { Parts } from './parts.ts';
import type { Service, ServiceOptions } from './service.ts';

/**
 * How long the parts of the service may use the keychain while they stop, in ms. Together with the 2 s that the keychain
 * gets for a running call, it has to fit into the 5 s that both programs have for their end.
 */
const keychainPatienceMs = 1500;
/** How long the last attempt to save revocations, blocks and deletions may take, in ms. */
const lastAttemptMs = 500;
const crashWords =
  'Porchlight or the computer stopped without warning. It is running again with everything that was saved.';

/** The running service: it starts, wakes and stops the parts in order. */
export class RunningService implements Service {
  readonly owner: Service['owner'];
  readonly transfers: Service['transfers'];
  readonly #options: ServiceOptions;
  readonly #lock: FolderLock;
  readonly #foundation: Foundation;
  readonly #parts: Parts;
  /** Whether all posts are in the database, and what resolves once they are. */
  readonly #isRead: () => boolean;
  readonly #filesRead: Promise<void>;
  /**
   * Whether the service is stopping. `start`, `wake` and `sleep` check this, because no work may begin once the data
   * folder is unlocked. The owner may quit during startup, or the computer may wake up during shutdown.
   */
  #isStopped = false;
  #lost: string | undefined;

  constructor(
    options: ServiceOptions,
    {
      lock,
      foundation,
      parts,
      isRead,
      filesRead,
      owner,
    }: {
      readonly lock: FolderLock;
      readonly foundation: Foundation;
      readonly parts: Parts;
      readonly isRead: () => boolean;
      readonly filesRead: Promise<void>;
      readonly owner: Service['owner'];
    },
  ) {
    this.#options = options;
    this.#lock = lock;
    this.#foundation = foundation;
    this.#parts = parts;
    this.#isRead = isRead;
    this.#filesRead = filesRead;
    this.owner = owner;
    this.transfers = parts.transfers;
  }

  /** Tells the owner about a problem that the program has noticed. */
  report(problem: Problem): void {
    if (this.#foundation.problems.add(problem)) this.#foundation.early.changed();
  }

  async start(): Promise<void> {
    const { background, activity } = this.#foundation.early;
    await this.#parts.reaching.start();
    if (this.#isStopped) return;
    if (this.#lock.isCrash) background(activity.record('server.crashed', crashWords));
    this.#foundation.start();
    background(this.#parts.cloudflare.start());
    if (this.#isRead()) this.#startParts();
    else background(this.#filesRead.then(() => this.#startParts()));
  }

  wake(): void {
    if (this.#isStopped) return;
    const { timing, work, early } = this.#foundation;
    const { publishing, signingIn, reaching, selfTesting, mentioning, data, mailbox } = this.#parts;
    timing.check();
    publishing.checkDates();
    signingIn.indieAuth.waitingRoom.expireOverdue();
    early.background(reaching.wake());
    early.background(selfTesting.wake());
    work.wake();
    mentioning.wake();
    data.checkCopies();
    mailbox.wake();
    publishing.site.websub.wake();
  }

  async sleep(): Promise<void> {
    if (!this.#isStopped) await this.#parts.mailbox.sleep();
  }

  async stop(): Promise<void> {
    const { early, secrets, pictures, work, gate, disk } = this.#foundation;
    const { publishing, signingIn, reaching, selfTesting, mentioning, data, mailbox, cloudflare, folder } =
      this.#parts;
    const { indieAuth } = signingIn;
    this.#isStopped = true;
    // First, because the parts below may need all of the time for the end.
    await this.#saveRevocations();
    selfTesting.stop();
    // The copies in the mailbox are made from this server's own responses, so the listener must still be open.
    await mailbox.flush();
    // Stop the mailbox part first. If the listener stopped first, the mailbox would report that the owner turned the
    // server off.
    const stopped = Promise.all([mailbox.stop(), cloudflare.stop(), reaching.stop(), data.stop()]);
    await Promise.race([stopped, pause(keychainPatienceMs, undefined, { ref: false })]);
    // A part may still be waiting for a keychain that doesn't respond. Closing the keychain ends that wait.
    await Promise.all([stopped, secrets.close()]);
    // The listener is closed, so nothing else can end now.
    await this.#saveRevocations();
    indieAuth.waitingRoom.close();
    folder.interrupt();
    const workStopped = work.stop();
    await publishing.interrupt();
    // Strangers' pictures may take long to decode. Those that still wait are fetched again after the next start.
    await pictures.close();
    await workStopped;
    await publishing.stop();
    await mentioning.stop();
    await gate.close();
    disk.stop();
    // Store when each app was last used. `background` only logs an error, so a disk that accepts no writes can't
    // prevent the shutdown. `foundation.close` waits until this is done.
    early.background(indieAuth.grants.flush());
    await this.#foundation.close();
    await this.#options.logFile?.close();
    await this.#lock.release();
  }

  /** Tries once more to save the revocations that aren't on disk. If that fails, tells the owner what is lost. */
  async #saveRevocations(): Promise<void> {
    const { log } = this.#options;
    const { unsaved } = this.#foundation;
    const retried = unsaved
      .retry()
      .catch((error: unknown) => log.warn({ err: error }, 'not everything was saved'));
    await Promise.race([retried, pause(lastAttemptMs, undefined, { ref: false })]);
    const words = unsaved.lossWords();
    if (words === undefined || words === this.#lost) return;
    this.#lost = words;
    log.error(words);
    this.#options.lost?.(words);
  }

  /** Starts the parts that work with the posts. */
  #startParts(): void {
    if (this.#isStopped) return;
    const { background } = this.#foundation.early;
    const { publishing, mentioning, data, mailbox, identifying } = this.#parts;
    background(mailbox.start());
    this.#foundation.work.start();
    background(publishing.start());
    background(mentioning.start());
    background(data.start());
    background(publishing.lookAtFiles());
    // Runs in the background, because an owner's site that can't be read must not prevent startup.
    background(identifying.start(), 'Porchlight could not read your name and photo from your domain.');
  }
}
