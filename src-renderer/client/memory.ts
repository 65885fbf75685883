import type { Handlers, MethodName, OwnerEvent, Params, Result } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { Client, Connection, FileUpload } from './client.ts';

/** A call that the window made, for tests. */
export interface Call {
  readonly method: MethodName;
  readonly params: unknown;
}

export interface MemoryClient extends Client {
  /** Every call so far, oldest first. */
  readonly calls: readonly Call[];
  /** The names of the files that the browser saved. */
  readonly downloads: readonly string[];
  /** Sends an event to the window. */
  emit(event: OwnerEvent): void;
  /** Tells the window that the connection changed. */
  connect(connection: Connection): void;
}

/** Returns a client without a service: `handlers` answer the calls, and a method without a handler is refused. */
export function memoryClient(handlers: Partial<Handlers>, home: Client['home'] = 'desktop'): MemoryClient {
  const calls: Call[] = [];
  const downloads: string[] = [];
  const listeners = new Set<(event: OwnerEvent) => void>();
  const watchers = new Set<(connection: Connection) => void>();
  return {
    home,
    ...(home === 'browser' && {
      files: {
        upload: ({ file }: FileUpload) => Promise.resolve(`/uploads/${file.name}`),
        download: ({ name }: { readonly name: string }) => void downloads.push(name),
      },
    }),
    calls,
    downloads,
    async call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>> {
      calls.push({ method, params });
      const handler = handlers[method];
      if (!handler) throw new PorchlightError('unknown_method', `No handler for ${method}.`);
      return handler(params);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    watchConnection(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    emit: (event) => {
      for (const listener of listeners) listener(event);
    },
    connect: (connection) => {
      for (const watcher of watchers) watcher(connection);
    },
  };
}
