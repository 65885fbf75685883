/** A message from the desktop app to its window, in addition to the owner's events. */
export type WindowSignal =
  | { readonly name: 'find' }
  /** The window was zoomed. `percent`: 100 is the actual size. */
  | { readonly name: 'zoom'; readonly percent: number };
