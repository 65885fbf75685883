import { contract } from '../../src-main/contract/contract.ts';
import { changedText, oddText } from './odd-text.ts';
import type { Random } from './random.ts';
import type { Draft, Field } from './request.ts';
import type { Values } from './world.ts';

/**
 * Left out: methods that end the server or the fuzzer's own access, that reach for the network or a dialog, those that
 * write to a path of the computer, and those that only fileDraft calls.
 */
const leftOut: ReadonlySet<string> = new Set([
  'server.turnOff',
  'server.usePort',
  'tunnel.start',
  'secrets.rotateManagementToken',
  'setup.check',
  'posts.import',
  'data.backup',
  'data.download',
  'data.restore',
  'data.applyRestore',
  'data.export',
  'data.move',
  'data.restart',
  'webmentions.exportTo',
  'desktop.choosePath',
  'desktop.showInFolder',
]);

/** Settings that would break what the fuzzer relies on, or name folders of the computer. */
const keptSettings = ['tunnel', 'backup', 'signIn', 'micropub', 'webmention', 'desktop'] as const;

/** Methods of the contract that the fuzzer calls. */
const calledMethods = Object.keys(contract).filter((name) => !leftOut.has(name));

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** Returns a value that a schema of the contract describes, mostly. */
function sampled(schema: Schema, values: Values, random: Random): unknown {
  if (schema.anyOf) return sampled(random.pick(schema.anyOf), values, random);
  if ('const' in schema) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name) === true || random.chance(0.5))
          .map(([name, part]) => [name, sampled(part, values, random)]),
      );
    case 'array':
      return Array.from({ length: random.below(3) }, () => sampled(schema.items ?? {}, values, random));
    case 'integer':
    case 'number': {
      const least = schema.minimum ?? 0;
      return random.pick([least, schema.maximum ?? 100, least + random.below(100)]);
    }
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default: {
      const known = random.pick([...repeatable(values), 'create', 'AAAA', 'other.example']);
      return (random.chance(0.7) ? known : oddText(random)).slice(0, schema.maxLength ?? 1000);
    }
  }
}

/** Values that the server may repeat: a secret that the owner writes into a post or a name is rightly shown there. */
function repeatable(values: Values): string[] {
  return Object.entries(values).flatMap(([name, value]) => (/token|key|grant/i.test(name) ? [] : [value]));
}

/** Returns the value with something of another kind somewhere in it. */
function bent(random: Random, value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.6))
    return value.map((part: unknown) => bent(random, part));
  if (typeof value === 'object' && value !== null && random.chance(0.8)) {
    const entries = Object.entries(value).map(([name, part]): [string, unknown] => [
      name,
      random.chance(0.5) ? bent(random, part) : part,
    ]);
    return Object.fromEntries(random.chance(0.2) ? [...entries, [oddText(random).slice(0, 50), 1]] : entries);
  }
  return random.pick<unknown>([
    null,
    [],
    {},
    -1,
    1e308,
    0.5,
    true,
    oddText(random),
    { toString: 1 },
    [[[[]]]],
    ...(typeof value === 'string' ? [changedText(random, value)] : []),
  ]);
}

const forged: readonly Field[] = [
  ['Host', 'other.example'],
  ['Host', 'localhost'],
  ['Origin', 'http://other.example'],
  ['Origin', 'null'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Sec-Fetch-Site', 'same-site'],
];

/** Returns a call to the owner's listener: with its key, a wrong one or none, from its page or from another. */
export function consoleDraft(values: Values, random: Random): Draft {
  const name = random.pick(calledMethods) as keyof typeof contract;
  const params = sampled(contract[name].params, values, random);
  const settings = name === 'settings.update' && typeof params === 'object' && params !== null;
  const harmless = settings ? withoutKept(params) : params;
  const value = random.chance(0.5) && !settings ? bent(random, harmless) : harmless;
  const key = random.next();
  const authorization: Field[] =
    key < 0.75
      ? [['Authorization', `Bearer ${values['ownerKey'] ?? ''}`]]
      : key < 0.9
        ? [
            [
              'Authorization',
              `Bearer ${random.pick(['', 'x', values['managementToken'] ?? '', values['fullToken'] ?? ''])}`,
            ],
          ]
        : [];
  const place = random.chance(0.95)
    ? `/api/${name}`
    : `/api/${random.pick(['events', 'nothing', '__proto__', 'constructor'])}`;
  return {
    method: random.chance(0.95) ? 'POST' : random.pick(['GET', 'PUT', 'OPTIONS', 'HEAD']),
    path: place,
    headers: [...authorization, ...(random.chance(0.1) ? [random.pick(forged)] : [])],
    body: { kind: 'json', value },
  };
}

function withoutKept(patch: object): unknown {
  const { profile, ...rest } = patch as { profile?: Record<string, unknown> };
  for (const name of keptSettings) Reflect.deleteProperty(rest, name);
  return { ...rest, ...(profile && { profile: { name: profile['name'] ?? '' } }) };
}

/** Paths that the owner's listener serves without a key, and some that it must not. */
export const consolePaths = [
  '/',
  '/index.html',
  '/assets/',
  '/api/status.get',
  '/api/events',
  '/%61pi/status.get',
  '/../../package.json',
  '/..%2f..%2fpackage.json',
  '/%2e%2e/main/headless.js',
] as const;
