import type { Input, WebContents } from 'electron';

/** Chromium's own zoom steps, from 50% to 300%. */
export const zoomSteps = [0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;

export type ZoomChange = 'in' | 'out' | 'reset';

/** Returns the zoom step nearest to a factor. Returns 1 if the factor is not a finite number. */
export function nearestZoom(factor: number): number {
  if (!Number.isFinite(factor)) return 1;
  return zoomSteps.reduce((best, step) => (Math.abs(step - factor) < Math.abs(best - factor) ? step : best));
}

/** Returns the zoom factor after a change. The factor never goes beyond the first or the last step. */
export function zoomAfter(factor: number, change: ZoomChange): number {
  if (change === 'reset') return 1;
  const at = zoomSteps.findIndex((step) => step === nearestZoom(factor));
  return zoomSteps[at + (change === 'in' ? 1 : -1)] ?? nearestZoom(factor);
}

/**
 * Returns the zoom change that a key press requests. Accepts the zoom keys of browsers, including the number pad and
 * Ctrl+=. Returns undefined for all other keys.
 */
export function zoomKey(
  input: Pick<Input, 'type' | 'key' | 'code' | 'control' | 'meta' | 'alt' | 'shift'>,
  platform: NodeJS.Platform,
): ZoomChange | undefined {
  const { type, key, code, control, meta, alt, shift } = input;
  const isHeld = platform === 'darwin' ? meta && !control : control && !meta;
  if (type !== 'keyDown' || !isHeld || alt) return undefined;
  // On some keyboards, = is on the 0 key. There, Ctrl+= must not zoom in, because Ctrl+0 resets the zoom.
  if (key === '+' || code === 'NumpadAdd' || (key === '=' && code !== 'Digit0')) return 'in';
  if (key === '-' || code === 'NumpadSubtract') return 'out';
  return (key === '0' || code === 'Digit0' || code === 'Numpad0') && !shift ? 'reset' : undefined;
}

/**
 * Lets the owner zoom a page with keys and the mouse wheel. `changed`: called with each new zoom factor. Returns a
 * function that applies a zoom change.
 */
export function zoomPage(
  contents: WebContents,
  start: number,
  changed: (factor: number) => void,
): (change: ZoomChange) => void {
  let factor = start;
  const zoom = (change: ZoomChange) => {
    factor = zoomAfter(factor, change);
    contents.setZoomFactor(factor);
    changed(factor);
  };
  // Chromium's profile stores a zoom factor for each origin. Porchlight's `factor` overrides that stored value.
  contents.on('dom-ready', () => contents.setZoomFactor(factor));
  contents.on('before-input-event', (event, input) => {
    const change = zoomKey(input, process.platform);
    if (!change) return;
    // Prevent the default action, because the menu has the same shortcuts and would zoom a second time.
    event.preventDefault();
    zoom(change);
  });
  contents.on('zoom-changed', (_event, direction) => zoom(direction));
  return zoom;
}
