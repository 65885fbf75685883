import { readFileSync, writeFileSync } from 'node:fs';
import type { Rectangle } from 'electron';

const smallest = { width: 640, height: 480 };
const usual = { width: 1100, height: 760 };

/** Where the window was when it was last put away; undefined at the first start, or where it cannot be read. */
export function readBounds(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // A place on the screen is not worth a word: the window opens where the system puts it.
    return undefined;
  }
}

export function writeBounds(file: string, bounds: Rectangle): void {
  try {
    writeFileSync(file, JSON.stringify(bounds));
  } catch {
    // The same: nothing that the owner would miss.
  }
}

/**
 * The bounds to open with: the remembered ones where enough of the window's top shows on a display to take hold of it,
 * else the usual size without a place. Sizes in density-independent pixels.
 */
export function startBounds(remembered: unknown, displays: readonly Rectangle[]): Partial<Rectangle> {
  if (!isRectangle(remembered)) return usual;
  const width = Math.max(smallest.width, remembered.width);
  const height = Math.max(smallest.height, remembered.height);
  const reachable = displays.some(
    (display) =>
      remembered.x + width >= display.x + 100 &&
      remembered.x <= display.x + display.width - 100 &&
      remembered.y >= display.y &&
      remembered.y <= display.y + display.height - 50,
  );
  return reachable ? { x: remembered.x, y: remembered.y, width, height } : usual;
}

export { smallest as smallestSize };

function isRectangle(value: unknown): value is Rectangle {
  if (typeof value !== 'object' || value === null) return false;
  return ['x', 'y', 'width', 'height'].every((key) => Number.isInteger(Reflect.get(value, key)));
}
