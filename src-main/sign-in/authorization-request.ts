import { type ErrorCode, PorchlightError } from '../contract/error.ts';
import type { TokenResource } from '../http/server-metadata.ts';
import {
  type ClientInformation,
  goesToProgram,
  redirectAllowed,
  redirectUriFault,
} from './client-information.ts';
import { isChallenge } from './codes.ts';
import { isEmailWithoutProfile, parseScope } from './scope.ts';
import { parseClientId } from '../platform/web-address.ts';

/** The parameters of a URL's query, as received. If a parameter appears more than once, its value is a list. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

/** Information about a client, including its logo, as the owner and visitors see it. */
export interface Client extends ClientInformation {
  /** A small image as a data: URL. */
  readonly logo: string | null;
}

/** An authorization request that passed every check. `clientId` and `redirectUri` are exactly as received (IA-37). */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly challenge: string | null;
  readonly scopes: readonly string[];
  /** See Grant.resource. */
  readonly resource: TokenResource;
  readonly client: Client;
  /** See goesToProgram. */
  readonly isToProgram: boolean;
}

/**
 * The result of checking a request. After a `refused` request, the browser must not be redirected. After a `faulty`
 * request, the browser may return to the app.
 */
export type RequestVerdict =
  | { readonly kind: 'good'; readonly request: AuthorizationRequest }
  | {
      readonly kind: 'refused';
      readonly message: string;
      /** True if neither the app nor the link is at fault. */
      readonly isPassing?: true;
    }
  | {
      readonly kind: 'faulty';
      readonly error: ErrorCode;
      readonly message: string;
      readonly client: Client;
      readonly redirectUri: string;
      readonly state: string | undefined;
    };

export interface RequestRules {
  /**
   * Fetches information about a client, whose redirect URI may be newer than cached information.
   * @throws PorchlightError if the client must not be trusted
   */
  readonly lookUp: (clientId: string, redirectUri: string) => Promise<Client>;
  /** Returns the IP addresses of a name; none if that is unknown. */
  readonly addressesOf: (host: string) => Promise<readonly string[]>;
  /** Whether the owner's settings allow old clients without PKCE (D-8). */
  readonly allowWithoutPkce: boolean;
  /** Returns where tokens for a `resource` count; throws `invalid_target`. */
  readonly resourceNamed: (resource: unknown) => TokenResource;
  /** False until the owner has set a profile URL. */
  readonly ready: boolean;
}

const longestParameter = 4096;

/** The message is the same for every reason: see client-directory.ts. */
const unreadWords =
  'Porchlight could not read this app’s page, so it can’t check the redirect_uri, which is on another site.';

/**
 * Returns the value of a parameter that appears exactly once, otherwise undefined. An empty value counts as absent (RFC
 * 6749, 3.1).
 */
function one(query: Query, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const named = ['response_type', 'state', 'code_challenge', 'code_challenge_method', 'scope', 'me'];

type Fault = [error: ErrorCode, message: string];
type Check = (query: Query, rules: RequestRules) => Fault | null;

/** The checks of a request whose client and redirect URI are valid. The first check that fails determines the error. */
const checks: Check[] = [
  (_query, { ready }) =>
    ready ? null : ['temporarily_unavailable', 'The owner has not set up this server yet. Try again later.'],
  (query) =>
    fault(
      named.find((name) => Array.isArray(query[name])),
      (name) => `The parameter ${name} appears more than once.`,
    ),
  (query) =>
    fault(
      named.find((name) => (one(query, name)?.length ?? 0) > longestParameter),
      (name) => `The parameter ${name} is too long.`,
    ),
  (query, { allowWithoutPkce }) => {
    const type = one(query, 'response_type');
    const legacy = allowWithoutPkce && (type === undefined || type === 'id'); // valid in IndieAuth before 2020
    return type === 'code' || legacy
      ? null
      : ['unsupported_response_type', 'The response_type must be “code”.'];
  },
  (query) =>
    one(query, 'state') === undefined ? ['invalid_request', 'The parameter state is missing.'] : null,
  checkPkce,
  (query) =>
    parseScope(one(query, 'scope')) === null
      ? ['invalid_scope', 'The parameter scope contains a character that is not allowed, or too many scopes.']
      : null,
  (query) =>
    isEmailWithoutProfile(parseScope(one(query, 'scope')) ?? [])
      ? ['invalid_scope', 'The scope “email” requires the scope “profile”.']
      : null,
  (query, { resourceNamed }) => {
    try {
      resourceNamed(query['resource']);
      return null;
    } catch (error) {
      if (error instanceof PorchlightError) return [error.code, error.message];
      throw error;
    }
  },
];

function fault(name: string | undefined, words: (name: string) => string): Fault | null {
  return name === undefined ? null : ['invalid_request', words(name)];
}

function checkPkce(query: Query, { allowWithoutPkce }: RequestRules): Fault | null {
  const challenge = one(query, 'code_challenge');
  const method = one(query, 'code_challenge_method');
  if (challenge === undefined && method === undefined) {
    return allowWithoutPkce
      ? null
      : ['invalid_request', 'The parameter code_challenge is missing: this server requires PKCE.'];
  }
  if (challenge === undefined) return ['invalid_request', 'The parameter code_challenge is missing.'];
  if (method !== 'S256') return ['invalid_request', 'The code_challenge_method must be “S256”.'];
  return isChallenge(challenge) ? null : ['invalid_request', 'The code_challenge is not a SHA-256 digest.'];
}

/**
 * Checks an authorization request (IndieAuth 5.2). A request with an invalid client or redirect URI is `refused`, so it
 * never leads to a redirect (IA-56).
 */
export async function checkAuthorizationRequest(query: Query, rules: RequestRules): Promise<RequestVerdict> {
  const refused = (message: string): RequestVerdict => ({ kind: 'refused', message });
  const clientId = one(query, 'client_id');
  const redirectUri = one(query, 'redirect_uri');
  if (Array.isArray(query['client_id'])) return refused('The parameter client_id appears more than once.');
  if (Array.isArray(query['redirect_uri']))
    return refused('The parameter redirect_uri appears more than once.');
  if (clientId === undefined) return refused('The parameter client_id is missing.');
  if (redirectUri === undefined) return refused('The parameter redirect_uri is missing.');
  if (clientId.length > longestParameter || !parseClientId(clientId))
    return refused('The client_id is not a valid web address for an app.');
  if (redirectUri.length > longestParameter) return refused('The redirect_uri is too long.');
  const redirectFault = redirectUriFault(redirectUri);
  if (redirectFault !== null) return refused(redirectFault);

  const client = await rules.lookUp(clientId, redirectUri);
  if (!redirectAllowed(redirectUri, clientId, client.redirects)) {
    if (client.isUnread === true) return { kind: 'refused', message: unreadWords, isPassing: true };
    return refused('The redirect_uri is not on the app’s own site, and the app does not list it.');
  }

  const state = one(query, 'state');
  for (const check of checks) {
    const found = check(query, rules);
    if (found) return { kind: 'faulty', error: found[0], message: found[1], client, redirectUri, state };
  }
  return {
    kind: 'good',
    request: {
      clientId,
      redirectUri,
      state: state ?? '',
      challenge: one(query, 'code_challenge') ?? null,
      // Asks for a refresh token, which every app gets here.
      scopes: (parseScope(one(query, 'scope')) ?? []).filter((scope) => scope !== 'offline_access'),
      resource: rules.resourceNamed(query['resource']),
      client,
      isToProgram: await goesToProgram(redirectUri, rules.addressesOf),
    },
  };
}
