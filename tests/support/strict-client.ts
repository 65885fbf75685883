import * as oauth from 'oauth4webapi';
import { readPage } from '../../src-main/untrusted/pages/web-page.ts';
import { openSite, page, type Site } from './client-app.ts';

/**
 * Somebody else's app: a site with a login, built on an unmodified strict client library. Nothing of its checks is
 * loosened but that loopback may speak http.
 */
export interface StrictClient {
  readonly site: Site;
  readonly client: oauth.Client;
  /** Finds the server from the owner's page (IndieAuth 4.1) and starts a sign-in; the address for the browser. */
  start(profileUrl: string, scope: string): Promise<string>;
  /** Waits for the browser to come back, and redeems the code. */
  finish(): Promise<oauth.TokenEndpointResponse>;
  server(): oauth.AuthorizationServer;
  close(): Promise<void>;
}

export const insecure = { [oauth.allowInsecureRequests]: true };

export async function openStrictClient(name = 'Weather Vane'): Promise<StrictClient> {
  const site = await openSite();
  const clientId = `${site.origin}/client.json`;
  const redirectUri = `${site.origin}/callback`;
  const client: oauth.Client = { client_id: clientId };
  const authentication = oauth.None();
  site.pages.set('/client.json', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        client_id: clientId,
        client_name: name,
        client_uri: `${site.origin}/`,
        redirect_uris: [redirectUri],
      }),
    );
  });

  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  let server: oauth.AuthorizationServer | undefined;
  const back = new Promise<URL>((resolve) => {
    site.pages.set('/callback', (request, response) => {
      page('<title>Signed in</title><h1>Back at the app</h1>')(request, response);
      resolve(new URL(request.url ?? '', site.origin));
    });
  });

  async function discover(profileUrl: string): Promise<oauth.AuthorizationServer> {
    const response = await fetch(profileUrl);
    const { linkRels } = readPage({
      url: profileUrl,
      linkHeader: response.headers.get('link'),
      text: await response.text(),
    });
    const metadata = (await (await fetch(linkRels['indieauth-metadata']?.[0] ?? '')).json()) as {
      issuer: string;
    };
    const issuer = new URL(metadata.issuer);
    return oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );
  }

  function known(): oauth.AuthorizationServer {
    if (!server) throw new Error('start() comes first.');
    return server;
  }

  return {
    site,
    client,
    server: known,
    async start(profileUrl, scope) {
      server = await discover(profileUrl);
      const url = new URL(server.authorization_endpoint ?? '');
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        scope,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).toString();
      return url.href;
    },
    async finish() {
      const parameters = oauth.validateAuthResponse(known(), client, await back, state);
      const response = await oauth.authorizationCodeGrantRequest(
        known(),
        client,
        authentication,
        parameters,
        redirectUri,
        verifier,
        insecure,
      );
      return oauth.processAuthorizationCodeResponse(known(), client, response);
    },
    close: () => site.close(),
  };
}
