import { type Static, Type } from 'typebox';
import { ActivityItem, activityMethods } from './activity.ts';
import { assistantMethods } from './assistants.ts';
import { appMethods, Settlement, SignIn, signInMethods } from './sign-ins.ts';
import {
  cloudflareMethods,
  CloudflareProgress,
  MailArrived,
  mailboxMethods,
  MailboxStatus,
  SelfTest,
  setupMethods,
  tunnelMethods,
  TunnelStatus,
} from './reach.ts';
import { dataMethods, DataProgress } from './data.ts';
import { DeliveriesChange, deliveryMethods, PostChange, postMethods } from './posts.ts';
import type { ErrorCode } from './error.ts';
import { MediaChange, mediaMethods } from './media.ts';
import { ImportProgress, mentionImportMethods } from './mention-import.ts';
import { PhoneList, phoneMethods } from './phones.ts';
import { postImportMethods, PostImportProgress } from './post-import.ts';
import { Settings, settingsMethods } from './settings.ts';
import { siteMethods } from './site-settings.ts';
import { closed, method, Nothing, withSaved } from './shapes.ts';
import { siteFolderMethods, SiteFolderStatus } from './site-folder.ts';
import { Status, statusMethods } from './status.ts';
import { MentionRecord, webmentionMethods } from './webmentions.ts';
import { writingMethods } from './writing.ts';

const Token = closed({ token: Type.String() });

const secretMethods = {
  /**
   * Returns the token for the endpoints that manage mentions. Anyone who has the token can list, import and delete
   * mentions on this server.
   */
  'secrets.managementToken': method(Nothing, Token),
  'secrets.rotateManagementToken': method(Nothing, withSaved(Token.properties)),
  /** Stores the token of a named Cloudflare tunnel. An empty token deletes the stored token. */
  'secrets.setTunnelToken': method(
    closed({ token: Type.String({ maxLength: 4096, pattern: '^[A-Za-z0-9+/=_.-]*$' }) }),
    closed({ stored: Type.Boolean() }),
  ),
  /** Returns whether a tunnel token is stored. Never returns the token itself. */
  'secrets.hasTunnelToken': method(Nothing, closed({ stored: Type.Boolean() })),
  /** Stores the webmention.io token that imports use. An empty token deletes the stored token. */
  'secrets.setAggregatorToken': method(
    closed({ token: Type.String({ maxLength: 500, pattern: '^[\\x21-\\x7E]*$' }) }),
    closed({ stored: Type.Boolean() }),
  ),
  /**
   * Stores the ntfy server, such as https://ntfy.sh, and the topic to which Porchlight sends notifications for phones.
   * Two empty strings delete both.
   */
  'secrets.setNtfy': method(
    closed({
      server: Type.String({ maxLength: 1000 }),
      topic: Type.String({ maxLength: 64, pattern: '^[\\w-]*$' }),
    }),
    closed({ stored: Type.Boolean() }),
  ),
  'secrets.hasNtfy': method(Nothing, closed({ stored: Type.Boolean() })),
};

/**
 * The methods that the owner's window can call. Maps each method name to the schemas of its parameters and its result.
 * Handlers, the preload bridge, both transports (IPC and HTTP) and the test doubles derive their types from this
 * object.
 */
export const contract = {
  ...statusMethods,
  ...signInMethods,
  ...appMethods,
  ...postMethods,
  ...writingMethods,
  ...postImportMethods,
  ...mediaMethods,
  ...webmentionMethods,
  ...mentionImportMethods,
  ...deliveryMethods,
  ...settingsMethods,
  ...siteMethods,
  ...siteFolderMethods,
  ...secretMethods,
  ...setupMethods,
  ...tunnelMethods,
  ...cloudflareMethods,
  ...mailboxMethods,
  ...activityMethods,
  ...assistantMethods,
  ...phoneMethods,
  ...dataMethods,
};

type Contract = typeof contract;
export type MethodName = keyof Contract;
export type Params<M extends MethodName> = AllParams[M];
export type Result<M extends MethodName> = AllResults[M];

// These types contain one entry per method. If `Params<M>` and `Result<M>` derived the types themselves, type checking
// would take twice as long.
type AllParams = { [M in MethodName]: Static<Contract[M]['params']> };
type AllResults = { [M in MethodName]: Static<Contract[M]['result']> };

/** The events that the server sends to the windows. Maps each event name to the schema of the event's data. */
export const events = {
  'status.changed': Status,
  'signIn.requested': SignIn,
  'signIn.settled': Settlement,
  'post.changed': PostChange,
  'posts.importProgress': PostImportProgress,
  'media.changed': MediaChange,
  'webmention.received': MentionRecord,
  'webmention.changed': MentionRecord,
  'import.progress': ImportProgress,
  'deliveries.changed': DeliveriesChange,
  'settings.changed': Settings,
  'phones.changed': PhoneList,
  'siteFolder.changed': SiteFolderStatus,
  'tunnel.changed': TunnelStatus,
  'cloudflare.progress': CloudflareProgress,
  'mailbox.changed': MailboxStatus,
  'mailbox.arrived': MailArrived,
  'activity.added': ActivityItem,
  'setup.checked': SelfTest,
  'data.progress': DataProgress,
};

type Events = typeof events;
export type EventName = keyof Events;
export type EventData<E extends EventName> = AllEventData[E];
type AllEventData = { [E in EventName]: Static<Events[E]> };

/** An event as it is sent to a window. */
export type OwnerEvent = { [E in EventName]: { name: E; data: EventData<E> } }[EventName];

/**
 * The reply to a method call. `Code` is any string if the reply comes from another process, because that process may
 * run another version of Porchlight.
 */
export type Reply<Code = ErrorCode> = { result: unknown } | { error: { code: Code; message: string } };

/** The handlers of the contract's methods, one per method. */
export type Handlers = { [M in MethodName]: (params: Params<M>) => Result<M> | Promise<Result<M>> };

/** The interface that the service offers to the owner's windows, independent of the transport. */
export interface OwnerApi {
  /** Checks the method name and the parameters, then calls the handler. Turns an error into an `error` reply. */
  call(method: string, params: unknown): Promise<Reply>;
  /** Calls `listener` for every event. Returns a function that ends the subscription. */
  subscribe(listener: (event: OwnerEvent) => void): () => void;
}

/** Returns whether `name` is a method of the contract. */
export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(contract, name);
}

export type EventHub = ReturnType<typeof createEventHub>;

/**
 * Creates a hub that sends each event to every open window. If one listener throws, `failed` receives the error, and
 * the other listeners still receive the event.
 */
export function createEventHub(failed: (error: unknown) => void = () => undefined) {
  const listeners = new Set<(event: OwnerEvent) => void>();
  return {
    emit<E extends EventName>(name: E, data: EventData<E>): void {
      for (const listener of listeners) {
        try {
          listener({ name, data } as OwnerEvent);
        } catch (error) {
          failed(error);
        }
      }
    },
    subscribe(listener: (event: OwnerEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
