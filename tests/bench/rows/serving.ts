import { mkdir } from 'node:fs/promises';
import { startBare, type BareRoute } from '../bare.ts';
import type { LoadGenerator } from '../load.ts';
import type { BenchOptions } from '../options.ts';
import { profileProbe } from '../profile.ts';
import { startServer, type Program, type Server } from '../servers.ts';
import type { Sources } from '../source-server.ts';
import type { Line } from '../targets.ts';
import { measureMemory } from './memory.ts';
import { readingRows } from './reading.ts';
import { requestContender, routesOf, type RequestRow } from './request-row.ts';
import { attempt, measureOperation, type Scene } from './scene.ts';
import { measureUploads, uploadRoute } from './uploading.ts';
import { measureVerifying, verifyRoute } from './verifying.ts';
import { writingRows } from './writing.ts';

/** What the rows of running servers need. */
export interface ServingOptions {
  readonly options: BenchOptions;
  readonly isRequested: (row: string) => boolean;
  readonly generator: LoadGenerator;
  readonly sources: Sources;
  /** For what the baseline writes. */
  readonly scratch: string;
}

const memoryRows = ['idle', 'after-load'];
const taskRows = ['upload', 'verify'];
const defaultSeconds = 2;

/** The names of the rows that need running servers. */
export const servingRows: readonly string[] = [
  ...memoryRows,
  ...taskRows,
  ...[...readingRows, ...writingRows(0)].map(({ name }) => name),
];

/** Measures the chosen rows that need running servers, which read first, and write after their memory is measured. */
export async function measureServing(
  programs: readonly Program[],
  { options, isRequested, generator, sources, scratch }: ServingOptions,
): Promise<Line[]> {
  const servers: Server[] = [];
  for (const program of programs) {
    const isProfiled = options.profile && program.name === 'now';
    servers.push(await startServer(program, isProfiled ? profileProbe : undefined));
  }
  const memory = memoryRows.some(isRequested) ? await measureMemory(servers, options.restSeconds) : undefined;
  const now = theCurrent(servers);
  await mkdir(scratch, { recursive: true });
  const { seconds = defaultSeconds, rounds, profile } = options;
  const lines: Line[] = [];

  /** Starts a baseline with these routes, and measures. */
  async function against(routes: readonly BareRoute[], measureAll: (scene: Scene) => Promise<void>) {
    const bare = await startBare({ folder: scratch, routes });
    await measureAll({ bare, servers, generator, sources, seconds, rounds, profile });
    bare.stop();
  }

  async function measureRequests(rows: readonly RequestRow[]): Promise<void> {
    const chosen = rows.filter(({ name }) => isRequested(name));
    const routes = new Map<RequestRow, BareRoute[]>();
    for (const row of chosen) routes.set(row, await routesOf(row, now));
    await against([...routes.values()].flat(), async (scene) => {
      for (const [row, ofRow] of routes) {
        const usual = Math.min(...ofRow.map(({ body }) => Buffer.byteLength(body)));
        await attempt(lines, row.name, async () => [
          await measureOperation(row, scene, (target) => {
            const server = target.name === 'bare' ? now : target;
            const least = target.name === 'before' ? usual / 2 : 0;
            return requestContender(row, { target, server, least, generator });
          }),
        ]);
      }
    });
  }

  if (memory) await attempt(lines, 'idle', () => Promise.resolve([memory.idle]));
  await measureRequests(readingRows);
  if (memory) await attempt(lines, 'after-load', async () => [await memory.afterLoad()]);
  // Before the mentions whose sources do not respond: they would still wait.
  await against([uploadRoute, verifyRoute(sources.port)], async (scene) => {
    if (isRequested('upload')) await attempt(lines, 'upload', async () => [await measureUploads(scene)]);
    if (isRequested('verify')) await attempt(lines, 'verify', () => measureVerifying(scene));
  });
  await measureRequests(writingRows(sources.silentPort));
  await Promise.all(servers.map(({ house }) => house.stop()));
  return lines;
}

function theCurrent(servers: readonly Server[]): Server {
  const now = servers.find(({ name }) => name === 'now');
  if (!now) throw new Error('The current program does not run.');
  return now;
}
