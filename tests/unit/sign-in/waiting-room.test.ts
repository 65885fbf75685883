import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AuthorizationRequest } from '../../../src-main/sign-in/authorization-request.ts';
import { WaitingRoom, visitSeconds, type SignInAnswer } from '../../../src-main/sign-in/waiting-room.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const request: AuthorizationRequest = {
  clientId: 'https://app.example/',
  redirectUri: 'https://app.example/callback',
  isToProgram: false,
  state: 's',
  challenge: null,
  scopes: ['profile', 'email', 'create'],
  resource: undefined,
  client: {
    id: 'https://app.example/',
    name: 'App',
    logo: null,
    logoUri: null,
    redirects: { uris: [], exclusive: false },
    warnings: [],
  },
};

function scene() {
  const bells: string[] = [];
  const settlements: [id: string, outcome: SignInAnswer['outcome']][] = [];
  const room = new WaitingRoom(() => Date.now(), {
    requested: ({ id }) => bells.push(id),
    settled({ id }, { outcome }) {
      settlements.push([id, outcome]);
      return Promise.resolve();
    },
  });
  return { room, bells, settlements };
}

const never = new AbortController().signal;
const minutes = (count: number) => count * 60_000;

test('a visit rings once, waits, and shows a code of exactly two digits', () => {
  const { room, bells } = scene();
  const visit = room.enter(request, 'browser');
  expect(bells).toEqual([visit.id]);
  expect(room.waiting()).toEqual([visit]);
  expect(visit.matchCode).toMatch(/^\d\d$/);
});

test('no two that wait share a match code', () => {
  for (let round = 0; round < 100; round += 1) {
    const { room } = scene();
    const codes = ['a', 'b', 'c', 'd', 'e'].map((browser) => room.enter(request, browser).matchCode);
    expect(new Set(codes).size).toBe(5);
  }
});

describe('time', () => {
  test('what expired while the computer slept is over, though timers stood still', () => {
    const { room, settlements } = scene();
    const slept = room.enter(request, 'browser');
    vi.setSystemTime(Date.now() + minutes(11));
    room.expireOverdue();
    expect(settlements).toEqual([[slept.id, 'expired']]);
    expect(room.waiting()).toEqual([]);
  });

  test('nobody can approve after the deadline, even if a sleep of the computer was not noticed', async () => {
    const { room, settlements } = scene();
    const { id } = room.enter(request, 'browser');
    vi.setSystemTime(Date.now() + minutes(11));
    await expect(room.approve(id, { scopes: [], expiresIn: undefined })).rejects.toThrow(
      'no longer waiting for approval',
    );
    expect(settlements).toEqual([[id, 'expired']]);
  });

  test('a visit expires after ten minutes, and is recorded in the history', () => {
    const { room, settlements } = scene();
    const visit = room.enter(request, 'browser');
    expect(visitSeconds).toBe(600);
    expect(visit.expiresAt - visit.requestedAt).toBe(minutes(10));
    vi.advanceTimersByTime(minutes(10) - 1);
    expect(room.waiting()).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(room.waiting()).toEqual([]);
    expect(settlements).toEqual([[visit.id, 'expired']]);
    expect(room.ofBrowser(visit.id, 'browser')?.answer?.outcome).toBe('expired');
  });

  test('an expired visit can be neither approved nor denied', async () => {
    const { room } = scene();
    const { id } = room.enter(request, 'browser');
    vi.advanceTimersByTime(minutes(10));
    await expect(room.approve(id, { scopes: [], expiresIn: undefined })).rejects.toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
    await expect(room.deny(id)).rejects.toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  test('an answered visit does not expire', async () => {
    const { room, settlements } = scene();
    const { id } = room.enter(request, 'browser');
    vi.advanceTimersByTime(minutes(9));
    await room.approve(id, { scopes: ['create'], expiresIn: undefined });
    vi.advanceTimersByTime(minutes(2));
    expect(settlements).toEqual([[id, 'approved']]);
    expect(room.ofBrowser(id, 'browser')?.answer?.outcome).toBe('approved');
  });

  test('an answer that nobody came for is forgotten after ten minutes', async () => {
    const { room } = scene();
    const { id } = room.enter(request, 'browser');
    await room.deny(id);
    vi.advanceTimersByTime(minutes(10) - 1);
    expect(room.ofBrowser(id, 'browser')).toBeDefined();
    vi.advanceTimersByTime(1);
    expect(room.ofBrowser(id, 'browser')).toBeUndefined();
  });

  test('the way back is the same on a reload, and gone when its code has expired', async () => {
    const { room } = scene();
    const { id } = room.enter(request, 'browser');
    await room.approve(id, { scopes: ['create'], expiresIn: undefined });
    const make = vi.fn(() => 'https://app.example/callback?code=1');
    expect(room.wayBack(id, 60_000, make)).toBe('https://app.example/callback?code=1');
    vi.advanceTimersByTime(59_999);
    expect(room.wayBack(id, 60_000, make)).toBe('https://app.example/callback?code=1');
    vi.advanceTimersByTime(1);
    expect(room.wayBack(id, 60_000, make)).toBeNull();
    expect(make).toHaveBeenCalledOnce();
  });

  test('there is no way back before the owner answered', () => {
    const { room } = scene();
    const { id } = room.enter(request, 'browser');
    expect(room.wayBack(id, 60_000, () => 'https://app.example/')).toBeNull();
  });
});

describe('limits', () => {
  test('five may wait; the sixth hears 429, and comes in once one is answered', async () => {
    const { room } = scene();
    const [first] = ['a', 'b', 'c', 'd', 'e'].map((browser) => room.enter(request, browser));
    expect(() => room.enter(request, 'f')).toThrow(expect.objectContaining({ status: 429 }));
    expect(room.waiting()).toHaveLength(5);
    await room.deny(first!.id);
    expect(room.enter(request, 'f').matchCode).toMatch(/^\d\d$/);
  });

  test('a browser has one visit: the next takes the place of the one before', () => {
    const { room, settlements } = scene();
    const before = room.enter(request, 'browser');
    const after = room.enter(request, 'browser');
    expect(room.waiting()).toEqual([after]);
    expect(settlements).toEqual([[before.id, 'expired']]);
  });

  test('a browser that already waits gets in even if the room is full', () => {
    const { room } = scene();
    for (const browser of ['a', 'b', 'c', 'd', 'e']) room.enter(request, browser);
    const visit = room.enter(request, 'a');
    expect(room.waiting()).toHaveLength(5);
    expect(room.waiting().at(-1)).toEqual(visit);
  });
});

describe('where all places are taken', () => {
  /** Takes a place for each network in turn, each with a browser of its own. */
  function taken(...networks: (string | undefined)[]) {
    const found = scene();
    let browsers = 0;
    const enter = (network: string | undefined) =>
      found.room.enter(request, `browser ${(browsers += 1)}`, network);
    return { ...found, enter, visits: networks.map(enter) };
  }
  const ids = (room: ReturnType<typeof scene>['room']) => room.waiting().map(({ id }) => id);

  test('a new network takes the place of the oldest request of a network that holds two', () => {
    const { room, enter, visits, settlements } = taken('a', 'b', 'c', 'b', 'c');
    const newest = enter('owner');
    const [a, oldOfB, oldOfC, newOfB, newOfC] = visits;
    expect(ids(room)).toEqual([a, oldOfC, newOfB, newOfC, newest].map((visit) => visit?.id));
    expect(settlements).toEqual([[oldOfB?.id, 'expired']]);
    expect(room.ofBrowser(oldOfB!.id, 'browser 2')?.answer).toMatchObject({ replaced: true, madeRoom: true });
  });

  test('three networks can’t fill all places: the owner’s request gets one and keeps it', () => {
    const { room, enter } = taken('a', 'a', 'b', 'b', 'c');
    const owners = enter('owner');
    for (const network of ['c', 'd', 'e', 'f', 'a', 'b', 'g']) {
      try {
        enter(network);
      } catch (error) {
        expect(error).toMatchObject({ status: 429 });
      }
      expect(ids(room)).toContain(owners.id);
      expect(ids(room).length).toBeLessThanOrEqual(5);
    }
  });

  test('the newest request of a network is never replaced, however many come', () => {
    const { room, enter, visits } = taken('a', 'a', 'b', 'b', 'c');
    enter('d');
    enter('e');
    expect(() => enter('f')).toThrow(expect.objectContaining({ status: 429 }));
    expect(ids(room)).toEqual(expect.arrayContaining([visits[1]?.id, visits[3]?.id, visits[4]?.id]));
  });

  test('with one request of each of five networks, nobody is replaced', () => {
    const { room, enter, visits } = taken('a', 'b', 'c', 'd', 'e');
    expect(() => enter('f')).toThrow(expect.objectContaining({ status: 429 }));
    expect(ids(room)).toEqual(visits.map(({ id }) => id));
  });

  test('a network that already waits replaces nobody', () => {
    const { room, enter, visits } = taken('a', 'a', 'b', 'b', 'c');
    expect(() => enter('c')).toThrow(expect.objectContaining({ status: 429 }));
    expect(ids(room)).toEqual(visits.map(({ id }) => id));
  });

  test('visitors who cannot be told apart replace nobody', () => {
    const { room, enter, visits } = taken(undefined, undefined, undefined, undefined, undefined);
    for (const network of [undefined, 'a'])
      expect(() => enter(network)).toThrow(expect.objectContaining({ status: 429 }));
    expect(ids(room)).toEqual(visits.map(({ id }) => id));
  });

  test('a browser on this computer itself, which comes from no network, finds a place too', () => {
    const { room, enter, visits } = taken('a', 'a', 'b', 'b', 'c');
    const { id } = enter(undefined);
    expect(ids(room)).toContain(id);
    expect(ids(room)).not.toContain(visits[0]?.id);
  });

  test('if a place is free, nobody is replaced', () => {
    const { room, enter } = taken('a', 'a', 'b', 'b');
    enter('c');
    expect(room.waiting()).toHaveLength(5);
  });
});

describe('the answer', () => {
  test('Micropub 5.4: the owner may grant a part of the scopes, in the order asked for', async () => {
    const { room } = scene();
    const { id } = room.enter(request, 'browser');
    await room.approve(id, { scopes: ['create', 'profile'], expiresIn: 3600 });
    expect(room.ofBrowser(id, 'browser')?.answer).toEqual({
      outcome: 'approved',
      scopes: ['profile', 'create'],
      expiresIn: 3600,
    });
  });

  test.each([[['update']], [['create', 'update']]])(
    '%j was not asked for, and is not granted',
    async (scopes) => {
      const { room } = scene();
      const { id } = room.enter(request, 'browser');
      await expect(room.approve(id, { scopes, expiresIn: undefined })).rejects.toThrow(
        expect.objectContaining({ code: 'invalid_scope' }),
      );
      expect(room.waiting()).toHaveLength(1);
    },
  );

  test('IA-65 email is not granted without profile', async () => {
    const { room } = scene();
    const { id } = room.enter(request, 'browser');
    await expect(room.approve(id, { scopes: ['email', 'create'], expiresIn: undefined })).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_scope' }),
    );
  });

  test('is given once', async () => {
    const { room } = scene();
    const { id } = room.enter(request, 'browser');
    await room.deny(id);
    await expect(room.approve(id, { scopes: [], expiresIn: undefined })).rejects.toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
    expect(room.ofBrowser(id, 'browser')?.answer?.outcome).toBe('denied');
  });

  test('is for the browser that asked', async () => {
    const { room } = scene();
    const { id } = room.enter(request, 'browser');
    await room.approve(id, { scopes: [], expiresIn: undefined });
    expect(room.ofBrowser(id, 'browser')).toBeDefined();
    for (const other of ['', 'Browser', 'browser ', id]) expect(room.ofBrowser(id, other)).toBeUndefined();
  });
});

describe('waiting for it', () => {
  test('ends with the answer', async () => {
    const { room } = scene();
    const { id } = room.enter(request, 'browser');
    const waits = room.settled(id, minutes(1), never);
    await room.approve(id, { scopes: [], expiresIn: undefined });
    await waits;
    expect(vi.getTimerCount()).toBe(1); // the one that forgets the visit
  });

  test('ends after its time without one', async () => {
    const { room } = scene();
    const { id } = room.enter(request, 'browser');
    const over = vi.fn();
    const waits = room.settled(id, 25_000, never).then(over);
    await vi.advanceTimersByTimeAsync(24_999);
    expect(over).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await waits;
    expect(room.waiting()).toHaveLength(1);
  });

  test('ends when the browser goes, when the server stops, and at once where nothing waits', async () => {
    const { room } = scene();
    const { id } = room.enter(request, 'browser');
    const gone = new AbortController();
    const first = room.settled(id, minutes(1), gone.signal);
    gone.abort();
    await first;
    const second = room.settled(id, minutes(1), never);
    room.wake();
    await second;
    await room.settled(id, minutes(1), gone.signal);
    await room.settled('unknown', minutes(1), never);
    expect(room.waiting()).toHaveLength(1);
  });

  test('closing the room forgets everybody and leaves no timer', async () => {
    const { room } = scene();
    const { id } = room.enter(request, 'browser');
    const waits = room.settled(id, minutes(1), never);
    room.close();
    await waits;
    expect(room.ofBrowser(id, 'browser')).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('requests that nobody answered are not kept without end: a flood of them drops the oldest, and no answer of the owner', async () => {
  const { room } = scene();
  const approved = room.enter(request, 'owner');
  await room.approve(approved.id, { scopes: ['profile'], expiresIn: undefined });
  const asked = Array.from({ length: 300 }, () => room.enter(request, 'attacker'));
  const known = asked.filter(({ id }) => room.ofBrowser(id, 'attacker') !== undefined);
  expect(known).toHaveLength(101); // a hundred, and the one that waits
  expect(known.at(-1)).toBe(asked.at(-1));
  expect(room.ofBrowser(approved.id, 'owner')?.answer?.outcome).toBe('approved');
  room.close();
});
