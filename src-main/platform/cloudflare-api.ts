import { Type } from 'typebox';
import { CloudflareError, routeWithoutWorker, tunnelNameTaken } from './cloudflare-error.ts';
import { apiPath, listCloudflare, requestCloudflare, type CloudflareAccess } from './cloudflare-request.ts';
import {
  ApiAccount,
  ApiRecord,
  ApiRoute,
  ApiScript,
  ApiTunnel,
  ApiZone,
  RunToken,
} from './cloudflare-shapes.ts';
import { verifyToken } from './cloudflare-token.ts';
import { workerForm, type WorkerUpload } from './cloudflare-worker-form.ts';

export type CloudflareApi = ReturnType<typeof createCloudflareApi>;

/** The comment on the DNS record, which lets the owner recognize the record in Cloudflare's dashboard. */
const recordComment = 'Created by Porchlight';

const tunnels = 'Account · Cloudflare Tunnel · Edit';
const workers = 'Account · Workers Scripts · Edit';
const dns = 'Zone · DNS · Edit';
const routes = 'Zone · Workers Routes · Edit';
const zones = 'Zone · Zone · Read';

/**
 * Creates a client for the Cloudflare API calls that the setup needs (developers.cloudflare.com/api). It doesn't use
 * Cloudflare's official package, because that package has its own unguarded fetch. A call that fails rejects with a
 * CloudflareError, which has a message for the owner.
 */
export function createCloudflareApi(access: CloudflareAccess) {
  const all = Type.Unknown();

  /** Deletes the object at a path of the API. Returns false if the object didn't exist. */
  async function remove(
    path: string,
    doing: string,
    permission: typeof tunnels | typeof workers | typeof dns | typeof routes,
  ) {
    try {
      await requestCloudflare(access, { method: 'DELETE', path, result: all, doing, permission });
      return true;
    } catch (error) {
      if (error instanceof CloudflareError && error.isMissing) return false;
      throw error;
    }
  }

  async function findTunnel(account: string, name: string): Promise<ApiTunnel | undefined> {
    const found = await listCloudflare(access, {
      path: `${apiPath`/accounts/${account}/cfd_tunnel`}?is_deleted=false&name=${encodeURIComponent(name)}`,
      result: ApiTunnel,
      doing: 'list your tunnels',
      permission: tunnels,
    });
    return found.find((one) => one.name === name);
  }

  const listZones = () =>
    listCloudflare(access, {
      path: '/zones',
      result: ApiZone,
      doing: 'list your domains',
      permission: zones,
    });

  const listRoutes = (zone: string) =>
    requestCloudflare(access, {
      path: apiPath`/zones/${zone}/workers/routes`,
      result: Type.Array(ApiRoute),
      doing: 'list the domain’s Worker routes',
      permission: routes,
    });

  const listScripts = (account: string) =>
    requestCloudflare(access, {
      path: apiPath`/accounts/${account}/workers/scripts`,
      result: Type.Array(ApiScript),
      doing: 'list your Workers',
      permission: workers,
    });

  return {
    /** Checks that the token is currently valid. @throws CloudflareError `cloudflare_token` if the token isn't valid */
    verifyToken: () => verifyToken(access, listZones),

    /** Lists the accounts that the token can access. */
    accounts: () =>
      listCloudflare(access, {
        path: '/accounts',
        result: ApiAccount,
        doing: 'list your accounts',
        permission: null,
      }),

    /** Lists the domains that the token can access. */
    zones: listZones,

    zone: (zone: string) =>
      requestCloudflare(access, {
        path: apiPath`/zones/${zone}`,
        result: ApiZone,
        doing: 'show the domain',
        permission: zones,
      }),

    /** Returns the tunnel with the given id; undefined if there is no such tunnel, or if it was deleted. */
    async tunnel(account: string, id: string): Promise<ApiTunnel | undefined> {
      try {
        const found = await requestCloudflare(access, {
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
    },

    /** Returns the tunnel with the given name; undefined if there is no such tunnel, or if it was deleted. */
    findTunnel,

    /**
     * Creates a tunnel whose configuration is stored at Cloudflare. If the name is taken, returns the existing tunnel.
     */
    async createTunnel(account: string, name: string): Promise<ApiTunnel> {
      try {
        return await requestCloudflare(access, {
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
        const found = await findTunnel(account, name);
        if (found === undefined) throw error;
        return found;
      }
    },

    /**
     * Routes the tunnel's requests for a host name to an address on this computer. Other requests get a 404 response.
     */
    async configureTunnel(account: string, tunnel: string, hostname: string, service: string): Promise<void> {
      await requestCloudflare(access, {
        method: 'PUT',
        path: apiPath`/accounts/${account}/cfd_tunnel/${tunnel}/configurations`,
        json: { config: { ingress: [{ hostname, service }, { service: 'http_status:404' }] } },
        result: all,
        doing: 'configure the tunnel',
        permission: tunnels,
      });
    },

    /** Returns the token that cloudflared needs to run the tunnel. */
    tunnelToken: (account: string, tunnel: string) =>
      requestCloudflare(access, {
        path: apiPath`/accounts/${account}/cfd_tunnel/${tunnel}/token`,
        result: RunToken,
        doing: 'show the tunnel’s token',
        permission: tunnels,
      }),

    /**
     * Deletes a tunnel's connections, then the tunnel. Cloudflare still lists the connections for some minutes after
     * cloudflared has ended.
     */
    async deleteTunnel(account: string, tunnel: string): Promise<void> {
      const path = apiPath`/accounts/${account}/cfd_tunnel/${tunnel}`;
      await remove(`${path}/connections`, 'close the tunnel’s connections', tunnels);
      await remove(path, 'delete the tunnel', tunnels);
    },

    /** Lists the DNS records with exactly this name. */
    records: (zone: string, name: string) =>
      listCloudflare(access, {
        path: `${apiPath`/zones/${zone}/dns_records`}?name.exact=${encodeURIComponent(name)}`,
        result: ApiRecord,
        doing: 'list the domain’s DNS records',
        permission: dns,
      }),

    /** Creates a proxied CNAME record that points a name to a host at Cloudflare. */
    createRecord: (zone: string, name: string, content: string) =>
      requestCloudflare(access, {
        method: 'POST',
        path: apiPath`/zones/${zone}/dns_records`,
        // A TTL of 1 means that Cloudflare chooses the TTL.
        json: { type: 'CNAME', name, content, proxied: true, ttl: 1, comment: recordComment },
        result: ApiRecord,
        doing: 'create the DNS record',
        permission: dns,
      }),

    deleteRecord: (zone: string, record: string) =>
      remove(apiPath`/zones/${zone}/dns_records/${record}`, 'delete the DNS record', dns),

    scripts: listScripts,

    /**
     * Uploads a Worker with one SQLite Durable Object, or a new version of the Worker. Includes the migration that
     * creates the Durable Object only if it has not been applied yet, because Cloudflare refuses a repeated migration.
     */
    async uploadWorker(account: string, name: string, upload: WorkerUpload): Promise<void> {
      const found = (await listScripts(account)).find(({ id }) => id === name);
      const form = workerForm(upload, found?.migration_tag ?? null);
      await requestCloudflare(access, {
        method: 'PUT',
        path: apiPath`/accounts/${account}/workers/scripts/${name}`,
        form,
        result: all,
        doing: 'upload the mailbox’s Worker',
        permission: workers,
      });
    },

    /** Deletes a Worker with its Durable Objects and all their data. */
    deleteWorker: (account: string, name: string) =>
      remove(
        `${apiPath`/accounts/${account}/workers/scripts/${name}`}?force=true`,
        'delete the mailbox’s Worker',
        workers,
      ),

    routes: listRoutes,

    /**
     * Routes requests that match a pattern to a Worker. Requests above the plan's daily limit bypass the Worker.
     * Retries for a few seconds, because Cloudflare may need that long to find a newly uploaded Worker.
     */
    async createRoute(zone: string, pattern: string, script: string): Promise<ApiRoute> {
      for (let failures = 1; ; failures += 1) {
        try {
          return await requestCloudflare(access, {
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
          await access.pause(1000, access.signal);
        }
      }
    },

    deleteRoute: (zone: string, route: string) =>
      remove(apiPath`/zones/${zone}/workers/routes/${route}`, 'delete the mailbox’s route', routes),
  };
}
