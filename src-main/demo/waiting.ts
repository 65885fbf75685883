import type { OwnerApi } from '../contract/contract.ts';
import type { DemoClient } from './client.ts';

/** How long the next app waits after the last sign-in ended, in ms. The visitor first sees what became of that one. */
const pauseMs = 5000;
/** How long until an app asks again that could not ask, for example because the server is off, in ms. */
const retryMs = 30_000;

/**
 * Lets each app ask for a sign-in, and keeps one waiting from then on: when the last one was answered or expired, the
 * next app asks. An approved app finishes its sign-in, as a real one does. Resolves once all apps have asked.
 */
export async function keepSignInsWaiting(owner: OwnerApi, clients: readonly DemoClient[]): Promise<void> {
  const waiting = new Map<string, { readonly client: DemoClient; readonly page: string }>();
  let turn = 0;

  async function request(client: DemoClient): Promise<void> {
    const page = await client.request();
    waiting.set(page.split('/').at(-1) ?? '', { client, page });
  }
  function requestNextIn(ms: number): void {
    setTimeout(() => {
      const client = clients[turn++ % clients.length];
      if (client === undefined || waiting.size > 0) return;
      request(client).catch(() => requestNextIn(retryMs));
    }, ms).unref();
  }

  owner.subscribe((event) => {
    if (event.name !== 'signIn.settled') return;
    const ended = waiting.get(event.data.id);
    if (!ended) return;
    waiting.delete(event.data.id);
    // An error is ignored: then the app doesn't appear among the owner's apps, and nothing else depends on it.
    if (event.data.outcome === 'approved') ended.client.finish(ended.page).catch(() => undefined);
    if (waiting.size === 0) requestNextIn(pauseMs);
  });
  for (const client of clients) await request(client);
}
