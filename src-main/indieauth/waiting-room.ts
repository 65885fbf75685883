import { randomBytes, randomInt } from 'node:crypto';
import { PorchlightError } from '../contract/error.ts';
import type { Outcome } from '../contract/sign-ins.ts';
import type { Clock } from '../platform/clock.ts';
import { hashOf } from '../platform/secret-text.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { isEmailWithoutProfile } from './scope.ts';

/** A sign-in that waits for the owner, or was just settled. Times in ms since the epoch. */
export interface Visit {
  readonly id: string;
  readonly matchCode: string;
  readonly request: AuthorizationRequest;
  /** The browser and system that it claims to come from; null where they are not known. */
  readonly device: string | null;
  readonly requestedAt: number;
  readonly expiresAt: number;
}

/** What the owner said. */
export interface Answer {
  readonly outcome: Outcome;
  readonly scopes: readonly string[];
  readonly expiresIn: number | undefined;
  /** Nobody answered because a newer request took the place of this one. */
  readonly replaced?: boolean;
  /** The newer one came from another network, and all places were taken. */
  readonly madeRoom?: boolean;
  /** Nobody answered because the browser that asked gave up waiting. */
  readonly cancelled?: boolean;
}

export interface WaitingRoom {
  /**
   * Rings the owner's bell. `browser`: the secret in the asking browser's cookie. `visitor`: the network it comes from,
   * where the tunnel tells. `device`: the browser and system that it claims to be.
   */
  enter(request: AuthorizationRequest, browser: string, visitor?: string, device?: string | null): Visit;
  /** Who waits, oldest first. */
  waiting(): Visit[];
  approve(id: string, scopes: readonly string[], expiresIn: number | undefined): Visit;
  deny(id: string): Visit;
  /** Ends a visit that its own browser cancels. Does nothing if the visit is already settled. */
  cancel(id: string): void;
  /** The visit as the browser that asked may see it; undefined for any other browser. */
  ofBrowser(id: string, browser: string): { visit: Visit; answer: Answer | undefined } | undefined;
  /** Where the answered browser is sent: made once by `make`, the same on a reload, null when it is too old. */
  wayBack(id: string, lifetimeMs: number, make: () => string): string | null;
  /** Resolves when the visit is settled, after `ms` at the latest. */
  settled(id: string, ms: number, signal: AbortSignal): Promise<void>;
  /** Ends what is past its time: timers stand still while the computer sleeps. */
  expireOverdue(): void;
  /** Answers everybody who waits in `settled`, settled or not. */
  wake(): void;
  /** Ends the timers and forgets everybody. */
  close(): void;
}

/** How long the owner has to answer. */
export const visitSeconds = 600;
const mostWaiting = 5;
/** So that one stranger can not take all the places for ten minutes, and again. */
const mostOfOneVisitor = 2;
/** How long a settled visit is kept, so that its browser can come for the answer. */
const answerKeptMs = 600_000;
/** So many of those that the owner answered, and of those that nobody did: strangers can make any number of them. */
const mostSettled = 100;

interface Entry {
  readonly visit: Visit;
  readonly browserHash: string;
  readonly visitor: string | undefined;
  timer: NodeJS.Timeout;
  answer?: Answer;
  wayBack?: { location: string; until: number };
  readonly waiters: Set<() => void>;
}

export interface WaitingRoomEvents {
  requested(visit: Visit): void;
  settled(visit: Visit, answer: Answer): void;
}

/**
 * The pending sign-ins, in memory: a restart drops them. A handful at most, one a browser, so that nobody floods
 * the owner; each with a two-digit code that both screens show.
 */
export function createWaitingRoom({
  clock,
  events,
}: {
  clock: Clock;
  events: WaitingRoomEvents;
}): WaitingRoom {
  const entries = new Map<string, Entry>();
  const open = () => [...entries.values()].filter((entry) => entry.answer === undefined);

  function settle(entry: Entry, answer: Answer): Visit {
    entry.answer = answer;
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => entries.delete(entry.visit.id), answerKeptMs).unref();
    for (const wake of entry.waiters) wake();
    forgetOldest(answer.outcome === 'expired');
    events.settled(entry.visit, answer);
    return entry.visit;
  }

  /** Keeps a limited number of settled visits. Those that the owner answered make no room for those that nobody did. */
  function forgetOldest(isUnanswered: boolean): void {
    const alike = [...entries.values()].filter(
      ({ answer }) => answer !== undefined && (answer.outcome === 'expired') === isUnanswered,
    );
    for (const { visit, timer } of alike.slice(0, -mostSettled)) {
      clearTimeout(timer);
      entries.delete(visit.id);
    }
  }

  function expire(entry: Entry, how: Pick<Answer, 'replaced' | 'madeRoom' | 'cancelled'> = {}): void {
    if (entry.answer !== undefined) return;
    settle(entry, { outcome: 'expired', scopes: [], expiresIn: undefined, ...how });
  }

  /**
   * The request that makes room for one from a network that has none here: the oldest one of a network that holds two
   * places. The newest of a network stays, so nobody can push the owner's request out from elsewhere.
   */
  function whoMakesRoom(visitor: string | undefined): Entry | undefined {
    const waiting = open();
    if (waiting.some((entry) => entry.visitor === visitor)) return undefined;
    return waiting.find(
      (entry, index) =>
        entry.visitor !== undefined &&
        waiting.slice(index + 1).some((later) => later.visitor === entry.visitor),
    );
  }

  function expireOverdue(): void {
    for (const entry of open()) if (clock() >= entry.visit.expiresAt) expire(entry);
  }

  function find(id: string): Entry {
    expireOverdue();
    const entry = entries.get(id);
    if (!entry || entry.answer !== undefined) {
      throw new PorchlightError('not_found', 'This sign-in is no longer waiting for approval.', 404);
    }
    return entry;
  }

  function freeMatchCode(): string {
    const taken = new Set(open().map((entry) => entry.visit.matchCode));
    for (;;) {
      const code = String(randomInt(100)).padStart(2, '0');
      if (!taken.has(code)) return code; // at most a handful are taken
    }
  }

  return {
    enter(request, browser, visitor, device = null) {
      const browserHash = hashOf(browser);
      const before = open().find((entry) => entry.browserHash === browserHash);
      if (before) expire(before, { replaced: true });
      const older = open().length >= mostWaiting ? whoMakesRoom(visitor) : undefined;
      if (older) expire(older, { replaced: true, madeRoom: true });
      const ofVisitor = open().filter((entry) => visitor !== undefined && entry.visitor === visitor);
      if (open().length >= mostWaiting || ofVisitor.length >= mostOfOneVisitor) {
        throw new PorchlightError(
          'temporarily_unavailable',
          'Too many sign-ins are waiting for approval. Try again in a few minutes.',
          429,
        );
      }
      const now = clock();
      const visit: Visit = {
        id: randomBytes(16).toString('base64url'),
        matchCode: freeMatchCode(),
        request,
        device,
        requestedAt: now,
        expiresAt: now + visitSeconds * 1000,
      };
      const entry: Entry = {
        visit,
        browserHash,
        visitor,
        waiters: new Set(),
        timer: setTimeout(() => expire(entry), visitSeconds * 1000).unref(),
      };
      entries.set(visit.id, entry);
      events.requested(visit);
      return visit;
    },

    waiting: () => open().map((entry) => entry.visit),

    approve(id, scopes, expiresIn) {
      const entry = find(id);
      const extra = scopes.filter((scope) => !entry.visit.request.scopes.includes(scope));
      if (extra.length > 0)
        throw new PorchlightError(
          'invalid_scope',
          `The app did not request these permissions: ${extra.join(' ')}.`,
        );
      if (isEmailWithoutProfile(scopes))
        throw new PorchlightError(
          'invalid_scope',
          'The permission “email” requires the permission “profile”.',
        );
      const granted = entry.visit.request.scopes.filter((scope) => scopes.includes(scope));
      return settle(entry, { outcome: 'approved', scopes: granted, expiresIn });
    },

    deny: (id) => settle(find(id), { outcome: 'denied', scopes: [], expiresIn: undefined }),

    cancel(id) {
      const entry = entries.get(id);
      if (entry) expire(entry, { cancelled: true });
    },

    ofBrowser(id, browser) {
      const entry = entries.get(id);
      return entry?.browserHash === hashOf(browser)
        ? { visit: entry.visit, answer: entry.answer }
        : undefined;
    },

    wayBack(id, lifetimeMs, make) {
      const entry = entries.get(id);
      if (!entry?.answer) return null;
      entry.wayBack ??= { location: make(), until: clock() + lifetimeMs };
      return clock() < entry.wayBack.until ? entry.wayBack.location : null;
    },

    async settled(id, ms, signal) {
      const entry = entries.get(id);
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
    },

    expireOverdue,

    wake() {
      for (const { waiters } of entries.values()) for (const done of waiters) done();
    },

    close() {
      this.wake();
      for (const { timer } of entries.values()) clearTimeout(timer);
      entries.clear();
    },
  };
}
