import { PorchlightError } from '../contract/error.ts';
import type { Settings } from '../contract/settings.ts';
import type { Common } from '../http/common.ts';
import { createNameLookup } from '../platform/guarded-connector.ts';
import { canonical } from '../platform/web-address.ts';
import { createAccess, createAccessTokens } from './access-token.ts';
import { checkAuthorizationRequest, type AuthorizationRequest } from './authorization-request.ts';
import { type AuthorizationDeps, authorizationRoutes } from './authorization-routes.ts';
import { ClientDirectory, type ReadClient, type Shrink } from './client-directory.ts';
import { createCodes } from './codes.ts';
import type { Grant, GrantRows } from './grant.ts';
import { issuerOf, resourceNamed, type TokenResource } from '../http/server-metadata.ts';
import { Grants, type NewGrant } from './store.ts';
import { type TokenDeps, tokenRoutes } from './token-routes.ts';
import type { Unsaved } from './unsaved.ts';
import { WaitingRoom, type WaitingRoomEvents } from './waiting-room.ts';

/** How long a sign-in waits for the addresses of the host that the response goes to, in ms. */
const mostLookupMs = 2000;

interface IndieAuthDeps extends Pick<
  Common,
  'base' | 'profile' | 'fetch' | 'log' | 'clock' | 'allowPrivate'
> {
  readonly settings: () => Settings['signIn'];
  readonly readClient: ReadClient;
  readonly shrink: Shrink;
  /** A private JWK on one line, as newSigningKey returns it. */
  readonly signingKey: string;
  readonly grantRows: GrantRows;
  readonly unsaved: Unsaved;
  /** Whether assistants are on. */
  readonly hasAssistants: () => boolean;
  /** Whether phones may approve. */
  readonly hasPhones: () => boolean;
  /**
   * Returns the reason for refusing a request that passed all other checks, as text for the visitor; null to accept it.
   */
  readonly faultOf: (request: AuthorizationRequest) => string | null;
  readonly events: WaitingRoomEvents & Pick<TokenDeps, 'granted'>;
}

export interface ManualToken extends Pick<NewGrant, 'me' | 'scopes' | 'expiresIn' | 'resource'> {
  readonly label: string;
}

export type IndieAuth = Awaited<ReturnType<typeof createIndieAuth>>;

/**
 * Returns the warnings that the visitor and the owner see for a request. They concern the client, missing PKCE, and
 * where the response goes.
 */
export function warningsOf({ client, challenge, isToProgram }: AuthorizationRequest): string[] {
  const withoutPkce = 'This app signs in without PKCE, so someone who intercepts the response could use it.';
  const toProgram = 'The response goes to a program on the computer where the browser runs.';
  return [
    ...client.warnings,
    ...(challenge === null ? [withoutPkce] : []),
    ...(isToProgram ? [toProgram] : []),
  ];
}

/** Creates the IndieAuth authorization server. Register its `routes` in the public app. */
export async function createIndieAuth(deps: IndieAuthDeps) {
  const { base, profile, settings, clock, events } = deps;
  const issuer = () => issuerOf(base());
  const tokens = await createAccessTokens(deps.signingKey, issuer, clock);
  const refreshSeconds = () => settings().refreshTokenSeconds;
  const grants = new Grants(deps.grantRows, clock, deps.unsaved, refreshSeconds);
  const access = createAccess(tokens, grants, clock);
  const codes = createCodes(clock, (id) => grants.revoke(id));
  const waitingRoom = new WaitingRoom(clock, events);
  const me = () => profile().me ?? '';
  const named = (resource: unknown) => resourceNamed(resource, base(), deps.hasAssistants());

  /** Returns the sign-ins whose approvals still give an app something. */
  const undoable = (): ReadonlySet<string | undefined> =>
    new Set([...waitingRoom.unfetched(), ...codes.open(), ...grants.list().map(({ signIn }) => signIn)]);

  return {
    waitingRoom,
    grants,
    undoable,

    /** Returns the scopes that an app holds by its earlier sign-ins, or gets as soon as it uses what was approved. */
    scopesHeld(clientId: string): string[] {
      const signedIn = grants.list().filter(({ kind }) => kind === 'app');
      return [...signedIn, ...codes.given(), ...waitingRoom.approved()]
        .filter((given) => canonical(given.clientId) === canonical(clientId))
        .flatMap(({ scopes }) => scopes);
    },

    /**
     * Ends what the approval of a sign-in gave: the way back, the code, the grants. Returns whether that is on disk.
     * @throws PorchlightError `not_found` (404) if it gives nothing
     */
    async undo(id: string): Promise<boolean> {
      if (!undoable().has(id))
        throw new PorchlightError('not_found', 'This sign-in gives no access any more.', 404);
      waitingRoom.takeBack(id);
      codes.end(({ signIn }) => signIn === id);
      const given = grants.list().filter(({ signIn }) => signIn === id);
      for (const grant of given) await grants.revoke(grant.id);
      return given.every((grant) => grants.isSaved(grant.id));
    },

    /** Ends what the owner approved with a phone, as far as no app has a grant for it yet. */
    takeBackOf(phone: string): void {
      waitingRoom.takeBackOf(phone);
      codes.end((grant) => grant.phone === phone);
    },
    access,
    routes: [
      authorizationRoutes({
        issuer,
        me,
        waitingRoom,
        warningsOf,
        hasPhones: deps.hasPhones,
        check: createRequestCheck(deps, named),
        issueCode(
          { id: signIn, request: { clientId, client, redirectUri, challenge, resource }, device },
          { scopes, expiresIn, by },
        ) {
          const { name: clientName, logo: clientLogo } = client;
          const app = { kind: 'app', me: me(), clientId, clientName, clientLogo, device } as const;
          return codes.issue({
            redirectUri,
            challenge,
            grant: { ...app, scopes, resource, expiresIn, signIn, phone: by?.id },
          });
        },
      }),
      tokenRoutes({
        base,
        access,
        codes,
        grants,
        tokens,
        profile,
        clock,
        resourceNamed: named,
        settings,
        granted: events.granted,
      }),
    ],

    /** Creates an access token for a client that cannot sign in (D-8). Resolves when the token's grant is on disk. */
    async issueToken({
      label,
      me: subject,
      ...permission
    }: ManualToken): Promise<{ grant: Grant; token: string }> {
      const { grant } = await grants.create({
        ...permission,
        kind: 'manual',
        me: subject,
        clientId: issuer(),
        clientName: label,
        clientLogo: null,
        device: null,
      });
      const expiresAt = grant.endsAt === null ? undefined : Math.floor(grant.endsAt / 1000);
      return {
        grant,
        token: await tokens.sign({
          grantId: grant.id,
          me: subject,
          clientId: issuer(),
          scopes: grant.scopes,
          expiresAt,
        }),
      };
    },
  };
}

/** Returns the function that checks an authorization request; see AuthorizationDeps. */
function createRequestCheck(
  deps: IndieAuthDeps,
  named: (resource: unknown) => TokenResource,
): AuthorizationDeps['check'] {
  const clients = new ClientDirectory(deps);
  const lookUpName = createNameLookup();
  /** A name whose DNS doesn't answer leads nowhere for now. */
  const addressesOf = (host: string) =>
    lookUpName(host, AbortSignal.timeout(mostLookupMs)).catch((): readonly string[] => []);

  return async (query, step, visitor) => {
    const verdict = await checkAuthorizationRequest(query, {
      lookUp: (clientId, redirectUri) =>
        step === 'shown'
          ? clients.lookUp(clientId, visitor, redirectUri)
          : clients.lookUpAgain(clientId, visitor),
      addressesOf,
      allowWithoutPkce: deps.settings().allowWithoutPkce,
      resourceNamed: named,
      ready: deps.profile().me !== null,
    });
    const message = verdict.kind === 'good' ? deps.faultOf(verdict.request) : null;
    return message === null ? verdict : { kind: 'refused', message };
  };
}
