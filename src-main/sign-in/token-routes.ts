import type { FastifyPluginCallback } from 'fastify';
import { PorchlightError } from '../contract/error.ts';
import type { Profile, Settings } from '../contract/settings.ts';
import { bearerOf } from '../http/bearer.ts';
import { type Fields, formFields, optionalField, requiredField } from '../http/form.ts';
import { noStore } from '../http/response-headers.ts';
import { metadataOf, type TokenResource } from '../http/server-metadata.ts';
import type { Clock } from '../platform/clock.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import type { Access, AccessClaims, AccessTokens } from './access-token.ts';
import type { Codes } from './codes.ts';
import type { Grant } from './grant.ts';
import { parseScope } from './scope.ts';
import type { Grants } from './store.ts';

interface TokenRouteDeps extends TokenDeps {
  readonly base: () => string;
  readonly access: Access;
}

/** Creates the endpoints that apps call directly: metadata, keys, tokens, introspection, userinfo and revocation. */
export function tokenRoutes(deps: TokenRouteDeps): FastifyPluginCallback {
  const { access, base, tokens, grants } = deps;

  /**
   * Returns the response for an app that asks about its own token. `active` is the string `true`, not a boolean (D-5).
   */
  const aboutBearer = ({ me, clientId, scopes }: AccessClaims) => ({
    active: 'true',
    me,
    client_id: clientId,
    scope: scopes.join(' '),
  });

  let known = { address: '', text: '' };

  /** Returns the metadata as JSON. The text is built again only when the public address changes. */
  function metadataText(): string {
    const address = base();
    if (known.address !== address) known = { address, text: JSON.stringify(metadataOf(address)) };
    return known.text;
  }

  return (app, _options, done) => {
    app.get('/.well-known/oauth-authorization-server', (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(metadataText()),
    );
    app.get('/.well-known/jwks.json', () => tokens.jwks);

    app.post('/auth', async (request, reply) => {
      noStore(reply);
      return answerIdentity(deps, formFields(request.body));
    });

    app.get('/token', async (request, reply) => {
      noStore(reply);
      return aboutBearer(await access.of(request));
    });

    app.post('/token', async (request, reply) => {
      noStore(reply);
      const form = formFields(request.body);
      if (form['action'] === 'revoke') return revoke(grants, tokens, form); // how clients revoked tokens before 2022
      const answer = await answerToken(deps, form);
      return prefersForm(request.headers.accept)
        ? reply.type('application/x-www-form-urlencoded').send(formText(answer))
        : answer;
    });

    app.post('/introspect', async (request, reply) => {
      noStore(reply);
      const caller = await access.of(request);
      const token = optionalField(formFields(request.body), 'token');
      if (token === undefined) return aboutBearer(caller);
      const claims = token === bearerOf(request) ? caller : await access.check(token);
      if (!claims) return { active: false };
      const { me, clientId, scopes, issuedAt, expiresAt } = claims;
      return {
        active: true,
        me,
        client_id: clientId,
        scope: scopes.join(' '),
        iat: issuedAt,
        ...(expiresAt !== undefined && { exp: expiresAt }),
      };
    });

    app.get('/userinfo', async (request, reply) => {
      noStore(reply);
      const { scopes } = await access.of(request, { scope: 'profile', nameMissing: false });
      return profileFor(deps.profile(), scopes);
    });

    app.post('/revoke', async (request, reply) => {
      noStore(reply);
      return revoke(grants, tokens, formFields(request.body));
    });
    done();
  };
}

/** Revokes the grant of an access token or refresh token. An unknown token is not an error (RFC 7009, 2.2). */
async function revoke(grants: Grants, tokens: AccessTokens, form: Fields): Promise<Record<string, never>> {
  const token = requiredField(form, 'token');
  const grantId = grants.byRefreshToken(token)?.id ?? (await tokens.verify(token))?.grantId;
  if (grantId !== undefined) await grants.revoke(grantId);
  return {};
}

/** Returns whether a client prefers a form to JSON, as clients of IndieAuth before 2018 did. */
function prefersForm(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((type) => type.split(';', 1)[0]?.trim().toLowerCase());
  const form = types.indexOf('application/x-www-form-urlencoded');
  const json = types.findIndex((type) => type === 'application/json' || type === '*/*');
  return form !== -1 && (json === -1 || form < json);
}

function formText(answer: object): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(answer) as [string, unknown][])
    if (typeof value === 'string' || typeof value === 'number') fields.set(name, String(value));
  return fields.toString();
}

export interface TokenDeps {
  readonly codes: Codes;
  readonly grants: Grants;
  readonly tokens: AccessTokens;
  readonly profile: () => Profile;
  readonly settings: () => Settings['signIn'];
  /** Returns where tokens for a `resource` count; throws `invalid_target`. */
  readonly resourceNamed: (resource: unknown) => TokenResource;
  readonly clock: Clock;
  /** Called when the owner has signed in to an app, in the transaction of the grant. */
  readonly granted: (transaction: Transaction, clientName: string) => void;
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
function grantTypeOf({ settings }: TokenDeps, form: Fields): string {
  const type = optionalField(form, 'grant_type');
  if (type === undefined && settings().allowWithoutPkce) return 'authorization_code';
  return requiredField(form, 'grant_type');
}

function wrongGrantType(type: string): never {
  throw new PorchlightError(
    'unsupported_grant_type',
    `This server does not support the grant_type “${type.slice(0, 60)}”.`,
  );
}

/** Redeems a code at the authorization endpoint. Returns the owner's identity, but no token (IndieAuth 5.3.2). */
async function answerIdentity(deps: TokenDeps, form: Fields) {
  const type = grantTypeOf(deps, form);
  if (type !== 'authorization_code') wrongGrantType(type);
  const { permit } = await redeem(deps, form);
  return { me: permit.grant.me, ...profilePart(deps, permit.grant.scopes) };
}

/** Exchanges a code for tokens (IndieAuth 5.3.3), or a refresh token for new tokens (5.5). */
async function answerToken(deps: TokenDeps, form: Fields) {
  const type = grantTypeOf(deps, form);
  if (type === 'authorization_code') return tokensForCode(deps, form);
  if (type === 'refresh_token') return tokensForRefresh(deps, form);
  return wrongGrantType(type);
}

/** @throws invalid_target if a request names another resource than the one that the owner approved */
function checkResource(deps: TokenDeps, form: Fields, approved: TokenResource): void {
  if (form['resource'] === undefined || deps.resourceNamed(form['resource']) === approved) return;
  throw new PorchlightError('invalid_target', 'The owner approved access to another resource.');
}

async function tokensForCode(deps: TokenDeps, form: Fields) {
  const { permit, given } = await redeem(deps, form);
  checkResource(deps, form, permit.grant.resource);
  const { scopes, expiresIn } = permit.grant;
  if (scopes.length === 0) {
    throw new PorchlightError(
      'invalid_grant',
      'This code has no scope, so it gives no access token. Redeem it at the authorization endpoint.',
    );
  }
  const { grant, refreshToken } = await deps.grants.create(permit.grant, (transaction) =>
    deps.granted(transaction, permit.grant.clientName),
  );
  await given(grant.id);
  return answerFor(deps, { grant, refreshToken, scopes, seconds: expiresIn });
}

async function tokensForRefresh(deps: TokenDeps, form: Fields) {
  const refreshToken = requiredField(form, 'refresh_token');
  const clientId = requiredField(form, 'client_id');
  const asked = parseScope(optionalField(form, 'scope'));
  const grant = deps.grants.byRefreshToken(refreshToken);
  const allowed = grant?.scopes;
  if (grant) checkResource(deps, form, grant.resource);
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
    now + (seconds ?? deps.settings().accessTokenSeconds),
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
function profileFor({ me, name, url, photo, email }: Profile, scopes: readonly string[]) {
  const shown = { name, url: url === '' ? (me ?? '') : url, photo };
  return scopes.includes('email') && email !== '' ? { ...shown, email } : shown;
}
