import { setTimeout as pause } from 'node:timers/promises';
import type { OwnerApi, Reply } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import { ask } from './ask.ts';
import { createEventHub } from '../contract/event-hub.ts';
import type { FolderLock } from '../storage/folder-lock.ts';
import type { Service, ServiceOptions } from './service-options.ts';

const failureOf = (error: unknown): PorchlightError =>
  error instanceof PorchlightError
    ? error
    : new PorchlightError('server_error', 'Porchlight can’t open your data. See the log for details.', 500);

interface Opened {
  readonly service: Service;
  readonly lock: Pick<FolderLock, 'replaced' | 'lockCopy'>;
}

/** Opens the service once. `again`: options that differ because it was open before. */
type Open = (again: Pick<ServiceOptions, 'isCopy' | 'port'>) => Promise<Opened>;

/** How long to wait before the next attempt to open a copy, in ms. */
const retryMs = 5000;
/** How often a call looks whether the copy is open, in ms. */
const callPauseMs = 50;

/**
 * Opens the service, and opens it anew when a copy of the data folder takes the folder's place: what is in memory may not
 * be true of the copy. Meanwhile, the owner's calls wait. Until the copy could be locked, the open service refuses
 * everything, as for a folder that is gone.
 * @throws the errors of `open`, the first time
 */
export async function keepOpen(options: ServiceOptions, open: Open): Promise<Service> {
  const { log } = options;
  const hub = createEventHub((error) => log.warn({ err: error }, 'a window could not be told'));
  const ended = new AbortController();
  let isStarted = false;
  /** Why there is no open service. */
  let failure: PorchlightError | undefined;
  /** Whether the service was stopped, and isn't open anew yet. */
  let isClosed = false;
  let reopening: Promise<void> | undefined;
  let current = (await opened({ port: options.port })).service;

  async function opened(again: Parameters<Open>[0]): Promise<Opened> {
    const one = await open(again);
    one.service.owner.subscribe(({ name, data }) => hub.emit(name, data));
    one.lock.replaced.addEventListener('abort', () => {
      reopening = (reopening ?? Promise.resolve())
        .then(() => reopen(one))
        .catch((error: unknown) =>
          log.error({ err: error }, 'the copy of the data folder could not be opened'),
        );
    });
    return one;
  }

  async function reopen({ service, lock }: Opened): Promise<void> {
    if (!(await repeated(() => lock.lockCopy()))) return;
    log.warn(`A copy of ${options.dataDir} has taken its place. Porchlight opens the copy.`);
    const { port } = await ask(service.owner, 'status.get', {});
    isClosed = true;
    await service.stop();
    const isOpen = await repeated(async () => {
      const fresh = await opened({ isCopy: true, port: options.port === 0 ? (port ?? 0) : options.port });
      current = fresh.service;
    });
    if (!isOpen) return;
    [isClosed, failure] = [false, undefined];
    if (isStarted) await current.start();
    options.reopened?.();
    hub.emit('settings.changed', await ask(current.owner, 'settings.get', {}));
    hub.emit('status.changed', await ask(current.owner, 'status.get', {}));
  }

  const owner: OwnerApi = {
    async call(method, params): Promise<Reply> {
      while (isClosed) {
        if (failure) return { error: { code: failure.code, message: failure.message } };
        await pause(callPauseMs);
      }
      return current.owner.call(method, params);
    },
    subscribe: (listener) => hub.subscribe(listener),
  };

  /** Repeats `work` until it succeeds. Returns false if the service is to stop. */
  async function repeated(work: () => Promise<unknown>): Promise<boolean> {
    while (!ended.signal.aborted) {
      try {
        await work();
        return true;
      } catch (error) {
        log.warn({ err: error }, 'a copy of the data folder has taken its place, but can’t be opened');
        if (isClosed) failure = failureOf(error);
        await pause(retryMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      }
    }
    return false;
  }

  return {
    owner,
    async start() {
      isStarted = true;
      await current.start();
    },
    wake: () => current.wake(),
    sleep: () => current.sleep(),
    async stop() {
      ended.abort();
      await reopening;
      await current.stop();
    },
  };
}
