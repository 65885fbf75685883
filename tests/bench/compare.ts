import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { checkouts, filledPrograms } from './folders.ts';
import { startLoadGenerator } from './load.ts';
import type { BenchOptions } from './options.ts';
import { measureDeliveries } from './rows/delivering.ts';
import { measureImports } from './rows/importing.ts';
import { attempt } from './rows/scene.ts';
import { measureServing, servingRows } from './rows/serving.ts';
import { measureStarts } from './rows/starting.ts';
import { measureWindows } from './rows/window.ts';
import type { Sources } from './source-server.ts';
import type { Line } from './targets.ts';

const rowNames = ['start', ...servingRows, 'websub', 'window', 'import'];

/**
 * Measures the chosen rows. Returns the lines of the table. `folder`: for all data.
 * @throws Error if a row does not exist
 */
export async function compare(folder: string, options: BenchOptions): Promise<Line[]> {
  const isRequested = (name: string) => options.rows.length === 0 || options.rows.includes(name);
  const unknown = options.rows.find((name) => !rowNames.includes(name));
  if (unknown !== undefined) throw new Error(`There is no row ${unknown}. Rows: ${rowNames.join(', ')}.`);
  const { before, rounds, imported, profile } = options;
  const serves = servingRows.some(isRequested);
  const those = checkouts(before);
  const generator = startLoadGenerator();
  const others = fork(path.join(import.meta.dirname, 'source-server.ts'), [String(imported)]);
  const [sources] = (await once(others, 'message')) as [Sources];
  const lines: Line[] = [];
  try {
    if (isRequested('start') || isRequested('websub') || isRequested('window') || serves) {
      const programs = await filledPrograms(folder, those, options);
      if (isRequested('start')) await attempt(lines, 'start', () => measureStarts(programs, rounds));
      const scratch = path.join(folder, 'bare');
      if (serves)
        lines.push(
          ...(await measureServing(programs, { options, isRequested, generator, sources, scratch })),
        );
      if (isRequested('websub')) await attempt(lines, 'websub', () => measureDeliveries(programs, rounds));
      if (isRequested('window')) await attempt(lines, 'window', () => measureWindows(programs, rounds));
    }
    if (isRequested('import')) await attempt(lines, 'import', () => measureImports(those, sources, profile));
    return lines;
  } finally {
    generator.stop();
    others.kill();
  }
}
