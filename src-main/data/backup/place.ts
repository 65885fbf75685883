import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Type, type Static } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { closed } from '../../contract/shapes.ts';
import { nodeOperations } from '../../storage/file-operations.ts';
import { jsonText, readJson } from '../../storage/json-file.ts';
import { putFile } from '../../storage/replace-file.ts';
import { isValid } from '../../storage/schema-check.ts';

/**
 * The content of `place.json` in the desktop app's own folder. `folder`: the location of the data; null for the usual
 * location. `moving`: the pending move.
 */
const MovedPlace = closed({
  folder: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
  moving: Type.Union([
    closed({ from: Type.String({ minLength: 1 }), to: Type.String({ minLength: 1 }), at: Type.String() }),
    Type.Null(),
  ]),
});
export type MovedPlace = Static<typeof MovedPlace>;

/**
 * Reads `place.json`. If the file is missing, the data was never moved.
 * @throws PorchlightError `place_broken`
 */
export async function readPlace(file: string): Promise<MovedPlace> {
  const found = await readJson(file, nodeOperations);
  if (found.state === 'missing') return { folder: null, moving: null };
  if (found.state === 'whole' && isValid(MovedPlace, found.value)) return found.value;
  throw new PorchlightError(
    'place_broken',
    `Porchlight can’t read “${file}”, which says where your data is. Start with --data and the folder, or repair the file.`,
    500,
  );
}

/** Writes `place.json`. The file is on disk when the promise resolves. */
export async function writePlace(file: string, place: MovedPlace): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await putFile(file, jsonText(place));
}
