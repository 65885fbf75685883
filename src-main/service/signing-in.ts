import type { FastifyPluginCallback } from 'fastify';
import type { Handlers } from '../contract/contract.ts';
import type { Profile, Settings } from '../contract/settings.ts';
import type { ReadClient } from '../indieauth/client-directory.ts';
import { openGrantDocument } from '../indieauth/grant-document.ts';
import { createIndieAuth, type IndieAuth } from '../indieauth/indieauth.ts';
import type { Activity } from '../owner/activity.ts';
import { appHandlers } from '../owner/apps.ts';
import type { EventHub } from '../owner/event-hub.ts';
import { openSigningKey } from '../owner/secrets.ts';
import { testSignInRoutes } from '../owner/test-sign-in/test-routes.ts';
import { createTestSignIns } from '../owner/test-sign-in/test-sign-ins.ts';
import { createSignInMemory, signInHandlers, signInOf } from '../owner/sign-ins.ts';
import type { Background } from '../platform/background.ts';
import type { Clock } from '../platform/clock.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Log } from '../platform/log.ts';
import type { Pictures } from '../platform/pictures.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { DataDocuments } from '../storage/data-documents.ts';

export interface SigningInDeps {
  readonly documents: DataDocuments;
  readonly clock: Clock;
  readonly log: Log;
  readonly hub: EventHub;
  readonly activity: Activity;
  readonly base: () => string;
  readonly profile: () => Profile;
  readonly settings: () => Settings['signIn'];
  readonly fetch: GuardedFetch;
  readonly readClient: ReadClient;
  readonly pictures: Pictures;
  readonly secrets: Secrets;
  /** Development and tests only: apps may run on this computer. */
  readonly allowPrivate: boolean;
  readonly tell: Background;
  /** Called when a sign-in starts or stops waiting. */
  readonly changed: () => void;
}

/** The part of the service that handles sign-ins. */
export interface SigningIn {
  readonly indieAuth: IndieAuth;
  /** The routes of the public app: IndieAuth, and the client for the wizard's test sign-in. */
  readonly routes: readonly FastifyPluginCallback[];
  readonly handlers: ReturnType<typeof signInHandlers> &
    ReturnType<typeof appHandlers> &
    Pick<Handlers, 'setup.testSignIn'>;
}

const logoEdge = 96;

/** Wires the IndieAuth server and passes its events to the windows and the activity list. */
export async function openSigningIn(deps: SigningInDeps): Promise<SigningIn> {
  const { hub, activity, profile, pictures, tell, changed } = deps;
  const memory = createSignInMemory(activity);
  const tests = createTestSignIns({
    base: deps.base,
    me: () => profile().me,
    fetch: deps.fetch,
    clock: deps.clock,
    allowPrivate: deps.allowPrivate,
  });
  const indieAuth = await createIndieAuth({
    faultOf: (request) => tests.faultOf(request),
    base: deps.base,
    profile,
    settings: deps.settings,
    fetch: deps.fetch,
    readClient: deps.readClient,
    shrink: async (bytes, from) => (await pictures.shrink(bytes, { edge: logoEdge, from }))?.dataUrl ?? null,
    log: deps.log,
    clock: deps.clock,
    signingKey: await openSigningKey(deps.secrets),
    grantDocument: await openGrantDocument(deps.documents, deps.clock),
    allowPrivate: deps.allowPrivate,
    events: {
      requested(visit) {
        hub.emit('signIn.requested', signInOf(visit));
        changed();
      },
      settled(visit, { outcome, scopes, replaced, madeRoom, cancelled }) {
        hub.emit('signIn.settled', {
          id: visit.id,
          outcome,
          ...(replaced === true && { replaced }),
          ...(madeRoom === true && { madeRoom }),
          ...(cancelled === true && { cancelled }),
        });
        changed();
        // A stranger can retry or cancel any number of times. Retries and cancellations aren't recorded, because they
        // would push the owner's history out of the log.
        if (replaced !== true && cancelled !== true) tell(memory.remember(visit, outcome, scopes));
      },
      granted: ({ clientName }) => tell(activity.tell('app.signedIn', `${clientName} signed in.`)),
    },
  });
  return {
    indieAuth,
    routes: [...indieAuth.routes, testSignInRoutes(tests)],
    handlers: {
      ...signInHandlers({ indieAuth, activity, memory }),
      ...appHandlers({ indieAuth, activity, profile }),
      'setup.testSignIn': () => tests.begin(),
    } satisfies Partial<Handlers>,
  };
}
