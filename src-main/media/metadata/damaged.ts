import { PorchlightError } from '../../contract/error.ts';

/** Returns the error for a file whose structure can't be parsed, so that its metadata can't be removed safely. */
export function damaged(): PorchlightError {
  return new PorchlightError(
    'invalid_request',
    'This file is damaged or incomplete, so Porchlight could not remove its location and camera data. The file was not saved.',
    400,
  );
}

/** No real picture or video has more segments, chunks or boxes than this. */
const mostSteps = 100_000;

/**
 * Limits the steps through one file. @returns a function to call at each step; it throws PorchlightError beyond the
 * limit.
 */
export function countSteps(): () => void {
  let steps = 0;
  return () => {
    steps += 1;
    if (steps > mostSteps) throw damaged();
  };
}
