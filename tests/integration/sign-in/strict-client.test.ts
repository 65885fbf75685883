import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { counts } from '../../support/answers.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const publicAddress = 'https://porch.example';
let scene: Scene;
beforeAll(async () => void (scene = await openScene({ baseUrl: publicAddress })));
afterAll(() => scene.close());

/** What the tunnel does: requests to the public address arrive at the loopback port. */
const throughTunnel = {
  [oauth.customFetch]: (url: string, init: object) =>
    fetch(url.replace(publicAddress, scene.porchlight.base), init),
};

async function discovered(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(publicAddress);
  const response = await oauth.discoveryRequest(issuer, { ...throughTunnel, algorithm: 'oauth2' });
  return oauth.processDiscoveryResponse(issuer, response);
}

test('OA-2 oauth4webapi finds the metadata for an issuer without its slash', async () => {
  expect(await discovered()).toMatchObject({
    issuer: `${publicAddress}/`,
    token_endpoint: `${publicAddress}/token`,
  });
});

test('oauth4webapi, which is strict, signs in, refreshes and signs out', async () => {
  const server = await discovered();
  const none = oauth.None();
  const client: oauth.Client = { client_id: `${scene.app.origin}/` };
  const request = scene.request({ scope: 'profile create', state: 'the-state' });
  const waiting = await scene.ask(request);
  await scene.approve(waiting);
  const answer = oauth.validateAuthResponse(server, client, await scene.wayBack(waiting), 'the-state');
  const { redirectUri, verifier } = request;
  const first = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(
      server,
      client,
      none,
      answer,
      redirectUri,
      verifier,
      throughTunnel,
    ),
  );
  expect(first).toMatchObject({
    token_type: 'bearer',
    scope: 'profile create',
    me: 'https://owner.example/',
  });
  const second = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, none, first.refresh_token ?? '', throughTunnel),
  );
  expect(await counts(scene.porchlight, second.access_token)).toBe(true);
  const { access_token: token, refresh_token: refreshToken = '' } = second;
  const introspected = await oauth.processIntrospectionResponse(
    server,
    client,
    await oauth.introspectionRequest(server, client, asBearer(token), token, throughTunnel),
  );
  expect(introspected).toMatchObject({ active: true, me: 'https://owner.example/' });
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, none, refreshToken, throughTunnel),
  );
  expect(await counts(scene.porchlight, token)).toBe(false);
});

/** A client that shows a token where others show a password: IndieAuth leaves open how (6.1). */
function asBearer(token: string): oauth.ClientAuth {
  return (_server, _client, _body, headers) => headers.set('authorization', `Bearer ${token}`);
}
