import { consoleDraft, consolePaths } from './console-requests.ts';
import { fileDraft } from './file-requests.ts';
import { largePostBytes } from './large-posts.ts';
import { oddBody } from './odd-bodies.ts';
import { changesFraming, oddBytes, oddFields, oddHeader, oddMethod, oddPath } from './odd-http.ts';
import { changedBytes, changedText, oddText } from './odd-text.ts';
import { fieldNames, protocolSample } from './protocol-requests.ts';
import { randomOfRequest, type Random } from './random.ts';
import { visitorOf, written, type Delivery, type Draft, type Field, type FuzzRequest } from './request.ts';
import { publicRoutes } from './routes.ts';
import type { Values } from './world.ts';

/** What a generator makes; the rest is the same for all of them. */
interface Made {
  readonly route: string;
  readonly listener?: 'console';
  readonly draft: Draft;
  /** Raw bytes in place of the written draft. */
  readonly bytes?: Buffer;
  /** False where the server may take it for no whole request. */
  readonly isWhole: boolean;
}

export interface Hosts {
  readonly public: string;
  readonly console: string;
}

type Generator = (values: Values, random: Random, hosts: Hosts) => Made;

/** Fills the parameters of a route's path. */
const filled = (path: string, random: Random) =>
  path.replaceAll(/:(year|month|\w+)|\*/g, () =>
    random.pick(['2026', '11', 'x', random.hex(8), '%20', 'a.b']),
  );

/** No token, a wrong one, or one of those that the server gave out, in the header or where it does not belong. */
function withToken(draft: Draft, values: Values, random: Random): Draft {
  const names = [
    'fullToken',
    'readToken',
    'managementToken',
    'grantRefresh',
    'grantAccess',
    'ownerKey',
  ] as const;
  const kind = random.next();
  if (kind < 0.3) return draft;
  const token =
    kind < 0.4
      ? oddText(random)
          .replaceAll(/[\s\0]/g, '')
          .slice(0, 3000)
      : (values[kind < 0.65 ? 'fullToken' : random.pick(names)] ?? '');
  if (random.chance(0.1)) return { ...draft, query: [...(draft.query ?? []), ['token', token]] };
  if (random.chance(0.1)) return { ...draft, query: [...(draft.query ?? []), ['access_token', token]] };
  return {
    ...draft,
    headers: [...(draft.headers ?? []), ['Authorization', `Bearer ${token.replaceAll(/[^\x21-\x7e]/g, '')}`]],
  };
}

/** Fields of a valid request with some changed, left out, doubled or renamed. */
function changedFields(random: Random, fields: readonly Field[]): Field[] {
  return fields.flatMap(([name, value]): Field[] => {
    const kind = random.next();
    if (kind < 0.55) return [[name, value]];
    if (kind < 0.65) return [];
    if (kind < 0.72)
      return [
        [name, value],
        [name, oddText(random)],
      ];
    if (kind < 0.78) return [[name + random.pick(['[]', '[a]', ' ', '\0', '[__proto__]']), value]];
    if (kind < 0.9) return [[name, oddText(random)]];
    return [[name, changedText(random, value)]];
  });
}

/** The same for JSON, at any depth. */
function changedJson(random: Random, value: unknown): unknown {
  const kind = random.next();
  if (kind < 0.06)
    return random.pick<unknown>([
      null,
      0,
      -1,
      '',
      [],
      {},
      true,
      1e400,
      [null],
      { value: 1 },
      oddText(random),
    ]);
  if (Array.isArray(value)) {
    const parts: unknown[] = value.map((part: unknown) => changedJson(random, part));
    return random.chance(0.05) ? Array.from({ length: random.below(300) }, () => parts[0] ?? null) : parts;
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, part]) => {
        if (random.chance(0.05)) return [];
        const newName = random.chance(0.05) ? oddText(random).slice(0, 200) : name;
        return [[newName, changedJson(random, part)]];
      }),
    );
  return typeof value === 'string' && random.chance(0.15) ? changedText(random, value) : value;
}

function changedDraft(draft: Draft, random: Random): Draft {
  const { body } = draft;
  const changed: Draft = {
    ...draft,
    ...(draft.query && { query: changedFields(random, draft.query) }),
    ...(random.chance(0.15) && { headers: [...(draft.headers ?? []), oddHeader(random)] }),
  };
  if (body?.kind === 'form')
    return { ...changed, body: { kind: 'form', fields: changedFields(random, body.fields) } };
  if (body?.kind === 'json')
    return { ...changed, body: { kind: 'json', value: changedJson(random, body.value) } };
  if (body?.kind === 'multipart')
    return {
      ...changed,
      body: {
        kind: 'multipart',
        parts: body.parts.map((part) => ({
          ...part,
          ...(random.chance(0.3) && { name: oddText(random).slice(0, 300) }),
          ...(random.chance(0.3) && { filename: oddText(random).slice(0, 3000) }),
          ...(random.chance(0.3) && { type: oddText(random).slice(0, 300) }),
          ...(random.chance(0.3) && { value: changedBytes(random, part.value) }),
        })),
      },
    };
  return changed;
}

/** False where the draft's own lines may make it less or more than one whole request. */
function isPlain({ method, path, headers = [], body }: Draft): boolean {
  const isClean = (text: string) => /^[\x20-\x7e]*$/.test(text);
  return (
    /^[A-Z]{3,7}$/.test(method) &&
    method !== 'CONNECT' &&
    /^\/[\x21-\x7e]*$/.test(path) &&
    headers.every((field) => !changesFraming(field) && isClean(field[0]) && isClean(field[1])) &&
    (body === undefined || method !== 'TRACE')
  );
}

const someRoute = (random: Random) => random.pick(publicRoutes);

const generators: Readonly<Record<string, { weight: number; make: Generator }>> = {
  protocol: {
    weight: 12,
    make: (values, random) => ({ ...protocolSample(values, random), isWhole: true }),
  },
  'protocol, changed': {
    weight: 26,
    make: (values, random) => {
      const { route, draft } = protocolSample(values, random);
      const changed = changedDraft(draft, random);
      return { route, draft: changed, isWhole: isPlain(changed) };
    },
  },
  'protocol, bytes changed': {
    weight: 8,
    make: (values, random) => {
      const { route, draft } = protocolSample(values, random);
      const bytes = changedBytes(random, written(draft, 'porch.example', visitorOf(random)));
      return { route, draft, bytes, isWhole: false };
    },
  },
  methods: {
    weight: 6,
    make: (values, random) => {
      const { path } = someRoute(random);
      const draft = withToken({ method: oddMethod(random), path: filled(path, random) }, values, random);
      return { route: path, draft, isWhole: isPlain(draft) };
    },
  },
  paths: {
    weight: 8,
    make: (values, random) => {
      const { path, methods } = someRoute(random);
      const draft = { method: random.pick(methods), path: oddPath(random, filled(path, random)) };
      return { route: path, draft: withToken(draft, values, random), isWhole: isPlain(draft) };
    },
  },
  queries: {
    weight: 9,
    make: (values, random) => {
      const { path, methods } = someRoute(random);
      const draft = {
        method: random.pick(methods),
        path: filled(path, random),
        query: oddFields(random, fieldNames),
      };
      return { route: path, draft: withToken(draft, values, random), isWhole: isPlain(draft) };
    },
  },
  headers: {
    weight: 9,
    make: (values, random) => {
      const { route, draft } = protocolSample(values, random);
      const odd = Array.from({ length: 1 + random.below(5) }, () => oddHeader(random));
      const changed = { ...draft, headers: [...(draft.headers ?? []), ...odd] };
      return { route, draft: changed, isWhole: isPlain(changed) };
    },
  },
  bodies: {
    weight: 12,
    make: (values, random) => {
      const { path } = random.pick(publicRoutes.filter(({ methods }) => methods.includes('POST')));
      const draft = {
        method: random.pick(['POST', 'POST', 'POST', 'DELETE', 'GET']),
        path,
        body: oddBody(random, fieldNames),
      };
      return { route: path, draft: withToken(draft, values, random), isWhole: isPlain(draft) };
    },
  },
  'raw bytes': {
    weight: 5,
    make: (_values, random) => {
      const path = filled(someRoute(random).path, random);
      return { route: 'raw', draft: { method: 'GET', path }, bytes: oddBytes(random, path), isWhole: false };
    },
  },
  'owner, calls': {
    weight: 4,
    make: (values, random) => {
      const draft = consoleDraft(values, random);
      return { route: draft.path, listener: 'console', draft, isWhole: false };
    },
  },
  'owner, files': {
    weight: 2,
    make: (values, random) => {
      const draft = fileDraft(values, random);
      return { route: draft.path, listener: 'console', draft, isWhole: false };
    },
  },
  'largest posts': {
    weight: 1,
    make: (values, random, { public: host }) => {
      const bytes = largePostBytes(values, random, host);
      return { route: '/micropub', draft: { method: 'POST', path: '/micropub' }, bytes, isWhole: false };
    },
  },
  'owner, odd': {
    weight: 1,
    make: (values, random) => {
      const path = random.pick(consolePaths);
      const draft = withToken(
        { method: oddMethod(random), path, body: oddBody(random, fieldNames) },
        values,
        random,
      );
      return { route: path, listener: 'console', draft, isWhole: false };
    },
  },
};

const generatorNames = Object.keys(generators);
const lots = generatorNames.flatMap((name) =>
  Array.from({ length: generators[name]?.weight ?? 0 }, () => name),
);

/** These answer when something happens, or when the work is done. */
const waits = /\/state$|^\/process$|^\/import$|^\/api\/events$/;

function deliveryOf(random: Random, length: number): Delivery {
  const kind = random.next();
  if (kind < 0.88) return { kind: 'whole' };
  if (kind < 0.91) return { kind: 'slow', pieces: 2 + random.below(8) };
  if (kind < 0.94) return { kind: 'aborted', after: random.below(length + 1) };
  if (kind < 0.97) return { kind: 'half-closed' };
  return { kind: 'pipelined', times: 2 + random.below(8) };
}

/** Returns the request with this number: the same for the same seed and values. */
export function requestAt(seed: number, number: number, values: Values, hosts: Hosts): FuzzRequest {
  const random = randomOfRequest(seed, number);
  const generator = random.pick(lots);
  const {
    route,
    draft,
    bytes,
    isWhole,
    listener = 'public',
  } = generators[generator]!.make(values, random, hosts);
  const keepsConnection = random.chance(0.05);
  const all = bytes ?? written(draft, hosts[listener], visitorOf(random), !keepsConnection);
  const delivery = deliveryOf(random, all.length);
  const isPatient = delivery.kind === 'whole' && !keepsConnection && !waits.test(draft.path);
  return { number, generator, route, listener, bytes: all, delivery, mustAnswer: isWhole && isPatient };
}
