import { createHash } from 'node:crypto';
import { PorchlightError } from '../../contract/error.ts';
import { PublishingTrouble, type FolderTarget } from '../publishers/folder-target.ts';

/** A change of an adopted post's file. */
export interface WriteBack {
  /** Relative to the folder. */
  readonly file: string;
  /** The text that the file must still have. */
  readonly before: string;
  readonly after: string;
  /** What the change does, for the history. */
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
    // A commit of an earlier attempt may be waiting to be pushed.
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
    'The post’s file has changes that aren’t committed, or it changed just now. Commit them, or try again.',
    409,
  );

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
