import { PorchlightError } from '../../contract/error.ts';
import { sha256 } from '../../storage/sha256.ts';
import { PublishingTrouble, type FolderTarget } from '../publishing/folder-target.ts';

/** A change to the file of an adopted post (a post that Porchlight didn't publish). */
export interface WriteBack {
  /** The path of the file, relative to the folder. */
  readonly file: string;
  /** The text that the file must still have before the change. */
  readonly before: string;
  readonly after: string;
  /** A description of the change, for the git history. */
  readonly message: string;
}

/**
 * Writes a changed file to the owner's folder, and commits and pushes it as the folder's settings say.
 * @throws PorchlightError `conflict` if the file has other changes, `temporarily_unavailable` if it can't be written
 */
export async function writeBackTo(
  target: () => Promise<FolderTarget>,
  { file, before, after, message }: WriteBack,
): Promise<void> {
  try {
    const folder = await target();
    const found = (await folder.hashes([file])).get(file);
    // An earlier attempt may have written the new text and then failed to push it. So the file may already have that
    // text.
    if (found !== sha256(before) && found !== sha256(after)) throw changedMeanwhile();
    const expected = new Map([[file, found]]);
    await folder.write([{ files: new Map([[file, { text: after }]]), expected, message }]);
  } catch (error) {
    if (error instanceof PublishingTrouble)
      throw new PorchlightError('temporarily_unavailable', error.words, 503, { cause: error });
    throw error;
  }
}

const changedMeanwhile = () =>
  new PorchlightError(
    'conflict',
    'The post’s file in the folder isn’t the published version, or it changed just now. Commit and push your changes and pull the newest version, or try again.',
    409,
  );
