import { randomBytes, randomUUID } from 'node:crypto';

export interface FakeTunnel {
  readonly id: string;
  /** The owner can change it. */
  name: string;
  /** Where it leads: host name -> service. */
  ingress: readonly { hostname?: string; service: string }[];
  /** Whether Cloudflare still remembers connections, which keep it from being deleted. */
  isConnected: boolean;
}

export interface FakeRecord {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  content: string;
}

export interface FakeRoute {
  readonly id: string;
  readonly pattern: string;
  script: string | null;
}

/** An uploaded Worker, ready to be run by a test. */
export interface FakeScript {
  readonly name: string;
  /** The text of its main module. */
  module: string;
  bindings: readonly Readonly<Record<string, string>>[];
  compatibilityDate: string;
  migrationTag: string;
  /** The classes of Durable Objects that store in SQLite. */
  sqliteClasses: readonly string[];
}

/** What is at Cloudflare. */
export interface CloudflareState {
  readonly account: { readonly id: string; readonly name: string };
  readonly zone: { readonly id: string; readonly name: string; status: string };
  /** How many domains there are besides `zone`. */
  otherZones: number;
  readonly tunnels: FakeTunnel[];
  /** Every tunnel that was ever created. Cloudflare still shows those that are deleted. */
  readonly formerTunnels: readonly FakeTunnel[];
  readonly records: FakeRecord[];
  readonly scripts: FakeScript[];
  readonly routes: FakeRoute[];
  addRecord(record: Omit<FakeRecord, 'id'>): FakeRecord;
  addRoute(route: Omit<FakeRoute, 'id'>): FakeRoute;
  addTunnel(name: string): FakeTunnel;
  /** Everything that exists, in words. */
  contents(): string[];
}

export const newId = () => randomBytes(16).toString('hex');

export function cloudflareState(): CloudflareState {
  const tunnels: FakeTunnel[] = [];
  const formerTunnels: FakeTunnel[] = [];
  const records: FakeRecord[] = [];
  const scripts: FakeScript[] = [];
  const routes: FakeRoute[] = [];
  const added = <T>(list: T[], one: T): T => {
    list.push(one);
    return one;
  };
  return {
    account: { id: newId(), name: 'Robin’s account' },
    zone: { id: newId(), name: 'example.com', status: 'active' },
    otherZones: 0,
    tunnels,
    formerTunnels,
    records,
    scripts,
    routes,
    addRecord: (record) => added(records, { id: newId(), ...record }),
    addRoute: (route) => added(routes, { id: newId(), ...route }),
    addTunnel: (name) =>
      added(tunnels, added(formerTunnels, { id: randomUUID(), name, ingress: [], isConnected: false })),
    contents: () => [
      ...tunnels.map(({ name }) => `tunnel ${name}`),
      ...records.map(({ type, name, content }) => `${type} ${name} ${content}`),
      ...scripts.map(({ name }) => `script ${name}`),
      ...routes.map(({ pattern, script }) => `route ${pattern} ${script ?? 'none'}`),
    ],
  };
}
