import { Type, type Static, type TSchema } from 'typebox';
import { closed } from '../../src-main/contract/shapes.ts';
import { firstProblem, isValid } from '../../src-main/storage/schema-check.ts';
import { newId } from './fake-cloudflare-state.ts';
import type { FakeCloudflareApi } from './fake-cloudflare-api.ts';
import { uploadedScript } from './fake-cloudflare-upload.ts';

/** A good answer, or a refusal. */
export type Answer =
  | { readonly result: unknown; readonly pages?: object }
  | { readonly status: number; readonly code: number; readonly message: string };

export interface Asked {
  readonly url: URL;
  readonly body: Buffer;
  readonly type: string;
}

export interface Call {
  readonly matches: (method: string, path: string) => boolean;
  readonly permission: string | null;
  answer(asked: Asked): Answer | Promise<Answer>;
}

const text = Type.String({ minLength: 1 });

// The bodies as developers.cloudflare.com/api documents them, as far as Porchlight may use them.
const NewTunnel = closed({ name: text, config_src: Type.Literal('cloudflare') });
const Configuration = closed({
  config: closed({
    ingress: Type.Array(
      closed({
        hostname: Type.Optional(text),
        service: Type.String({ pattern: '^(http://127\\.0\\.0\\.1:\\d+|http_status:404)$' }),
      }),
      { minItems: 2, maxItems: 2 },
    ),
  }),
});
const NewRecord = closed({
  type: Type.Literal('CNAME'),
  name: text,
  content: Type.String({ pattern: '^[0-9a-f-]{36}\\.cfargotunnel\\.com$' }),
  proxied: Type.Literal(true),
  ttl: Type.Literal(1),
  comment: Type.String({ maxLength: 100 }),
});
const NewRoute = closed({ pattern: text, script: text, request_limit_fail_open: Type.Boolean() });

const missing = (code: number, message: string): Answer => ({ status: 404, code, message });

/** Returns the calls of Cloudflare's API that Porchlight needs. They change the state of the stand-in. */
export function cloudflareCalls(fake: FakeCloudflareApi): readonly Call[] {
  const { account, zone, problems, tunnels, records, scripts, routes } = fake;
  const inAccount = `/accounts/${account.id}`;
  const inZone = `/zones/${zone.id}`;
  const permissions = {
    tunnel: 'Account · Cloudflare Tunnel · Edit',
    workers: 'Account · Workers Scripts · Edit',
    dns: 'Zone · DNS · Edit',
    routes: 'Zone · Workers Routes · Edit',
    zone: 'Zone · Zone · Read',
  };

  function call(
    method: string,
    path: RegExp,
    permission: string | null,
    answer: (asked: Asked, id: string) => Answer | Promise<Answer>,
  ): Call {
    const whole = new RegExp(`^${path.source}$`);
    return {
      matches: (asked, pathname) => asked === method && whole.test(pathname),
      permission,
      answer: (asked) => {
        const isBodyless = method === 'GET' || method === 'DELETE';
        if (isBodyless && asked.body.length > 0) problems.push(`${method} ${asked.url.pathname} has a body`);
        return answer(asked, whole.exec(asked.url.pathname)?.[1] ?? '');
      },
    };
  }

  /** Parses a JSON body, and reports what doesn't fit. */
  function json<S extends TSchema>(schema: S, { url, body, type }: Asked): Static<S> {
    const value: unknown = JSON.parse(body.toString());
    if (!type.startsWith('application/json')) problems.push(`${url.pathname}: sent as ${type}`);
    if (!isValid(schema, value)) problems.push(`${url.pathname}: ${firstProblem(schema, value)}`);
    return value as Static<S>;
  }

  function list(all: readonly unknown[], { url }: Asked): Answer {
    const [page, size] = [url.searchParams.get('page'), url.searchParams.get('per_page')].map(Number) as [
      number,
      number,
    ];
    if (!(page >= 1 && size >= 5 && size <= 50)) problems.push(`${url.href}: page ${page} of ${size}`);
    const result = all.slice((page - 1) * size, page * size);
    const total = Math.ceil(all.length / size);
    return {
      result,
      pages: { page, per_page: size, count: result.length, total_count: all.length, total_pages: total },
    };
  }

  function remove<T>(all: T[], is: (one: T) => boolean, refusal: Answer, result: unknown = null): Answer {
    const at = all.findIndex(is);
    if (at === -1) return refusal;
    all.splice(at, 1);
    return { result };
  }

  const verified = (owner: FakeCloudflareApi['tokenOwner']): Answer =>
    fake.tokenOwner === owner
      ? { result: { id: newId(), status: fake.tokenStatus } }
      : { status: 401, code: 1000, message: 'Invalid API Token' };
  const zoneObject = (id: string, name: string, status: string) => ({ id, name, status, account });
  const tunnelOf = (id: string) => tunnels.find((one) => one.id === id);
  const noTunnel = missing(1003, 'Tunnel not found');

  return [
    call('GET', /\/user\/tokens\/verify/, null, () => verified('user')),
    call('GET', new RegExp(`${inAccount}/tokens/verify`), null, () => verified('account')),
    call('GET', /\/accounts/, null, (asked) => list([account], asked)),
    call('GET', /\/zones/, permissions.zone, (asked) =>
      list(
        [
          zoneObject(zone.id, zone.name, zone.status),
          ...Array.from({ length: fake.otherZones }, (_, at) =>
            zoneObject(newId(), `other-${at}.example`, 'pending'),
          ),
        ],
        asked,
      ),
    ),
    call('GET', new RegExp(inZone), permissions.zone, () => ({
      result: zoneObject(zone.id, zone.name, zone.status),
    })),

    call('GET', new RegExp(`${inAccount}/cfd_tunnel`), permissions.tunnel, (asked) => {
      if (asked.url.searchParams.get('is_deleted') !== 'false') problems.push('deleted tunnels are listed');
      const name = asked.url.searchParams.get('name');
      return list(
        tunnels.filter((one) => name === null || one.name === name),
        asked,
      );
    }),
    call('POST', new RegExp(`${inAccount}/cfd_tunnel`), permissions.tunnel, (asked) => {
      const { name } = json(NewTunnel, asked);
      if (tunnels.some((one) => one.name === name))
        return { status: 409, code: 1013, message: 'You already have a tunnel with this name.' };
      return { result: { ...fake.addTunnel(name), config_src: 'cloudflare' } };
    }),
    call('GET', new RegExp(`${inAccount}/cfd_tunnel/([^/]+)`), permissions.tunnel, (_, id) => {
      const tunnel = fake.formerTunnels.find((one) => one.id === id);
      if (!tunnel) return noTunnel;
      const deletedAt = tunnelOf(id) ? null : '2026-11-20T12:00:00Z';
      return { result: { id, name: tunnel.name, deleted_at: deletedAt } };
    }),
    call(
      'PUT',
      new RegExp(`${inAccount}/cfd_tunnel/([^/]+)/configurations`),
      permissions.tunnel,
      (asked, id) => {
        const tunnel = tunnelOf(id);
        if (!tunnel) return noTunnel;
        tunnel.ingress = json(Configuration, asked).config.ingress;
        return { result: { tunnel_id: id, version: 1, source: 'cloudflare' } };
      },
    ),
    call('GET', new RegExp(`${inAccount}/cfd_tunnel/([^/]+)/token`), permissions.tunnel, (_, id) => {
      const tunnel = tunnelOf(id);
      if (!tunnel) return noTunnel;
      // From now on, a cloudflared may be connected.
      tunnel.isConnected = true;
      return { result: `run-token-of-${tunnel.name}` };
    }),
    call('DELETE', new RegExp(`${inAccount}/cfd_tunnel/([^/]+)/connections`), permissions.tunnel, (_, id) => {
      const tunnel = tunnelOf(id);
      if (!tunnel) return noTunnel;
      tunnel.isConnected = false;
      return { result: {} };
    }),
    call('DELETE', new RegExp(`${inAccount}/cfd_tunnel/([^/]+)`), permissions.tunnel, (_, id) =>
      tunnelOf(id)?.isConnected === true
        ? { status: 400, code: 1022, message: 'The tunnel has active connections.' }
        : remove(tunnels, (one) => one.id === id, noTunnel, { id }),
    ),

    call('GET', new RegExp(`${inZone}/dns_records`), permissions.dns, (asked) => {
      const name = asked.url.searchParams.get('name.exact');
      return list(
        records.filter((one) => one.name === name),
        asked,
      );
    }),
    call('POST', new RegExp(`${inZone}/dns_records`), permissions.dns, (asked) => {
      const { type, name, content } = json(NewRecord, asked);
      // The domain's own name servers are no obstacle: Cloudflare flattens a CNAME record there.
      const exclusive = ['A', 'AAAA', 'CNAME', ...(name === zone.name ? [] : ['NS'])];
      if (records.some((one) => one.name === name && exclusive.includes(one.type)))
        return {
          status: 400,
          code: 81053,
          message: 'An A, AAAA, or CNAME record with that host already exists.',
        };
      return { result: fake.addRecord({ type, name, content }) };
    }),
    call('DELETE', new RegExp(`${inZone}/dns_records/([^/]+)`), permissions.dns, (_, id) =>
      remove(records, (one) => one.id === id, missing(81044, 'Record does not exist.'), { id }),
    ),

    call('GET', new RegExp(`${inAccount}/workers/scripts`), permissions.workers, () => ({
      result: scripts.map(({ name, migrationTag }) => ({ id: name, migration_tag: migrationTag })),
    })),
    call('PUT', new RegExp(`${inAccount}/workers/scripts/([^/]+)`), permissions.workers, (asked, name) =>
      uploadedScript(fake, name, asked),
    ),
    call('DELETE', new RegExp(`${inAccount}/workers/scripts/([^/]+)`), permissions.workers, (asked, name) => {
      // Without it, Cloudflare keeps a Worker that has Durable Objects.
      if (asked.url.searchParams.get('force') !== 'true') problems.push('a Worker is deleted without force');
      return remove(
        scripts,
        (one) => one.name === name,
        missing(10007, 'This Worker does not exist on your account.'),
      );
    }),

    call('GET', new RegExp(`${inZone}/workers/routes`), permissions.routes, () => ({ result: routes })),
    call('POST', new RegExp(`${inZone}/workers/routes`), permissions.routes, (asked) => {
      const { pattern, script } = json(NewRoute, asked);
      if (!scripts.some((one) => one.name === script))
        return {
          status: 400,
          code: 10019,
          message: 'Cannot configure a route for a Worker which does not exist.',
        };
      if (routes.some((one) => one.pattern === pattern))
        return { status: 409, code: 10020, message: 'workers.api.error.duplicate_route' };
      return { result: fake.addRoute({ pattern, script }) };
    }),
    call('DELETE', new RegExp(`${inZone}/workers/routes/([^/]+)`), permissions.routes, (_, id) =>
      remove(routes, (one) => one.id === id, missing(10008, 'Route not found.'), { id }),
    ),
  ];
}
