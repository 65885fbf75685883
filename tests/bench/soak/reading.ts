import { answered, rest, type Lane, type Scene } from './work.ts';

const places = [
  '/',
  '/feed.atom',
  '/feed.rss',
  '/feed.json',
  '/.well-known/oauth-authorization-server',
  '/micropub?q=source&limit=20',
  '/webmentions?url=https%3A%2F%2Fowner.example%2Fpage-1',
  '/categories/soak-1',
];

/** Visitors and their feed readers, and the owner who looks. */
export function reading({ house, ledger, bearer }: Scene): Lane {
  async function hearForAWhile(): Promise<void> {
    if (!house.events) return;
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${house.events.key}` };
    const stream = await fetch(house.events.url, { headers, signal: leaving.signal });
    const heard = stream.body?.getReader().read();
    await Promise.race([heard, rest(500)]);
    leaving.abort();
    await heard?.catch(() => undefined); // cut by us
  }

  return {
    name: 'reading',
    pauseMs: 100,
    async turn(number) {
      const path = places[number % places.length] ?? '/';
      // A category has no page before it has a post.
      await answered(
        await fetch(house.base + path, { headers: bearer }),
        200,
        ...(number < 400 ? [404] : []),
      );
      ledger.count('pages read');
      const posts = [...ledger.posts];
      const post = posts[number % Math.max(posts.length, 1)];
      if (post) await answered(await fetch(post[0]), 200, 410);
      if (number % 20 === 0) await hearForAWhile();
      if (number % 10 === 0) await house.call('activity.list', { limit: 50 });
      if (number % 10 === 5) await house.call('webmentions.list', { limit: 50 });
      if (number % 50 === 0) await house.call('webmentions.counts', {});
    },
  };
}

/** How long a tunnel that died may take to be up again, in ms: its pauses begin at a second. */
const upAgainMs = 60_000;

/** The tunnel dies without a word, and has to come back by itself. */
export function tunnelDying({ house, ledger, tunnels }: Scene, everyMs: number): Lane {
  return {
    name: 'tunnel',
    pauseMs: everyMs,
    async turn(number) {
      if (number === 0) return; // it is left alone at first
      const victim = tunnels().at(-1);
      if (victim === undefined) throw new Error('no cloudflared was ever started');
      process.kill(victim, 'SIGKILL');
      ledger.count('tunnel deaths');
      const latest = performance.now() + upAgainMs;
      while (performance.now() < latest) {
        await rest(250);
        const { state } = await house.call('tunnel.status', {});
        if (tunnels().at(-1) !== victim && state === 'connected') return;
      }
      throw new Error('the tunnel did not come back');
    },
  };
}
