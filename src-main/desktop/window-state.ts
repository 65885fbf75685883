import { readFileSync, writeFileSync } from 'node:fs';
import type { Rectangle } from 'electron';
import { isRecord, jsonIn } from '../storage/json-value.ts';
import { nearestZoom } from './zoom.ts';

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
