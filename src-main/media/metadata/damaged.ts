import { PorchlightError } from '../../contract/error.ts';

/** For a file whose structure can not be followed: what it hides can not be taken out safely. */
export function damaged(): PorchlightError {
  return new PorchlightError(
    'invalid_request',
    'This file is damaged or incomplete, so Porchlight could not remove its location and camera data. The file was not saved.',
    400,
  );
}

/** No picture and no film has more segments, chunks or boxes than this. */
const mostSteps = 100_000;

/** A count of steps through one file. @returns a function to call at each; it throws PorchlightError at one too many. */
export function countSteps(): () => void {
  let steps = 0;
  return () => {
    steps += 1;
    if (steps > mostSteps) throw damaged();
  };
}
