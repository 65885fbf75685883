import { Type } from 'typebox';
import {
  ApiAccount,
  ApiRecord,
  ApiRoute,
  ApiScript,
  ApiTunnel,
  ApiZone,
  CloudflareError,
  routeWithoutWorker,
  RunToken,
  tunnelNameTaken,
  VerifiedToken,
} from './answers.ts';
import { apiPath, type CloudflareAccess, listCloudflare, requestCloudflare } from './requests.ts';

/** The comment on the DNS record, which lets the owner recognize the record in Cloudflare's dashboard. */
const recordComment = 'Created by Porchlight';

const tunnels = 'Account · Cloudflare Tunnel · Edit';
const workers = 'Account · Workers Scripts · Edit';
const dns = 'Zone · DNS · Edit';
const routes = 'Zone · Workers Routes · Edit';
const zones = 'Zone · Zone · Read';

/**
 * A client for the Cloudflare API calls that the setup needs (developers.cloudflare.com/api). It doesn't use
 * Cloudflare's official package, because that package has its own unguarded fetch. A call that fails rejects with a
 * CloudflareError, which has a message for the owner.
 */
export class CloudflareApi {
  readonly #access: CloudflareAccess;
  readonly #all = Type.Unknown();

  constructor(access: CloudflareAccess) {
    this.#access = access;
  }

  /** Checks that the token is currently valid. @throws CloudflareError `cloudflare_token` if the token isn't valid */
  verifyToken() {
    return verifyToken(this.#access, () => this.zones());
  }

  /** Lists the accounts that the token can access. */
  accounts() {
    return listCloudflare(this.#access, {
      path: '/accounts',
      result: ApiAccount,
      doing: 'list your accounts',
      permission: null,
    });
  }

  /** Lists the domains that the token can access. */
  zones() {
    return listCloudflare(this.#access, {
      path: '/zones',
      result: ApiZone,
      doing: 'list your domains',
      permission: zones,
    });
  }

  zone(zone: string) {
    return requestCloudflare(this.#access, {
      path: apiPath`/zones/${zone}`,
      result: ApiZone,
      doing: 'show the domain',
      permission: zones,
    });
  }

  /** Returns the tunnel with the given id; undefined if there is no such tunnel, or if it was deleted. */
  async tunnel(account: string, id: string): Promise<ApiTunnel | undefined> {
    try {
      const found = await requestCloudflare(this.#access, {
        path: apiPath`/accounts/${account}/cfd_tunnel/${id}`,
        result: ApiTunnel,
        doing: 'show the tunnel',
        permission: tunnels,
      });
      return (found.deleted_at ?? null) === null ? found : undefined;
    } catch (error) {
      if (error instanceof CloudflareError && error.isMissing) return undefined;
      throw error;
    }
  }

  /** Returns the tunnel with the given name; undefined if there is no such tunnel, or if it was deleted. */
  async findTunnel(account: string, name: string): Promise<ApiTunnel | undefined> {
    const found = await listCloudflare(this.#access, {
      path: `${apiPath`/accounts/${account}/cfd_tunnel`}?is_deleted=false&name=${encodeURIComponent(name)}`,
      result: ApiTunnel,
      doing: 'list your tunnels',
      permission: tunnels,
    });
    return found.find((one) => one.name === name);
  }

  /**
   * Creates a tunnel whose configuration is stored at Cloudflare. If the name is taken, returns the existing tunnel.
   */
  async createTunnel(account: string, name: string): Promise<ApiTunnel> {
    try {
      return await requestCloudflare(this.#access, {
        method: 'POST',
        path: apiPath`/accounts/${account}/cfd_tunnel`,
        json: { name, config_src: 'cloudflare' },
        result: ApiTunnel,
        doing: 'create the tunnel',
        permission: tunnels,
      });
    } catch (error) {
      if (!(error instanceof CloudflareError) || !error.apiCodes.includes(tunnelNameTaken)) throw error;
      // An earlier request may have created the tunnel even though its response was lost.
      const found = await this.findTunnel(account, name);
      if (found === undefined) throw error;
      return found;
    }
  }

  /**
   * Routes the tunnel's requests for a host name to an address on this computer. Other requests get a 404 response.
   */
  async configureTunnel(account: string, tunnel: string, hostname: string, service: string): Promise<void> {
    await requestCloudflare(this.#access, {
      method: 'PUT',
      path: apiPath`/accounts/${account}/cfd_tunnel/${tunnel}/configurations`,
      json: { config: { ingress: [{ hostname, service }, { service: 'http_status:404' }] } },
      result: this.#all,
      doing: 'configure the tunnel',
      permission: tunnels,
    });
  }

  /** Returns the token that cloudflared needs to run the tunnel. */
  tunnelToken(account: string, tunnel: string) {
    return requestCloudflare(this.#access, {
      path: apiPath`/accounts/${account}/cfd_tunnel/${tunnel}/token`,
      result: RunToken,
      doing: 'show the tunnel’s token',
      permission: tunnels,
    });
  }

  /**
   * Deletes a tunnel's connections, then the tunnel. Cloudflare still lists the connections for some minutes after
   * cloudflared has ended.
   */
  async deleteTunnel(account: string, tunnel: string): Promise<void> {
    const path = apiPath`/accounts/${account}/cfd_tunnel/${tunnel}`;
    await this.#remove(`${path}/connections`, 'close the tunnel’s connections', tunnels);
    await this.#remove(path, 'delete the tunnel', tunnels);
  }

  /** Lists the DNS records with exactly this name. */
  records(zone: string, name: string) {
    return listCloudflare(this.#access, {
      path: `${apiPath`/zones/${zone}/dns_records`}?name.exact=${encodeURIComponent(name)}`,
      result: ApiRecord,
      doing: 'list the domain’s DNS records',
      permission: dns,
    });
  }

  /** Creates a proxied CNAME record that points a name to a host at Cloudflare. */
  createRecord(zone: string, name: string, content: string) {
    return requestCloudflare(this.#access, {
      method: 'POST',
      path: apiPath`/zones/${zone}/dns_records`,
      // A TTL of 1 means that Cloudflare chooses the TTL.
      json: { type: 'CNAME', name, content, proxied: true, ttl: 1, comment: recordComment },
      result: ApiRecord,
      doing: 'create the DNS record',
      permission: dns,
    });
  }

  deleteRecord(zone: string, record: string) {
    return this.#remove(apiPath`/zones/${zone}/dns_records/${record}`, 'delete the DNS record', dns);
  }

  scripts(account: string) {
    return requestCloudflare(this.#access, {
      path: apiPath`/accounts/${account}/workers/scripts`,
      result: Type.Array(ApiScript),
      doing: 'list your Workers',
      permission: workers,
    });
  }

  /**
   * Uploads a Worker with one SQLite Durable Object, or a new version of the Worker. Includes the migration that
   * creates the Durable Object only if it has not been applied yet, because Cloudflare refuses a repeated migration.
   */
  async uploadWorker(account: string, name: string, upload: WorkerUpload): Promise<void> {
    const found = (await this.scripts(account)).find(({ id }) => id === name);
    const form = workerForm(upload, found?.migration_tag ?? null);
    await requestCloudflare(this.#access, {
      method: 'PUT',
      path: apiPath`/accounts/${account}/workers/scripts/${name}`,
      form,
      result: this.#all,
      doing: 'upload the mailbox’s Worker',
      permission: workers,
    });
  }

  /** Deletes a Worker with its Durable Objects and all their data. */
  deleteWorker(account: string, name: string) {
    return this.#remove(
      `${apiPath`/accounts/${account}/workers/scripts/${name}`}?force=true`,
      'delete the mailbox’s Worker',
      workers,
    );
  }

  routes(zone: string) {
    return requestCloudflare(this.#access, {
      path: apiPath`/zones/${zone}/workers/routes`,
      result: Type.Array(ApiRoute),
      doing: 'list the domain’s Worker routes',
      permission: routes,
    });
  }

  /**
   * Routes requests that match a pattern to a Worker. Requests above the plan's daily limit bypass the Worker.
   * Retries for a few seconds, because Cloudflare may need that long to find a newly uploaded Worker.
   */
  async createRoute(zone: string, pattern: string, script: string): Promise<ApiRoute> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await requestCloudflare(this.#access, {
          method: 'POST',
          path: apiPath`/zones/${zone}/workers/routes`,
          json: { pattern, script, request_limit_fail_open: true },
          result: ApiRoute,
          doing: 'create the mailbox’s route',
          permission: routes,
        });
      } catch (error) {
        const isEarly = error instanceof CloudflareError && error.apiCodes.includes(routeWithoutWorker);
        if (!isEarly || failures > 5) throw error;
        await this.#access.pause(1000, this.#access.signal);
      }
    }
  }

  deleteRoute(zone: string, route: string) {
    return this.#remove(
      apiPath`/zones/${zone}/workers/routes/${route}`,
      'delete the mailbox’s route',
      routes,
    );
  }

  /** Deletes the object at a path of the API. Returns false if the object didn't exist. */
  async #remove(
    path: string,
    doing: string,
    permission: typeof tunnels | typeof workers | typeof dns | typeof routes,
  ) {
    try {
      await requestCloudflare(this.#access, { method: 'DELETE', path, result: this.#all, doing, permission });
      return true;
    } catch (error) {
      if (error instanceof CloudflareError && error.isMissing) return false;
      throw error;
    }
  }
}

/**
 * Checks that the token is currently valid. `zones` lists the domains that the token can access. If the token belongs
 * to an account, the check needs the id of that account, and takes it from the first domain.
 * @throws CloudflareError `cloudflare_token` if the token isn't valid
 */
async function verifyToken(
  access: CloudflareAccess,
  zones: () => Promise<readonly ApiZone[]>,
): Promise<void> {
  const status = await statusAt(access, '/user/tokens/verify').catch(async (error: unknown) => {
    // The endpoint for a user's tokens doesn't recognize tokens that belong to an account.
    const account = isOfToken(error) ? await accountIn(zones) : undefined;
    if (account === undefined) throw error;
    return await statusAt(access, apiPath`/accounts/${account}/tokens/verify`);
  });
  if (status === 'active') return;
  const problem = status === 'expired' ? 'has expired' : 'is disabled';
  throw new CloudflareError(
    'cloudflare_token',
    `This API token ${problem}. Create a new one at Cloudflare, and paste it.`,
  );
}

async function statusAt(access: CloudflareAccess, path: string): Promise<string> {
  const request = { path, result: VerifiedToken, doing: 'check the API token', permission: null };
  return (await requestCloudflare(access, request)).status;
}

/** Returns the account of the first domain; undefined if the token is invalid or can access no domain. */
async function accountIn(zones: () => Promise<readonly ApiZone[]>): Promise<string | undefined> {
  try {
    return (await zones())[0]?.account.id;
  } catch (error) {
    if (isOfToken(error)) return undefined;
    throw error;
  }
}

const isOfToken = (error: unknown) => error instanceof CloudflareError && error.code === 'cloudflare_token';

interface WorkerUpload {
  /** The source code of the Worker's only module. */
  readonly script: string;
  /** The compatibility date of the Workers runtime: YYYY-MM-DD. */
  readonly compatibilityDate: string;
  /** The class name of the Worker's Durable Object, and the name of its binding. */
  readonly durableObject: { readonly binding: string; readonly className: string };
  readonly secrets: Readonly<Record<string, string>>;
  readonly texts: Readonly<Record<string, string>>;
}

/** The file name of the module in an upload. */
const mainModule = 'worker.js';
/** The tag of the migration that creates the Durable Object. */
const firstMigration = 'v1';

/**
 * Returns the form that uploads a Worker: its metadata and its module. Includes the migration that creates the Durable
 * Object only if it has not been applied yet, because Cloudflare refuses a repeated migration. `migrationTag`: the tag
 * of the last migration that was applied.
 */
function workerForm(upload: WorkerUpload, migrationTag: string | null): FormData {
  const { binding, className } = upload.durableObject;
  const metadata = {
    main_module: mainModule,
    compatibility_date: upload.compatibilityDate,
    bindings: [
      { type: 'durable_object_namespace', name: binding, class_name: className },
      ...Object.entries(upload.secrets).map(([name, text]) => ({ type: 'secret_text', name, text })),
      ...Object.entries(upload.texts).map(([name, text]) => ({ type: 'plain_text', name, text })),
    ],
    ...(migrationTag !== firstMigration && {
      migrations: { new_tag: firstMigration, new_sqlite_classes: [className] },
    }),
  };
  const form = new FormData();
  form.set('metadata', new Blob([JSON.stringify(metadata)], { type: 'application/json' }));
  const module = new Blob([upload.script], { type: 'application/javascript+module' });
  form.set(mainModule, module, mainModule);
  return form;
}
