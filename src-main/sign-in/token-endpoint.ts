import { PorchlightError } from '../contract/error.ts';
import type { Profile } from '../contract/settings.ts';
import type { Clock } from '../platform/clock.ts';
import { optionalField, requiredField, type Fields } from '../http/form.ts';
import type { AccessTokens } from './access-token.ts';
import type { Codes } from './codes.ts';
import type { Grant } from './grant.ts';
import { parseScope } from './scope.ts';
import type { Grants } from './store.ts';

export interface TokenDeps {
  readonly codes: Codes;
  readonly grants: Grants;
  readonly tokens: AccessTokens;
  readonly profile: () => Profile;
  /** Returns the lifetime of access tokens in the settings, in seconds. */
  readonly accessTokenSeconds: () => number;
  /** Returns whether the owner allows old clients, which use no PKCE and may omit `grant_type`. */
  readonly allowWithoutPkce: () => boolean;
  readonly clock: Clock;
  /** Called when the owner has signed in to an app. */
  readonly granted: (grant: Grant) => void;
}

const longestField = 4096;

function redeem({ codes }: TokenDeps, form: Fields) {
  const redemption = {
    code: requiredField(form, 'code'),
    clientId: requiredField(form, 'client_id'),
    redirectUri: requiredField(form, 'redirect_uri'),
    verifier: optionalField(form, 'code_verifier'),
  };
  if (Object.values(redemption).some((value) => (value?.length ?? 0) > longestField)) {
    throw new PorchlightError('invalid_request', 'A parameter is too long.');
  }
  return codes.redeem(redemption);
}

/** Returns the `grant_type`. Old clients redeem a code without a `grant_type`. */
function grantTypeOf({ allowWithoutPkce }: TokenDeps, form: Fields): string {
  const type = optionalField(form, 'grant_type');
  if (type === undefined && allowWithoutPkce()) return 'authorization_code';
  return requiredField(form, 'grant_type');
}

function wrongGrantType(type: string): never {
  throw new PorchlightError(
    'unsupported_grant_type',
    `This server does not support the grant_type “${type.slice(0, 60)}”.`,
  );
}

/** Redeems a code at the authorization endpoint. Returns the owner's identity, but no token (IndieAuth 5.3.2). */
export async function answerIdentity(deps: TokenDeps, form: Fields) {
  const type = grantTypeOf(deps, form);
  if (type !== 'authorization_code') wrongGrantType(type);
  const { permit } = await redeem(deps, form);
  return { me: permit.grant.me, ...profilePart(deps, permit.grant.scopes) };
}

/** Exchanges a code for tokens (IndieAuth 5.3.3), or a refresh token for new tokens (5.5). */
export async function answerToken(deps: TokenDeps, form: Fields) {
  const type = grantTypeOf(deps, form);
  if (type === 'authorization_code') return tokensForCode(deps, form);
  if (type === 'refresh_token') return tokensForRefresh(deps, form);
  return wrongGrantType(type);
}

async function tokensForCode(deps: TokenDeps, form: Fields) {
  const { permit, given } = await redeem(deps, form);
  const { scopes, expiresIn } = permit.grant;
  if (scopes.length === 0) {
    throw new PorchlightError(
      'invalid_grant',
      'This code has no scope, so it gives no access token. Redeem it at the authorization endpoint.',
    );
  }
  const { grant, refreshToken } = await deps.grants.create(permit.grant);
  await given(grant.id);
  deps.granted(grant);
  return answerFor(deps, { grant, refreshToken, scopes, seconds: expiresIn });
}

async function tokensForRefresh(deps: TokenDeps, form: Fields) {
  const refreshToken = requiredField(form, 'refresh_token');
  const clientId = requiredField(form, 'client_id');
  const asked = parseScope(optionalField(form, 'scope'));
  const allowed = deps.grants.byRefreshToken(refreshToken)?.scopes;
  if (!asked || (allowed && asked.some((scope) => !allowed.includes(scope)))) {
    throw new PorchlightError(
      'invalid_scope',
      'A refreshed token cannot have more scopes than the token before it.',
    );
  }
  const next = await deps.grants.rotate(refreshToken, clientId);
  return answerFor(deps, {
    ...next,
    scopes: asked.length > 0 ? asked : next.grant.scopes,
    seconds: undefined,
  });
}

interface Issue {
  readonly grant: Grant;
  readonly refreshToken: string | undefined;
  readonly scopes: readonly string[];
  /** The lifetime in seconds that the owner chose for this app; undefined if the general setting applies. */
  readonly seconds: number | undefined;
}

/** Returns the response of the token endpoint (IndieAuth 5.3.3), with a new access token. */
async function answerFor(deps: TokenDeps, { grant, refreshToken, scopes, seconds }: Issue) {
  const now = Math.floor(deps.clock() / 1000);
  const end = Math.min(
    now + (seconds ?? deps.accessTokenSeconds()),
    Math.floor((grant.endsAt ?? Infinity) / 1000),
  );
  const token = await deps.tokens.sign({
    grantId: grant.id,
    me: grant.me,
    clientId: grant.clientId,
    scopes,
    expiresAt: end,
  });
  return {
    access_token: token,
    token_type: 'Bearer',
    scope: scopes.join(' '),
    me: grant.me,
    expires_in: end - now,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...profilePart(deps, scopes),
  };
}

function profilePart(deps: TokenDeps, scopes: readonly string[]) {
  return scopes.includes('profile') && { profile: profileFor(deps.profile(), scopes) };
}

/**
 * Returns the part of the owner's profile that the scopes reveal (IndieAuth 5.3.4). `email` is left out if it is empty.
 */
export function profileFor({ me, name, url, photo, email }: Profile, scopes: readonly string[]) {
  const shown = { name, url: url === '' ? (me ?? '') : url, photo };
  return scopes.includes('email') && email !== '' ? { ...shown, email } : shown;
}
