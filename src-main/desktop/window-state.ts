import { readFileSync, writeFileSync } from 'node:fs';
import type { Input, Rectangle, WebContents } from 'electron';
import { isRecord, jsonIn } from '../storage/json-value.ts';

/** The minimum size of the window, in density-independent pixels. */
export const smallestSize = { width: 640, height: 480 };
const usualSize = { width: 1100, height: 760 };

/** The window's state from its last use. Backups don't contain it, because it belongs to this computer. */
interface WindowState {
  /** The position and size of the window when it is not maximized; undefined at the first start. */
  readonly bounds: Rectangle | undefined;
  readonly maximized: boolean;
  /** The zoom factor: 1 is 100%. */
  readonly zoom: number;
  /** Whether spell checking is on; undefined until the owner chooses. */
  readonly spelling: boolean | undefined;
}

export type KeptWindowState = ReturnType<typeof keepWindowState>;

/** Reads the window's state from `file`, and saves each change to that file. */
export function keepWindowState(file: string) {
  let state = readState(file);
  return {
    now: () => state,
    change(part: Partial<WindowState>): void {
      state = { ...state, ...part };
      const { bounds, ...others } = state;
      try {
        writeFileSync(file, JSON.stringify({ ...bounds, ...others }));
      } catch {
        // Saving the state is not worth an error message. If saving fails, the next start uses the old state.
      }
    },
  };
}

/**
 * Returns the position and size at which to open the window, in density-independent pixels. Returns the remembered
 * values if the owner can see and grab the top of the window there. Otherwise returns the default size, and the system
 * chooses the position.
 */
export function startBounds(
  remembered: Rectangle | undefined,
  displays: readonly Rectangle[],
): Partial<Rectangle> {
  if (!remembered) return usualSize;
  const width = Math.max(smallestSize.width, remembered.width);
  const height = Math.max(smallestSize.height, remembered.height);
  const reachable = displays.some(
    (display) =>
      remembered.x + width >= display.x + 100 &&
      remembered.x <= display.x + display.width - 100 &&
      remembered.y >= display.y &&
      remembered.y <= display.y + display.height - 50,
  );
  return reachable ? { x: remembered.x, y: remembered.y, width, height } : usualSize;
}

/**
 * Reads the state from the file. Replaces a missing or damaged value with its default, because a lost window state is
 * not worth an error message.
 */
function readState(file: string): WindowState {
  const kept = readObject(file);
  const bounds = { x: kept['x'], y: kept['y'], width: kept['width'], height: kept['height'] };
  return {
    bounds: isRectangle(bounds) ? bounds : undefined,
    maximized: kept['maximized'] === true,
    zoom: typeof kept['zoom'] === 'number' ? nearestZoom(kept['zoom']) : 1,
    spelling: typeof kept['spelling'] === 'boolean' ? kept['spelling'] : undefined,
  };
}

function readObject(file: string): Record<string, unknown> {
  try {
    const value = jsonIn(readFileSync(file, 'utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function isRectangle(value: Record<keyof Rectangle, unknown>): value is Rectangle {
  return Object.values(value).every((each) => Number.isInteger(each));
}

/** Chromium's own zoom steps, from 50% to 300%. */
export const zoomSteps = [0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;

export type ZoomChange = 'in' | 'out' | 'reset';

/** Returns the zoom step nearest to a factor. Returns 1 if the factor is not a finite number. */
function nearestZoom(factor: number): number {
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
