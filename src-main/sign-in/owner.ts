import type { Handlers } from '../contract/contract.ts';
import type { Outcome, SignIn } from '../contract/sign-ins.ts';
import { warningsOf, type IndieAuth } from './indieauth.ts';
import { permissionsOf } from './scope.ts';
import type { Visit } from './waiting-room.ts';
import type { Activity } from '../storage/records/activity.ts';

/** Returns a visitor's sign-in request as the owner sees it. */
export function signInOf({ id, matchCode, request, device, requestedAt, expiresAt }: Visit): SignIn {
  const { client, redirectUri, scopes } = request;
  return {
    id,
    matchCode,
    clientId: client.id,
    clientName: client.name,
    clientHost: new URL(client.id).host,
    clientLogo: client.logo,
    redirectUri,
    device,
    scopes: [...scopes],
    permissions: permissionsOf(scopes),
    warnings: warningsOf(request),
    requestedAt: new Date(requestedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

const verbs: Record<Outcome, string> = {
  approved: 'You approved a sign-in to',
  denied: 'You denied a sign-in to',
  expired: 'You didn’t answer a sign-in to',
};

/** Creates the functions that record settled sign-ins: approved, denied or expired. */
export function createSignInMemory(activity: Activity) {
  const underWay = new Map<string, Promise<void>>();
  return {
    remember({ id, request }: Visit, outcome: Outcome, scopes: readonly string[]): Promise<void> {
      const { id: clientId, name: clientName } = request.client;
      const words = `${verbs[outcome]} ${clientName} (${new URL(clientId).host}).`;
      const signIn = { id, outcome, clientId, clientName, scopes: [...scopes] };
      const done = activity.tell(`signIn.${outcome}`, words, signIn).finally(() => underWay.delete(id));
      underWay.set(id, done);
      return done;
    },
    /**
     * Resolves when the record of a sign-in is on disk. Porchlight waits for this before confirming a decision to the
     * owner. Never rejects.
     */
    async written(id: string): Promise<void> {
      await underWay.get(id)?.catch(() => undefined);
    },
  };
}

interface SignInDeps {
  readonly indieAuth: IndieAuth;
  readonly activity: Activity;
  readonly memory: ReturnType<typeof createSignInMemory>;
}

export function signInHandlers({ indieAuth, activity, memory }: SignInDeps) {
  const { waitingRoom } = indieAuth;
  return {
    'signIns.list': () => waitingRoom.waiting().map(signInOf),
    'signIns.approve': async ({ id, scopes, expiresIn }) => {
      waitingRoom.approve(id, scopes, expiresIn);
      await memory.written(id);
      return { id, outcome: 'approved' };
    },
    'signIns.deny': async ({ id }) => {
      waitingRoom.deny(id);
      await memory.written(id);
      return { id, outcome: 'denied' };
    },
    'signIns.history': ({ limit = 100 }) => activity.history(limit),
  } satisfies Partial<Handlers>;
}
