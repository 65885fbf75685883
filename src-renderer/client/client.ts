import type {
  MethodName,
  OwnerEvent,
  Params,
  ReceivedReply,
  Result,
} from '../../src-main/contract/contract.ts';

/**
 * The state of the connection to the service: `lost` while the service is not responding (the client keeps trying),
 * `refused` when the service no longer accepts the owner key (the owner needs a new address).
 */
export type Connection = 'open' | 'lost' | 'refused';

/** The window's connection to the service, over IPC or HTTP. */
export interface Client {
  /** Whether the window is in the desktop app or a page in a browser. */
  readonly home: 'desktop' | 'browser';
  /** Calls a method. @throws PorchlightError with the code and the message of an error reply. */
  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Hears every event until the returned function is called. */
  subscribe(listener: (event: OwnerEvent) => void): () => void;
  /** Hears when the connection changes, until the returned function is called. */
  watchConnection(listener: (connection: Connection) => void): () => void;
}

/** Returns whether a value from outside has the shape of a reply. */
export function isReply(value: unknown): value is ReceivedReply {
  if (typeof value !== 'object' || value === null) return false;
  if ('result' in value) return true;
  if (!('error' in value) || typeof value.error !== 'object' || value.error === null) return false;
  const { error } = value;
  return (
    'code' in error &&
    typeof error.code === 'string' &&
    'message' in error &&
    typeof error.message === 'string'
  );
}
