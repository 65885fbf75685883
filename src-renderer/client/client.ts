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

/** An upload of a file to the service. */
export interface FileUpload {
  readonly file: File;
  /** Hears how many bytes were sent. */
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
}

/** Sends files to the service, and saves files from it. */
export interface Files {
  /** Sends a file. Resolves with its path at the service. @throws PorchlightError, `cancelled` after an abort */
  upload(upload: FileUpload): Promise<string>;
  /** Has the browser save the file that the service offers under an id (see data.download). */
  download(offer: { readonly id: string; readonly name: string }): void;
}

/** The window's connection to the service, over IPC or HTTP. */
export interface Client {
  /** Whether the window is in the desktop app or a page in a browser. */
  readonly home: 'desktop' | 'browser';
  /** Only in a browser, which may run on another computer. The desktop app has the paths of files. */
  readonly files?: Files;
  /** Calls a method. @throws PorchlightError with the code and the message of an error reply. */
  call<M extends MethodName>(method: M, params: Params<M>, options?: CallOptions): Promise<Result<M>>;
  /** Hears every event until the returned function is called. */
  subscribe(listener: (event: OwnerEvent) => void): () => void;
  /** Hears when the connection changes, until the returned function is called. */
  watchConnection(listener: (connection: Connection) => void): () => void;
}
