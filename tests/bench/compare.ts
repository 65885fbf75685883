import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { checkouts, filledPrograms } from './folders.ts';
import { startLoadGenerator } from './load.ts';
import type { BenchOptions } from './options.ts';
import { measureBackups } from './rows/backing-up.ts';
import { measureDeliveries } from './rows/delivering.ts';
import { measureFirstStarts, measureModes } from './rows/first-start.ts';
import { measureFreshClone } from './rows/fresh-clone.ts';
import { measureImports } from './rows/importing.ts';
import { attempt } from './rows/scene.ts';
import { measureServing, readingNames, writingNames } from './rows/serving.ts';
import { measureStarts } from './rows/starting.ts';
import { measureHidden, measureWindows } from './rows/window.ts';
import type { Sources } from './source-server.ts';
import type { Line } from './targets.ts';

/** The rows that one name on the command line stands for. */
const groups: Readonly<Record<string, readonly string[]>> = {
  reading: readingNames,
  writing: [...writingNames, 'websub'],
  starts: ['start', 'first', 'modes'],
  memory: ['import', 'backup'],
  desktop: ['window', 'hidden'],
  clone: ['clone'],
};
const rowNames = Object.values(groups).flat();
/** The rows that don't need the filled folders. */
const withoutFolders = new Set(['modes', 'import', 'backup', 'clone']);

/**
 * Measures the chosen rows. Returns the lines of the table. `folder`: for all data.
 * @throws Error if a row does not exist
 */
export async function compare(folder: string, options: BenchOptions): Promise<Line[]> {
  const rows = options.rows.length === 0 ? rowNames : options.rows.flatMap((name) => groups[name] ?? name);
  const unknown = rows.find((name) => !rowNames.includes(name));
  if (unknown !== undefined)
    throw new Error(
      `There is no row ${unknown}. Groups: ${Object.keys(groups).join(', ')}. Rows: ${rowNames.join(', ')}.`,
    );
  const { before, rounds, imported, profile, restSeconds } = options;
  const those = checkouts(before);
  const generator = startLoadGenerator();
  const others = fork(path.join(import.meta.dirname, 'source-server.ts'), [String(imported)]);
  const [sources] = (await once(others, 'message')) as [Sources];
  const lines: Line[] = [];
  const isRequested = (name: string) => rows.includes(name);
  const attemptRow = async (name: string, work: () => Promise<readonly Line[]>) => {
    if (isRequested(name)) await attempt(lines, name, work);
  };
  try {
    if (rows.some((name) => !withoutFolders.has(name))) {
      const programs = await filledPrograms(folder, those, options);
      await attemptRow('start', () => measureStarts(programs, rounds));
      if ([...readingNames, ...writingNames].some(isRequested)) {
        const scratch = path.join(folder, 'bare');
        const serving = { options, isRequested, generator, sources, scratch };
        lines.push(...(await measureServing(programs, serving)));
      }
      await attemptRow('websub', () => measureDeliveries(programs, rounds));
      await attemptRow('window', () => measureWindows(programs, rounds));
      await attemptRow('hidden', () => measureHidden(programs, restSeconds));
      await attemptRow('first', () => measureFirstStarts(programs));
    }
    await attemptRow('modes', () => measureModes(folder, those, options.files));
    await attemptRow('import', () => measureImports(those, sources, profile));
    await attemptRow('backup', () => measureBackups(folder, those, options));
    await attemptRow('clone', () =>
      measureFreshClone(folder, those.some(({ name }) => name === 'before') ? before : 'none'),
    );
    return lines;
  } finally {
    generator.stop();
    others.kill();
  }
}
