import { randomUUID } from 'node:crypto';
import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Bearer } from '../http/bearer.ts';
import { isRecord } from '../storage/json-value.ts';
import { answerMessage, errorResponse, type McpMethods } from './protocol.ts';

/** A sign-in of a program on this computer. */
interface LocalSignIn {
  /** The two digits that the owner sees. */
  readonly code: string;
  /** Resolves with the permissions once the owner has decided; undefined if the owner didn't approve. */
  readonly decided: Promise<Bearer | undefined>;
  cancel(): void;
}

/** Asks the owner. `name`: what the program calls itself. `live`: the permissions of the programs that still run. */
export type AskHere = (name: string, live: ReadonlySet<string>) => LocalSignIn;

interface Session {
  readonly signIn: LocalSignIn;
  /** Undefined while the owner hasn't decided. `null`: not approved. */
  bearer: Bearer | null | undefined;
}

/** The most sessions at a time. Each is a program that the owner started. */
const mostSessions = 20;
/** What a session without permission may do: nothing that needs one. */
const nobody: Bearer = { scopes: [], grantId: '', app: '' };

/**
 * Creates the handlers of `porchlight mcp`, for assistants on this computer. `isLive`: returns whether a permission is
 * still valid, and notes that it was used.
 */
export function localHandlers(
  isOn: () => boolean,
  signIn: AskHere,
  isLive: (grantId: string) => boolean,
  methodsFor: (bearer: Bearer) => McpMethods,
) {
  const sessions = new Map<string, Session>();

  function close(id: string): void {
    sessions.get(id)?.signIn.cancel();
    sessions.delete(id);
  }

  /** @throws not_allowed while the session has no permission, with what the owner can do about it */
  function permitted({ signIn: asked, bearer }: Session): Bearer {
    if (bearer && isLive(bearer.grantId)) return bearer;
    const words =
      bearer === undefined
        ? `The owner has not approved this assistant yet. Ask them to approve the sign-in with the code ${asked.code} in Porchlight, then try again.`
        : 'The owner did not approve this assistant, or has signed it out. Start it again to ask once more.';
    throw new PorchlightError('not_allowed', words);
  }

  function methodsOf(session: Session): McpMethods {
    return {
      ...methodsFor(nobody),
      callTool: (name, input) => methodsFor(permitted(session)).callTool(name, input),
      readResource: (uri) => methodsFor(permitted(session)).readResource(uri),
    };
  }

  return {
    'assistants.open': ({ name }) => {
      if (!isOn())
        throw new PorchlightError('not_allowed', 'Turn on Settings → Assistants in Porchlight first.');
      for (const oldest of sessions.keys()) if (sessions.size >= mostSessions) close(oldest);
      const id = randomUUID();
      const live = new Set([...sessions.values()].flatMap(({ bearer }) => bearer?.grantId ?? []));
      const session: Session = { signIn: signIn(name, live), bearer: undefined };
      sessions.set(id, session);
      void session.signIn.decided.then((bearer) => (session.bearer = bearer ?? null));
      return { id };
    },

    'assistants.message': async ({ id, message }) => {
      const session = sessions.get(id);
      if (session === undefined || !isOn())
        throw new PorchlightError('not_found', 'This session has ended. Start the assistant again.', 404);
      try {
        const { body = null } = await answerMessage(message, undefined, methodsOf(session));
        return { answer: body };
      } catch (error) {
        if (!(error instanceof PorchlightError)) throw error;
        return { answer: errorResponse(isRecord(message) ? message['id'] : null, error.message) };
      }
    },

    'assistants.close': ({ id }) => {
      close(id);
      return {};
    },
  } satisfies Partial<Handlers>;
}
