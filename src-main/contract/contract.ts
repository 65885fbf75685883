import type { Static } from 'typebox';
import { ActivityItem, activityMethods } from './activity.ts';
import { appMethods } from './apps.ts';
import { dataMethods, DataProgress } from './data.ts';
import {
  CloudflareProgress,
  cloudflareMethods,
  MailArrived,
  mailboxMethods,
  MailboxStatus,
} from './cloudflare.ts';
import { DeliveriesChange, deliveryMethods } from './deliveries.ts';
import type { ErrorCode } from './error-code.ts';
import { MediaChange, mediaMethods } from './media.ts';
import { postImportMethods, PostImportProgress } from './post-import.ts';
import { PostChange, postMethods } from './posts.ts';
import { secretMethods } from './secrets.ts';
import { Settings, settingsMethods } from './settings.ts';
import { siteFolderMethods, SiteFolderStatus } from './site-folder.ts';
import { SelfTest, setupMethods } from './setup.ts';
import { Settlement, SignIn, signInMethods } from './sign-ins.ts';
import { Status, statusMethods } from './status.ts';
import { tunnelMethods, TunnelStatus } from './tunnel.ts';
import { ImportProgress, mentionImportMethods } from './mention-import.ts';
import { MentionRecord, webmentionMethods } from './webmentions.ts';
import { writingMethods } from './writing.ts';

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
  ...siteFolderMethods,
  ...secretMethods,
  ...setupMethods,
  ...tunnelMethods,
  ...cloudflareMethods,
  ...mailboxMethods,
  ...activityMethods,
  ...dataMethods,
};

export type Contract = typeof contract;
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
  'siteFolder.changed': SiteFolderStatus,
  'tunnel.changed': TunnelStatus,
  'cloudflare.progress': CloudflareProgress,
  'mailbox.changed': MailboxStatus,
  'mailbox.arrived': MailArrived,
  'activity.added': ActivityItem,
  'setup.checked': SelfTest,
  'data.progress': DataProgress,
};

export type Events = typeof events;
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
