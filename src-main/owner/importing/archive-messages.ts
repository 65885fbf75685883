import type { ErrorCode } from '../../contract/error-code.ts';

/** The data that the thread receives when it starts. `place`: where the thread records what it is reading. */
export interface ArchiveThreadData {
  readonly place: SharedArrayBuffer;
}

/** Asks the thread to make a call. */
export interface ArchiveCall {
  readonly call: string;
  readonly input: unknown;
}

/** Asks the thread to continue its call, to which it answered `working`. */
export const continueCall = 'continue';
export const working = 'working';

/** How the thread answers a message. `refusal`: a PorchlightError. `failure`: the stack of any other error. */
export type ArchiveAnswer =
  | typeof working
  | { readonly result: unknown }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string; readonly status: number } }
  | { readonly failure: string };
