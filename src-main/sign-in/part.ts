import type { FastifyRequest } from 'fastify';
import type { Handlers } from '../contract/contract.ts';
import type { Settings } from '../contract/settings.ts';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import { browserOf } from './authorization-routes.ts';
import type { ReadClient } from './client-directory.ts';
import { openGrantRows, signOutAll } from './grant.ts';
import { createIndieAuth } from './indieauth.ts';
import { appHandlers, createDecisions, recordSignIn, signInHandlers, signInOf } from './owner.ts';
import { openSigningKey } from './secrets.ts';
import { TestSignIns, testSignInRoutes } from './test-sign-ins.ts';
import type { Unsaved } from './unsaved.ts';
import type { Common } from '../http/common.ts';

interface SigningInDeps extends Omit<Common, 'dataDir' | 'version' | 'versions' | 'onRecovered'> {
  readonly settings: () => Settings['signIn'];
  readonly readClient: ReadClient;
  readonly hasAssistants: () => boolean;
  readonly hasPhones: () => boolean;
  /** Returns what an assistant did, in words. */
  readonly callsOf: (grantId: string) => string | undefined;
  readonly pictures: Pictures;
  readonly unsaved: Unsaved;
  /** Called if the key that signs access tokens was lost, so that all apps have to sign in again. */
  readonly keyLost: () => Promise<void>;
}

const logoEdge = 96;

/** Opens the IndieAuth server, and passes its events to the windows and the activity list. */
export async function openSigningIn(deps: SigningInDeps) {
  const { records, log, clock, hub, activity, profile, pictures, secrets, background, changed } = deps;
  const grantRows = openGrantRows(records);
  const signingKey = await openSigningKey(secrets, async () => {
    try {
      if (await records.whenSound(() => signOutAll(grantRows, clock()))) await deps.keyLost();
    } catch (error) {
      log.warn({ err: error }, 'the apps whose key is gone could not be signed out');
    }
  });
  const tests = new TestSignIns(deps);
  const indieAuth = await createIndieAuth({
    ...deps,
    faultOf: (request) => tests.faultOf(request),
    shrink: async (bytes, from) => (await pictures.shrink(bytes, { edge: logoEdge, from }))?.dataUrl ?? null,
    signingKey,
    grantRows,
    events: {
      requested(visit) {
        hub.emit('signIn.requested', signInOf(visit, indieAuth.scopesHeld(visit.request.clientId)));
        changed();
      },
      async settled(visit, answer) {
        const { outcome, replaced, madeRoom, cancelled, by } = answer;
        hub.emit('signIn.settled', {
          id: visit.id,
          outcome,
          ...(replaced === true && { replaced }),
          ...(madeRoom === true && { madeRoom }),
          ...(cancelled === true && { cancelled }),
          ...(by !== undefined && { by: by.name }),
        });
        changed();
        // Don't record sign-ins that were replaced or cancelled. Strangers can cause any number of them, which would
        // push the owner's history out of the log.
        if (replaced === true || cancelled === true) return;
        const recorded = recordSignIn(activity, visit, answer);
        background(recorded);
        await recorded.catch(() => undefined);
      },
      granted: (transaction, clientName) =>
        activity.recordIn(transaction, 'app.signedIn', `${clientName} signed in.`),
    },
  });
  const decisions = createDecisions(indieAuth);
  return {
    indieAuth,
    decisions,
    /**
     * Returns where a waiting sign-in was asked, and the nonce that a phone signs. `isHere`: whether the browser that
     * sends `request` asked for it.
     */
    askedFrom: (id: string, request: FastifyRequest) => {
      const visit = indieAuth.waitingRoom.waiting().find((one) => one.id === id);
      const isHere = indieAuth.waitingRoom.ofBrowser(id, browserOf(request) ?? '') !== undefined;
      return visit && { isHere, visitor: visit.visitor, nonce: visit.nonce };
    },
    askersOf: (id: string) => indieAuth.waitingRoom.askersOf(id),
    /** The routes of the public app: IndieAuth, and the client for the wizard's test sign-in. */
    routes: [...indieAuth.routes, testSignInRoutes(tests)],
    handlers: {
      ...signInHandlers(indieAuth, decisions, activity),
      ...appHandlers(indieAuth, activity, profile, deps),
      'setup.testSignIn': () => tests.begin(),
    } satisfies Partial<Handlers>,
  };
}
