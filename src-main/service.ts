import type { OwnerApi } from './contract/contract.ts';
import type { TunnelMode } from './contract/settings.ts';

/** What a front door decides before the service opens. */
export interface ServiceOptions {
  /** The data folder; made when missing. */
  readonly dataDir: string;
  /** Loopback port of the public API; 0 picks a free one. */
  readonly port: number;
  /** The public origin, where it is known beforehand. */
  readonly baseUrl?: string | undefined;
  /** The owner's profile URL; kept in the settings once given. */
  readonly me?: string | undefined;
  readonly tunnel?: TunnelMode | undefined;
  readonly secrets: 'keychain' | 'file';
  /** The name under which secrets stand in the keychain. */
  readonly secretService: string;
  /** Development and tests only: outbound fetches may reach loopback and private addresses. */
  readonly allowPrivateFetch: boolean;
  readonly version: string;
}

/** The running whole, as the front doors see it. */
export interface Service {
  /** Turns the server on. A port that is taken does not throw: the status says so. */
  start(): Promise<void>;
  /** Ends what is under way, writes what waits, gives the data folder free. */
  stop(): Promise<void>;
  readonly owner: OwnerApi;
}

/** The one place that wires everything. Secrets and documents are open when it resolves; nothing listens yet. */
export declare function openService(options: ServiceOptions): Promise<Service>;
