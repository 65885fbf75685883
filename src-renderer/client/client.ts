import type { MethodName, OwnerEvent, Params, Result } from '../../src-main/contract/contract.ts';

/**
 * The state of the connection to the service: `lost` while the service is not responding (the client keeps trying),
 * `refused` when the service no longer accepts the owner key (the owner needs a new address).
 */
export type Connection = 'open' | 'lost' | 'refused';

export interface CallOptions {
  /** Lets the call finish after the page has closed, if its parameters are short. */
  readonly outlivesPage?: boolean;
}

/** The window's connection to the service, over IPC or HTTP. */
export interface Client {
  /** Whether the window is in the desktop app or a page in a browser. */
  readonly home: 'desktop' | 'browser';
  /** Calls a method. @throws PorchlightError with the code and the message of an error reply. */
  call<M extends MethodName>(method: M, params: Params<M>, options?: CallOptions): Promise<Result<M>>;
  /** Hears every event until the returned function is called. */
  subscribe(listener: (event: OwnerEvent) => void): () => void;
  /** Hears when the connection changes, until the returned function is called. */
  watchConnection(listener: (connection: Connection) => void): () => void;
}
