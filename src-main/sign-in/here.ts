import type { Bearer } from '../http/bearer.ts';
import type { TokenResource } from '../http/server-metadata.ts';
import { newSecretText } from '../platform/secrets.ts';
import { canonical } from '../platform/web-address.ts';
import { displayName } from './client-information.ts';
import { isGrantLive } from './grant.ts';
import type { IndieAuth } from './indieauth.ts';
import { visitSeconds } from './waiting-room.ts';

/** The path, below the public address, of the client id that programs on this computer share. */
export const herePath = '/clients/this-computer.json';

/** What a program on this computer asks for. */
export interface AskedHere {
  /** What the program calls itself. */
  readonly name: string;
  /** The grants of the programs that still run. */
  readonly live: ReadonlySet<string>;
  /** The address under which the owner sees such programs. */
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly resource: TokenResource;
  readonly warning: string;
}

/**
 * Asks the owner to let a program on this computer sign in, which needs no browser: the program is connected already.
 * The grant is on disk when `decided` resolves.
 */
export function signInHere({ waitingRoom, grants }: IndieAuth, me: string, asked: AskedHere) {
  const { clientId, resource, warning, live } = asked;
  // What an ended program was allowed nobody can use. Until now, it gave the program's posts their name.
  for (const { id, clientId: of } of grants.list())
    if (of === clientId && !live.has(id)) void grants.revoke(id);
  const name = displayName(asked.name) ?? 'An assistant';
  const redirects = { uris: [], exclusive: true };
  const client = { id: clientId, name, logo: null, logoUri: null, redirects, warnings: [warning] };
  const secret = newSecretText();
  const visit = waitingRoom.enter(
    {
      clientId,
      redirectUri: clientId,
      state: '',
      // No response leaves this computer, so none could be intercepted.
      challenge: '',
      scopes: asked.scopes,
      resource,
      client,
      isToProgram: false,
    },
    secret,
  );
  const decided = async (): Promise<Bearer | undefined> => {
    await waitingRoom.settled(visit.id, visitSeconds * 1000, new AbortController().signal);
    const answer = waitingRoom.ofBrowser(visit.id, secret)?.answer;
    if (answer?.outcome !== 'approved') return undefined;
    const about = { kind: 'app', me, clientId, clientName: name, clientLogo: null, device: null } as const;
    const { scopes, expiresIn, by } = answer;
    const decision = { scopes, expiresIn, signIn: visit.id, phone: by?.id };
    const { grant } = await grants.create({ ...about, ...decision, resource });
    return { scopes: grant.scopes, grantId: grant.id, app: canonical(clientId) };
  };
  return { code: visit.matchCode, decided: decided(), cancel: () => waitingRoom.cancel(visit.id) };
}

/** Returns whether a grant is valid, and notes that it was used. `now`: ms since the epoch. */
export function isUsable({ grants }: IndieAuth, grantId: string, now: number): boolean {
  const grant = grants.get(grantId);
  if (grant === undefined || !isGrantLive(grant, now)) return false;
  grants.touch(grantId);
  return true;
}
