import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Profiler } from 'node:inspector';
import type { ProfileAnswer, ProfileOrder } from './profile-probe.ts';
import type { Server } from './servers.ts';

/** The module that profiles a server. */
export const profileProbe = path.join(import.meta.dirname, 'profile-probe.ts');
const shown = 10;

type Frame = Profiler.ProfileNode['callFrame'];

/** Profiles the main thread of a server during `work`. Returns the ten functions with the most time of their own. */
export async function profileOf(
  { house }: Pick<Server, 'house'>,
  work: () => Promise<unknown>,
): Promise<string> {
  const ask = async (order: ProfileOrder) => {
    const answered = once(house.child, 'message') as Promise<[ProfileAnswer]>;
    house.child.send(order);
    return (await answered)[0];
  };
  await ask('start');
  try {
    await work();
  } catch (error) {
    // A profiler that goes on would slow down everything that follows.
    await ask('stop');
    throw error;
  }
  const profile = await ask('stop');
  return profile === null ? '' : topFunctions(profile);
}

/**
 * Returns the functions of a profile with the most time of their own, a line for each. Idle time does not count, nor
 * does the profiler's own work.
 */
function topFunctions({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, number>();
  let all = 0;
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === '(idle)' || frame.url === 'node:inspector') continue;
    const time = timeDeltas[index] ?? 0;
    const key = JSON.stringify([frame.functionName, frame.url, frame.lineNumber, frame.columnNumber]);
    times.set(key, (times.get(key) ?? 0) + time);
    all += time;
  }
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, shown)
    .map(([key, time]) => {
      const [functionName, url, lineNumber, columnNumber] = JSON.parse(key) as [
        string,
        string,
        number,
        number,
      ];
      const name = nameOf({ functionName, url, lineNumber, columnNumber });
      return `  ${((100 * time) / all).toFixed(1).padStart(5)} %  ${name}`;
    })
    .join('\n');
}

const maps = new Map<string, SourceMap | undefined>();

/** Names a function by its place in the source. */
function nameOf({ functionName, url, lineNumber, columnNumber }: Omit<Frame, 'scriptId'>): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  const entry = mapOf(url)?.findEntry(lineNumber, columnNumber);
  if (entry === undefined || !('originalSource' in entry)) return `${name}  ${url}:${lineNumber + 1}`;
  const file = entry.originalSource.replace(/^(\.\.\/)+/, '');
  return `${'name' in entry && typeof entry.name === 'string' ? entry.name : name}  ${file}:${entry.originalLine + 1}`;
}

function mapOf(url: string): SourceMap | undefined {
  if (!url.startsWith('file:')) return undefined;
  if (!maps.has(url)) {
    const file = `${fileURLToPath(url)}.map`;
    const payload = existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as SourceMapPayload);
    maps.set(url, payload === false ? undefined : new SourceMap(payload));
  }
  return maps.get(url);
}
