import { PorchlightError } from '../../contract/error.ts';

/** Returns the error for a file from which metadata can't be removed safely because its structure can't be parsed. */
export function damagedFile(): PorchlightError {
  return new PorchlightError(
    'invalid_request',
    'This file is damaged or incomplete, so Porchlight could not remove its location and camera data. The file was not saved.',
    400,
  );
}

/**
 * The maximum number of steps for parsing one file. No genuine picture or video has that many segments, chunks or
 * boxes.
 */
const mostSteps = 100_000;

/** Returns a function that counts the steps of parsing one file. It throws PorchlightError after 100,000 calls. */
export function countSteps(): () => void {
  let steps = 0;
  return () => {
    steps += 1;
    if (steps > mostSteps) throw damagedFile();
  };
}
