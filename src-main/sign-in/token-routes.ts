import type { FastifyPluginCallback } from 'fastify';
import { formFields, optionalField, requiredField, type Fields } from '../http/form.ts';
import type { Access } from './access.ts';
import type { AccessClaims, AccessTokens } from './access-token.ts';
import { metadataOf } from '../http/server-metadata.ts';
import type { Grants } from './store.ts';
import { answerIdentity, answerToken, profileFor, type TokenDeps } from './token-endpoint.ts';
import { noStore } from '../http/security-headers.ts';

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
      const claims = await access.check(token);
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
