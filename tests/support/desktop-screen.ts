import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import type { ElectronApplication } from 'playwright';
import { vi } from 'vitest';

/** The title of each native dialog about a sign-in: a regular expression for `xdotool search`. */
export const signInTitle = '[0-9]{2}: Sign in to .*';

/** What a native dialog was asked to show. */
export interface ShownDialog {
  readonly title: string;
  readonly message: string;
  readonly detail: string;
  readonly buttons: string[];
  readonly defaultId: number;
  readonly cancelId: number;
}

/** Why nobody can press the buttons of a native dialog here; undefined where the real ones can be pressed. */
export function whyNoPresses(): string | undefined {
  if (process.platform !== 'linux') return 'native dialogs are pressed on Linux only';
  return spawnSync('xdotool', ['version']).error ? 'xdotool is not installed' : undefined;
}

/** Records what native dialogs say from now on. The real dialog is shown all the same. */
export async function watchDialogs(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ dialog }) => {
    const shown: unknown[] = [];
    const real = dialog.showMessageBox.bind(dialog) as (options: object) => Promise<unknown>;
    Reflect.set(globalThis, 'shownDialogs', shown);
    Reflect.set(dialog, 'showMessageBox', (options: Record<string, unknown>) => {
      const { title, message, detail, buttons, defaultId, cancelId } = options;
      shown.push({ title, message, detail, buttons, defaultId, cancelId });
      return real(options);
    });
  });
}

/** The words of every dialog since watchDialogs. */
export async function shownDialogs(app: ElectronApplication): Promise<ShownDialog[]> {
  return app.evaluate(() => Reflect.get(globalThis, 'shownDialogs') as ShownDialog[]);
}

/** The X11 ids of the windows with this title, a regular expression, that are on the screen. */
function windowsTitled(title: string): string[] {
  // A window that goes while xdotool looks at it makes it fail; then there is nothing to be said yet.
  const { stdout } = spawnSync('xdotool', ['search', '--onlyvisible', '--name', `^${title}$`], {
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((id) => id !== '');
}

/** How many windows with this title are on the screen. */
export function countDialogs(title: string): number {
  return windowsTitled(title).length;
}

/** The titles of all windows on the screen, for whoever has to find out why a test failed. */
export function shownWindows(): string {
  const titles = windowsTitled('.+').map(
    (id) => spawnSync('xdotool', ['getwindowname', id], { encoding: 'utf8' }).stdout.trim() || 'gone by now',
  );
  return titles.map((title) => `“${title}”`).join(', ') || 'nothing';
}

/** Waits until a window with this title is on the screen, and tells its X11 id. */
export async function waitForDialog(title: string): Promise<string> {
  return vi.waitFor(
    () => {
      const id = windowsTitled(title).at(-1);
      if (id === undefined)
        throw new Error(`There is no dialog “${title}”. On the screen: ${shownWindows()}`);
      return id;
    },
    { timeout: 180_000, interval: 100 },
  );
}

/** Presses a button of a real native dialog with the mouse. GTK shares its last row equally among the buttons. */
export async function pressButton(title: string, index: number, count: number): Promise<void> {
  const id = await waitForDialog(title);
  const geometry = execFileSync('xdotool', ['getwindowgeometry', '--shell', id], { encoding: 'utf8' });
  const width = Number(/WIDTH=(\d+)/.exec(geometry)?.[1]);
  const height = Number(/HEIGHT=(\d+)/.exec(geometry)?.[1]);
  const x = Math.round(((index + 0.5) / count) * width);
  const y = height - 16;
  // Not mousemove's --sync: it waits for a move that does not come where the pointer is there already.
  execFileSync('xdotool', ['mousemove', '--window', id, `${x}`, `${y}`, 'click', '1']);
}

/** Milliseconds after which the answer to a native dialog counts, and some more. */
export const readingTime = 1200;

/** Presses a button of the native sign-in dialog, as somebody does who has read it. */
export async function answerSignIn(button: 'Deny' | 'Review' | 'Approve'): Promise<void> {
  const buttons = ['Deny', 'Review', 'Approve'];
  await waitForDialog(signInTitle);
  await setTimeout(readingTime);
  await pressButton(signInTitle, buttons.indexOf(button), buttons.length);
}

/** Presses a key in a real native dialog. */
export async function pressKey(title: string, key: string): Promise<void> {
  const id = await waitForDialog(title);
  execFileSync('xdotool', ['windowfocus', '--sync', id, 'key', key]);
}
