import { readFile, writeFile } from 'node:fs/promises';
import type { Finding } from './oracles.ts';
import type { FuzzRequest } from './request.ts';
import type { Values } from './world.ts';

/** Requests that failed, as a file keeps them: with the values of their run, which another run has others for. */
interface Kept {
  readonly seed: number;
  readonly values: Values;
  readonly requests: readonly (Omit<FuzzRequest, 'bytes'> & { readonly bytes: string })[];
}

/** Writes the requests of all findings to a file. */
export async function keepFailures(file: string, seed: number, values: Values, findings: readonly Finding[]) {
  const requests = findings.flatMap(({ request }) =>
    request ? [{ ...request, bytes: request.bytes.toString('base64') }] : [],
  );
  const kept: Kept = { seed, values, requests };
  await writeFile(file, JSON.stringify(kept, null, 2));
}

/** Reads requests back, with the values of this run in place of those of their own. */
export async function readFailures(file: string): Promise<(values: Values) => FuzzRequest[]> {
  const { values: before, requests } = JSON.parse(await readFile(file, 'utf8')) as Kept;
  return (values) =>
    requests.map((request) => ({
      ...request,
      bytes: withValues(Buffer.from(request.bytes, 'base64'), before, values),
    }));
}

function withValues(bytes: Buffer, before: Values, now: Values): Buffer {
  let text = bytes.toString('latin1');
  const longestFirst = Object.entries(before).sort(([, a], [, b]) => b.length - a.length);
  for (const [name, value] of longestFirst) {
    const current = now[name];
    if (current === undefined || value.length < 6) continue;
    text = text.replaceAll(value, current).replaceAll(encodeURIComponent(value), encodeURIComponent(current));
  }
  return Buffer.from(text, 'latin1');
}
