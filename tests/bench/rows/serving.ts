import { mkdir } from 'node:fs/promises';
import { startBare } from '../bare.ts';
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
import { measureUploads, measureVerifying, taskRoutes } from './tasks.ts';
import { writingRows } from './writing.ts';

/** What the rows of running servers need. */
export interface ServingOptions {
  readonly options: BenchOptions;
  readonly wants: (row: string) => boolean;
  readonly generator: LoadGenerator;
  readonly sources: Sources;
  /** For what the baseline writes. */
  readonly scratch: string;
}

const memoryRows = ['idle', 'after-load'];
const taskRows = ['upload', 'verify'];
const defaultSeconds = 3;

/** The names of the rows that need running servers. */
export const servingRows: readonly string[] = [
  ...memoryRows,
  ...taskRows,
  ...[...readingRows, ...writingRows(0)].map(({ name }) => name),
];

/** Measures the chosen rows that need running servers, which read first, and write after their memory is measured. */
export async function measureServing(
  programs: readonly Program[],
  { options, wants, generator, sources, scratch }: ServingOptions,
): Promise<Line[]> {
  const servers: Server[] = [];
  for (const program of programs) {
    const isProfiled = options.profile && program.name === 'now';
    servers.push(await startServer(program, isProfiled ? profileProbe : undefined));
  }
  const memory = memoryRows.some(wants) ? await measureMemory(servers, options.restSeconds) : undefined;
  const reading = readingRows.filter(({ name }) => wants(name));
  const writing = writingRows(sources.silentPort).filter(({ name }) => wants(name));
  const now = servers.find(({ name }) => name === 'now');
  if (!now) throw new Error('The current program does not run.');
  await mkdir(scratch, { recursive: true });
  const routes = [];
  for (const row of [...reading, ...writing]) routes.push(...(await routesOf(row, now)));
  const bare = await startBare({ folder: scratch, routes: [...routes, ...taskRoutes(sources.port)] });
  const { seconds = defaultSeconds, rounds, profile } = options;
  const scene: Scene = { bare, servers, generator, sources, seconds, rounds, profile };
  const measureRow = (row: RequestRow) =>
    measureOperation(row, scene, (target) =>
      requestContender(row, { target, server: target.name === 'bare' ? now : target, generator }),
    );

  const lines: Line[] = [];
  if (memory) lines.push(memory.idle);
  for (const row of reading) await attempt(lines, row.name, async () => [await measureRow(row)]);
  if (memory) lines.push(await memory.afterLoad());
  if (wants('upload')) await attempt(lines, 'upload', async () => [await measureUploads(scene)]);
  if (wants('verify')) await attempt(lines, 'verify', () => measureVerifying(scene));
  for (const row of writing) await attempt(lines, row.name, async () => [await measureRow(row)]);
  bare.stop();
  await Promise.all(servers.map(({ house }) => house.stop()));
  return lines;
}
