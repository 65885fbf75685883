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
import { measureSigning, signingRoutes } from './signing.ts';
import { measureVerifying, verifyRoute } from './verifying.ts';
import { uploadRows, writingRows } from './writing.ts';

/** What the rows of running servers need. */
export interface ServingOptions {
  readonly options: BenchOptions;
  readonly isRequested: (row: string) => boolean;
  readonly generator: LoadGenerator;
  readonly sources: Sources;
  /** For what the baseline writes. */
  readonly scratch: string;
}

/** The names of the rows that need running servers, which read first, and write after their memory is measured. */
export const readingNames: readonly string[] = ['idle', ...readingRows.map(({ name }) => name), 'after-load'];
const signingNames = ['auth', 'exchange', 'refresh', 'sign-in'];
export const writingNames: readonly string[] = [
  ...signingNames,
  'verify',
  'upload',
  'jpeg',
  ...writingRows(0).map(({ name }) => name),
];
const defaultSeconds = 1.5;

/** Measures the chosen rows that need running servers. */
export async function measureServing(
  programs: readonly Program[],
  { options, isRequested, generator, sources, scratch }: ServingOptions,
): Promise<Line[]> {
  const servers: Server[] = [];
  for (const program of programs) {
    const isProfiled = options.profile && program.name === 'now';
    servers.push(await startServer(program, isProfiled ? profileProbe : undefined));
  }
  const memory =
    isRequested('idle') || isRequested('after-load')
      ? await measureMemory(servers, options.restSeconds)
      : undefined;
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
    if (chosen.length === 0) return;
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

  if (memory) await attempt(lines, 'idle', () => Promise.resolve(memory.idle));
  await measureRequests(readingRows);
  if (memory) await attempt(lines, 'after-load', async () => [await memory.afterLoad()]);
  if (signingNames.some(isRequested))
    await against(await signingRoutes(now, sources.port), (scene) =>
      attempt(lines, 'signing', () => measureSigning(scene, now, isRequested)),
    );
  // Before the mentions whose sources do not respond: they would still wait.
  if (isRequested('verify'))
    await against([verifyRoute(sources.port)], (scene) =>
      attempt(lines, 'verify', () => measureVerifying(scene)),
    );
  await measureRequests([...(await uploadRows()), ...writingRows(sources.silentPort)]);
  await Promise.all(servers.map(({ house }) => house.stop()));
  return lines;
}

function theCurrent(servers: readonly Server[]): Server {
  const now = servers.find(({ name }) => name === 'now');
  if (!now) throw new Error('The current program does not run.');
  return now;
}
