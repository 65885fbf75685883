import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { MethodName, OwnerEvent, Params, Result } from '../../src-main/contract/contract.ts';
import { ask } from '../../src-main/app/ask.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import type { Service, ServiceOptions } from '../../src-main/app/service.ts';
import { openApp } from '../../src-main/app/app.ts';

/** A running server with a folder of its own, and the owner at its side. */
export interface Porchlight {
  readonly base: string;
  readonly dataDir: string;
  readonly service: Service;
  /** Every event so far. */
  readonly events: OwnerEvent[];
  /** Calls a method of the contract. Throws PorchlightError for an error reply. */
  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Stops the server; the folder stays for the next start. */
  stop(): Promise<void>;
  /** Stops the server and removes the folder. */
  remove(): Promise<void>;
}

/** Starts the whole service in this process: free port, secrets in a file, loopback may be fetched. */
export async function startPorchlight(options: Partial<ServiceOptions> = {}): Promise<Porchlight> {
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'porchlight-test-')));
  const service = await openApp({
    port: 0,
    me: 'https://owner.example/',
    secrets: 'file',
    secretService: 'porchlight-test',
    allowPrivateFetch: true,
    // Tests of full disks needn't wait as long as an owner does.
    diskCheckMs: 500,
    version: '0.0.0-test',
    log: silentLog,
    ...options,
    dataDir,
  });
  const events: OwnerEvent[] = [];
  service.owner.subscribe((event) => events.push(event));
  await service.start();

  const call = <M extends MethodName>(method: M, params: Params<M>) => ask(service.owner, method, params);

  const { baseUrl } = await call('status.get', {});
  return {
    base: baseUrl,
    dataDir,
    service,
    events,
    call,
    stop: () => service.stop(),
    async remove() {
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
