import { randomBytes, randomInt } from 'node:crypto';
import { PorchlightError } from '../contract/error.ts';
import type { Outcome } from '../contract/sign-ins.ts';
import type { Clock } from '../platform/clock.ts';
import { newSecretText, secretHash } from '../platform/secrets.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { isEmailWithoutProfile } from './scope.ts';

/**
 * A sign-in that is waiting for the owner's decision, or that recently got an outcome. Times are in ms since the epoch.
 */
export interface Visit {
  readonly id: string;
  readonly matchCode: string;
  readonly request: AuthorizationRequest;
  /** The browser and system that the sign-in claims to come from; null if unknown. */
  readonly device: string | null;
  /** The network that the sign-in was asked from, if the tunnel reports it. */
  readonly visitor: string | undefined;
  /** A random text that only paired phones get. A phone signs it with its decision. */
  readonly nonce: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
}

/** A paired phone with which the owner decides. */
export interface DecidingPhone {
  readonly id: string;
  readonly name: string;
}

/** The outcome of a sign-in (approved, denied or expired), and the approved permissions. */
export interface SignInAnswer {
  readonly outcome: Outcome;
  readonly scopes: readonly string[];
  readonly expiresIn: number | undefined;
  /** The phone with which the owner decided; absent if it was this computer. */
  readonly by?: DecidingPhone | undefined;
  /** True if a newer request replaced this sign-in before the owner decided. */
  readonly replaced?: boolean;
  /**
   * True if the sign-in was dropped to make room for a sign-in from another network, because too many sign-ins were
   * waiting.
   */
  readonly madeRoom?: boolean;
  /** True if the sign-in was cancelled in its browser before the owner decided. */
  readonly cancelled?: boolean;
}

/** What the owner approves. */
type Approval = Pick<SignInAnswer, 'scopes' | 'expiresIn' | 'by'>;

/** How long the owner has to decide, in seconds. */
export const visitSeconds = 600;
const mostWaiting = 5;
/**
 * The maximum number of waiting sign-ins from one network. This limit keeps one stranger from taking all `mostWaiting`
 * places.
 */
const mostOfOneVisitor = 2;
/** How long a sign-in with an outcome is stored, in ms, so that its browser can get the outcome. */
const answerKeptMs = 600_000;
/**
 * The maximum number of stored sign-ins that the owner has approved or denied. Expired sign-ins have a separate limit
 * of the same size, because strangers can create any number of them.
 */
const mostSettled = 100;

interface Entry {
  readonly visit: Visit;
  readonly browserHash: string;
  timer: NodeJS.Timeout;
  answer?: SignInAnswer;
  wayBack?: { location: string; until: number };
  readonly waiters: Set<() => void>;
}

export interface WaitingRoomEvents {
  requested(visit: Visit): void;
  /** Resolves when the record of the answer is on disk. Never rejects. */
  settled(visit: Visit, answer: SignInAnswer): Promise<void>;
}

/**
 * The store of pending sign-ins. They are only in memory, so a restart drops them. Only a few sign-ins can
 * wait, one per browser, so nobody can flood the owner with requests. Each has a two-digit code that the browser and
 * the owner's device show.
 */
export class WaitingRoom {
  readonly #clock: Clock;
  readonly #events: WaitingRoomEvents;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock, events: WaitingRoomEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  /**
   * Adds a sign-in and notifies the owner. `browser`: the secret in the browser's cookie. `visitor`: the visitor's
   * network, if the tunnel reports it. `device`: the browser and system that the User-Agent header names.
   * @throws PorchlightError temporarily_unavailable (429) if too many sign-ins are waiting
   */
  enter(
    request: AuthorizationRequest,
    browser: string,
    visitor?: string,
    device: string | null = null,
  ): Visit {
    const browserHash = secretHash(browser);
    const before = this.#open().find((entry) => entry.browserHash === browserHash);
    if (before) this.#expire(before, { replaced: true });
    const older = this.#open().length >= mostWaiting ? this.#whoMakesRoom(visitor) : undefined;
    if (older) this.#expire(older, { replaced: true, madeRoom: true });
    const ofVisitor = this.#open().filter(
      (entry) => visitor !== undefined && entry.visit.visitor === visitor,
    );
    if (this.#open().length >= mostWaiting || ofVisitor.length >= mostOfOneVisitor) {
      throw new PorchlightError(
        'temporarily_unavailable',
        'Too many sign-ins are waiting for approval. Try again in a few minutes.',
        429,
      );
    }
    const now = this.#clock();
    const visit: Visit = {
      id: randomBytes(16).toString('base64url'),
      matchCode: this.#freeMatchCode(),
      request,
      device,
      visitor,
      nonce: newSecretText(),
      requestedAt: now,
      expiresAt: now + visitSeconds * 1000,
    };
    const entry: Entry = {
      visit,
      browserHash,
      waiters: new Set(),
      timer: setTimeout(() => this.#expire(entry), visitSeconds * 1000).unref(),
    };
    this.#entries.set(visit.id, entry);
    this.#events.requested(visit);
    return visit;
  }

  /** Returns the waiting sign-ins, oldest first. */
  waiting(): Visit[] {
    return this.#open().map((entry) => entry.visit);
  }

  /**
   * Approves a sign-in with some of the permissions that it requests. Resolves when the record of it is on disk, so
   * that the owner hears of it only then.
   * @throws PorchlightError `not_found` (404), `invalid_scope`
   */
  async approve(id: string, { scopes, expiresIn, by }: Approval): Promise<void> {
    const entry = this.#find(id);
    const extra = scopes.filter((scope) => !entry.visit.request.scopes.includes(scope));
    if (extra.length > 0)
      throw new PorchlightError(
        'invalid_scope',
        `The app did not request these permissions: ${extra.join(' ')}.`,
      );
    if (isEmailWithoutProfile(scopes))
      throw new PorchlightError('invalid_scope', 'The permission “email” requires the permission “profile”.');
    const granted = entry.visit.request.scopes.filter((scope) => scopes.includes(scope));
    await this.#settle(entry, { outcome: 'approved', scopes: granted, expiresIn, by });
  }

  /** Denies a sign-in. Resolves and throws like `approve`. */
  async deny(id: string, by?: DecidingPhone): Promise<void> {
    await this.#settle(this.#find(id), { outcome: 'denied', scopes: [], expiresIn: undefined, by });
  }

  /** Returns what identifies who asked for a sign-in: the hash of the browser's secret and, if known, the network. */
  askersOf(id: string): string[] {
    const { browserHash, visit } = this.#entries.get(id) ?? {};
    return [browserHash, visit?.visitor].filter((asker) => asker !== undefined);
  }

  /** Returns the approved sign-ins whose browsers haven't fetched their response yet. */
  unfetched(): string[] {
    const entries = [...this.#entries.values()];
    return entries
      .filter(({ answer, wayBack }) => answer?.outcome === 'approved' && !wayBack)
      .map(({ visit }) => visit.id);
  }

  /** Returns what was approved, as far as its browsers haven't fetched their response yet. */
  approved(): { clientId: string; scopes: readonly string[] }[] {
    return [...this.#entries.values()].flatMap(({ visit, answer, wayBack }) =>
      answer?.outcome === 'approved' && !wayBack
        ? [{ clientId: visit.request.clientId, scopes: answer.scopes }]
        : [],
    );
  }

  /** Turns an approval into a denial, unless its browser has fetched the response. */
  takeBack(id: string): void {
    const entry = this.#entries.get(id);
    if (entry?.answer?.outcome === 'approved' && !entry.wayBack)
      entry.answer = { ...entry.answer, outcome: 'denied', scopes: [] };
  }

  /** Takes back what was approved with a phone; see takeBack. */
  takeBackOf(phone: string): void {
    for (const { visit, answer } of this.#entries.values())
      if (answer?.by?.id === phone) this.takeBack(visit.id);
  }

  /** Ends a sign-in that was cancelled in its own browser. Does nothing if the sign-in already has an outcome. */
  cancel(id: string): void {
    const entry = this.#entries.get(id);
    if (entry) this.#expire(entry, { cancelled: true });
  }

  /** Returns a sign-in if `browser` is the browser that started it; otherwise undefined. */
  ofBrowser(id: string, browser: string): { visit: Visit; answer?: SignInAnswer } | undefined {
    const entry = this.#entries.get(id);
    return entry?.browserHash === secretHash(browser) ? entry : undefined;
  }

  /**
   * Returns the redirect URL for a sign-in with an outcome. Calls `make` only once, so a reload gets the same URL.
   * Returns null if there is no outcome, or if `lifetimeMs` have passed since the first call.
   */
  wayBack(id: string, lifetimeMs: number, make: () => string): string | null {
    const entry = this.#entries.get(id);
    if (!entry?.answer) return null;
    entry.wayBack ??= { location: make(), until: this.#clock() + lifetimeMs };
    return this.#clock() < entry.wayBack.until ? entry.wayBack.location : null;
  }

  /** Resolves when the sign-in gets an outcome, after `ms` milliseconds, or when `signal` aborts. */
  async settled(id: string, ms: number, signal: AbortSignal): Promise<void> {
    const entry = this.#entries.get(id);
    if (!entry || entry.answer !== undefined || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, ms);
      entry.waiters.add(done);
      signal.addEventListener('abort', done);
      function done(): void {
        clearTimeout(timer);
        entry?.waiters.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }

  /** Ends sign-ins that have expired. Timers alone aren't enough, because they stop while the computer sleeps. */
  expireOverdue(): void {
    for (const entry of this.#open()) if (this.#clock() >= entry.visit.expiresAt) this.#expire(entry);
  }

  /** Resolves all pending calls to `settled`, even if the sign-ins have no outcome yet. */
  wake(): void {
    for (const { waiters } of this.#entries.values()) for (const done of waiters) done();
  }

  /** Stops the timers and removes all sign-ins. */
  close(): void {
    this.wake();
    for (const { timer } of this.#entries.values()) clearTimeout(timer);
    this.#entries.clear();
  }

  #open() {
    return [...this.#entries.values()].filter((entry) => entry.answer === undefined);
  }

  /** Gives a sign-in its outcome at once. Resolves when the record of it is on disk. */
  #settle(entry: Entry, answer: SignInAnswer): Promise<void> {
    entry.answer = answer;
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => this.#entries.delete(entry.visit.id), answerKeptMs).unref();
    for (const wake of entry.waiters) wake();
    this.#forgetOldest(answer.outcome === 'expired');
    return this.#events.settled(entry.visit, answer);
  }

  /**
   * Removes the oldest sign-ins of one kind beyond `mostSettled`: expired sign-ins if `isUnanswered` is true, otherwise
   * sign-ins that the owner has approved or denied.
   */
  #forgetOldest(isUnanswered: boolean): void {
    const alike = [...this.#entries.values()].filter(
      ({ answer }) => answer !== undefined && (answer.outcome === 'expired') === isUnanswered,
    );
    for (const { visit, timer } of alike.slice(0, -mostSettled)) {
      clearTimeout(timer);
      this.#entries.delete(visit.id);
    }
  }

  #expire(entry: Entry, how: Pick<SignInAnswer, 'replaced' | 'madeRoom' | 'cancelled'> = {}): void {
    if (entry.answer !== undefined) return;
    void this.#settle(entry, { outcome: 'expired', scopes: [], expiresIn: undefined, ...how });
  }

  /**
   * Chooses a waiting sign-in to drop, to make room for a sign-in from the network `visitor`: the oldest sign-in whose
   * network also has a newer waiting sign-in. Returns undefined if there is no such sign-in, or if `visitor` already
   * has a waiting sign-in. Each network keeps its newest sign-in, so strangers can't displace the owner's sign-in.
   */
  #whoMakesRoom(visitor: string | undefined): Entry | undefined {
    const waiting = this.#open();
    if (waiting.some(({ visit }) => visit.visitor === visitor)) return undefined;
    return waiting.find(
      ({ visit }, index) =>
        visit.visitor !== undefined &&
        waiting.slice(index + 1).some((later) => later.visit.visitor === visit.visitor),
    );
  }

  #find(id: string): Entry {
    this.expireOverdue();
    const entry = this.#entries.get(id);
    if (!entry || entry.answer !== undefined) {
      throw new PorchlightError('not_found', 'This sign-in is no longer waiting for approval.', 404);
    }
    return entry;
  }

  #freeMatchCode(): string {
    const taken = new Set(this.#open().map((entry) => entry.visit.matchCode));
    for (;;) {
      const code = String(randomInt(100)).padStart(2, '0');
      if (!taken.has(code)) return code; // the loop ends, because most codes are free
    }
  }
}
