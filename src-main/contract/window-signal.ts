/** A message from the desktop app to its window. The window also receives the owner's events. */
export type WindowSignal =
  | { readonly name: 'find' }
  /** The window was zoomed. `percent`: 100 is the actual size. */
  | { readonly name: 'zoom'; readonly percent: number };
