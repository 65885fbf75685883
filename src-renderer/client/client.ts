import type { MethodName, OwnerEvent, Params, Reply, Result } from '../../src-main/contract/contract.ts';

/**
 * How the window and the service stand: `lost` while the service does not answer (it is tried again),
 * `refused` when the owner key is no longer accepted (a new address is needed).
 */
export type Connection = 'open' | 'lost' | 'refused';

/** The window's line to the service, whatever carries it. */
export interface Client {
  /** Where the window is shown: in the desktop app, or as a page in a browser. */
  readonly home: 'desktop' | 'browser';
  /** Asks. Throws PorchlightError with the code and the words of the answer where it is an error. */
  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Hears every event until the returned function is called. */
  subscribe(listener: (event: OwnerEvent) => void): () => void;
  /** Hears when the connection changes, until the returned function is called. */
  watchConnection(listener: (connection: Connection) => void): () => void;
}

/** True where `value`, which came from outside, has the form of a reply. */
export function isReply(value: unknown): value is Reply {
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
