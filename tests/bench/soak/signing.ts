import { ask, post, signInRequest, tokensFor, type Tokens } from '../../support/sign-in.ts';
import { page } from '../../support/client-app.ts';
import { answered, type Lane, type Scene } from './work.ts';

/** People who sign in at apps: the owner approves, or denies; most sign out again, a few stay. */
export function signing({ house, ledger, sites }: Scene): Lane {
  // The one on 127.0.0.1: no other address in numbers is an app's (IndieAuth 3.3).
  const [site] = sites;
  const client = site?.origin ?? '';
  site?.pages.set(
    '/',
    page('<title>An app</title><div class="h-app"><a class="u-url p-name" href="/">App</a></div>'),
  );

  async function deny(): Promise<void> {
    const waiting = await ask(house, signInRequest(client));
    await house.call('signIns.deny', { id: waiting.id });
    const back = await waiting.browser.open(waiting.address);
    await answered(back, 302);
    if (!back.headers.get('location')?.includes('error=access_denied'))
      throw new Error('a denied sign-in was not told so');
    ledger.count('denials');
  }

  return {
    name: 'signing in',
    pauseMs: 2_000,
    async turn(number) {
      if (number % 5 === 4) return deny();
      const request = signInRequest(client);
      let tokens = await tokensFor(house, request);
      ledger.count('sign-ins');
      if (number % 3 === 0) {
        const refreshed = await post(house, '/token', {
          grant_type: 'refresh_token',
          refresh_token: tokens.refresh_token,
          client_id: request.clientId,
        });
        tokens = JSON.parse((await answered(refreshed, 200)).toString()) as Tokens;
        ledger.count('refreshes');
      }
      const { access_token: access, refresh_token: refresh } = tokens;
      const headers = { authorization: `Bearer ${access}` };
      await answered(await fetch(`${house.base}/micropub?q=config`, { headers }), 200);
      const isRevoked = number % 10 !== 0;
      if (isRevoked) await answered(await post(house, '/revoke', { token: refresh }), 200);
      ledger.apps.push({ clientId: request.clientId, access, refresh, isRevoked });
    },
  };
}
